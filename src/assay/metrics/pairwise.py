"""Which of two answers is better, whichever is shown first?"""

from dataclasses import dataclass
from typing import Any

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric
from assay.metrics.criteria_ranking import BETTER
from assay.metrics.grading import check_shown, check_words, missing, override, shown
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import PreferAnswer, Preference, RateAnswer

CONSULTED = ("question",)
RATED = (
    "each answer rated on its own for how well it addresses the question, by a judge that compares "
    "no answers: right and wrong do not count"
)
# Ratings that are no further apart than this are a tie.
CLOSE = 0.05


@dataclass(frozen=True)
class PairwisePreference(Metric):
    """Whether the answer is preferred to another one, asked in both orders.

    1 if it is preferred in both orders, 0 if the other answer is, else 0.5: a preference that
    changes with the order is a tie. Details give the preference in each order and whether the same
    *position* was preferred both times (position bias). In {0, 0.5, 1}; the mean over samples is
    the win rate with ties as half. Undefined if a text is empty. Two identical answers are a tie
    without a call.

    A judge that cannot compare rates each answer separately, with the default criterion only, and
    the score says so; ratings that differ by 0.05 or less are a tie.

    Args:
        criterion: What makes an answer the better one, in words.
        shows: Fields of the sample that are shown besides the two answers.
    """

    criterion: str = BETTER
    shows: tuple[str, ...] = CONSULTED

    name = "pairwise_preference"
    source = "Zheng et al. 2023, MT-Bench (arXiv 2306.05685), section 3"
    needs = ("question", "answer", "other_answer")
    tasks = (PreferAnswer, RateAnswer)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_words(self.name, "criterion", self.criterion)
        check_shown(self.name, self.shows)
        if {"answer", "other_answer"} & set(self.shows):
            raise InputError(
                f"{self.name}: the two answers are always shown; leave them out of `shows`"
            )
        shows = tuple(self.shows)
        override(self, shows=shows, needs=(*shows, "answer", "other_answer"))

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Which is better; else, by the default criterion, how good each is."""
        default = (self.criterion, self.shows) == (BETTER, CONSULTED)
        rates = default and can(RateAnswer) and not can(PreferAnswer)
        return (RateAnswer,) if rates else (PreferAnswer,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask in both orders."""
        answer, other = sample.answer or "", sample.other_answer or ""
        if gap := missing(sample, (*self.shows, "answer", "other_answer")):
            return Unscored("undefined", gap)
        if answer.strip() == other.strip():
            return Score(0.5, (Part("answer", answer, "the same as the other", 0.5),))
        if self.asks(judge.can) == (RateAnswer,):
            return await _rated(sample.question or "", answer, other, judge)
        texts = shown(sample, self.shows)
        orders = (
            PreferAnswer(self.criterion, texts, answer, other),
            PreferAnswer(self.criterion, texts, other, answer),
        )
        shown_first, shown_second = await judge.each(orders)
        return _both(answer, shown_first, shown_second)


def _both(answer: str, shown_first: Preference, shown_second: Preference) -> Score:
    wins = {"first": "answer", "second": "other", "tie": "tie"}
    turned = {"first": "other", "second": "answer", "tie": "tie"}
    said = (wins[shown_first.better], turned[shown_second.better])
    value = {("answer", "answer"): 1.0, ("other", "other"): 0.0}.get(said, 0.5)
    parts = tuple(
        Part("preference", answer, f"{place}: {_LABELS[who]}", _VALUES[who], preference.reason)
        for place, who, preference in zip(
            ("shown first", "shown second"), said, (shown_first, shown_second), strict=True
        )
    )
    details = {
        "shown_first": said[0],
        "shown_second": said[1],
        "position_bias": shown_first.better == shown_second.better != "tie",
    }
    return Score(value, parts, details=details)


_LABELS = {"answer": "preferred", "other": "the other is preferred", "tie": "tie"}
_VALUES = {"answer": 1.0, "other": 0.0, "tie": 0.5}


async def _rated(question: str, answer: str, other: str, judge: Judge) -> Score:
    ratings = await judge.each([RateAnswer(question, answer), RateAnswer(question, other)])
    mine, theirs = (rating.relevance for rating in ratings)
    value = 0.5 if abs(mine - theirs) <= CLOSE else float(mine > theirs)
    parts = tuple(
        Part(kind, text, "rated", rating.relevance, rating.reason)
        for kind, text, rating in zip(
            ("answer", "other answer"), (answer, other), ratings, strict=True
        )
    )
    return Score(value, parts, RATED, {"ratings": [mine, theirs]})


METRICS: tuple[type[Metric], ...] = (PairwisePreference,)
