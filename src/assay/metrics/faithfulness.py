"""Does the answer stay with the retrieved contexts?"""

from dataclasses import dataclass

from assay.judge import Judge
from assay.metrics.base import PAPER, Metric
from assay.metrics.evidence import blank, share, split, unsupported, verdict_parts, verify
from assay.sample import Sample
from assay.score import Outcome, Unscored
from assay.tasks import PaperStatements, PaperVerdicts, SplitStatements, VerifyStatements


@dataclass(frozen=True)
class Faithfulness(Metric):
    """Share of the answer's statements that the retrieved contexts support.

    F = supported statements / statements of the answer, in [0, 1] (Es et al. 2023, section 3).
    A statement of which the judge is uncertain (a probability of 0.4 to 0.6) counts with that
    probability. Undefined if the answer makes no statement. With no context retrieved, nothing is
    supported: 0.
    """

    name = "faithfulness"
    revision = 2
    source = PAPER
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, VerifyStatements)
    guide = 0.8

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the answer, verify each statement against all contexts."""
        (statements,) = await split(sample.question or "", [sample.answer or ""], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        (verdicts,) = await verify([(statements, sample.contexts or ())], judge)
        return share(verdict_parts(statements, verdicts, sample.answer or ""))


@dataclass(frozen=True)
class PaperFaithfulness(Metric):
    """Faithfulness with the prompts of the RAGAS paper (needs an LLM).

    F = |V| / |S| in [0, 1] (Es et al. 2023, section 3), contexts joined by a blank line.
    Undefined if the answer makes no statement. With no context retrieved, nothing is supported: 0.
    """

    name = "paper:faithfulness"
    source = PAPER
    needs = ("question", "contexts", "answer")
    tasks = (PaperStatements, PaperVerdicts)
    guide = 0.8

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The paper's two prompts."""
        question, answer = sample.question or "", sample.answer or ""
        statements = () if blank(answer) else await judge(PaperStatements(question, answer))
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        context = "\n\n".join(sample.contexts or ())
        verdicts = (
            unsupported(statements)
            if blank(context)
            else await judge(PaperVerdicts(statements, context))
        )
        return share(verdict_parts(statements, verdicts))


METRICS: tuple[type[Metric], ...] = (Faithfulness, PaperFaithfulness)
