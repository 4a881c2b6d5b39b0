"""Two ratings, both there or no score; the answer is rated against the reference and back."""

import pytest

from assay.judges.scripted import Scripted
from assay.metrics.ratings import AnswerAccuracy, NvContextRelevance, ResponseGroundedness
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import Grade, give_grade
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1",
    question="Is water wet?",
    answer="Yes.",
    reference="It is wet.",
    contexts=("Water is wet.", "Bread is not."),
)
ALL = (AnswerAccuracy, NvContextRelevance, ResponseGroundedness)


def rates(first, second):
    """A judge whose two ratings these are, told apart by the criterion that is asked first."""
    criteria = []

    def say(task):
        if task.criterion not in criteria:
            criteria.append(task.criterion)
        return give_grade.reply(Grade((first, second)[criteria.index(task.criterion)], "so"))

    return {"give_grade": say}


@pytest.mark.parametrize(
    ("metric", "ratings", "value"),
    [
        (AnswerAccuracy, (4, 4), 1),
        (AnswerAccuracy, (4, 2), 0.75),
        (AnswerAccuracy, (0, 2), 0.25),
        (NvContextRelevance, (2, 2), 1),
        (NvContextRelevance, (0, 1), 0.25),
        (ResponseGroundedness, (2, 1), 0.75),
        (ResponseGroundedness, (0, 0), 0),
    ],
)
async def test_the_score_is_the_mean_of_two_ratings_over_their_best(metric, ratings, value):
    found = await score(metric(), SAMPLE, rates(*ratings))
    assert isinstance(found, Score)
    assert found.value == value
    assert found.details == {"ratings": list(ratings)}
    best = 4 if metric is AnswerAccuracy else 2
    assert [part.value for part in found.parts] == [rating / best for rating in ratings]


async def test_the_second_rating_of_accuracy_swaps_answer_and_reference():
    judge = Watched(Scripted(rates(4, 4)))
    await score(AnswerAccuracy(), SAMPLE, judge)
    one, other = (dict(task.shown) for task, _ in judge.asked)
    assert (one["answer"], one["reference"]) == ("Yes.", "It is wet.")
    assert (other["answer"], other["reference"]) == ("It is wet.", "Yes.")
    assert judge.asked[0][0].grades != judge.asked[1][0].grades


@pytest.mark.parametrize("metric", ALL)
async def test_a_rating_that_fails_is_not_made_up_for_by_the_other(metric):
    # RAGAS would take the one that can be read for the mean of both.
    found = await score(metric(), SAMPLE, rates(2, 3))
    assert isinstance(found, Unscored)
    assert found.why == "failed"
    assert "a grade of 3" in found.detail


@pytest.mark.parametrize(
    ("metric", "changes", "value"),
    [
        (AnswerAccuracy, {"answer": " "}, 0),
        (AnswerAccuracy, {"reference": ""}, None),
        (AnswerAccuracy, {"question": ""}, None),
        (NvContextRelevance, {"question": ""}, None),
        (NvContextRelevance, {"contexts": ()}, 0),
        (NvContextRelevance, {"contexts": ("", " ")}, 0),
        (NvContextRelevance, {"contexts": ("water wet?", "")}, 0),
        (NvContextRelevance, {"contexts": ("Is water wet?",)}, 0),
        (ResponseGroundedness, {"answer": ""}, 0),
        (ResponseGroundedness, {"contexts": ()}, 0),
    ],
)
async def test_what_needs_no_judge_is_told_without_one(metric, changes, value):
    sample = Sample(
        **{
            "id": "1",
            "question": "Is water wet?",
            "answer": "Yes.",
            "reference": "It is.",
            "contexts": ("Water is wet.",),
            **changes,
        }
    )
    judge = Watched(Scripted({}))
    found = await score(metric(), sample, judge)
    assert not judge.asked
    if value is None:
        assert isinstance(found, Unscored)
        assert found.why == "undefined"
    else:
        assert found.value == value
