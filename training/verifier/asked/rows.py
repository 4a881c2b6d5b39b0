"""What one training row of the relevance heads is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """A question and a text, with what is known about how the text bears on it."""

    data: str  # data set and generator, "nq/vague"
    group: str  # as assay.bench.data.group_of names it; same group and question = one ranking
    question: str
    texts: tuple[str, ...]  # consecutive sentences of a context or of an answer
    helps: tuple[float | None, ...]  # per sentence: 1 bears on what was asked, 0 not, None unknown
    answers: float | None  # the whole text: 1 answers it, 0.5 in part, 0 not; None unknown
    msmarco: bool = False  # whether its text is MS MARCO's
