"""Rubrics and paired ratings: the grade is one of the scale, in every case."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.grading import (
    AnswerAccuracy,
    InstanceRubrics,
    NvContextRelevance,
    ResponseGroundedness,
    RubricsScore,
    RubricsScoreWithReference,
    scale,
)
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import GiveGrade, Grade
from support.over import over
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1", question="Is water wet?", answer="Yes.", reference="Yes, it is.", rubric=None
)


def grades(*values):
    return {"give_grade": [GiveGrade.reply(Grade(value, "so")) for value in values]}


def with_rubric(rubric):
    return Sample(id="1", question="Is water wet?", answer="Yes.", rubric=rubric)


@over(
    "rubric",
    [
        {1: "bad", 2: "good"},
        {"2": "good", "1": "bad"},
        {"score1_description": "bad", "score2_description": "good"},
        {"score_1": "bad", "Score 2": "good"},
        ((2.0, "good"), ("1", "bad")),
    ],
)
def test_grades_are_read_however_they_are_named_and_stand_in_order(rubric):
    assert scale(rubric) == ((1.0, "bad"), (2.0, "good"))


@over(
    ("rubric", "message"),
    [
        ({}, "two grades or more"),
        ({1: "good"}, "two grades or more"),
        ({1: "bad", "score1": "good"}, "stands there twice"),
        ({"bad": "x", "good": "y"}, "is no grade"),
        ({1: 2, 2: 3}, "is no grade with its meaning"),
    ],
)
def test_what_is_no_rubric_is_named(rubric, message):
    with pytest.raises(ValueError, match=message):
        scale(rubric)
    with pytest.raises(InputError, match=message):
        RubricsScore(rubric=rubric)


class TestRubricsScore:
    async def test_the_grade_is_the_score_and_several_draws_are_averaged(self):
        assert (await score(RubricsScore(), SAMPLE, grades(4))).value == 4
        found = await score(RubricsScore(strictness=3), SAMPLE, grades(4, 5, 4))
        assert found.value == pytest.approx(13 / 3)
        assert found.details == {"grades": [4, 5, 4], "agreement": pytest.approx(2 / 3)}

    async def test_a_rubric_of_ones_own_has_its_own_range_and_grades(self):
        metric = RubricsScore(rubric={0: "no", 10: "yes"})
        assert metric.range == (0, 10)
        assert RubricsScore().range == RubricsScore.range == (1, 5)
        judge = Watched(Scripted(grades(10)))
        assert (await score(metric, SAMPLE, judge)).value == 10
        assert judge.asked[0][0].grades == ((0, "no"), (10, "yes"))
        assert (await score(metric, SAMPLE, grades(5))).why == "failed"

    def test_it_can_be_given_on_the_command_line(self):
        spec = "rubrics_score(rubric={1: 'bad, or none', 2: 'good'}, strictness=3)"
        assert parse(spec) == RubricsScore(((1, "bad, or none"), (2, "good")), 3)

    async def test_only_the_one_with_a_reference_shows_it(self):
        for metric, names in (
            (RubricsScore(), ["question", "answer"]),
            (RubricsScoreWithReference(), ["question", "answer", "reference"]),
        ):
            judge = Watched(Scripted(grades(3)))
            await score(metric, SAMPLE, judge)
            ((task, _),) = judge.asked
            assert [name for name, _ in task.shown] == names
            assert len(task.grades) == 5
            assert ("reference" in task.criterion) is ("reference" in names)


class TestInstanceRubrics:
    @over(
        ("rubric", "grade", "value"),
        [
            ({"1": "bad", "5": "good"}, 5, 1),
            ({"1": "bad", "3": "fair", "5": "good"}, 3, 0.5),
            ({"score0_description": "bad", "score10_description": "good"}, 0, 0),
        ],
    )
    async def test_the_score_is_the_place_between_the_ends_of_the_samples_rubric(
        self, rubric, grade, value
    ):
        found = await score(InstanceRubrics(), with_rubric(rubric), grades(grade))
        assert found.value == value
        assert found.details["grade"] == grade

    @over("rubric", [None, {}, {"1": "bad"}, {"good": "y", "bad": "n"}])
    async def test_a_sample_without_a_rubric_is_undefined(self, rubric):
        found = await score(InstanceRubrics(), with_rubric(rubric), grades(1))
        assert isinstance(found, Unscored)
        assert found.why == "undefined"
        assert found.detail.startswith("the sample's rubric: ")

    async def test_a_grade_of_another_rubric_is_unreadable(self):
        found = await score(InstanceRubrics(), with_rubric({"1": "a", "2": "b"}), grades(3))
        assert found == Unscored("failed", "a grade of 3, which is none of 1, 2")


SAMPLE_RATINGS = Sample(
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
        return GiveGrade.reply(Grade((first, second)[criteria.index(task.criterion)], "so"))

    return {"give_grade": say}


@over(
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
    found = await score(metric(), SAMPLE_RATINGS, rates(*ratings))
    assert isinstance(found, Score)
    assert found.value == value
    assert found.details == {"ratings": list(ratings)}
    best = 4 if metric is AnswerAccuracy else 2
    assert [part.value for part in found.parts] == [rating / best for rating in ratings]


async def test_the_second_rating_of_accuracy_swaps_answer_and_reference():
    judge = Watched(Scripted(rates(4, 4)))
    await score(AnswerAccuracy(), SAMPLE_RATINGS, judge)
    one, other = (dict(task.shown) for task, _ in judge.asked)
    assert (one["answer"], one["reference"]) == ("Yes.", "It is wet.")
    assert (other["answer"], other["reference"]) == ("It is wet.", "Yes.")
    assert judge.asked[0][0].grades != judge.asked[1][0].grades


@over("metric", ALL)
async def test_a_rating_that_fails_is_not_made_up_for_by_the_other(metric):
    # RAGAS would take the one that can be read for the mean of both.
    found = await score(metric(), SAMPLE_RATINGS, rates(2, 3))
    assert isinstance(found, Unscored)
    assert found.why == "failed"
    assert "a grade of 3" in found.detail


@over(
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
