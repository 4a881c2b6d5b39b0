"""What do verdicts on statements say of a whole answer, and of its characters?"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.bench.subject import Checked
from assay.metrics.groundedness import any_unsupported
from assay.tasks import Statement, Verdict

Marks: TypeAlias = npt.NDArray[np.bool_]
Spans: TypeAlias = Sequence[tuple[int, int]]
_LEAST = 1e-6  # of a probability


def hallucination(checked: Checked) -> float:
    """`hallucination_probability`, but that two statements of P = 0 are worse than one.

    An answer that states nothing has nothing unsupported: 0.
    """
    return any_unsupported(max(p, _LEAST) for p in checked.probabilities)


def unfaithfulness(checked: Checked) -> float:
    """1 - faithfulness, as the metric of that name counts it."""
    verdicts = checked.verdicts
    return sum(not verdict.supported for verdict in verdicts) / max(1, len(verdicts))


def flagged(checked: Checked) -> bool:
    """Whether an answer is flagged: the judge is sure of a statement that nothing supports it."""
    return any(not (verdict.supported or verdict.uncertain) for verdict in checked.verdicts)


def uncertain(checked: Checked) -> bool:
    """Whether the judge is uncertain of a statement."""
    return any(verdict.uncertain for verdict in checked.verdicts)


def unsupported_characters(text: str, checked: Checked) -> Marks:
    """Which characters of the text does the judge call unsupported?"""
    found: list[tuple[int, int]] = []
    for statement, verdict in zip(checked.statements, checked.verdicts, strict=True):
        found += _spans(text, statement, verdict)
    return marked(len(text), found)


def marked(length: int, spans: Spans) -> Marks:
    """The characters within the spans."""
    marks = np.zeros(length, bool)
    for start, end in spans:
        marks[start:end] = True
    return marks


def _spans(text: str, statement: Statement, verdict: Verdict) -> Spans:
    # A judge that marks characters knows best; one that does not means the whole statement.
    if verdict.spans:
        return [place for span in verdict.spans for place in _placed(text, statement, span)]
    if verdict.supported or statement.span is None:
        return []
    return [statement.span]


def _placed(text: str, statement: Statement, span: tuple[int, int]) -> Spans:
    # A statement may read otherwise than its source (a pronoun replaced): look for the words.
    if statement.span is None:
        return []
    start, end = statement.span
    if text[start:end] == statement.text:
        return [(start + span[0], start + span[1])]
    words = statement.text[span[0] : span[1]]
    at = text.find(words, start, end)
    return [(at, at + len(words))] if at >= 0 else [statement.span]
