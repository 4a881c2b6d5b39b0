"""Does a reading depend on its window alone, and is the model what its name says?"""

import hashlib

import numpy as np
import pytest

from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.inference import folder
from assay.judges.embedded.reader import Reader, passes

EVIDENCE = prepare(["The tower stands in Paris. It was built in 1889.", "Bananas are yellow."])
STATEMENTS = [
    "The tower stands in Paris.",
    "Bananas are blue.",
    "It was built by " + "a man " * 150,
]


def test_a_reading_does_not_depend_on_threads_or_on_what_was_read_before():
    one = Reader(1).begin_beside_evidence(STATEMENTS, EVIDENCE)()
    passes.forget()
    more = Reader(3).begin_beside_evidence(STATEMENTS, EVIDENCE)()
    for a, b in zip(one, more, strict=True):
        np.testing.assert_array_equal(a.votes, b.votes)
        np.testing.assert_array_equal(a.tokens, b.tokens)


def test_every_token_has_a_doubt_and_a_place():
    for statement, found in zip(
        STATEMENTS, Reader(1).begin_beside_evidence(STATEMENTS, EVIDENCE)(), strict=True
    ):
        assert found.votes.shape == (5,)
        assert len(found.tokens) == len(found.offsets) > 0
        assert "".join(statement[a:b] for a, b in found.offsets) == statement.replace(" ", "")


def test_an_empty_text_has_a_reading():
    (found,) = Reader(1).read_beside_question("Why?", [""])
    assert found.votes.tolist() == [0] * 5
    assert len(found.tokens) == 0


def test_nothing_to_read_is_nothing_read():
    assert Reader(1).begin_beside_evidence([], EVIDENCE)() == []


def test_threads_must_be_positive():
    with pytest.raises(ValueError, match="threads"):
        Reader(0)


def test_the_name_changes_with_the_weights():
    weights = folder("reader").joinpath("model.onnx").read_bytes()
    assert Reader(1).name == f"reader-l6-int8:{hashlib.sha256(weights).hexdigest()[:8]}"
