"""Which of the named labels fits the texts by a criterion?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks.reading import decode, explained, schema


@dataclass(frozen=True, slots=True)
class Label:
    """The label that was chosen.

    Attributes:
        value: One of the labels, as it was given.
        reason: Why, in the judge's words.
    """

    value: str
    reason: str = ""


class _Form(msgspec.Struct, frozen=True):
    reason: str
    label: str


@dataclass(frozen=True)
class ChooseLabel(Task[Label]):
    """Choose the one of several named labels that fits the texts shown, by a criterion in words.

    Attributes:
        criterion: What to classify, in words.
        labels: The labels, and what each means ("" where its name says it).
        shown: The texts to look at with their names: ("question", ...), ("context 1", ...).
    """

    criterion: str
    labels: tuple[tuple[str, str], ...]
    shown: tuple[tuple[str, str], ...]

    schema = schema(_Form)
    template = Template(
        instruction=(
            "Choose a label by a criterion. The text named criterion says what to look at, and the "
            "text named labels which labels there are and what they mean; follow them. All other "
            "texts are what is to be labelled, or to be consulted for it. Choose exactly one label "
            "and write it as it is listed. Give the reason first, in one sentence."
        ),
        form='{"reason": "...", "label": "..."}',
    )

    def material(self) -> Sequence[Material]:
        """The criterion, the labels as JSON, one a line, and the texts."""
        labels = explained("label", self.labels)
        texts = (Material(name, text) for name, text in self.shown)
        return (Material("criterion", self.criterion), Material("labels", labels), *texts)

    def read(self, raw: str) -> Label:
        """The label; raises Unreadable if it is not one of those listed."""
        form = decode(raw, _Form)
        said = form.label.strip()
        names = [name for name, _ in self.labels]
        alike = [name for name in names if name.casefold() == said.casefold()]
        if said in names:
            return Label(said, form.reason)
        if len(alike) == 1:
            return Label(alike[0], form.reason)
        raise Unreadable(f"a label '{said}', which is none of {', '.join(names)}", raw=raw)


def reply(label: Label) -> str:
    """A reply in the form that `ChooseLabel` reads."""
    return msgspec.json.encode(_Form(label.reason, label.value)).decode()
