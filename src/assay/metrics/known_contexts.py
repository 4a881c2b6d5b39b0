"""Did retrieval find the contexts that are known to be right? No judge: ids or wording."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.context_precision import average_precision
from assay.metrics.evidence import share
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored

NOTHING_RETRIEVED = Unscored("undefined", "no context was retrieved")
NOTHING_KNOWN = Unscored("undefined", "no context is known to be right")


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
        parts = _looked_up(sample.context_ids or (), sample.reference_context_ids or (), "context")
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
        wanted = sample.reference_context_ids or ()
        parts = _looked_up(wanted, sample.context_ids or (), "reference context")
        return share(parts) if parts else NOTHING_KNOWN


@dataclass(frozen=True)
class _ByWording(Metric):
    """Base of the metrics that take texts of similar wording for the same."""

    threshold: float = 0.5

    source = RAGAS_DOCS
    needs = ("contexts", "reference_contexts")
    packages = ("rapidfuzz",)
    _senseless: ClassVar[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.threshold <= 1 or self.threshold == self._senseless:
            every = "no" if self._senseless else "every"
            what = f"{self.name}: threshold must be a number from 0 to 1, not {self.threshold}"
            raise InputError(f"{what}; with {self._senseless:g} {every} context would count")


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
    _senseless = 0.0

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the texts; nobody is asked."""
        del judge
        known = sample.reference_contexts or ()
        parts = _matched(sample.contexts or (), known, "context", lambda s: s >= self.threshold)
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
    _senseless = 1.0

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare the texts; nobody is asked."""
        del judge
        wanted, found = sample.reference_contexts or (), sample.contexts or ()
        parts = _matched(wanted, found, "reference context", lambda s: s > self.threshold)
        return share(parts) if parts else NOTHING_KNOWN


def _looked_up(ids: Sequence[str], among: Sequence[str], kind: str) -> tuple[Part, ...]:
    known = set(among)
    return tuple(
        Part(kind, i, "found" if i in known else "not found", float(i in known))
        for i in dict.fromkeys(ids)
    )


def _matched(
    texts: Sequence[str], among: Sequence[str], kind: str, alike: Callable[[float], bool]
) -> tuple[Part, ...]:
    from rapidfuzz.distance import Levenshtein

    parts = []
    for rank, text in enumerate(texts):
        likeness = [Levenshtein.normalized_similarity(text, other) for other in among]
        best = max(likeness, default=0.0)
        hit = alike(best)
        reason = f"similarity {best:.2f} to the closest"
        context = rank if kind == "context" else likeness.index(best) if hit else None
        label = "found" if hit else "not found"
        parts.append(Part(kind, text, label, float(hit), reason, context))
    return tuple(parts)


METRICS: tuple[type[Metric], ...] = (
    IdContextPrecision,
    IdContextRecall,
    WordingContextPrecision,
    WordingContextRecall,
)
