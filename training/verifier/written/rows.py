"""Statements in words of their own, and false ones in the context's: written for this training.

People's sets hold few true statements that share no words with their evidence. These were written,
context by context, by a large language model; `README.md` says how, and what was asked of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from assay._text import sentences as cut
from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Asked, Row
from training.verifier.written.statement import NAMED, Statement, joined, records

TEXTS = Path(__file__).parent / "texts"
VERBATIM, FOREIGN = 3, 3  # sentences of a context, and statements about others, beside its own


class Question(NamedTuple):
    """What was asked, the sentences that answer it, and two replies."""

    question: str
    helps: tuple[int, ...]
    answer: str
    beside: str  # takes up the question's words and does not answer


class Written(NamedTuple):
    """A context, sentence by sentence, and what was written about it."""

    field: str
    sentences: tuple[str, ...]
    statements: tuple[Statement, ...]
    questions: tuple[Question, ...]

    @property
    def prose(self) -> bool:
        """Whether it is no record."""
        return all(sentence.endswith((".", "!", "?", '"', ")")) for sentence in self.sentences)

    @property
    def context(self) -> str:
        """Its sentences; the lines of a record stay lines."""
        return (" " if self.prose else "\n").join(self.sentences)

    @property
    def group(self) -> str:
        """What it is kept aside with."""
        return self.context[:NAMED]


@cache
def written() -> tuple[Written, ...]:
    """All of them, in the order of the files."""
    return tuple(_read(field, record) for field, record in records(TEXTS))


def _read(field: str, record: dict[str, Any]) -> Written:
    return Written(
        field,
        tuple(record["context"]),
        tuple(Statement(s["text"], s["label"], s["wrong"]) for s in record["statements"]),
        tuple(
            Question(q["question"], tuple(q["helps"]), q["answer"], q["beside"])
            for q in record["questions"]
        ),
    )


def rows(seed: int = 0) -> Iterator[Row]:
    """All statements about each context, some beside other contexts.

    True statements share few words with the context and false ones many. So that this is no sign,
    sentences of the context itself stand among them, and statements about other contexts.
    """
    rng = random.Random(f"{seed} written")
    for one, near in _placed():
        said = [*one.statements, *_verbatim(one, rng), *_foreign(near, rng)]
        rng.shuffle(said)
        yield _row("written", one, said, _contexts(one, near, rng, *said))


def _verbatim(one: Written, rng: random.Random) -> Iterator[Statement]:
    if one.prose:
        for sentence in rng.sample(one.sentences, min(VERBATIM, len(one.sentences))):
            yield Statement(sentence, "supported", "")


def _foreign(near: Sequence[Written], rng: random.Random) -> Iterator[Statement]:
    for other in rng.sample(near, min(FOREIGN, len(near))):
        text = rng.choice(other.statements).text
        yield Statement(text, "neutral", text)


def _placed() -> Iterator[tuple[Written, list[Written]]]:
    """Each with the others of its field on its side of what is kept out."""
    for one in written():
        side = fold_of(one.group) == HELD_OUT
        yield (
            one,
            [
                other
                for other in written()
                if other.field == one.field
                and other is not one
                and (fold_of(other.group) == HELD_OUT) == side
            ],
        )


def _contexts(
    one: Written, near: Sequence[Written], rng: random.Random, *said: Statement
) -> tuple[str, ...]:
    """Its context and up to two others, none of which a statement is about."""
    told = {statement.text for statement in said}
    apart = [other for other in near if told.isdisjoint(s.text for s in other.statements)]
    count = rng.choice((0, 0, 1, 2))
    found = [one.context, *(other.context for other in rng.sample(apart, min(count, len(apart))))]
    rng.shuffle(found)
    return tuple(found)


def _row(data: str, one: Written, said: Sequence[Statement], contexts: tuple[str, ...]) -> Row:
    text, spans = joined(said)
    cuts, start = list[tuple[int, int, str, bool]](), 0
    for each in said:
        cuts.append((start, start + len(each.text), each.label, True))
        start += len(each.text) + 1
    return Row(data, one.group, "", contexts, text, None, spans, cuts=tuple(cuts))


def asked() -> Iterator[Asked]:
    """The sentences that answer each question, its two replies, and the reply to the other one."""
    for one in written():
        for place, question in enumerate(one.questions):
            helps = tuple(float(n in question.helps) for n in range(len(one.sentences)))
            yield Asked(
                "written/sentences", one.group, question.question, one.sentences, helps, None
            )
            other = one.questions[1 - place]
            replies = (("answer", question.answer, 1.0), ("beside", question.beside, 0.0))
            for kind, text, answers in (*replies, ("other", other.answer, 0.0)):
                if kind != "other" or not set(other.helps) & set(question.helps):
                    parts = tuple(cut.sentences(text))
                    unknown = (None,) * len(parts)
                    yield Asked(
                        f"written/{kind}", one.group, question.question, parts, unknown, answers
                    )
