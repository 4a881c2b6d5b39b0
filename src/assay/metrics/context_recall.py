"""Did retrieval find what the right answer rests on?"""

from dataclasses import dataclass

from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import share, split, verdict_parts, verify
from assay.sample import Sample
from assay.score import Outcome, Unscored
from assay.tasks import SplitStatements, VerifyStatements


@dataclass(frozen=True)
class ContextRecall(Metric):
    """Share of the reference's statements that can be attributed to the retrieved contexts.

    CR = attributable statements of the reference / its statements, in [0, 1] (RAGAS
    documentation). A statement of which the judge is uncertain (a probability of 0.4 to 0.6)
    counts with that probability. Undefined if the reference makes no statement. With no context
    retrieved: 0.
    """

    name = "context_recall"
    revision = 2
    aliases = ("llm_context_recall",)
    source = RAGAS_DOCS
    needs = ("question", "contexts", "reference")
    tasks = (SplitStatements, VerifyStatements)
    guide = 0.8

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the reference, verify each statement against all contexts."""
        reference = sample.reference or ""
        (statements,) = await split(sample.question or "", [reference], judge)
        if not statements:
            return Unscored("undefined", "the reference makes no statement")
        (verdicts,) = await verify([(statements, sample.contexts or ())], judge)
        return share(verdict_parts(statements, verdicts, reference, kind="reference statement"))


METRICS: tuple[type[Metric], ...] = (ContextRecall,)
