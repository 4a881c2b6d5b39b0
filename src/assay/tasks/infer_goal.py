"""What did the user of a conversation want, and what came of it?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, schema


@dataclass(frozen=True, slots=True)
class Goal:
    """What a conversation was for.

    Attributes:
        goal: What the user wanted to achieve.
        outcome: What had been achieved in the end.
    """

    goal: str
    outcome: str


class _Form(msgspec.Struct, frozen=True):
    goal: str
    outcome: str


@dataclass(frozen=True)
class InferGoal(Task[Goal]):
    """Tell what the user of a conversation wanted to achieve, and what was achieved in the end.

    Attributes:
        conversation: The messages, each after the role of its speaker, tools included.
    """

    conversation: str

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Tell in one sentence each what the user wanted to achieve (goal), going by the "
            "user's messages alone, and what had been achieved at the end of the conversation "
            "(outcome), going by what the assistant said and what the tools returned. If the user "
            "changes the goal on the way, give the last one. What the assistant claims but a tool "
            "denies has not been achieved. Write in the language of the user."
        ),
        form='{"goal": "...", "outcome": "..."}',
        examples=(
            Example(
                given=(
                    "conversation: user: Book me a room in Lyon for Friday.\n"
                    'assistant calls book(city="Lyon", day="Friday")\n'
                    "tool: no room free\nassistant: I am sorry, there is no room on Friday."
                ),
                reply=(
                    '{"goal": "The user wants a room in Lyon for Friday.", "outcome": "No room '
                    'was booked, since none was free."}'
                ),
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The conversation."""
        return (Material("conversation", self.conversation),)

    def read(self, raw: str) -> Goal:
        """Goal and outcome; raises Unreadable if one is empty."""
        found = decode(raw, _Form)
        if not found.goal.strip() or not found.outcome.strip():
            raise Unreadable("an empty goal or outcome", raw=raw)
        return Goal(found.goal.strip(), found.outcome.strip())


def reply(goal: Goal) -> str:
    """A reply in the form that `InferGoal` reads."""
    return msgspec.json.encode(_Form(goal.goal, goal.outcome)).decode()
