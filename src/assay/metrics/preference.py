"""Preference between answers: the rank among several, the better of two."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import RAGAS_DOCS, Can, Draws, Metric, override
from assay.metrics.evidence import blank, rating_part
from assay.metrics.grading import ShownFields, Words, majority, missing, texts_of
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import PreferAnswer, Preference, RankAnswers, Ranking, RateAnswer

BETTER = "Which answer is the better answer to the question: right, complete, clear, to the point?"


@dataclass(frozen=True)
class RankingCriterion(Metric):
    """The answer's place among others, by a criterion in your own words: 0 (last) to 1 (first).

    (m - r) / (m - 1) with r the answer's rank among m answers, as the mean of `strictness` draws.
    Judges are biased towards positions, so each draw rotates the order of the answers by one; with
    as many draws as answers, each answer has been in each position. Details give the ranks and
    their agreement (the share of draws that give the most frequent rank). RAGAS returns the bare
    order. In [0, 1]. Undefined if the question or an answer is empty, or there is no other answer.

    Args:
        criterion: What makes an answer the better one, in words.
        among: "other_answer" (another system's) or "further_answers" (the same system's draws).
        strictness: How many draws are asked for.
    """

    criterion: Words = BETTER
    among: Literal["other_answer", "further_answers"] = "other_answer"
    strictness: Draws = 2

    name = "ranking_criterion"
    source = RAGAS_DOCS
    needs = ("question", "answer", "other_answer")
    tasks = (RankAnswers,)

    def __post_init__(self) -> None:
        super().__post_init__()
        override(self, needs=("question", "answer", self.among))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for the order, each time with another answer shown first."""
        question, answers = (
            sample.question or "",
            (sample.answer or "", *self._other_answers(sample)),
        )
        if len(answers) < 2:
            return Unscored("undefined", "there is no other answer")
        if blank(question) or any(map(blank, answers)):
            return Unscored("undefined", "the question or an answer is empty")
        rankings = await self._rankings(question, answers, judge)
        ranks = [1 + ranking.order.index(0) for ranking in rankings]
        rank_values = [(len(answers) - rank) / (len(answers) - 1) for rank in ranks]
        parts = tuple(
            Part("answer", answers[0], f"rank {rank} of {len(answers)}", rank_value, ranking.reason)
            for rank, rank_value, ranking in zip(ranks, rank_values, rankings, strict=True)
        )
        details = {"ranks": ranks, "agreement": majority(ranks)[1]}
        return Score(sum(rank_values) / len(rank_values), parts, details=details)

    def _other_answers(self, sample: Sample) -> tuple[str, ...]:
        if self.among == "further_answers":
            return sample.further_answers or ()
        return () if sample.other_answer is None else (sample.other_answer,)

    async def _rankings(
        self, question: str, answers: tuple[str, ...], judge: Judge
    ) -> list[Ranking]:
        n = len(answers)
        rankings: list[Ranking] = []
        for draw in range(self.strictness):
            turn = draw % n
            rotated = (*answers[turn:], *answers[:turn])
            task = RankAnswers(self.criterion, (("question", question),), rotated)
            ranking = await judge(task, draw // n)
            rankings.append(Ranking(tuple((i + turn) % n for i in ranking.order), ranking.reason))
        return rankings


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
    the score says so; one that declines is rated 0, and ratings that differ by 0.05 or less are a
    tie.

    Args:
        criterion: What makes an answer the better one, in words.
        shows: Fields of the sample that are shown besides the two answers.
    """

    criterion: Words = BETTER
    shows: ShownFields = CONSULTED

    name = "pairwise_preference"
    revision = 2
    source = "Zheng et al. 2023, MT-Bench (arXiv 2306.05685), section 3"
    needs = ("question", "answer", "other_answer")
    tasks = (PreferAnswer, RateAnswer)

    def __post_init__(self) -> None:
        super().__post_init__()
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
        answer, other_answer = sample.answer or "", sample.other_answer or ""
        if gap := missing(sample, (*self.shows, "answer", "other_answer")):
            return Unscored("undefined", gap)
        if answer.strip() == other_answer.strip():
            return Score(0.5, (Part("answer", answer, "the same as the other", 0.5),))
        if self.asks(judge.can) == (RateAnswer,):
            return await _rated(sample.question or "", answer, other_answer, judge)
        texts = texts_of(sample, self.shows)
        orders = (
            PreferAnswer(self.criterion, texts, answer, other_answer),
            PreferAnswer(self.criterion, texts, other_answer, answer),
        )
        shown_first, shown_second = await judge.each(orders)
        return _both_orders(answer, shown_first, shown_second)


def _both_orders(answer: str, shown_first: Preference, shown_second: Preference) -> Score:
    wins = {"first": "answer", "second": "other", "tie": "tie"}
    turned = {"first": "other", "second": "answer", "tie": "tie"}
    preferred = (wins[shown_first.better], turned[shown_second.better])
    value = {("answer", "answer"): 1.0, ("other", "other"): 0.0}.get(preferred, 0.5)
    parts = tuple(
        Part(
            "preference",
            answer,
            f"{order}: {_LABELS[preferred_answer]}",
            _VALUES[preferred_answer],
            preference.reason,
        )
        for order, preferred_answer, preference in zip(
            ("shown first", "shown second"), preferred, (shown_first, shown_second), strict=True
        )
    )
    details = {
        "shown_first": preferred[0],
        "shown_second": preferred[1],
        "position_bias": shown_first.better == shown_second.better != "tie",
    }
    return Score(value, parts, details=details)


_LABELS = {"answer": "preferred", "other": "the other is preferred", "tie": "tie"}
_VALUES = {"answer": 1.0, "other": 0.0, "tie": 0.5}


async def _rated(question: str, answer: str, other_answer: str, judge: Judge) -> Score:
    ratings = await judge.each([RateAnswer(question, answer), RateAnswer(question, other_answer)])
    # One that declines addresses nothing, whatever it is rated.
    own_rating, other_rating = (0.0 if r.noncommittal else r.rated for r in ratings)
    value = 0.5 if abs(own_rating - other_rating) <= CLOSE else float(own_rating > other_rating)
    parts = (
        replace(rating_part(ratings[0], answer), value=own_rating),
        replace(rating_part(ratings[1], other_answer, "other answer"), value=other_rating),
    )
    return Score(value, parts, RATED, {"ratings": [own_rating, other_rating]})
