"""Which entities does a text name?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, schema


class _Form(msgspec.Struct, frozen=True):
    entities: list[str]


@dataclass(frozen=True)
class NameEntities(Task[tuple[str, ...]]):
    """Name the entities of a text: people, places, organisations, works, dates, quantities.

    Attributes:
        text: The text to look through.
    """

    text: str

    schema = schema(_Form)
    template = Template(
        instruction=(
            "List the entities that the text names: people, organisations, places, products, "
            "works, events, dates, times, amounts and other quantities with their units. Copy "
            "each exactly as it is written in the text, without its article, and list it once, "
            "even if it is named several times. General terms are not entities. If the text names "
            "none, the list is empty."
        ),
        form='{"entities": ["...", "..."]}',
        examples=(
            Example(
                given=(
                    "text: The Eiffel Tower in Paris was opened on 31 March 1889 and is 330 metres "
                    "tall. The tower was designed by engineers."
                ),
                reply='{"entities": ["Eiffel Tower", "Paris", "31 March 1889", "330 metres"]}',
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The text."""
        return (Material("text", self.text),)

    def read(self, raw: str) -> tuple[str, ...]:
        """The entities in order, as often as they are named; empty ones are left out."""
        bare = (name.strip() for name in decode(raw, _Form).entities)
        return tuple(name for name in bare if name)


def reply(entities: Sequence[str]) -> str:
    """A reply in the form that `NameEntities` reads."""
    return msgspec.json.encode(_Form(list(entities))).decode()
