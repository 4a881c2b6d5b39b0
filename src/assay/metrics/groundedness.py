"""Groundedness: faithfulness to the contexts, hallucination, sensitivity to noise in them."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import ClassVar, Final, Literal, TypeAlias

from assay._text.sentences import Span
from assay._text.sentences import spans as sentence_spans
from assay._text.words import words
from assay.judge import Judge
from assay.metrics.base import PAPER, RAGAS_DOCS, Metric
from assay.metrics.evidence import (
    BY_VERDICTS,
    Statements,
    blank,
    premise,
    share,
    split,
    supported_share,
    three_way_parts,
    unsupported,
    verdict_parts,
    verify,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import GradeStatements, SplitStatements, Statement, Verdict, VerifyStatements
from assay.tasks.verification import SEVERITIES, STANDINGS, Standing


@dataclass(frozen=True)
class Faithfulness(Metric):
    """Share of the answer's statements that the retrieved contexts support.

    F = supported statements / statements of the answer, in [0, 1] (Es et al. 2023, section 3).
    Where the judge gives probabilities, F is the expected share: the mean of the probabilities that
    each statement is supported, which agrees better with people than a count of verdicts (see the
    judge's card). Undefined if the answer makes no statement. With no context retrieved, nothing is
    supported: 0. To find answers with any unsupported statement, see `hallucination_probability`.

    Args:
        soft: Whether statements count by the judge's probabilities, where it gives any; False
            counts its verdicts.
    """

    soft: bool = True

    name = "faithfulness"
    revision = 3
    source = PAPER
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, VerifyStatements)
    guide = 0.8

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the answer, verify each statement against all contexts."""
        return await faithfulness(sample, judge, soft=self.soft)


async def faithfulness(sample: Sample, judge: Judge, *, soft: bool) -> Outcome:
    """Faithfulness by the judge's probabilities where it gives any, or by its verdicts."""
    (statements,) = await split(sample.question or "", [sample.answer or ""], judge)
    if not statements:
        return Unscored("undefined", "the answer makes no statement")
    (verdicts,) = await verify([(statements, sample.contexts or ())], judge)
    parts = verdict_parts(statements, verdicts, sample.answer or "", soft=soft)
    return supported_share(parts) if soft else share(parts)


# How much of its severity a statement costs the answer.
WEIGHTS: Final[Mapping[Standing, float]] = {
    "supported": 0.0,
    "common knowledge": 0.25,
    "absent": 0.75,
    "contradicted": 1.0,
}


@dataclass(frozen=True)
class GradedFaithfulness(Metric):
    """How far the contexts bear out the answer: how each statement stands, how much it matters.

    G = 1 - mean over statements of w s / 3, in [0, 1], with s the severity (1 hardly, 2 somewhat, 3
    badly misleading, were it wrong) and w = 0 for what the contexts support, 0.25 for what follows
    from them with common knowledge, 0.75 for what is absent, 1 for what is contradicted. "strict"
    counts the supported statements, as faithfulness does, "lenient" those that follow with common
    knowledge as well; details give all three, and `worst`, 1 less the largest loss of a statement.
    People pass common knowledge and asides: by a strong model the graded reading ranks 103 answers
    of RAGTruth with an AUROC of 0.82, strict counts with 0.77 (difference -0.02 to 0.13), 100 other
    texts with 0.74 and 0.72 (docs/prompt-record.md). Undefined if the answer makes no statement.
    With no context retrieved: 0. Needs an LLM.

    Args:
        reading: "graded", "strict" or "lenient".
    """

    reading: Literal["graded", "strict", "lenient"] = "graded"

    name = "graded_faithfulness"
    source = "assay, after RAGTruth's implicit truths (Niu et al. 2024, arXiv 2401.00396)"
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, GradeStatements)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the answer, grade each statement against all contexts."""
        question, answer = sample.question or "", sample.answer or ""
        (statements,) = await split(question, [answer], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        contexts = sample.contexts or ()
        if blank(*contexts):
            return share(verdict_parts(statements, unsupported(statements), answer))
        verdicts = await judge(GradeStatements(question, statements, contexts))
        losses = [WEIGHTS[v.standing] * (v.severity or 0) / SEVERITIES[-1] for v in verdicts]
        readings = {
            "graded": 1 - fmean(losses),
            "strict": fmean(v.standing == "supported" for v in verdicts),
            "lenient": fmean(v.standing in STANDINGS[:2] for v in verdicts),
        }
        parts = tuple(
            Part("statement", s.text, v.standing, 1 - loss, v.reason, v.context, span=s.span)
            for s, v, loss in zip(statements, verdicts, losses, strict=True)
        )
        severities = [verdict.severity for verdict in verdicts]
        details = {**readings, "worst": 1 - max(losses), "severities": severities}
        return Score(readings[self.reading], parts, details=details)


_MIN_SHARED = 0.5  # words of a statement that its sentence has at least


@dataclass(frozen=True)
class HallucinationProbability(Metric):
    """How likely something in the answer is unsupported by the contexts; lower is better.

    H = o / (1 + o) with o = sum over the answer's statements of (1 - p) / p, where p is the judge's
    probability that the contexts support the statement, in [0, 1]: the odds that one of them is
    unsupported against none, for answers with at most one unsupported statement. It ranks whole
    answers better than faithfulness, in which a wrong statement weighs less the longer the answer
    is (RAGTruth's question answering: see the judge's card). If the judge gives no probabilities, 0
    and 1 are used, and the score says so. Undefined if the answer makes no statement. With no
    context retrieved, everything is unsupported: 1.
    """

    name = "hallucination_probability"
    source = "answers as hallucinated or not: RAGTruth, Niu et al. 2024 (arXiv 2401.00396)"
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, VerifyStatements)
    higher_is_better = False

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify each statement and add up the odds."""
        answer, contexts = sample.answer or "", sample.contexts or ()
        (statements,) = await split(sample.question or "", [answer], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        (verdicts,) = await verify([(statements, contexts)], judge)
        parts = tuple(
            replace(part, value=1 - verdict.support)
            for part, verdict in zip(
                verdict_parts(statements, verdicts, answer), verdicts, strict=True
            )
        )
        certain = not blank(*contexts) and None in [v.probability for v in verdicts]
        value = any_unsupported([verdict.support for verdict in verdicts])
        return Score(value, parts, BY_VERDICTS if certain else "")


def any_unsupported(support: Iterable[float]) -> float:
    """How likely one of some statements is unsupported, in [0, 1], by the sum of their odds.

    Args:
        support: Of each statement, the probability that it is supported.
    """
    probabilities = list(support)
    if 0.0 in probabilities:
        return 1.0
    odds = sum((1 - p) / p for p in probabilities)
    return 1.0 if math.isinf(odds) else odds / (1 + odds)


@dataclass(frozen=True)
class HallucinationSpans(Metric):
    """Share of the answer's characters that no context supports; lower is better.

    H = characters within unsupported spans / characters of the answer without the white space
    around it, in [0, 1] (character-level hallucination, as RAGTruth, arXiv 2401.00396, labels it).
    The spans of an unsupported statement are the words that the judge marks; if it marks none, the
    passage that the statement was taken from; if that is unknown, the sentence with most of its
    words, at least half. Spans that touch, or have only white space between them, are merged. Each
    statement is a part with its spans as `marks`, its evidence, and whether the contexts contradict
    it or do not mention it; the merged spans are in `details`. A statement of which the judge is
    uncertain (a probability of 0.4 to 0.6) has no spans. Undefined if the answer makes no
    statement. With no context retrieved, everything that the answer states is unsupported. Failed
    if an unsupported statement cannot be found in the answer.
    """

    name = "hallucination_spans"
    revision = 2
    source = "RAGTruth, Niu et al. 2024 (arXiv 2401.00396)"
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, VerifyStatements)
    higher_is_better = False

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify each statement, find the characters of those without support."""
        answer = sample.answer or ""
        (statements,) = await split(sample.question or "", [answer], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        (verdicts,) = await verify([(statements, sample.contexts or ())], judge)
        wrong = [float(not (verdict.supported or verdict.uncertain)) for verdict in verdicts]
        labelled = three_way_parts(statements, verdicts, answer, wrong)
        parts = tuple(
            replace(part, marks=_unsupported_spans(part, statement, answer) if part.value else ())
            for part, statement in zip(labelled, statements, strict=True)
        )
        unlocated = [part.text for part in parts if part.value and not part.marks]
        if unlocated:
            return Unscored("failed", f"not found in the answer: {'; '.join(unlocated)}", parts)
        spans = merged((mark for part in parts for mark in part.marks), answer)
        characters = sum(end - start for start, end in spans)
        details = {"spans": [list(span) for span in spans], "characters": characters}
        return Score(characters / len(answer.strip()), parts, details=details)


def merged(spans: Iterable[Span], text: str) -> list[Span]:
    """Spans in order, those that meet or have only white space between them joined."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and (start <= joined[-1][1] or not text[joined[-1][1] : start].strip()):
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _unsupported_spans(part: Part, statement: Statement, answer: str) -> tuple[Span, ...]:
    unmarked = [
        (start, end)
        for start, end in statement.spans
        if not any(start <= mark < end for mark, _ in part.marks)
    ]
    marked_spans = (*part.marks, *unmarked)
    if not marked_spans:  # the judge did not say where it was taken from
        marked_spans = _closest_sentence(part.text, answer)
    return tuple(span for span in (_trim(span, answer) for span in marked_spans) if span)


def _closest_sentence(statement: str, answer: str) -> tuple[Span, ...]:
    """The sentence that has most of the statement's words, if it has half of them."""
    expected = set(words(statement))
    shared = [(len(expected & set(words(answer[a:b]))), (a, b)) for a, b in sentence_spans(answer)]
    most_shared, span = max(shared, key=lambda pair: pair[0], default=(0, (0, 0)))
    return (span,) if most_shared and most_shared >= _MIN_SHARED * len(expected) else ()


def _trim(span: Span, text: str) -> Span | None:
    start, end = span
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return (start, start + len(inside.strip())) if inside.strip() else None


# Premise, then whose statements are checked against it.
Matrix: TypeAlias = Literal[
    "reference:answer", "answer:reference", "contexts:reference", "contexts:answer"
]
Verdicts: TypeAlias = tuple[Verdict, ...]
# Per statement, the verdict by each context.
ByContext: TypeAlias = tuple[Verdicts, ...]


@dataclass(frozen=True, slots=True)
class Entailment:
    """Entailment matrices; one that was not asked for is empty."""

    answer: Statements = ()  # statements of the answer, where they are checked or a premise
    reference: Statements = ()  # statements of the reference, likewise
    correct: Verdicts = ()  # per statement of the answer, whether the reference entails it
    covered: Verdicts = ()  # per statement of the reference, whether the answer entails it
    retrieved: ByContext = ()  # per statement of the reference, whether each context entails it
    grounded: ByContext = ()  # per statement of the answer, whether each context entails it

    @property
    def relevant(self) -> frozenset[int]:
        """Indices of the relevant contexts: those that entail a statement of the reference."""
        return frozenset(i for row in self.retrieved for i in entailing(row))


async def entailment(sample: Sample, judge: Judge, matrices: Collection[Matrix]) -> Entailment:
    """The matrices of a sample, all asked at once.

    Answer and reference are premises as the statements that they make, for "1889" entails something
    only as the answer to its question; each context is a premise of its own, as it stands. What is
    blank entails nothing and is not asked about.
    """
    question, contexts = sample.question or "", sample.contexts or ()
    answer, reference = sample.answer or "", sample.reference or ""
    texts = [
        answer if any("answer" in matrix for matrix in matrices) else "",
        reference if any("reference" in matrix for matrix in matrices) else "",
    ]
    answer_statements, reference_statements = await split(question, texts, judge)
    premises: dict[Matrix, tuple[Statements, tuple[str, ...]]] = {
        "reference:answer": (answer_statements, (premise(reference_statements, reference),)),
        "answer:reference": (reference_statements, (premise(answer_statements, answer),)),
        "contexts:reference": (reference_statements, contexts),
        "contexts:answer": (answer_statements, contexts),
    }
    checks = {matrix: premises[matrix] for matrix in premises if matrix in matrices}
    groups = [
        (statements, (premise_text,))
        for statements, premises_of in checks.values()
        for premise_text in premises_of
    ]
    verdicts = iter(await verify(groups, judge))
    columns = {
        matrix: [next(verdicts) for _ in premises_of] for matrix, (_, premises_of) in checks.items()
    }
    return Entailment(
        answer_statements,
        reference_statements,
        correct=_column(columns.get("reference:answer")),
        covered=_column(columns.get("answer:reference")),
        retrieved=_rows(columns.get("contexts:reference"), reference_statements),
        grounded=_rows(columns.get("contexts:answer"), answer_statements),
    )


def entailing(row: Verdicts) -> tuple[int, ...]:
    """Indices of the contexts that entail a statement."""
    return tuple(i for i, verdict in enumerate(row) if verdict.supported)


def by_contexts(
    statement: Statement,
    row: Verdicts,
    label: str,
    value: float | None,
    *,
    kind: str = "statement",
) -> Part:
    """The evidence where a statement was checked against each context: all that entail it."""
    supporting = entailing(row)
    first = row[supporting[0]] if supporting else None
    names = ", ".join(f"c{i + 1}" for i in supporting)
    reason = f"entailed by {names}" if supporting else "no context entails it"
    if first and first.reason:
        reason = f"{reason}: {first.reason}"
    return Part(
        kind=kind,
        text=statement.text,
        label=label,
        value=value,
        reason=reason,
        context=supporting[0] if supporting else None,
        quote=first.quote if first else "",
        probability=max((v.probability for v in row if v.probability is not None), default=None),
        span=statement.span,
    )


def _column(columns: list[Verdicts] | None) -> Verdicts:
    return columns[0] if columns else ()


def _rows(columns: list[Verdicts] | None, statements: Statements) -> ByContext:
    if columns is None:
        return ()
    return tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in statements)


MATRICES: tuple[Matrix, ...] = ("reference:answer", "contexts:reference", "contexts:answer")
CORRECT, RELEVANT, IRRELEVANT, UNGROUNDED = (
    "correct",
    "noise from a relevant context",
    "noise from irrelevant contexts",
    "incorrect, in no context",
)


def noise(matrices: Entailment, sample: Sample, counted: str) -> Outcome:
    """Share of the answer's statements that are noise of the counted kind."""
    reason = undefined(matrices, sample)
    if not reason and not matrices.reference:
        reason = "the reference makes no statement, so no context can be called relevant"
    if reason:
        return Unscored("undefined", reason)
    return share(_noise_parts(matrices, counted))


def undefined(matrices: Entailment, sample: Sample) -> str:
    """Why nothing can be said of what misled the answer; "" if something can."""
    if not matrices.answer:
        return "the answer makes no statement"
    if blank(*(sample.contexts or ())):
        return "no context was retrieved"
    return "the reference is empty" if blank(sample.reference or "") else ""


def _noise_parts(matrices: Entailment, counted: str) -> list[Part]:
    relevant = matrices.relevant
    parts = []
    for statement, verdict, row in zip(
        matrices.answer, matrices.correct, matrices.grounded, strict=True
    ):
        supporting = entailing(row)
        label = CORRECT if verdict.supported else UNGROUNDED
        if supporting and not verdict.supported:
            label = RELEVANT if relevant.intersection(supporting) else IRRELEVANT
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

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Check both texts' statements against every context."""
        matrices = await entailment(sample, judge, MATRICES)
        return noise(matrices, sample, self._counted[self.mode])
