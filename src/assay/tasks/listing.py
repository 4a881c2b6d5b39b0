"""Lists of what a text names or holds: its entities, and the facts of a good answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.prompt import Example, Material, Template
from assay.tasks.base import ListTask


@dataclass(frozen=True)
class NameEntities(ListTask):
    """Name the entities of a text: people, places, organisations, works, dates, quantities.

    Attributes:
        text: The text to look through.
    """

    text: str

    key = "entities"
    repeats = True
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


@dataclass(frozen=True)
class ListNuggets(ListTask):
    """List the facts ("nuggets") that a good answer holds, from texts about the question.

    Attributes:
        question: What is asked.
        texts: Passages or answers that the facts are taken from.
        known: Nuggets that there are already.
    """

    question: str
    texts: tuple[str, ...]
    known: tuple[str, ...] = ()

    key = "nuggets"
    template = Template(
        instruction=(
            "List the facts of the texts that a complete answer to the question should hold. Each "
            "is one fact in at most 12 words, understandable on its own, in the language of the "
            "question, the most important first. Leave out what the question does not ask for, "
            "and whatever says the same as a fact that is known already. If there is no further "
            "one, the list is empty."
        ),
        form='{"nuggets": ["...", "..."]}',
        examples=(
            Example(
                given=(
                    "question: Who was Marie Curie?\ntext 1: She was a physicist born in Warsaw. "
                    "Radium is a metal.\nknown: Marie Curie was a physicist."
                ),
                reply='{"nuggets": ["Marie Curie was born in Warsaw."]}',
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The question, the texts, the nuggets known, one a line."""
        texts = [Material(f"text {n}", text) for n, text in enumerate(self.texts, start=1)]
        before = [Material("known", "\n".join(self.known))] if self.known else []
        return (Material("question", self.question), *texts, *before)
