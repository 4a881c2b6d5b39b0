"""What people say of a run: its name, tags, a note, the parameters of the system. No part of it."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from assay.errors import InputError

# The value of a parameter, as it stands in a table.
Value: TypeAlias = str | int | float | bool

LAST = "last"
LONGEST, LONGEST_NOTE, MOST = 100, 10_000, 100
_PLACE = re.compile(r"~[0-9]+$")
_ID = re.compile(r"[0-9a-f]{8,12}")


@dataclass(frozen=True, slots=True)
class Description:
    """What people say of a run. It changes no score, no signature and no id.

    Attributes:
        name: What it is called, "" for nothing.
        tags: What it is one of: "nightly", "release".
        note: Free text.
        params: What was set of the system: {"k": 5}.

    Raises:
        InputError: If a run cannot be called so, or a tag or parameter cannot be kept.
    """

    name: str = ""
    tags: Sequence[str] = ()
    note: str = ""
    params: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _name(self.name))
        object.__setattr__(self, "tags", _tags(self.tags))
        object.__setattr__(self, "note", _note(self.note))
        object.__setattr__(self, "params", _params(self.params))

    def __bool__(self) -> bool:
        return bool(self.name or self.tags or self.note or self.params)

    def updated(self, told: Self) -> "Description":
        """With what is told now: a name or a note takes the old one's place, all else is added."""
        return Description(
            told.name or self.name,
            (*self.tags, *told.tags),
            told.note or self.note,
            {**self.params, **told.params},
        )

    def without(self, tags: Collection[str], params: Collection[str]) -> "Description":
        """Without these tags and parameters.

        Raises:
            InputError: If one of them is not there.
        """
        for what, wanted, known in (("tag", tags, self.tags), ("parameter", params, self.params)):
            for one in wanted:
                if one not in known:
                    there = f"it has {', '.join(known)}" if known else "it has none"
                    raise InputError(f"the run has no {what} '{one}'", there)
        kept = {key: value for key, value in self.params.items() if key not in params}
        return Description(self.name, tuple(t for t in self.tags if t not in tags), self.note, kept)


def parameter(text: str) -> Value:
    """The value of a parameter that is written: a number where it is written as one."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text and math.isfinite(number):  # "007" and "0.50" are no mere numbers
            return number
    return {"true": True, "false": False}.get(text, text)


def written(value: Value) -> str:
    """The value of a parameter as it is written."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(given: Any) -> str:
    name = _line("name", given)
    if name == LAST or _PLACE.search(name):
        what = f"a run cannot be called '{name}'"
        raise InputError(what, "'last' and what ends in '~1' say which run is meant")
    if _ID.fullmatch(name):
        raise InputError(f"the name '{name}' would be taken for the id of a run")
    if name.startswith("-"):
        raise InputError(f"the name '{name}' would be taken for an option", "begin it otherwise")
    return name


def _line(what: str, given: Any) -> str:
    """A text of one line, without blanks at its ends."""
    if not isinstance(given, str):
        raise InputError(f"the {what} {given!r} is no text")
    text = given.strip()
    if len(text) > LONGEST or not text.isprintable():
        raise InputError(f"the {what} {text[:LONGEST]!r} is no short line of text")
    return text


def _tags(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InputError(f"tags is {given!r}", 'give a list of texts, such as tags=["nightly"]')
    tags = tuple(dict.fromkeys(_line("tag", tag) for tag in given))
    if "" in tags:
        raise InputError("a tag is empty", "give a word")
    if len(tags) > MOST:
        raise InputError(f"{len(tags)} tags are too many", f"give at most {MOST}")
    return tags


def _note(given: Any) -> str:
    if not isinstance(given, str) or len(given) > LONGEST_NOTE:
        what = "is too long" if isinstance(given, str) else f"{given!r} is no text"
        raise InputError(f"the note {what}", f"give at most {LONGEST_NOTE:,} characters")
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise InputError("the note has characters that cannot be kept") from error
    return given.strip()


def _params(given: Any) -> dict[str, Value]:
    if not isinstance(given, Mapping):
        raise InputError(f"params is {given!r}", 'give a dict, such as params={"k": 5}')
    found: dict[str, Value] = {}
    for key, value in given.items():
        name = _line("parameter", key)
        if not name or "=" in name:
            raise InputError(f"a parameter cannot be called '{name}'", "give a word, such as k")
        found[name] = _value(name, value)
    if len(found) > MOST:
        raise InputError(f"{len(found)} parameters are too many", f"give at most {MOST}")
    return found


def _value(name: str, given: Any) -> Value:
    if isinstance(given, str):
        return _line(f"value of the parameter '{name}'", given)
    plain = given.item() if hasattr(given, "item") else given  # what numpy counted
    if not isinstance(plain, bool | int | float) or not math.isfinite(plain):
        what = f"the parameter '{name}' is {given!r}"
        raise InputError(what, "give a text, a finite number, or true or false")
    return plain
