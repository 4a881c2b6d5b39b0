"""The paper's baselines: one grade by a definition, one preference in one order."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics.gpt import GptRanking, GptScore
from assay.sample import Sample
from assay.tasks import Grade, Preference, give_grade, prefer_answer
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1", question="Is water wet?", answer="Yes.", other_answer="No.", contexts=("It is wet.",)
)


@pytest.mark.parametrize(
    ("quality", "needs", "begins"),
    [
        ("faithfulness", ("contexts", "answer"), "Faithfulness"),
        ("answer_relevance", ("question", "answer"), "Answer relevance"),
        ("context_relevance", ("question", "contexts"), "Context relevance"),
    ],
)
async def test_a_grade_from_0_to_10_is_given_by_the_definition_of_the_quality(
    quality, needs, begins
):
    judge = Watched(Scripted({"give_grade": give_grade.reply(Grade(7, "so"))}))
    metric = GptScore(quality)
    assert metric.needs == needs
    found = await score(metric, SAMPLE, judge)
    assert (found.value, found.parts[0].label) == (7, "7 of 10")
    ((task, _),) = judge.asked
    assert task.criterion.startswith(begins)
    assert [grade for grade, _ in task.grades] == list(range(11))
    assert {name.split()[0] for name, _ in task.shown} == {n.removesuffix("s") for n in needs}


@pytest.mark.parametrize("raw", [7.5, 11, -1])
async def test_no_grade_in_between_or_beyond_is_taken(raw):
    judge = {"give_grade": f'{{"reason": "", "grade": {raw}}}'}
    assert (await score(GptScore(), SAMPLE, judge)).why == "failed"


@pytest.mark.parametrize(("better", "value"), [("first", 1), ("tie", 0.5), ("second", 0)])
async def test_ranking_asks_once_with_the_answer_first(better, value):
    judge = Watched(Scripted({"prefer_answer": prefer_answer.reply(Preference(better, "so"))}))
    found = await score(GptRanking("answer_relevance"), SAMPLE, judge)
    assert found.value == value
    ((task, _),) = judge.asked
    assert (task.first, task.second) == ("Yes.", "No.")
    assert task.shown == (("question", "Is water wet?"),)


def test_other_qualities_are_refused():
    with pytest.raises(InputError, match="quality must be"):
        GptScore("beauty")
    with pytest.raises(InputError, match="quality must be faithfulness or answer_relevance"):
        GptRanking("context_relevance")


async def test_an_answer_that_is_empty_is_not_compared():
    sample = Sample(id="1", question="?", answer="", other_answer="No.", contexts=("W.",))
    assert (await score(GptRanking(), sample, {})).why == "undefined"
    assert (await score(GptScore(), sample, {})).why == "undefined"
