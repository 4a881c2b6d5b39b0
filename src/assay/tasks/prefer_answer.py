"""Which of two answers is the better one by a criterion?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import decode, schema

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


class _Form(msgspec.Struct, frozen=True):
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

    schema = schema(_Form)
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
        form = decode(raw, _Form)
        said = form.better.strip().lower().removesuffix(" answer")
        for better in get_args(Better):
            if said == better:
                return Preference(better, form.reason)
        raise Unreadable(f"'{form.better}' instead of first, second or tie", raw=raw)


def reply(preference: Preference) -> str:
    """A reply in the form that `PreferAnswer` reads."""
    return msgspec.json.encode(_Form(preference.reason, preference.better)).decode()
