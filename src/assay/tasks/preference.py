"""Preference between answers: the better of two, or the order of several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.base import encode
from assay.tasks.parsing import decode, schema

Better: TypeAlias = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True)
class Preference:
    """Which of two answers was preferred.

    Attributes:
        better: "first", "second", or "tie" if neither is better.
        reason: Why, in the judge's words.
    """

    better: Better
    reason: str = ""


class _PreferenceForm(msgspec.Struct, frozen=True):
    reason: str
    better: str


@dataclass(frozen=True)
class PreferAnswer(Task[Preference]):
    """Prefer one of two answers, by a criterion in words.

    Attributes:
        criterion: What makes an answer the better one, in words.
        shown: Texts to consult, with their names: ("question", ...), ("context 1", ...).
        first: The answer that is shown first.
        second: The answer that is shown second.
    """

    criterion: str
    shown: tuple[tuple[str, str], ...]
    first: str
    second: str

    schema = schema(_PreferenceForm)
    template = Template(
        instruction=(
            "Two answers are given. Decide which of them is better by the criterion below, and by "
            "nothing else: neither the order in which they stand nor their length counts, unless "
            "the criterion is about it. Give the reason first, in one sentence, then better: "
            '"first", "second", or "tie" if neither is better than the other.'
        ),
        form='{"reason": "...", "better": "first"}',
    )

    def material(self) -> Sequence[Material]:
        """The criterion, what is to be consulted, and the two answers."""
        return (
            Material("criterion", self.criterion),
            *(Material(name, text) for name, text in self.shown),
            Material("first answer", self.first),
            Material("second answer", self.second),
        )

    def read(self, raw: str) -> Preference:
        """The preference; the answers may be named as they are shown: "First answer"."""
        form = decode(raw, _PreferenceForm)
        named = form.better.strip().lower().removesuffix(" answer")
        for better in get_args(Better):
            if named == better:
                return Preference(better, form.reason)
        raise Unreadable(f"'{form.better}' instead of first, second or tie", raw=raw)

    @staticmethod
    def reply(preference: Preference) -> str:
        """A reply in the form that is read."""
        return encode(_PreferenceForm(preference.reason, preference.better))


@dataclass(frozen=True, slots=True)
class Ranking:
    """Answers in order.

    Attributes:
        order: Index of each answer among those shown, the best first.
        reason: Why, in the judge's words.
    """

    order: tuple[int, ...]
    reason: str = ""


class _RankingForm(msgspec.Struct, frozen=True):
    reason: str
    order: list[str]


@dataclass(frozen=True)
class RankAnswers(Task[Ranking]):
    """Put several answers in order, the best first, by a criterion in words.

    Attributes:
        criterion: What makes an answer the better one, in words.
        shown: Texts to consult, with their names: ("question", ...), ("context 1", ...).
        answers: The answers in the order in which they are shown, as a1, a2 ...
    """

    criterion: str
    shown: tuple[tuple[str, str], ...]
    answers: tuple[str, ...]

    schema = schema(_RankingForm)
    template = Template(
        instruction=(
            "Several answers are given. Put them in order by the criterion below, the best first, "
            "and by nothing else: neither the order in which they stand nor their length counts, "
            "unless the criterion is about it. Name every answer exactly once by its id (a1, a2 "
            "...). Give the reason first, in one sentence."
        ),
        form='{"reason": "...", "order": ["a2", "a1"]}',
    )

    def material(self) -> Sequence[Material]:
        """The criterion, what is to be consulted, and the answers."""
        return (
            Material("criterion", self.criterion),
            *(Material(name, text) for name, text in self.shown),
            *(Material(f"answer a{n}", text) for n, text in enumerate(self.answers, start=1)),
        )

    def read(self, raw: str) -> Ranking:
        """The order; raises Unreadable if an answer is missing or named twice."""
        form = decode(raw, _RankingForm)
        ids = [f"a{n}" for n in range(1, len(self.answers) + 1)]
        named = [name.strip().lower().removeprefix("answer ") for name in form.order]
        if sorted(named) != sorted(ids):
            what = f"an order of {', '.join(named) or 'nothing'} instead of all of {', '.join(ids)}"
            raise Unreadable(what, raw=raw)
        return Ranking(tuple(ids.index(name) for name in named), form.reason)

    @staticmethod
    def reply(ranking: Ranking) -> str:
        """A reply in the form that is read."""
        form = _RankingForm(ranking.reason, [f"a{n + 1}" for n in ranking.order])
        return encode(form)
