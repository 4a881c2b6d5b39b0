"""The questions of a test set as rows of data."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import cycle
from typing import Any, ClassVar

from assay._text.words import words
from assay.testset import checks
from assay.testset.passages import Passage
from assay.testset.plan import Kind

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
        template: By which rule it was made, "" if a language model wrote it.
        traits: Style, persona and difficulty, as far as the plan gave any.
        before: The messages before it, of user and assistant in turn; none but for a follow-up.
        standalone: What a follow-up asks, in full; "" for any other question.
        closed_book: The judge's answer without any text, where that is right; "" where it is not,
            None if it was not asked.
    """

    id: str
    kind: Kind
    question: str
    reference: str
    passages: tuple[Passage, ...]
    quotes: tuple[str, ...] = ()
    overlap: float = 0.0
    template: str = ""
    traits: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    standalone: str = ""
    closed_book: str | None = None

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
            "evidence": list(self._evidence()),
            "overlap": round(self.overlap, 3),
            "source": [
                {"document": p.document, "start": p.start, "end": p.end} for p in self.passages
            ],
            **({"template": self.template} if self.template else {}),
            **self.traits,
            **self._conversation(),
            **({} if self.closed_book is None else {"closed_book": self.closed_book}),
        }

    def _conversation(self) -> dict[str, Any]:
        """What a follow-up leans on; nothing for any other question."""
        if not self.before:
            return {}
        roles = ("user", "assistant")
        said = zip(cycle(roles), (*self.before, self.question), strict=False)
        turns = [{"role": role, "content": text} for role, text in said]
        return {"standalone": self.standalone, "turns": turns}

    def _evidence(self) -> Iterator[dict[str, Any]]:
        """Where the quotes stand in the documents, in whatever mark-up they stand there."""
        for quote in self.quotes:
            for passage in self.passages:
                if found := checks.places(quote, passage.text):
                    for start, end in found:
                        range_ = {"start": passage.start + start, "end": passage.start + end}
                        yield {"document": passage.document, **range_}
                    break


@dataclass(frozen=True, slots=True)
class Rejected:
    """What was written and not taken, and why.

    Attributes:
        kind: What it was to be.
        why: Which check it failed: "empty", "not standalone", "no quote", "one is enough",
            "example data", "no sentence", "too easy", "unanswered", "unsupported", "answered",
            "answer given", "ambiguous", "repeated", "stands alone", "asks for something else" or
            "judge failed".
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
        return {**asdict(self), "passages": list(self.passages)}


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
        by_rules: Whether rules made them, as the judge cannot write: then `wanted` is a maximum.
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
    by_rules: bool = False

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
        shares = [q.overlap for q in self.questions if q.answerable]
        return sum(shares) / len(shares) if shares else None

    def quality(self) -> dict[str, float]:
        """What can be told of the questions without asking anybody, each a share in [0, 1].

        "kept" of the drafts passed all checks; "unique" of what was asked does not repeat another
        question; "boilerplate" of the questions begin with the three words with which most do;
        "documents" and "passages" have a question; "closed_book", where that was asked, of the
        answerable questions are answered right without any text. Empty if nothing was drafted.
        """
        drafts = len(self.questions) + len(self.rejected)
        if not drafts:
            return {}
        asked = len(self.questions) + sum(1 for draft in self.rejected if draft.question)
        repeated = sum(1 for draft in self.rejected if draft.why == "repeated")
        openings = Counter(" ".join(words(q.question)[:3]) for q in self.questions)
        most = max(openings.values(), default=0)
        passages = {passage.id for q in self.questions for passage in q.passages}
        documents = {passage.document for q in self.questions for passage in q.passages}
        known = [q.closed_book for q in self.questions if q.closed_book is not None]
        return {
            "kept": len(self.questions) / drafts,
            "unique": 1 - repeated / max(asked, 1),
            "boilerplate": most / len(self.questions) if most > 1 else 0.0,
            "documents": len(documents) / self.documents,
            "passages": len(passages) / self.passages,
            **({"closed_book": sum(map(bool, known)) / len(known)} if known else {}),
        }

    def jsonl(self) -> str:
        """The rows as JSONL."""
        return lines(self.rows())


@dataclass(frozen=True, slots=True)
class Told:
    """Who is told of each draft, and how far the test set is.

    Attributes:
        wanted: How many questions are wanted.
        on_progress: Called with (questions, `wanted`).
        on_draft: Called with the draft.
    """

    wanted: int = 0
    on_progress: Callable[[int, int], None] | None = None
    on_draft: Callable[[Question | Rejected], None] | None = None

    def __call__(self, draft: Question | Rejected, done: int) -> None:
        """A draft was kept or rejected; so many questions are there by now."""
        if self.on_draft:
            self.on_draft(draft)
        if self.on_progress:
            self.on_progress(done, self.wanted)


def lines(rows: list[dict[str, Any]]) -> str:
    """Rows as JSONL."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
