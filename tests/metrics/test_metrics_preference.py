"""A preference counts only if it survives the change of places."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics.preference import RATED, PairwisePreference
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import PreferAnswer, Preference, RateAnswer
from support import scripts
from support.over import over
from support.scripts import Watched, score

SAMPLE = Sample(id="1", question="Is water wet?", answer="Yes, wet.", other_answer="No.")


def prefers(shown_first, shown_second):
    """A judge that says the one where the answer stands first, the other where it is second."""

    def say(task):
        better = shown_first if task.first == SAMPLE.answer else shown_second
        return PreferAnswer.reply(Preference(better, "so"))

    return {"prefer_answer": say}


@over(
    ("shown_first", "shown_second", "value", "biased"),
    [
        ("first", "second", 1, False),  # the answer, in both places
        ("second", "first", 0, False),  # the other, in both places
        ("first", "first", 0.5, True),  # whatever is shown first
        ("second", "second", 0.5, True),  # whatever is shown last
        ("tie", "tie", 0.5, False),
        ("first", "tie", 0.5, False),
        ("tie", "first", 0.5, False),
    ],
)
async def test_both_orders_have_to_agree(shown_first, shown_second, value, biased):
    found = await score(PairwisePreference(), SAMPLE, prefers(shown_first, shown_second))
    assert found.value == value
    assert found.details["position_bias"] is biased
    assert len(found.parts) == 2


async def test_the_answers_change_places_and_nothing_else():
    judge = Watched(Scripted(prefers("first", "second")))
    sample = Sample(**{f: getattr(SAMPLE, f) for f in ("id", "question", "answer", "other_answer")})
    await score(PairwisePreference("Which is kinder?"), sample, judge)
    one, other = (task for task, _ in judge.asked)
    assert (one.first, one.second) == (other.second, other.first) == ("Yes, wet.", "No.")
    assert (one.criterion, one.shown) == (other.criterion, other.shown)
    assert one.criterion == "Which is kinder?"


async def test_what_each_order_preferred_is_told():
    found = await score(PairwisePreference(), SAMPLE, prefers("first", "first"))
    assert found.details == {
        "shown_first": "answer",
        "shown_second": "other",
        "position_bias": True,
    }
    assert [part.label for part in found.parts] == [
        "shown first: preferred",
        "shown second: the other is preferred",
    ]


async def test_two_answers_that_are_the_same_are_a_tie_without_a_call():
    judge = Watched(Scripted({}))
    sample = Sample(id="1", question="?", answer="Yes.", other_answer=" Yes.")
    assert (await score(PairwisePreference(), sample, judge)).value == 0.5
    assert not judge.asked


@over("other", [None, "", " "])
async def test_without_another_answer_there_is_nothing_to_prefer(other):
    sample = Sample(id="1", question="?", answer="Yes.", other_answer=other)
    found = await score(PairwisePreference(), sample, {})
    assert found == Unscored("undefined", "the field 'other_answer' is empty")


class TestAJudgeThatCannotCompare:
    @over(("mine", "theirs", "value"), [(0.9, 0.2, 1), (0.2, 0.9, 0), (0.5, 0.54, 0.5)])
    async def test_it_rates_each_answer_on_its_own_and_the_score_says_so(self, mine, theirs, value):
        def say(task):
            return scripts.rating(mine if task.answer == SAMPLE.answer else theirs)

        found = await score(PairwisePreference(), SAMPLE, {"rate_answer": say})
        assert found.value == value
        assert found.method == RATED
        assert found.details == {"ratings": [mine, theirs]}

    async def test_an_answer_that_declines_is_no_better_than_one_that_does_not(self):
        def say(task):
            declines = task.answer == SAMPLE.answer
            return scripts.rating(0.9 if declines else 0.6, noncommittal=declines)

        found = await score(PairwisePreference(), SAMPLE, {"rate_answer": say})
        assert found.value == 0
        assert [part.label for part in found.parts] == ["noncommittal", "rated"]
        assert found.details == {"ratings": [0, 0.6]}

    def test_it_does_so_by_the_default_criterion_only(self):
        def rates(kind):
            return kind is RateAnswer

        assert PairwisePreference().asks(rates) == (RateAnswer,)
        assert PairwisePreference("Which is kinder?").asks(rates) == (PreferAnswer,)
        assert PairwisePreference(shows=("contexts",)).asks(rates) == (PreferAnswer,)


def test_the_answers_are_not_shown_a_second_time():
    with pytest.raises(InputError, match="always shown"):
        PairwisePreference(shows=("question", "answer"))
