"""Graded relevance of passages to a question, several passages in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import msgspec

from assay.errors import Unreadable
from assay.judge import ByIds
from assay.prompt import AS_IN_EXAMPLES, Example, Material, Template
from assay.tasks.base import encode, numbered
from assay.tasks.parsing import by_id, decode, schema

GRADES: Final = (0, 1, 2, 3)


@dataclass(frozen=True, slots=True)
class PassageGrade:
    """The grade of one passage.

    Attributes:
        id: "c1", "c2" ... in the order in which the passages were given.
        grade: 0 irrelevant, 1 related but no answer, 2 answers in part, 3 answers fully.
        probability: Probability that it helps to answer, where the judge gives one.
    """

    id: str
    grade: int
    probability: float | None = None


class _Item(msgspec.Struct, frozen=True):
    id: str
    values: tuple[str | float, ...]


class _Form(msgspec.Struct, frozen=True):
    grades: list[tuple[str | float, ...]]


class _Asked(msgspec.Struct):
    grades: list[list[str]]


@dataclass(frozen=True)
class GradePassages(ByIds[PassageGrade]):
    """Grade how far each passage answers a question, on the scale of TREC and UMBRELA.

    Source:
        Upadhyay et al. 2024, UMBRELA: UMbrela is the (Open-Source Reproduction of the) Bing
        RELevance Assessor; Craswell et al. 2020, Overview of the TREC 2019 deep learning track.

    Attributes:
        question: What was asked.
        contexts: The passages.
        asked: Ids ("c1" ...) of the passages still without a grade; empty means all.
    """

    question: str
    contexts: tuple[str, ...]
    asked: tuple[str, ...] = ()

    schema = schema(_Asked)
    template = Template(
        instruction=(
            "A question and some contexts, which a search has found, are given. Grade every "
            "context by how far it answers the question: 0 if it has nothing to do with the "
            "question; 1 if it is about the same subject, but answers no part of the question; 2 "
            "if it answers the question in part, or the answer is vague or buried in other "
            "matter; 3 if it is about what is asked and holds the answer, whole and clear. Grade "
            "what the context says, not what you know, and each context by itself, whatever its "
            "place and the others. Give one pair for every context id, in order: the id and the "
            "grade. " + AS_IN_EXAMPLES
        ),
        examples=(
            Example(
                "context c1: The bridge, opened in May 1932, carries eight lanes.\n"
                "context c2: The bridge is painted grey. Tea is grown in hills.\n"
                "question: When was the bridge opened?",
                '{"grades": [["c1", "3"], ["c2", "1"]]}',
            ),
        ),
        leading="context ",
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The passages' ids."""
        return tuple(numbered("c", self.contexts, self.asked))

    def shown(self) -> list[tuple[str, str]]:
        """(id, text) of the passages that need a grade."""
        return list(numbered("c", self.contexts, self.asked).items())

    def material(self) -> Sequence[Material]:
        """The question and the passages."""
        passages = [Material(f"context {i}", text) for i, text in self.shown()]
        return (Material("question", self.question), *passages)

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same question, these passages only."""
        return replace(self, asked=tuple(ids))

    def halves(self) -> tuple[Self, Self] | None:
        """Either half of the passages; a single one cannot be divided."""
        ids = self.ids
        middle = len(ids) // 2
        return (self.narrow(ids[:middle]), self.narrow(ids[middle:])) if middle else None

    def read_some(self, raw: str) -> dict[str, PassageGrade]:
        """The grades by passage id."""
        pairs = [[str(value) for value in pair] for pair in decode(raw, _Form).grades]
        if not all(pairs):
            raise Unreadable("a pair is empty", raw=raw)
        items = by_id([_Item(name, tuple(rest)) for name, *rest in pairs], self.ids, raw)
        return {i: self._grade(i, item.values, raw) for i, item in items.items()}

    def _grade(self, name: str, values: Sequence[object], raw: str) -> PassageGrade:
        try:
            grade, *more = [float(str(value)) for value in values]
        except ValueError:
            grade, more = -1.0, []
        if grade not in GRADES or len(more) > 1 or not all(0 <= p <= 1 for p in more):
            raise Unreadable(f"the grade for '{name}' is none of 0, 1, 2 and 3", raw=raw)
        return PassageGrade(name, int(grade), more[0] if more else None)

    @staticmethod
    def reply(grades: Sequence[PassageGrade]) -> str:
        """A reply in the form that is read."""
        known = [(g, () if g.probability is None else (str(g.probability),)) for g in grades]
        return encode(_Form([(g.id, str(g.grade), *more) for g, more in known]))
