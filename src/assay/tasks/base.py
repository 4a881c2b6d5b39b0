"""Forms that several tasks share: lists of texts, items by number, halves of what is too long."""

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

import msgspec

from assay._text.sentences import spans
from assay.errors import Unreadable
from assay.judge import ByIds, Task
from assay.tasks.parsing import by_id, decode, distinct, schema, stripped

# A shorter text is not what makes a prompt too long.
SHORTEST = 400
# Stands before the reason of a verdict that was made of the verdicts on both halves.
IN_PARTS = "(contexts read in parts) "

# Made once: json.dumps would make an encoder for every text.
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
# Line breaks that JSON leaves as they are.
_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


V = TypeVar("V")


class NumberedTask(ByIds[V]):
    """A task about things by number: about all of them, or about those that are asked for."""

    asked: tuple[str, ...]

    @abstractmethod
    def shown(self) -> Mapping[str, Any]:
        """What is asked about, by id."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of what is asked about."""
        return tuple(self.shown())

    def narrow(self, ids: Sequence[str]) -> Self:
        """The same task about these only."""
        return replace(self, asked=tuple(ids))  # type: ignore[type-var]


class ItemsTask(NumberedTask[V]):
    """A numbered task that is answered by items: ``{"verdicts": [{"id": "t1", "yes": true}]}``.

    Attributes:
        key: The list's name in the reply.
        fields: Names and types of an item's fields behind its id, in order.
        verdict: What an item is read into.
    """

    key: ClassVar[str]
    fields: ClassVar[tuple[tuple[str, Any], ...]]
    verdict: ClassVar[type[Any]]
    _form: ClassVar[type[Any]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        item = msgspec.defstruct("Item", [("id", str), *cls.fields], frozen=True)
        cls._form = msgspec.defstruct("Form", [(cls.key, list[item])], frozen=True)  # type: ignore[valid-type]
        cls.schema = schema(cls._form)

    def read_some(self, raw: str) -> dict[str, V]:
        """The verdicts by id."""
        items = by_id(getattr(decode(raw, self._form), self.key), self.ids, raw)
        return {i: self.verdict(i, **self.values_of(i, item, raw)) for i, item in items.items()}

    def values_of(self, name: str, item: Any, raw: str) -> Mapping[str, Any]:  # noqa: ARG002
        """The values of a verdict by an item's fields; raises Unreadable if they make no sense."""
        return {field: getattr(item, field) for field, _ in self.fields}

    @classmethod
    def reply(cls, verdicts: Sequence[V]) -> str:
        """A reply in the form that is read."""
        names = ("id", *(name for name, _ in cls.fields))
        return encode({cls.key: [{n: getattr(v, n) for n in names} for v in verdicts]})


class ListTask(Task[tuple[str, ...]]):
    """A task that is answered by a list of texts: ``{"topics": ["...", "..."]}``.

    Attributes:
        key: The list's name in the reply.
        repeats: Whether a text that is given several times counts as often.
        empty: Why a list without any text is unreadable, "" where it is an answer.
    """

    key: ClassVar[str]
    repeats: ClassVar[bool] = False
    empty: ClassVar[str] = ""
    _form: ClassVar[type[Any]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls._form = msgspec.defstruct("Form", [(cls.key, list[str])], frozen=True)
        cls.schema = schema(cls._form)

    def read(self, raw: str) -> tuple[str, ...]:
        """The texts in order, without empty ones; raises Unreadable if there has to be one."""
        items = getattr(decode(raw, self._form), self.key)
        texts = stripped(items) if self.repeats else distinct(items)
        if self.empty and not texts:
            raise Unreadable(self.empty, raw=raw)
        return texts

    @classmethod
    def reply(cls, texts: Sequence[str]) -> str:
        """A reply in the form that is read."""
        return encode({cls.key: list(texts)})


def encode(form: msgspec.Struct | Mapping[str, Any]) -> str:
    """A reply as JSON text."""
    return msgspec.json.encode(form).decode()


def one_line(value: object) -> str:
    """A value as JSON on one line, whatever its texts hold."""
    line = _ENCODE(value)
    return line if line.isascii() else line.translate(_BREAKS)


def listed(items: Iterable[tuple[str, str]]) -> str:
    """Items as JSON, one a line: a text with line breaks cannot pose as a further item."""
    # As one_line of the whole item, at a third of the cost: a text alone is encoded at once.
    return "\n".join([f'{{"id": {one_line(i)}, "text": {one_line(t)}}}' for i, t in items])


def numbered(letter: str, texts: Sequence[str], asked: Sequence[str] = ()) -> dict[str, str]:
    """Texts by id, a letter and their number from 1: those that are asked about, else all."""
    by_name = {f"{letter}{n}": text for n, text in enumerate(texts, start=1)}
    return {i: by_name[i] for i in asked} if asked else by_name


def explained(name: str, values: Iterable[tuple[object, str]]) -> str:
    """Values as JSON, one a line, each with its meaning where it has one."""
    items = ({name: value} | ({"meaning": means} if means else {}) for value, means in values)
    return "\n".join(map(one_line, items))


def halved_texts(texts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The first and the second half of several texts; a single one is divided. None if too short.

    A single text is divided between sentences, as near to its middle as can be.
    """
    if len(texts) > 1:
        middle = len(texts) // 2
        return texts[:middle], texts[middle:]
    if not texts or len(texts[0]) < SHORTEST:
        return None
    (text,) = texts
    ends = [end for _, end in spans(text)[:-1]] or [len(text) // 2]
    at = min(ends, key=lambda end: abs(end - len(text) / 2))
    return (text[:at],), (text[at:],)
