"""Is something in the answer that no context supports, and which characters?"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.evidence import BY_VERDICTS, blank, split, verdict_parts, verify
from assay.metrics.statements import three_way_parts
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import SplitStatements, Statement, VerifyStatements
from assay.text.sentences import Span
from assay.text.sentences import spans as sentence_spans
from assay.text.words import words

_SHARED = 0.5  # words of a statement that its sentence has at least


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
    known = list(support)
    if 0.0 in known:
        return 1.0
    odds = sum((1 - p) / p for p in known)
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
        found = three_way_parts(statements, verdicts, answer, wrong)
        parts = tuple(
            replace(part, marks=_spans(part, statement, answer) if part.value else ())
            for part, statement in zip(found, statements, strict=True)
        )
        lost = [part.text for part in parts if part.value and not part.marks]
        if lost:
            return Unscored("failed", f"not found in the answer: {'; '.join(lost)}", parts)
        spans = merged((mark for part in parts for mark in part.marks), answer)
        characters = sum(end - start for start, end in spans)
        details = {"spans": [list(span) for span in spans], "characters": characters}
        return Score(characters / len(answer.strip()), parts, details=details)


def merged(spans: Iterable[Span], text: str) -> list[Span]:
    """Spans in order, those that meet or have only white space between them joined."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and (start <= found[-1][1] or not text[found[-1][1] : start].strip()):
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _spans(part: Part, statement: Statement, answer: str) -> tuple[Span, ...]:
    unmarked = [
        (start, end)
        for start, end in statement.spans
        if not any(start <= mark < end for mark, _ in part.marks)
    ]
    found = (*part.marks, *unmarked)
    if not found:  # the judge did not say where it was taken from
        found = _likeliest(part.text, answer)
    return tuple(span for span in (_trimmed(span, answer) for span in found) if span)


def _likeliest(statement: str, answer: str) -> tuple[Span, ...]:
    """The sentence that has most of the statement's words, if it has half of them."""
    wanted = set(words(statement))
    shared = [(len(wanted & set(words(answer[a:b]))), (a, b)) for a, b in sentence_spans(answer)]
    most, span = max(shared, key=lambda pair: pair[0], default=(0, (0, 0)))
    return (span,) if most and most >= _SHARED * len(wanted) else ()


def _trimmed(span: Span, text: str) -> Span | None:
    start, end = span
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return (start, start + len(inside.strip())) if inside.strip() else None


METRICS: tuple[type[Metric], ...] = (HallucinationProbability, HallucinationSpans)
