"""What a test set consists of, and what was not taken into it."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from assay.testset.passages import Passage

Kind: TypeAlias = Literal["single_hop", "reasoning", "multi_hop", "unanswerable"]
# The reference of a question without an answer: metrics of statements find none in it.
NO_ANSWER = "I do not know: the documents do not answer this question."


@dataclass(frozen=True, slots=True)
class Question:
    """A question that passed every check: a row of a data set.

    Attributes:
        id: Its kind and the passage that it was written about.
        kind: What it takes to answer it.
        question: The question.
        reference: The answer; `NO_ANSWER` for a question that the documents do not answer.
        passages: What it was written about; they hold the answer, if there is one.
        quotes: Stretches of the passages that bear the answer out, as they stand there.
        overlap: Share of the question's content words that its passages hold, in [0, 1].
    """

    id: str
    kind: Kind
    question: str
    reference: str
    passages: tuple[Passage, ...]
    quotes: tuple[str, ...] = ()
    overlap: float = 0.0

    @property
    def answerable(self) -> bool:
        """Whether the documents hold an answer."""
        return self.kind != "unanswerable"

    def row(self) -> dict[str, Any]:
        """The row for `evaluate` and for the system under test, which is to add its answer."""
        return {
            "id": self.id,
            "question": self.question,
            "reference": self.reference,
            "reference_contexts": [p.text for p in self.passages] if self.answerable else [],
            "answerable": self.answerable,
            "group": self.passages[0].document,
            "kind": self.kind,
            "quotes": list(self.quotes),
            "overlap": round(self.overlap, 3),
            "source": [
                {"document": p.document, "start": p.start, "end": p.end} for p in self.passages
            ],
        }


@dataclass(frozen=True, slots=True)
class Rejected:
    """What was written and not taken, and why.

    Attributes:
        kind: What it was to be.
        why: Which check it failed: "empty", "not standalone", "no quote", "one is enough",
            "unanswered", "unsupported", "answered", "repeated" or "judge failed".
        detail: What the check found.
        question: The question, "" if none was written.
        answer: Its answer.
        passages: Ids of the passages it was written about.
    """

    kind: Kind
    why: str
    detail: str
    question: str
    answer: str
    passages: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "kind": self.kind,
            "why": self.why,
            "detail": self.detail,
            "question": self.question,
            "answer": self.answer,
            "passages": list(self.passages),
        }


@dataclass(frozen=True, slots=True)
class Testset:
    """The questions, and an account of how they came about.

    Attributes:
        questions: Those that passed all checks, in the order in which they were asked for.
        rejected: Those that did not.
        wanted: How many of each kind were asked for.
        documents: How many documents there are.
        passages: How many passages they were cut into.
        calls: Replies that the judge was asked for.
        known: Replies that were in the store already.
        tokens_in: Prompt tokens of `calls`.
        tokens_out: Reply tokens of `calls`.
        money: What these cost, None without a price.
        stopped: Why it ended early, "" if it did not.
    """

    __test__: ClassVar = False  # by its name pytest would take it for a test

    questions: tuple[Question, ...]
    rejected: tuple[Rejected, ...]
    wanted: Mapping[Kind, int]
    documents: int
    passages: int
    calls: int = 0
    known: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None
    stopped: str = ""

    def rows(self) -> list[dict[str, Any]]:
        """A row for each question: data for `evaluate`, as they are or with a system's answers."""
        return [question.row() for question in self.questions]

    def written(self) -> dict[Kind, int]:
        """How many questions there are of each kind that was asked for."""
        counts = Counter(question.kind for question in self.questions)
        return {kind: counts[kind] for kind in self.wanted}

    @property
    def overlap(self) -> float | None:
        """Mean overlap of the answerable questions, None if there are none."""
        found = [q.overlap for q in self.questions if q.answerable]
        return sum(found) / len(found) if found else None

    def jsonl(self) -> str:
        """The rows as JSONL."""
        return lines(self.rows())


def lines(rows: list[dict[str, Any]]) -> str:
    """Rows as JSONL."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
