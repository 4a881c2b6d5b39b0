"""By which steps is a criterion to be checked?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import decode, schema


class _Form(msgspec.Struct, frozen=True):
    steps: list[str]


@dataclass(frozen=True)
class PlanEvaluation(Task[tuple[str, ...]]):
    """Plan the steps by which a grader checks texts against a criterion.

    Attributes:
        criterion: What is to be graded, in words.
        shown: Names of the texts that the grader will see.
    """

    criterion: str
    shown: tuple[str, ...]

    schema = schema(_Form)
    template = Template(
        instruction=(
            "A grader is going to grade texts by the criterion below. Write three to five steps "
            "that the grader is to go through, in order: what to read, what to look for, and what "
            "raises or lowers the grade. Each step is one sentence and about the criterion alone. "
            "Use no text but those that the grader is shown. Write in the language of the "
            "criterion."
        ),
        form='{"steps": ["...", "..."]}',
    )

    def material(self) -> Sequence[Material]:
        """The criterion, and what the grader is shown."""
        return (
            Material("criterion", self.criterion),
            Material("the grader is shown", ", ".join(self.shown)),
        )

    def read(self, raw: str) -> tuple[str, ...]:
        """The steps; raises Unreadable if there is none."""
        steps = tuple(step.strip() for step in decode(raw, _Form).steps if step.strip())
        if not steps:
            raise Unreadable("no step in the plan", raw=raw)
        return steps


def reply(steps: Sequence[str]) -> str:
    """A reply in the form that `PlanEvaluation` reads."""
    return msgspec.json.encode(_Form(list(steps))).decode()
