"""Is what was achieved what was desired?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, schema


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the outcome stands to what was desired.

    Attributes:
        reached: Whether the outcome is what was desired.
        reason: Why, in the judge's words.
    """

    reached: bool
    reason: str = ""


class _Form(msgspec.Struct, frozen=True):
    reason: str
    reached: bool


@dataclass(frozen=True)
class CompareOutcomes(Task[Comparison]):
    """Decide whether an outcome is the desired one.

    Attributes:
        desired: What should have been achieved.
        achieved: What was achieved.
    """

    desired: str
    achieved: str

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Decide whether the achieved outcome is the desired one. It is if all that is desired "
            "has been achieved, whatever was achieved besides and however it is worded. It is not "
            "if a part is missing or differs. Give first the reason in one sentence, then "
            "reached: true or false."
        ),
        form='{"reason": "...", "reached": true}',
        examples=(
            Example(
                given=(
                    "desired outcome: A room in Lyon is booked for Friday.\n"
                    "achieved outcome: A room in Lyon was booked for Saturday."
                ),
                reply='{"reason": "The room is booked for another day.", "reached": false}',
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """Both outcomes."""
        desired = Material("desired outcome", self.desired)
        return (desired, Material("achieved outcome", self.achieved))

    def read(self, raw: str) -> Comparison:
        """Whether it was reached."""
        found = decode(raw, _Form)
        return Comparison(found.reached, found.reason)


def reply(comparison: Comparison) -> str:
    """A reply in the form that `CompareOutcomes` reads."""
    return msgspec.json.encode(_Form(comparison.reason, comparison.reached)).decode()
