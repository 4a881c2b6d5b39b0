"""What does the user of a conversation ask about?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, distinct, schema


class _Form(msgspec.Struct, frozen=True):
    topics: list[str]


@dataclass(frozen=True)
class NameTopics(Task[tuple[str, ...]]):
    """Name the topics that the user of a conversation asks about.

    Attributes:
        conversation: The messages, each after the role of its speaker, tools included.
    """

    conversation: str

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Name the topics that the user asks or talks about in the conversation, in the order "
            "in which they come up, each once and in a few words. Go by what the user says: what "
            "only the assistant or a tool brings up is no topic. Greetings, thanks and remarks on "
            "the conversation itself are none. Write them in the language of the user. If the "
            "user asks about nothing, the list is empty."
        ),
        form='{"topics": ["...", "..."]}',
        examples=(
            Example(
                given=(
                    "conversation: user: How do I descale the kettle?\nassistant: With vinegar.\n"
                    "user: Thanks! And which shares should I buy?\nassistant: I cannot advise on "
                    "shares."
                ),
                reply='{"topics": ["descaling a kettle", "buying shares"]}',
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The conversation."""
        return (Material("conversation", self.conversation),)

    def read(self, raw: str) -> tuple[str, ...]:
        """The topics in order, each once; empty ones are left out."""
        return distinct(decode(raw, _Form).topics)


def reply(topics: Sequence[str]) -> str:
    """A reply in the form that `NameTopics` reads."""
    return msgspec.json.encode(_Form(list(topics))).decode()
