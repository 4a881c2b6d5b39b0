"""How is a model in an ONNX file named, mixed and used?"""

import asyncio
import pickle

import pytest

import assay
from assay.errors import InputError, Unsupported
from assay.judges import backend
from assay.judges.onnx import Onnx
from assay.judges.specs import mixed
from assay.tasks import TASKS, SplitStatements
from support.onnx_models import encoder, verifier

MEAN = {"pooling_mode_mean_tokens": True}
ROW = {
    "id": "tower",
    "question": "When was the tower built?",
    "contexts": ["The tower was built in 1889. It is 330 metres high."],
    "answer": "The tower was built in 1889. The tower is made of chocolate.",
    "reference": "The tower was built in 1889.",
}


def test_a_verifier_serves_statements_only(tmp_path):
    judge = backend(f"onnx:{verifier(tmp_path)}")
    assert {kind for kind, task in TASKS.items() if judge.identity(task)} == {"verify_statements"}
    with pytest.raises(Unsupported):
        asyncio.run(judge.reply(SplitStatements("", "A text.")))


def test_an_encoder_serves_embeddings_only(tmp_path):
    judge = backend(f"onnx:{encoder(tmp_path, pooling=MEAN)}", embedder=True)
    served = {kind for kind, task in TASKS.items() if judge.identity(task)}
    assert served == {"embed", "embed_tokens"}


def test_without_states_there_are_no_vectors_of_tokens(tmp_path):
    judge = Onnx(encoder(tmp_path, output="sentence_embedding"))
    assert {kind for kind, task in TASKS.items() if judge.identity(task)} == {"embed"}


def test_a_classifier_is_no_embedder(tmp_path):
    with pytest.raises(InputError, match="makes no embeddings"):
        backend(f"onnx:{verifier(tmp_path)}", embedder=True)


def test_mixed_with_the_embedded_judge_it_verifies(tmp_path):
    spec = f"onnx:{verifier(tmp_path / 'nli')}+embedded"
    result = assay.evaluate([ROW], "faithfulness", spec, store=tmp_path / "a.db")
    parts = result.trace("tower", "faithfulness").outcome.parts
    assert [part.label for part in parts] == ["supported", "unsupported"]
    assert "'entailment'" in parts[0].reason
    assert "onnx-v1:nli/model.onnx@" in result.summary()[0].signature


def test_the_second_run_asks_nothing(tmp_path):
    spec = f"onnx:{verifier(tmp_path / 'nli')}+embedded"
    first = assay.evaluate([ROW], "faithfulness", spec, store=tmp_path / "a.db")
    again = assay.evaluate([ROW], "faithfulness", spec, store=tmp_path / "a.db")
    assert first.run.id == again.run.id
    assert again.paid.calls == 0


def test_as_an_embedder_it_makes_the_vectors_of_a_run(tmp_path):
    spec = f"onnx:{encoder(tmp_path / 'st', pooling=MEAN)}"
    rows = [{**ROW, "answer": ROW["reference"]}]
    result = assay.evaluate(rows, "answer_similarity", embedder=spec, store=tmp_path / "a.db")
    (row,) = result.summary()
    assert row.mean == pytest.approx(1)
    assert "onnx-v1:st/model.onnx@" in row.signature


def test_it_is_made_anew_in_another_process(tmp_path):
    judge = Onnx(verifier(tmp_path), threads=1)
    assert pickle.loads(pickle.dumps(judge)).name == judge.name


def test_threads_are_counted_from_one(tmp_path):
    with pytest.raises(ValueError, match="at least 1"):
        Onnx(verifier(tmp_path), threads=0)


def test_a_plus_in_a_folders_name_is_no_second_judge(tmp_path):
    folder = verifier(tmp_path / "a+b")
    assert mixed([f"onnx:{folder}"], backend).name.startswith("onnx-v1:a+b/")
