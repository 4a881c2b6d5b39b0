"""How often do contexts mislead the answer?"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.entailment import Entailment, Matrix, by_contexts, entailing, entailment
from assay.metrics.evidence import blank, share
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored
from assay.tasks import SplitStatements, VerifyStatements

MATRICES: tuple[Matrix, ...] = ("reference:answer", "contexts:reference", "contexts:answer")
CORRECT, RELEVANT, IRRELEVANT, UNGROUNDED = (
    "correct",
    "noise from a relevant context",
    "noise from irrelevant contexts",
    "incorrect, in no context",
)


def noise(found: Entailment, sample: Sample, counted: str) -> Outcome:
    """Share of the answer's statements that are noise of the counted kind."""
    why = undefined(found, sample)
    if not why and not found.theirs:
        why = "the reference makes no statement, so no context can be called relevant"
    if why:
        return Unscored("undefined", why)
    return share(_parts(found, counted))


def undefined(found: Entailment, sample: Sample) -> str:
    """Why nothing can be said of what misled the answer; "" if something can."""
    if not found.mine:
        return "the answer makes no statement"
    if blank(*(sample.contexts or ())):
        return "no context was retrieved"
    return "the reference is empty" if blank(sample.reference or "") else ""


def _parts(found: Entailment, counted: str) -> list[Part]:
    relevant = found.relevant
    parts = []
    for statement, verdict, row in zip(found.mine, found.correct, found.grounded, strict=True):
        by = entailing(row)
        label = CORRECT if verdict.supported else UNGROUNDED
        if by and not verdict.supported:
            label = RELEVANT if relevant.intersection(by) else IRRELEVANT
        parts.append(by_contexts(statement, row, label, float(label == counted)))
    return parts


@dataclass(frozen=True)
class NoiseSensitivity(Metric):
    """Share of the answer's statements that are wrong and come from the retrieved contexts.

    incorrect statements of the answer that a relevant context entails (mode "irrelevant": that
    only irrelevant ones entail) / statements of the answer, in [0, 1]; lower is better. A
    statement is incorrect if the statements of the reference do not entail it, as in
    factual_correctness; a context is relevant if it entails one of them. ragas 0.4.3 and RAGChecker
    count the same way, but take the reference as it stands. Undefined if answer or reference makes
    no statement or no context was retrieved.

    Args:
        mode: "relevant" or "irrelevant": which contexts mislead.
    """

    mode: Literal["relevant", "irrelevant"] = "relevant"

    name = "noise_sensitivity"
    aliases = ("ragas:noise_sensitivity",)
    source = RAGAS_DOCS
    needs = ("question", "contexts", "answer", "reference")
    tasks = (SplitStatements, VerifyStatements)
    higher_is_better = False
    revision = 2

    _counted: ClassVar[dict[str, str]] = {"relevant": RELEVANT, "irrelevant": IRRELEVANT}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in self._counted:
            raise InputError(f"{self.name}: mode must be relevant or irrelevant, not {self.mode!r}")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Check both texts' statements against every context."""
        found = await entailment(sample, judge, MATRICES)
        return noise(found, sample, self._counted[self.mode])


METRICS: tuple[type[Metric], ...] = (NoiseSensitivity,)
