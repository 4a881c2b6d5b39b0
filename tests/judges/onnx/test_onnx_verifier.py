"""What does a model of natural language inference say of statements beside contexts?"""

import asyncio
import json
import random

import numpy as np
import pytest
from onnx import TensorProto

from assay.errors import InputError
from assay.judge import Judge
from assay.judges.onnx import MOST, Labels, Onnx
from assay.tasks import Statement, VerifyStatements
from support.onnx_models import INPUTS, verifier
from support.over import over

TOWER = "The tower was built in 1889 by engineers."


def verdicts(judge, contexts, *statements):
    listed = tuple(Statement(f"s{n}", text) for n, text in enumerate(statements, start=1))
    task = VerifyStatements(listed, tuple(contexts))
    return asyncio.run(Judge(judge)(task))


@pytest.fixture
def judge(tmp_path):
    return Onnx(verifier(tmp_path / "nli"))


def filler(sentences, seed=0):
    chosen = random.Random(seed)
    things = ["river", "market", "garden", "school", "harbour", "forest", "bridge", "castle"]
    return " ".join(
        f"Near the {chosen.choice(things)} stands an old {chosen.choice(things)} number {n}."
        for n in range(sentences)
    )


class TestOneStatement:
    def test_is_supported_where_the_model_says_so(self, judge):
        (found,) = verdicts(judge, ["A river.", TOWER], "The tower was built in 1889.")
        assert found.supported
        assert found.context == 1
        assert found.quote == TOWER
        assert found.probability == pytest.approx(1 / (1 + 2 * np.exp(-4)), abs=0.02)
        assert "'entailment' 0.9" in found.reason

    def test_is_absent_where_nothing_is_said(self, judge):
        (found,) = verdicts(judge, [TOWER], "Bananas contain much potassium.")
        assert not found.supported
        assert found.contradicted is False
        assert found.context is None
        assert found.quote == ""

    def test_is_contradicted_where_a_context_does(self, judge):
        said = "The tower was built in 1889."
        (found,) = verdicts(judge, ["The tower was never built in 1889."], said)
        assert not found.supported
        assert found.contradicted is True

    def test_without_contexts_it_is_unsupported_and_nothing_is_read(self, judge):
        (found,) = verdicts(judge, [], "The tower was built in 1889.")
        assert found.probability == 0
        assert "no context" in found.reason

    def test_the_quote_is_in_the_context_as_it_is_written(self, judge):
        context = "<p>Height: <b>330</b> m.</p> The tower was built in 1889."
        (found,) = verdicts(judge, [context], "The tower was built in 1889.")
        assert found.quote in context


class TestLongTexts:
    def test_evidence_at_the_end_of_a_long_context_is_found(self, judge):
        (found,) = verdicts(judge, [f"{filler(300)} {TOWER}"], "The tower was built in 1889.")
        assert found.supported
        assert found.quote == TOWER

    def test_two_neighbouring_sentences_are_never_torn_apart(self, tmp_path):
        judge = Onnx(verifier(tmp_path, longest=64))
        said = "The tower was built in 1889. Its architect lived nearby."
        for sentences in range(8):
            (found,) = verdicts(judge, [f"{filler(sentences)} {said} {filler(9)}"], said)
            assert found.supported, sentences

    def test_only_the_nearest_stretches_are_read(self, tmp_path, monkeypatch):
        judge = Onnx(verifier(tmp_path, longest=64))
        read = []
        network = judge._verifier.network
        passes = network.passes
        monkeypatch.setattr(
            network, "passes", lambda texts, threads: read.append(len(texts)) or passes(texts, threads)
        )  # fmt: skip
        (found,) = verdicts(judge, [f"{filler(200)} {TOWER}"], "The tower was built in 1889.")
        assert read == [MOST]
        assert found.supported

    def test_all_parts_of_a_long_statement_have_to_be_supported(self, tmp_path):
        judge = Onnx(verifier(tmp_path, longest=64))
        long = " ".join(["The tower was built in 1889 by engineers."] * 6)
        whole, spoilt = verdicts(judge, [TOWER], long, f"{long} Bananas contain much potassium.")
        assert whole.supported
        assert not spoilt.supported


class TestAnyOrder:
    @pytest.mark.parametrize("longest", [64, 512])
    def test_of_the_contexts_gives_the_same_verdicts(self, tmp_path, longest):
        judge = Onnx(verifier(tmp_path, longest=longest))
        contexts = [filler(5, 1), TOWER, filler(4, 2), "The tower was never sold.", ""]
        said = ("The tower was built in 1889.", "The tower was sold.", "An old castle stands.")
        expected = [v.probability for v in verdicts(judge, contexts, *said)]
        for seed in range(5):
            mixed = random.Random(seed).sample(contexts, len(contexts))
            assert [v.probability for v in verdicts(judge, mixed, *said)] == expected

    def test_of_the_statements_gives_the_same_verdicts(self, judge):
        said = ("The tower was built in 1889.", "Bananas contain much potassium.")
        one, two = verdicts(judge, [TOWER], *said)
        assert [v.probability for v in verdicts(judge, [TOWER], *said[::-1])] == [
            two.probability,
            one.probability,
        ]


class TestLabels:
    @over(
        ("names", "supported", "contradicted"),
        [
            (["contradiction", "entailment", "neutral"], 1, 0),
            (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], 0, 2),
            (["entailment", "not_entailment"], 0, None),
            (["not supported", "supported"], 1, None),
            (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], 0, 1),
            (["hallucinated", "consistent"], 1, None),
            (["supported"], 0, None),
        ],
    )
    def test_are_told_by_their_names(self, names, supported, contradicted):
        found = Labels.of({"id2label": {str(n): name for n, name in enumerate(names)}}, "model")
        assert (found.supported, found.contradicted) == (supported, contradicted)

    def test_stand_in_the_order_of_their_numbers(self):
        named = {str(n): f"none {n}" for n in range(12)} | {"10": "entailment"}
        found = Labels.of({"id2label": named}, "model")
        assert found.supported == 10

    @over(
        "config",
        [
            {},
            {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}},
            {"id2label": {"0": "positive", "1": "negative"}},
            {"id2label": {"0": "entailment", "1": "entailed"}},
            {"id2label": {"0": "neutral", "1": "contradiction"}},
            {"id2label": ["entailment", "neutral"]},
        ],
    )
    def test_that_do_not_tell_are_refused_with_what_to_write(self, config):
        with pytest.raises(InputError, match="id2label"):
            Labels.of(config, "model")

    @pytest.mark.parametrize("names", [["supported"], ["supported", "unsupported"]])
    def test_without_contradiction_it_is_not_known(self, tmp_path, names):
        judge = Onnx(verifier(tmp_path, names))
        yes, no = verdicts(judge, [TOWER], "The tower was built in 1889.", "Bananas ripen slowly.")
        assert yes.supported
        assert yes.probability > 0.9
        assert not no.supported
        assert no.contradicted is None


class TestOtherModels:
    def test_one_that_reads_32_bit_integers(self, tmp_path):
        judge = Onnx(verifier(tmp_path, integers=TensorProto.INT32))
        (found,) = verdicts(judge, [TOWER], "The tower was built in 1889.")
        assert found.supported

    def test_one_that_reads_no_token_types(self, tmp_path):
        judge = Onnx(verifier(tmp_path, inputs=INPUTS[:2]))
        (found,) = verdicts(judge, [TOWER], "The tower was built in 1889.")
        assert not found.supported

    def test_a_text_longer_than_the_rules_foresee_is_cut_to_what_the_model_reads(self, tmp_path):
        judge = Onnx(verifier(tmp_path, longest=32))
        network = judge._verifier.network
        ids, types = network.pair("tower " * 100, "The tower was built. " * 20)
        assert len(ids) == len(types) == 32


def test_the_reply_is_one_that_the_task_can_read(judge):
    task = VerifyStatements((Statement("s1", "The tower was built in 1889."),), (TOWER,))
    reply = asyncio.run(judge.reply(task))
    assert json.loads(reply.raw)["verdicts"][0]["context"] == "c1"
    assert reply.backend == judge.identity(VerifyStatements)
