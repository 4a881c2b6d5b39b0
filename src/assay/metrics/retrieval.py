"""Retrieval against contexts that are known to be right, by ids or by wording, without a judge."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import expm1, log, log2
from typing import ClassVar, Literal

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.contexts import average_precision
from assay.metrics.correctness import f_beta
from assay.metrics.evidence import share
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored

NOT_COMPARABLE = Unscored(
    "undefined", "neither ids nor texts of contexts that should have been retrieved are given"
)
NOTHING_KNOWN = Unscored("undefined", "no context is known to be right")
# Metadata of a sample whose pool of passages a judge has not graded whole: why.
UNJUDGED = "unjudged_pool"


@dataclass(frozen=True)
class Ranking:
    """What was retrieved, and what should have been."""

    # Relevance of each retrieved context, best rank first. 0 if it is not relevant, or if it
    # repeats an earlier one: it takes up a rank and brings nothing.
    grades: tuple[float, ...]
    ideal: tuple[float, ...]  # grades above 0 of all relevant contexts, highest first
    parts: tuple[Part, ...]  # the evidence: each retrieved context, then what was not retrieved

    def hits(self, k: int) -> int:
        """How many of the first k are relevant."""
        return sum(grade > 0 for grade in self.grades[:k])

    def parts_at(self, k: int) -> tuple[Part, ...]:
        """The evidence, with a remark on what lies below the first k."""
        beyond = range(k, len(self.grades))
        return tuple(
            replace(part, reason=f"rank {rank + 1}, below the first {k}")
            if rank in beyond
            else part
            for rank, part in enumerate(self.parts)
        )


def ranking(sample: Sample, threshold: float, *, by_grades: bool = False) -> Ranking | Unscored:
    """The ranking of a sample: by ids where they are given, else by the wording of the texts.

    Where both a list of right ids and grades are given, the grades count with `by_grades`.
    """
    if reason := sample.metadata.get(UNJUDGED):
        return Unscored("failed", str(reason))
    right = _relevance_by_id(sample, by_grades=by_grades)
    if sample.context_ids is not None and right is not None:
        ids = sample.context_ids
        return _rank(ids, right, ids, dict.fromkeys(right, ""), placed=False)
    if sample.contexts is None or sample.reference_contexts is None:
        return NOT_COMPARABLE
    texts = tuple(dict.fromkeys(sample.reference_contexts))  # as ids, each counts once
    names = [str(i) for i in range(len(texts))]
    ids = tuple(closest(context, texts, threshold) for context in sample.contexts)
    texts_by_name = dict(zip(names, texts, strict=True))
    return _rank(ids, dict.fromkeys(names, 1.0), sample.contexts, texts_by_name, placed=True)


def _relevance_by_id(sample: Sample, *, by_grades: bool) -> Mapping[str, float] | None:
    """Grades by id; a plain list of right ids grades each with 1."""
    grades, ids = sample.relevance_grades, sample.reference_context_ids
    if ids is None or (by_grades and grades is not None):
        return grades
    return dict.fromkeys(ids, 1.0)


def _rank(
    ids: Sequence[str],
    graded: Mapping[str, float],
    texts_shown: Sequence[str],
    texts: Mapping[str, str],
    *,
    placed: bool,
) -> Ranking | Unscored:
    relevant = {i: grade for i, grade in graded.items() if grade > 0}
    if not relevant:
        return NOTHING_KNOWN
    grades: list[float] = []
    parts: list[Part] = []
    earlier: set[str] = set()
    for rank, (i, text) in enumerate(zip(ids, texts_shown, strict=True)):
        grade = relevant.get(i, 0.0)
        is_repeated = bool(grade) and i in earlier
        earlier.add(i)
        label = "repeated" if is_repeated else "relevant" if grade else "not relevant"
        grades.append(0.0 if is_repeated else grade)
        context_index = rank if placed else None
        parts.append(Part("context", text, label, grades[-1], f"rank {rank + 1}", context_index))
    parts += [
        Part("reference context", texts[i] or i, "not found", 0.0)
        for i in _not_retrieved(relevant, ids)
    ]
    return Ranking(tuple(grades), tuple(sorted(relevant.values(), reverse=True)), tuple(parts))


def _not_retrieved(relevant: Iterable[str], ids: Sequence[str]) -> list[str]:
    retrieved = set(ids)
    return [i for i in relevant if i not in retrieved]


def closest(context: str, texts: Sequence[str], threshold: float) -> str:
    """The index of the text that is worded most like the context; "" if none is alike.

    Raises:
        InputError: If rapidfuzz is not installed.
    """
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        fault = "matching contexts by their wording needs rapidfuzz"
        raise InputError(fault, "pip install 'assay[text]', or give ids") from None
    likeness = [Levenshtein.normalized_similarity(context, text) for text in texts]
    best = max(likeness, default=0.0)
    return str(likeness.index(best)) if likeness and best >= threshold else ""


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
            fault = f"{self.name}: threshold must be above 0 and at most 1, not {self.threshold}"
            raise InputError(fault)

    @abstractmethod
    def value(self, ranking: Ranking, k: int) -> float:
        """The score of a ranking with something relevant in the corpus."""

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare what was retrieved with what is right; nobody is asked."""
        del judge
        ranked = ranking(sample, self.threshold, by_grades=self.by_grades)
        if isinstance(ranked, Unscored):
            return ranked
        k = self.k or len(ranked.grades)
        counts = {
            "retrieved": len(ranked.grades),
            "relevant": len(ranked.ideal),
            "found": ranked.hits(k),
        }
        return Score(self.value(ranked, k), ranked.parts_at(k), details=counts)


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

    def value(self, ranking: Ranking, k: int) -> float:
        """1 for a hit, else 0."""
        return float(ranking.hits(k) > 0)


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

    def value(self, ranking: Ranking, k: int) -> float:
        """The share."""
        return ranking.hits(k) / k


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

    def value(self, ranking: Ranking, k: int) -> float:
        """The share."""
        return ranking.hits(k) / len(ranking.ideal)


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

    def value(self, ranking: Ranking, k: int) -> float:
        """The mean."""
        hits = ranking.hits(k)
        return f_beta(hits / k, hits / len(ranking.ideal))


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

    def value(self, ranking: Ranking, k: int) -> float:
        """1 / rank."""
        ranks = (rank for rank, grade in enumerate(ranking.grades[:k], start=1) if grade > 0)
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

    def value(self, ranking: Ranking, k: int) -> float:
        """The average."""
        ranks = [rank for rank, grade in enumerate(ranking.grades[:k], start=1) if grade > 0]
        return sum(n / rank for n, rank in enumerate(ranks, start=1)) / len(ranking.ideal)


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

    def value(self, ranking: Ranking, k: int) -> float:
        """The gain over the best possible one."""
        ideal = ranking.ideal[: self.k or None]
        found_gain, best_gain = (
            self._dcg(grades, ideal[0]) for grades in (ranking.grades[:k], ideal)
        )
        return min(found_gain / best_gain, 1.0)  # grades that differ by the last digit only

    def _dcg(self, grades: tuple[float, ...], best: float) -> float:
        gains = [self._gain_as_share(grade, best) for grade in grades]
        return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))

    def _gain_as_share(self, grade: float, best: float) -> float:
        """The gain as a share of the best grade's: no grade is too high for a float, or too low."""
        if self.gain == "linear":
            return grade / best
        # 2^grade - 1 is 2^grade times 1 - 2^-grade.
        times: float = 2.0 ** (grade - best)
        return times * expm1(-grade * log(2)) / expm1(-best * log(2))


NOTHING_RETRIEVED = Unscored("undefined", "no context was retrieved")


@dataclass(frozen=True)
class IdContextPrecision(Metric):
    """Share of the retrieved ids, each counted once, that are among the reference ids.

    In [0, 1] (RAGAS documentation: ID-based context precision). Undefined if nothing was retrieved.
    """

    name = "id_based_context_precision"
    source = RAGAS_DOCS
    needs = ("context_ids", "reference_context_ids")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the ids; nobody is asked."""
        del judge
        parts = _id_parts(sample.context_ids or (), sample.reference_context_ids or (), "context")
        return share(parts) if parts else NOTHING_RETRIEVED


@dataclass(frozen=True)
class IdContextRecall(Metric):
    """Share of the reference ids, each counted once, that were retrieved.

    In [0, 1] (RAGAS documentation: ID-based context recall). Undefined without reference ids.
    """

    name = "id_based_context_recall"
    source = RAGAS_DOCS
    needs = ("context_ids", "reference_context_ids")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the ids; nobody is asked."""
        del judge
        relevant = sample.reference_context_ids or ()
        parts = _id_parts(relevant, sample.context_ids or (), "reference context")
        return share(parts) if parts else NOTHING_KNOWN


@dataclass(frozen=True)
class _ByWording(Metric):
    """Base of the metrics that take texts of similar wording for the same."""

    threshold: float = 0.5

    source = RAGAS_DOCS
    needs = ("contexts", "reference_contexts")
    packages = ("rapidfuzz",)
    _meaningless: ClassVar[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.threshold <= 1 or self.threshold == self._meaningless:
            quantifier = "no" if self._meaningless else "every"
            fault = f"{self.name}: threshold must be a number from 0 to 1, not {self.threshold}"
            raise InputError(
                f"{fault}; with {self._meaningless:g} {quantifier} context would count"
            )


@dataclass(frozen=True)
class WordingContextPrecision(_ByWording):
    """Average precision of the ranked contexts, useful being those worded like a reference context.

    AP in [0, 1] (RAGAS documentation: non-LLM context precision with reference), exact. A context
    is useful if its Levenshtein similarity to a reference context reaches the threshold; to be
    found by non_llm_context_recall it must exceed it (both as in ragas 0.4.3). Undefined if nothing
    was retrieved.

    Args:
        threshold: Similarity from which on two texts count as the same, in (0, 1].
    """

    name = "non_llm_context_precision"
    aliases = ("non_llm_context_precision_with_reference",)
    ranked = True
    _meaningless = 0.0

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the texts; nobody is asked."""
        del judge
        references = sample.reference_contexts or ()
        parts = _wording_parts(
            sample.contexts or (), references, "context", lambda s: s >= self.threshold
        )
        if not parts:
            return NOTHING_RETRIEVED
        return Score(average_precision([part.value == 1 for part in parts]), parts)


@dataclass(frozen=True)
class WordingContextRecall(_ByWording):
    """Share of the reference contexts that a retrieved context is worded like.

    In [0, 1] (RAGAS documentation: non-LLM context recall). A reference context is found if its
    Levenshtein similarity to a retrieved one is above the threshold; for non_llm_context_precision
    it suffices to reach it (both as in ragas 0.4.3). Undefined without reference contexts.

    Args:
        threshold: Similarity above which two texts count as the same, in [0, 1).
    """

    name = "non_llm_context_recall"
    revision = 2
    _meaningless = 1.0

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the texts; nobody is asked."""
        del judge
        relevant, ranking = sample.reference_contexts or (), sample.contexts or ()
        parts = _wording_parts(relevant, ranking, "reference context", lambda s: s > self.threshold)
        return share(parts) if parts else NOTHING_KNOWN


def _id_parts(ids: Sequence[str], among: Sequence[str], kind: str) -> tuple[Part, ...]:
    reference_ids = set(among)
    return tuple(
        Part(kind, i, "found" if i in reference_ids else "not found", float(i in reference_ids))
        for i in dict.fromkeys(ids)
    )


def _wording_parts(
    texts: Sequence[str], among: Sequence[str], kind: str, is_hit: Callable[[float], bool]
) -> tuple[Part, ...]:
    from rapidfuzz.distance import Levenshtein

    parts = []
    for rank, text in enumerate(texts):
        likeness = [Levenshtein.normalized_similarity(text, other_text) for other_text in among]
        best = max(likeness, default=0.0)
        hit = is_hit(best)
        reason = f"similarity {best:.2f} to the closest"
        context = rank if kind == "context" else likeness.index(best) if hit else None
        label = "found" if hit else "not found"
        parts.append(Part(kind, text, label, float(hit), reason, context))
    return tuple(parts)
