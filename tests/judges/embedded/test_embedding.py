"""Does a vector depend on its text alone, and does nearness mean likeness?"""

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from assay.judges.embedded.embedding import DIMENSIONS, Encoder, sentences
from assay.judges.embedded.inference import folder

TEXTS = [
    "The cat sat on the mat.",
    "A cat is sitting on a rug.",
    "Stock prices fell sharply on Monday.",
    "",
    "word " * 700,
    "日本語の文。",
]


@pytest.fixture(scope="module")
def encoder():
    return Encoder(threads=2)


def test_vectors_have_length_one(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_text_no_vector(encoder):
    assert encoder.encode([]).shape == (0, DIMENSIONS)


def test_like_meanings_are_near(encoder):
    cat, rug, stocks = encoder.encode(TEXTS[:3])
    assert cat @ rug > 0.6
    assert cat @ stocks < 0.3


def test_a_vector_does_not_depend_on_neighbours_order_or_threads(encoder):
    together = encoder.encode(TEXTS)
    sentences.forget()
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    sentences.forget()
    backwards = Encoder(threads=1).encode([*reversed(TEXTS), TEXTS[0]])
    assert together.tobytes() == alone.tobytes()
    assert together.tobytes() == backwards[:-1][::-1].tobytes()


def test_the_end_of_a_long_text_counts(encoder):
    begin = "The garden is full of flowers. " * 100
    one, other = encoder.encode([begin, begin + "The bank went bankrupt. " * 60])
    assert one @ other < 0.95


def test_threads_share_one_encoder():
    sentences.forget()
    shared = Encoder(threads=1)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: shared.encode(TEXTS[:3]).tobytes(), range(8)))
    assert len(set(results)) == 1


@pytest.mark.slow
def test_a_run_that_needs_no_embedded_model_reads_none(tmp_path):
    code = (
        "import sys; sys.addaudithook(lambda e, a: e == 'open' and 'model.onnx' in str(a[0]) and"
        " print('read', a[0]));"
        " import assay; judge = lambda prompt: 'no reply';"
        " rows = [{'question': 'Q?', 'answer': 'A.', 'contexts': ['C.']}];"
        f" assay.evaluate(rows, 'faithfulness', judge, store={str(tmp_path / 'x.db')!r})"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.stdout == ""
    assert (tmp_path / "x.db").exists(), ended.stderr


def test_identity(encoder):
    weights = folder("minilm").joinpath("model.onnx").read_bytes()
    assert encoder.name == f"minilm-l6-v2-int8:{hashlib.sha256(weights).hexdigest()[:8]}"


def test_threads_must_be_positive():
    with pytest.raises(ValueError, match="at least 1"):
        Encoder(threads=0)
