"""Which place has the answer among others by a criterion in the user's own words?"""

from dataclasses import dataclass
from typing import Literal

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import blank
from assay.metrics.grading import check_draws, check_words, majority, override
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import RankAnswers, Ranking

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

    criterion: str = BETTER
    among: Literal["other_answer", "further_answers"] = "other_answer"
    strictness: int = 2

    name = "ranking_criterion"
    source = RAGAS_DOCS
    needs = ("question", "answer", "other_answer")
    tasks = (RankAnswers,)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_words(self.name, "criterion", self.criterion)
        check_draws(self.name, self.strictness)
        if self.among not in ("other_answer", "further_answers"):
            what = f"{self.name}: among must be other_answer or further_answers, not {self.among!r}"
            raise InputError(what)
        override(self, needs=("question", "answer", self.among))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for the order, each time with another answer shown first."""
        question, answers = sample.question or "", (sample.answer or "", *self._others(sample))
        if len(answers) < 2:
            return Unscored("undefined", "there is no other answer")
        if blank(question) or any(map(blank, answers)):
            return Unscored("undefined", "the question or an answer is empty")
        found = await self._rankings(question, answers, judge)
        ranks = [1 + ranking.order.index(0) for ranking in found]
        places = [(len(answers) - rank) / (len(answers) - 1) for rank in ranks]
        parts = tuple(
            Part("answer", answers[0], f"rank {rank} of {len(answers)}", place, ranking.reason)
            for rank, place, ranking in zip(ranks, places, found, strict=True)
        )
        details = {"ranks": ranks, "agreement": majority(ranks)[1]}
        return Score(sum(places) / len(places), parts, details=details)

    def _others(self, sample: Sample) -> tuple[str, ...]:
        if self.among == "further_answers":
            return sample.further_answers or ()
        return () if sample.other_answer is None else (sample.other_answer,)

    async def _rankings(
        self, question: str, answers: tuple[str, ...], judge: Judge
    ) -> list[Ranking]:
        n = len(answers)
        found: list[Ranking] = []
        for draw in range(self.strictness):
            turn = draw % n
            turned = (*answers[turn:], *answers[:turn])
            task = RankAnswers(self.criterion, (("question", question),), turned)
            said = await judge(task, draw // n)
            found.append(Ranking(tuple((i + turn) % n for i in said.order), said.reason))
        return found
