"""Which statements does each of several texts make?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import AS_IN_EXAMPLES, Example, Material, Template, earlier_turns
from assay.tasks.reading import by_id, decode, schema
from assay.tasks.split_statements import Item, SplitStatements, how_to_split


class _Text(msgspec.Struct, frozen=True):
    id: str
    statements: tuple[Item, ...]


class _Form(msgspec.Struct, frozen=True):
    texts: list[_Text]


@dataclass(frozen=True)
class SplitTexts(Task[dict[str, tuple[Item, ...]]]):
    """Split several texts about one question (an answer and its reference) in one call.

    It stands in for the `SplitStatements` of each, and so goes by their kind: whoever serves those
    serves it.

    Attributes:
        question: What the texts answer.
        texts: What to split; shown to the judge as t1, t2 ...
        earlier: As in `SplitStatements`.
    """

    question: str
    texts: tuple[str, ...]
    earlier: tuple[str, ...] = ()

    kind: ClassVar[str] = SplitStatements.kind
    schema = schema(_Form)
    template = Template(
        instruction=(
            "Split every text into statements, each as if the others were not there: a claim that "
            "two texts make stands in the list of either, and a claim that only one makes stands "
            f"in its list only. {how_to_split('high', 'high')} {AS_IN_EXAMPLES}"
        ),
        examples=(
            Example(
                given=(
                    "question: Who was Marie Curie?\n"
                    "text t1: She was a physicist born in Warsaw in 1867.\n"
                    "text t2: A physicist. Her husband shared a Nobel Prize with her."
                ),
                reply=(
                    '{"texts": [{"id": "t1", "statements": [{"text": "Marie Curie was a '
                    'physicist.", "source": "She was a physicist"}, {"text": "Marie Curie was '
                    'born in Warsaw in 1867.", "source": "born in Warsaw in 1867"}]}, {"id": '
                    '"t2", "statements": [{"text": "Marie Curie was a physicist.", "source": "A '
                    'physicist"}, {"text": "Marie Curie\'s husband shared a Nobel Prize with '
                    'her.", "source": "Her husband shared a Nobel Prize with her."}]}]}'
                ),
            ),
            Example(
                given=(
                    "question: How many moons has Mars?\n"
                    "text t1: Sorry, I do not know.\n"
                    "text t2: Two."
                ),
                reply=(
                    '{"texts": [{"id": "t1", "statements": []}, {"id": "t2", "statements": '
                    '[{"text": "Mars has two moons.", "source": "Two"}]}]}'
                ),
            ),
        ),
    )

    @property
    def ids(self) -> tuple[str, ...]:
        """The texts' ids."""
        return tuple(f"t{n}" for n in range(1, len(self.texts) + 1))

    def material(self) -> Sequence[Material]:
        """The turns before the question where there are any, the question, the texts."""
        before = earlier_turns(self.earlier)
        texts = zip(self.ids, self.texts, strict=True)
        shown = (Material(f"text {name}", text) for name, text in texts)
        return (*before, Material("question", self.question), *shown)

    def read(self, raw: str) -> dict[str, tuple[Item, ...]]:
        """The statements of each text by its id; a text may be missing, none is guessed.

        Raises:
            Unreadable: If the reply is invalid, names an unknown text or contradicts itself, or
                puts into one text's list what it took from another.
        """
        found = by_id(decode(raw, _Form).texts, self.ids, raw)
        for name, own in zip(self.ids, self.texts, strict=True):
            others = [text for text in self.texts if text != own]
            for item in found[name].statements if name in found else ():
                words = item.source.strip()
                if words and words not in own and any(words in text for text in others):
                    raise Unreadable(f"a statement of {name} is of another text", raw=raw)
        return {name: text.statements for name, text in found.items()}


def reply(splits: Mapping[str, str]) -> str:
    """A reply in the form that `SplitTexts` reads, from those to each `SplitStatements` by id."""
    made = {"texts": [{"id": name, **msgspec.json.decode(raw)} for name, raw in splits.items()]}
    return msgspec.json.encode(made).decode()
