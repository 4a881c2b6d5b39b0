"""RAGChecker's eleven metrics, counted in four entailment matrices."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.correctness import f_beta
from assay.metrics.evidence import Statements, parts_beside, share, supported_share
from assay.metrics.groundedness import (
    IRRELEVANT,
    MATRICES,
    RELEVANT,
    ByContext,
    Entailment,
    Matrix,
    Verdicts,
    by_contexts,
    entailing,
    entailment,
    noise,
    undefined,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import SplitStatements, VerifyStatements

_REFERENCE = "reference statement"


@dataclass(frozen=True)
class _RAGChecker(Metric):
    """Base of the eleven: which matrices are needed, and what is counted in them."""

    source = "RAGChecker (Ru et al. 2024, arXiv 2408.08067, section 3.3; ragchecker/computation.py)"
    follows = "RAGChecker 0.1.9"
    tasks = (SplitStatements, VerifyStatements)
    revision = 3
    wanted: ClassVar[tuple[Matrix, ...]]

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for the matrices, then count."""
        return self._count(await entailment(sample, judge, self.wanted), sample)

    @abstractmethod
    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        """The number that the matrices give."""


@dataclass(frozen=True)
class Precision(_RAGChecker):
    """Share of the answer's statements that the reference entails (RAGChecker).

    mean over s in S(answer) of [reference |= s], in [0, 1]. The reference as a whole is the
    premise: all its statements (RAGChecker shows its text and the question). 0 if the answer makes
    no statement, as in RAGChecker.
    """

    name = "ragchecker:precision"
    needs = ("question", "answer", "reference")
    wanted = ("reference:answer",)

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        return _share(_precision_parts(matrices, sample), "answer", sample.answer)


@dataclass(frozen=True)
class Recall(_RAGChecker):
    """Share of the reference's statements that the answer entails (RAGChecker).

    mean over g in S(reference) of [answer |= g], in [0, 1]. The answer as a whole is the premise:
    all its statements (RAGChecker shows its text and the question). 0 if the reference makes no
    statement, as in RAGChecker.
    """

    name = "ragchecker:recall"
    needs = ("question", "answer", "reference")
    wanted = ("answer:reference",)

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        return _share(_recall_parts(matrices, sample), "reference", sample.reference)


@dataclass(frozen=True)
class F1(_RAGChecker):
    """Harmonic mean of RAGChecker's precision and recall.

    2 P R / (P + R), in [0, 1]; 0 if either is 0, which includes an answer or reference without a
    statement: there alone it differs from factual_correctness, which is undefined where neither
    makes one.
    """

    name = "ragchecker:f1"
    needs = ("question", "answer", "reference")
    wanted = ("reference:answer", "answer:reference")

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        precision = _share(_precision_parts(matrices, sample), "answer", sample.answer)
        recall = _share(_recall_parts(matrices, sample), "reference", sample.reference)
        details = {"precision": precision.value, "recall": recall.value}
        value = f_beta(precision.value, recall.value)
        return Score(value, precision.parts + recall.parts, details=details)


@dataclass(frozen=True)
class ClaimRecall(_RAGChecker):
    """Share of the reference's statements that at least one context entails (RAGChecker).

    mean over g in S(reference) of max over k of [context k |= g], in [0, 1]. Each context is
    checked separately: what only two together say is not recalled (context_recall sees all contexts
    together). 0 if the reference makes no statement, as in RAGChecker, or nothing was retrieved.
    """

    name = "ragchecker:claim_recall"
    needs = ("question", "contexts", "reference")
    wanted = ("contexts:reference",)

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        parts = _by_context_parts(
            matrices.reference, matrices.retrieved, ("retrieved", "not retrieved"), _REFERENCE
        )
        return _share(parts, "reference", sample.reference)


@dataclass(frozen=True)
class ContextPrecision(_RAGChecker):
    """Share of the contexts that entail a statement of the reference (RAGChecker).

    mean over k of max over g of [context k |= g], in [0, 1]; no ranks, unlike context_precision. 0
    if nothing was retrieved or the reference makes no statement, as in RAGChecker.
    """

    name = "ragchecker:context_precision"
    needs = ("question", "contexts", "reference")
    wanted = ("contexts:reference",)

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        contexts = sample.contexts or ()
        parts = [_context(matrices, i, text) for i, text in enumerate(contexts)]
        return _share(parts, "retrieval", "", "no context")


@dataclass(frozen=True)
class ContextUtilization(_RAGChecker):
    """Share of the retrieved statements of the reference that the answer uses (RAGChecker).

    |{g: some context |= g, answer |= g}| / |{g: some context |= g}| over S(reference), in [0, 1]. 0
    if no statement of the reference was retrieved, as in RAGChecker.
    """

    name = "ragchecker:context_utilization"
    needs = ("question", "contexts", "answer", "reference")
    wanted = ("answer:reference", "contexts:reference")

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        parts = []
        for statement, verdict, row in zip(
            matrices.reference, matrices.covered, matrices.retrieved, strict=True
        ):
            label = "used" if verdict.supported else "not used"
            value: float | None = float(verdict.supported)
            if not entailing(row):
                label, value = "not retrieved", None
            parts.append(by_contexts(statement, row, label, value, kind=_REFERENCE))
        if any(part.value is not None for part in parts):
            return share(parts)
        return Score(0.0, (*parts, Part("reference", sample.reference or "", "not retrieved", 0.0)))


@dataclass(frozen=True)
class NoiseSensitivityRelevant(_RAGChecker):
    """Share of the answer's statements that are wrong and come from a relevant context.

    mean over s in S(answer) of [reference not|= s and a relevant context |= s], in [0, 1]; lower is
    better. A context is relevant if it entails a statement of the reference (RAGChecker). Undefined
    if answer or reference makes no statement or nothing was retrieved: RAGChecker gives 0 there,
    which would be perfect.
    """

    name = "ragchecker:noise_sensitivity_relevant"
    needs = ("question", "contexts", "answer", "reference")
    wanted = MATRICES
    higher_is_better = False

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        return noise(matrices, sample, RELEVANT)


@dataclass(frozen=True)
class NoiseSensitivityIrrelevant(_RAGChecker):
    """Share of the answer's statements that are wrong and come from irrelevant contexts only.

    mean over s in S(answer) of [reference not|= s, some context |= s, no relevant one does], in [0,
    1]; lower is better. A context is relevant if it entails a statement of the reference
    (RAGChecker). Undefined if answer or reference makes no statement or nothing was retrieved:
    RAGChecker gives 0 there, which would be perfect.
    """

    name = "ragchecker:noise_sensitivity_irrelevant"
    needs = ("question", "contexts", "answer", "reference")
    wanted = MATRICES
    higher_is_better = False

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        return noise(matrices, sample, IRRELEVANT)


@dataclass(frozen=True)
class Hallucination(_RAGChecker):
    """Share of the answer's statements that neither a context nor the reference entails.

    mean over s in S(answer) of [no context |= s and reference not|= s], in [0, 1]; lower is better
    (RAGChecker). Undefined if the answer makes no statement, the reference is empty or nothing was
    retrieved: RAGChecker gives 0 there, which would be perfect.
    """

    name = "ragchecker:hallucination"
    needs = ("question", "contexts", "answer", "reference")
    wanted = ("reference:answer", "contexts:answer")
    higher_is_better = False

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        return _ungrounded(matrices, sample, correct=False)


@dataclass(frozen=True)
class SelfKnowledge(_RAGChecker):
    """Share of the answer's statements that are right although no context entails them.

    mean over s in S(answer) of [no context |= s and reference |= s], in [0, 1] (RAGChecker). Lower
    is better: the generator used its own memory. Undefined if the answer makes no statement, the
    reference is empty or nothing was retrieved: RAGChecker gives 0 there.
    """

    name = "ragchecker:self_knowledge"
    needs = ("question", "contexts", "answer", "reference")
    wanted = ("reference:answer", "contexts:answer")
    higher_is_better = False

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        return _ungrounded(matrices, sample, correct=True)


@dataclass(frozen=True)
class Faithfulness(_RAGChecker):
    """Share of the answer's statements that at least one context entails (RAGChecker).

    mean over s in S(answer) of max over k of [context k |= s], in [0, 1]. Each context is checked
    separately; faithfulness sees all together. 0 if the answer makes no statement, as in
    RAGChecker, or nothing was retrieved.
    """

    name = "ragchecker:faithfulness"
    needs = ("question", "contexts", "answer")
    wanted = ("contexts:answer",)

    def _count(self, matrices: Entailment, sample: Sample) -> Outcome:
        parts = _by_context_parts(matrices.answer, matrices.grounded, ("supported", "unsupported"))
        return _share(parts, "answer", sample.answer)


def _share(
    parts: Sequence[Part], kind: str, text: str | None, label: str = "no statement"
) -> Score:
    """The mean of the parts; 0 where there is none, with what was empty as the evidence."""
    return supported_share(parts) if parts else Score(0.0, (Part(kind, text or "", label, 0.0),))


def _precision_parts(matrices: Entailment, sample: Sample) -> tuple[Part, ...]:
    of_answer = matrices.answer, matrices.correct, sample.answer or "", "statement"
    return parts_beside(*of_answer, ("correct", "incorrect"))


def _recall_parts(matrices: Entailment, sample: Sample) -> tuple[Part, ...]:
    of_reference = matrices.reference, matrices.covered, sample.reference or "", _REFERENCE
    return parts_beside(*of_reference, ("told", "left out"))


def _by_context_parts(
    statements: Statements, rows: ByContext, labels: tuple[str, str], kind: str = "statement"
) -> list[Part]:
    yes, no = labels
    return [
        by_contexts(s, row, yes if entailing(row) else no, _best(row), kind=kind)
        for s, row in zip(statements, rows, strict=True)
    ]


def _best(row: Verdicts) -> float:
    """How far the context that supports a statement best does so, in [0, 1]; 0 without any."""
    return max((verdict.support for verdict in row), default=0.0)


def _context(matrices: Entailment, i: int, text: str) -> Part:
    entailed = [
        s.text
        for s, row in zip(matrices.reference, matrices.retrieved, strict=True)
        if row[i].supported
    ]
    label = "relevant" if entailed else "irrelevant"
    reason = f"entails: {' | '.join(entailed)}" if entailed else "entails nothing of the reference"
    return Part("context", text, label, float(bool(entailed)), reason, context=i)


def _ungrounded(matrices: Entailment, sample: Sample, *, correct: bool) -> Outcome:
    """Share of the statements of no context that the reference entails, or does not."""
    if reason := undefined(matrices, sample):
        return Unscored("undefined", reason)
    parts = []
    for statement, verdict, row in zip(
        matrices.answer, matrices.correct, matrices.grounded, strict=True
    ):
        label = "self-knowledge" if verdict.supported else "hallucination"
        if entailing(row):
            label = "correct, in a context" if verdict.supported else "noise from a context"
        counted = not entailing(row) and verdict.supported is correct
        parts.append(by_contexts(statement, row, label, float(counted)))
    return share(parts)
