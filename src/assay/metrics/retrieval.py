"""How good is the ranking against contexts that are known to be right? No judge.

What is right is told by ids (`reference_context_ids`, or else all that `relevance_grades` puts
above 0; ndcg_at_k looks at the grades first) or, without ids, by texts: a context counts as the
reference context that it is worded like. A context that is retrieved twice takes up two ranks and
counts once. Where nothing was retrieved every score is 0; where nothing is known to be right none
is defined.
"""

from abc import abstractmethod
from dataclasses import dataclass
from math import expm1, log, log2
from typing import ClassVar, Literal

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.factual_correctness import f_beta
from assay.metrics.retrieved import Ranking, ranking
from assay.sample import Sample
from assay.score import Outcome, Score, Unscored

BOOK = "Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, chapter 8"


@dataclass(frozen=True)
class Ranked(Metric):
    """Base of the metrics that look at the first k contexts."""

    k: int = 5
    threshold: float = 0.5

    source = BOOK
    needs = ("context_ids", "reference_context_ids")
    instead = (("context_ids", "relevance_grades"), ("contexts", "reference_contexts"))
    least_k: ClassVar[int] = 1
    by_grades: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < self.least_k:
            raise InputError(f"{self.name}: k must be {self.least_k} or more, not {self.k}")
        if not 0 < self.threshold <= 1:
            what = f"{self.name}: threshold must be above 0 and at most 1, not {self.threshold}"
            raise InputError(what)

    @abstractmethod
    def value(self, found: Ranking, k: int) -> float:
        """The score of a ranking with something relevant in the corpus."""

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare what was retrieved with what is right; nobody is asked."""
        del judge
        found = ranking(sample, self.threshold, by_grades=self.by_grades)
        if isinstance(found, Unscored):
            return found
        k = self.k or len(found.grades)
        counts = {
            "retrieved": len(found.grades),
            "relevant": len(found.wanted),
            "found": found.hits(k),
        }
        return Score(self.value(found, k), found.parts_at(k), details=counts)


@dataclass(frozen=True)
class HitAtK(Ranked):
    """Whether a relevant context is among the first k: 1 or 0.

    Its mean over the samples is the hit rate, success@k, or the retriever accuracy@k of the telecom
    paper (its table 1: accuracy@1, @3, @5). In [0, 1]. By ids, or by wording without ids. Undefined
    if no relevant context is known.

    Args:
        k: How many contexts are considered.
        threshold: Levenshtein similarity from which on two texts are the same, in (0, 1].
    """

    name = "hit_at_k"
    aliases = ("hit_rate_at_k", "retriever_accuracy_at_k")

    def value(self, found: Ranking, k: int) -> float:
        """1 for a hit, else 0."""
        return float(found.hits(k) > 0)


@dataclass(frozen=True)
class PrecisionAtK(Ranked):
    """Share of the first k places that hold a relevant context.

    Relevant among the first k / k; in [0, 1]. Fewer than k retrieved contexts leave places empty:
    the divisor stays k, as in trec_eval. By ids, or by wording without ids. Undefined if no
    relevant context is known.

    Args:
        k: How many contexts are considered.
        threshold: Levenshtein similarity from which on two texts are the same, in (0, 1].
    """

    name = "precision_at_k"

    def value(self, found: Ranking, k: int) -> float:
        """The share."""
        return found.hits(k) / k


@dataclass(frozen=True)
class RecallAtK(Ranked):
    """Share of the relevant contexts that are among the first k.

    Relevant among the first k / all relevant; in [0, 1]. With more than k relevant ones it cannot
    reach 1, as in trec_eval. By ids, or by wording without ids. Undefined if no relevant context is
    known.

    Args:
        k: How many contexts are considered.
        threshold: Levenshtein similarity from which on two texts are the same, in (0, 1].
    """

    name = "recall_at_k"

    def value(self, found: Ranking, k: int) -> float:
        """The share."""
        return found.hits(k) / len(found.wanted)


@dataclass(frozen=True)
class F1AtK(Ranked):
    """Harmonic mean of precision_at_k and recall_at_k.

    2 P R / (P + R); in [0, 1], 0 if both are. By ids, or by wording without ids. Undefined if no
    relevant context is known.

    Args:
        k: How many contexts are considered.
        threshold: Levenshtein similarity from which on two texts are the same, in (0, 1].
    """

    name = "f1_at_k"

    def value(self, found: Ranking, k: int) -> float:
        """The mean."""
        hits = found.hits(k)
        return f_beta(hits / k, hits / len(found.wanted))


@dataclass(frozen=True)
class Mrr(Ranked):
    """Reciprocal rank of the first relevant context: its mean over the samples is the MRR.

    1 / rank, 0 if none is retrieved; in [0, 1]. By ids, or by wording without ids. Undefined if no
    relevant context is known.

    Args:
        k: How many contexts are considered; 0 means all.
        threshold: Levenshtein similarity from which on two texts are the same, in (0, 1].
    """

    k: int = 0

    name = "mrr"
    aliases = ("reciprocal_rank",)
    ranked = True
    least_k = 0

    def value(self, found: Ranking, k: int) -> float:
        """1 / rank."""
        ranks = (rank for rank, grade in enumerate(found.grades[:k], start=1) if grade > 0)
        return 1 / next(ranks, float("inf"))


@dataclass(frozen=True)
class Map(Ranked):
    """Average precision of the ranking: its mean over the samples is the MAP.

    Sum of precision@rank over the ranks of relevant contexts / all relevant contexts, including
    those not retrieved; in [0, 1]. context_precision divides only by the relevant ones retrieved.
    By ids, or by wording without ids. Undefined if no relevant context is known.

    Args:
        k: How many contexts are considered; 0 means all.
        threshold: Levenshtein similarity from which on two texts are the same, in (0, 1].
    """

    k: int = 0

    name = "map"
    aliases = ("average_precision",)
    ranked = True
    least_k = 0

    def value(self, found: Ranking, k: int) -> float:
        """The average."""
        ranks = [rank for rank, grade in enumerate(found.grades[:k], start=1) if grade > 0]
        return sum(n / rank for n, rank in enumerate(ranks, start=1)) / len(found.wanted)


@dataclass(frozen=True)
class NdcgAtK(Ranked):
    """Normalised discounted cumulative gain: how close the first k are to the best order.

    DCG = sum over ranks r <= k of gain / log2(r + 1), divided by the DCG of all relevant contexts
    in the order of their grades; in [0, 1]. Grades come from `relevance_grades`; without them every
    right context has grade 1. By ids, or by wording without ids. Undefined if no relevant context
    is known.

    Args:
        k: How many contexts are considered; 0 means all.
        threshold: Levenshtein similarity from which on two texts are the same, in (0, 1].
        gain: "linear", the grade itself, as in trec_eval (Jaervelin and Kekaelaeinen 2002), or
            "exponential", 2^grade - 1 (Burges et al. 2005). They agree on grades 0 and 1.
    """

    k: int = 10
    gain: Literal["linear", "exponential"] = "linear"

    name = "ndcg_at_k"
    source = "Jaervelin and Kekaelaeinen 2002, Cumulated gain-based evaluation of IR techniques"
    ranked = True
    least_k = 0
    by_grades = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gain not in ("linear", "exponential"):
            raise InputError(f"{self.name}: gain must be linear or exponential, not {self.gain!r}")

    def value(self, found: Ranking, k: int) -> float:
        """The gain over the best possible one."""
        ideal = found.wanted[: self.k or None]
        found_gain, best_gain = (
            self._dcg(grades, ideal[0]) for grades in (found.grades[:k], ideal)
        )
        return min(found_gain / best_gain, 1.0)  # grades that differ by the last digit only

    def _dcg(self, grades: tuple[float, ...], best: float) -> float:
        gains = [self._gain(grade, best) for grade in grades]
        return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))

    def _gain(self, grade: float, best: float) -> float:
        """The gain as a share of the best grade's: no grade is too high for a float, or too low."""
        if self.gain == "linear":
            return grade / best
        # 2^grade - 1 is 2^grade times 1 - 2^-grade.
        times: float = 2.0 ** (grade - best)
        return times * expm1(-grade * log(2)) / expm1(-best * log(2))


METRICS: tuple[type[Metric], ...] = (HitAtK, PrecisionAtK, RecallAtK, F1AtK, Mrr, Map, NdcgAtK)
