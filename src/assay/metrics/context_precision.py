"""Do the useful contexts stand at the top of the ranking?"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import JudgeContexts, Usefulness


def average_precision(useful: Sequence[bool]) -> float:
    """Average precision of a ranking, exact, in [0, 1]; 0 if nothing is useful.

    AP = sum_k (P@k v_k) / sum_k v_k, with v_k = 1 if the item at rank k is useful.

    >>> average_precision([True, True, False])
    1.0
    >>> round(average_precision([True, False, True]), 4)
    0.8333
    """
    hits = 0
    total = 0.0
    for rank, hit in enumerate(useful, start=1):
        if hit:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


@dataclass(frozen=True)
class ContextPrecision(Metric):
    """Average precision of the ranked contexts, judged against the reference.

    AP over ranks in [0, 1]: sum_k (P@k v_k) / sum_k v_k, where v_k says whether context k is useful
    for arriving at the reference (RAGAS documentation), computed exactly, without an epsilon. 0 if
    no context is useful; an empty context is not. Undefined if nothing was retrieved.
    """

    name = "context_precision"
    aliases = ("llm_context_precision_with_reference",)
    ranked = True
    source = RAGAS_DOCS
    needs = ("question", "contexts", "reference")
    tasks = (JudgeContexts,)
    guide = 0.7

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Judge every context against the reference."""
        return await _precision(sample, sample.reference or "", judge)


@dataclass(frozen=True)
class ContextPrecisionWithoutReference(Metric):
    """Average precision of the ranked contexts, judged against the answer.

    As context_precision, with the answer in place of the reference: for data without references.
    It rewards contexts that led to the answer, right or wrong.
    """

    name = "context_precision_without_reference"
    aliases = ("context_utilization", "llm_context_precision_without_reference")
    ranked = True
    source = RAGAS_DOCS
    needs = ("question", "contexts", "answer")
    tasks = (JudgeContexts,)
    guide = 0.7

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Judge every context against the answer."""
        return await _precision(sample, sample.answer or "", judge)


async def _precision(sample: Sample, target: str, judge: Judge) -> Outcome:
    contexts = sample.contexts or ()
    if not contexts:
        return Unscored("undefined", "no context was retrieved")
    if blank(target):
        return Unscored("undefined", "the text to arrive at is empty")
    verdicts = await _verdicts(sample.question or "", target, contexts, judge)
    parts = tuple(
        Part(
            kind="context",
            text=context,
            label="useful" if verdict.useful else "not useful",
            value=float(verdict.useful),
            reason=verdict.reason,
            context=rank,
            quote=verdict.quote,
            probability=verdict.probability,
        )
        for rank, (context, verdict) in enumerate(zip(contexts, verdicts, strict=True))
    )
    return Score(average_precision([v.useful for v in verdicts]), parts)


async def _verdicts(
    question: str, target: str, contexts: tuple[str, ...], judge: Judge
) -> list[Usefulness]:
    # Nothing can be said about an empty context, so nothing is asked.
    ids = tuple(f"c{rank}" for rank, context in enumerate(contexts, start=1) if not blank(context))
    asked = ids if len(ids) < len(contexts) else ()
    given = await judge(JudgeContexts(question, target, contexts, asked)) if ids else ()
    found = {verdict.id: verdict for verdict in given}
    names = (f"c{rank}" for rank in range(1, len(contexts) + 1))
    return [found.get(name, Usefulness(name, useful=False, reason="empty")) for name in names]


METRICS: tuple[type[Metric], ...] = (ContextPrecision, ContextPrecisionWithoutReference)
