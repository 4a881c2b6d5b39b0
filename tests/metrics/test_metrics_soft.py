"""Do statements count by the judge's probabilities where that is asked for?"""

import pytest

from assay.bench.correctness import correctness
from assay.bench.subject import Subject
from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.sample import Sample
from assay.tasks import Verdict, embed, verify_statements
from support.scripts import by_sentence, score

SAMPLE = Sample(id="1", question="?", answer="Aa is old. Bb is new.", reference="Cc is big.")
UNKNOWN = "verdicts of 0 or 1: the judge gives no probabilities"


def judge(answer, reference):
    """Probabilities of the answer's two statements and of the reference's one; or True and False."""

    def verify(task):
        given = answer if len(task.statements) == 2 else reference
        return verify_statements.reply(
            [
                Verdict(i, p >= 0.5, probability=None if isinstance(p, bool) else p)
                for i, p in zip(task.ids, given, strict=True)
            ]
        )

    return {
        "split_statements": by_sentence,
        "verify_statements": verify,
        "embed": lambda task: embed.reply([1.0, 0.0]),
    }


async def test_the_counts_are_sums_of_probabilities():
    found = await score(parse("factual_correctness(soft=true)"), SAMPLE, judge((0.9, 0.3), (0.5,)))
    precision, recall = (0.9 + 0.3) / 2, 0.5
    assert found.value == pytest.approx(2 * precision * recall / (precision + recall))
    assert found.details == pytest.approx(
        {"precision": 0.6, "recall": 0.5, "TP": 1.2, "FP": 0.8, "FN": 0.5}
    )
    assert [(p.label, p.value) for p in found.parts] == [("TP", 0.9), ("FP", 0.3), ("covered", 0.5)]
    assert found.method == ""


@pytest.mark.parametrize("name", ["factual_correctness", "answer_correctness"])
async def test_a_judge_without_probabilities_counts_as_ever_and_it_is_said(name):
    said = judge((True, False), (False,))
    plain, soft = [await score(parse(f"{name}{how}"), SAMPLE, said) for how in ("", "(soft=true)")]
    assert (soft.value, soft.method, plain.method) == (plain.value, UNKNOWN, "")


async def test_of_a_blank_text_no_probability_is_missing():
    found = await score(
        parse("factual_correctness(soft=true)"),
        Sample(id="1", question="?", answer="", reference="Cc is big."),
        judge((), ()),
    )
    assert (found.value, found.method) == (0.0, "")


async def test_answer_correctness_weighs_the_soft_score():
    said = judge((0.9, 0.3), (0.5,))
    factual = await score(parse("factual_correctness(soft=true)"), SAMPLE, said)
    found = await score(parse("answer_correctness(soft=true)"), SAMPLE, said)
    assert found.value == pytest.approx(0.75 * factual.value + 0.25)


async def test_it_is_what_the_card_calls_by_probabilities():
    said = judge((0.9, 0.3), (0.5,))
    soft = await score(parse("factual_correctness(soft=true)"), SAMPLE, said)
    ((_, weighed),) = correctness(Subject(Scripted(said)), [("?", SAMPLE.answer, SAMPLE.reference)])
    assert weighed.overall == pytest.approx(soft.value)


@pytest.mark.parametrize("name", ["ragas:factual_correctness", "ragas:answer_correctness"])
def test_what_ragas_counts_has_no_probabilities(name):
    with pytest.raises(InputError, match="soft"):
        parse(f"{name}(soft=true)")


@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("True", "False")])
def test_yes_and_no_are_written_either_way(yes, no):
    assert parse(f"factual_correctness(soft={yes})").soft is True
    assert parse(f"factual_correctness(soft={no})").soft is False
