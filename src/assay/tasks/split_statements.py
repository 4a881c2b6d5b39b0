"""Which statements does a text make?"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.judge import Task
from assay.prompt import Example, Material, Template
from assay.tasks.reading import decode, schema


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim of a text that can be true or false on its own.

    Attributes:
        id: "s1", "s2" ... in order.
        text: The statement, understandable without the text it comes from.
        span: (start, end) characters of the text it was taken from, where known.
    """

    id: str
    text: str
    span: tuple[int, int] | None = None


class _Item(msgspec.Struct, frozen=True):
    text: str
    source: str = ""


class _Form(msgspec.Struct, frozen=True):
    # Plain strings are what models without structured outputs often write.
    statements: list[_Item | str]


class _AskedForm(msgspec.Struct):
    statements: list[_Item]


@dataclass(frozen=True)
class SplitStatements(Task[tuple[Statement, ...]]):
    """Split a text (an answer or a reference) into self-contained statements.

    Attributes:
        question: What the text answers; resolves what "it" or "there" means. May be empty.
        text: The text to split.
    """

    question: str
    text: str

    schema = schema(_AskedForm)
    template = Template(
        instruction=(
            "Split the text into statements. A statement is one claim that can be true or false "
            "and that is understandable on its own: replace every pronoun by what it stands for. "
            "Cover every claim of the text once, in order; add nothing, correct nothing and leave "
            "nothing out, even if it is wrong. Keep the language of the text. Greetings, "
            "questions, offers of help and phrases that claim nothing are not statements; if the "
            "text claims nothing at all, the list is empty. Give as source the exact words of the "
            "text that make the claim, copied without change."
        ),
        form='{"statements": [{"text": "...", "source": "..."}]}',
        examples=(
            Example(
                given=(
                    "question: Who was Marie Curie?\n"
                    "text: She was a physicist born in Warsaw in 1867. Her husband shared a Nobel "
                    "Prize with her."
                ),
                reply=(
                    '{"statements": [{"text": "Marie Curie was a physicist.", "source": "She was '
                    'a physicist"}, {"text": "Marie Curie was born in Warsaw in 1867.", "source": '
                    '"born in Warsaw in 1867"}, {"text": "Marie Curie\'s husband shared a Nobel '
                    'Prize with her.", "source": "Her husband shared a Nobel Prize with her."}]}'
                ),
            ),
            Example(
                given="question: How many moons has Mars?\ntext: Sorry, I do not know.",
                reply='{"statements": []}',
            ),
        ),
    )

    def material(self) -> Sequence[Material]:
        """The question and the text."""
        return (Material("question", self.question), Material("text", self.text))

    def read(self, raw: str) -> tuple[Statement, ...]:
        """The statements, numbered here in their order; empty and repeated ones are left out."""
        items = [_Item(i) if isinstance(i, str) else i for i in decode(raw, _Form).statements]
        sources = {item.text.strip(): item.source for item in items}
        sources.pop("", None)
        statements: list[Statement] = []
        cursor = 0
        for text, source in sources.items():
            span = find(self.text, source, cursor)
            cursor = span[0] if span else cursor
            statements.append(Statement(f"s{len(statements) + 1}", text, span))
        return tuple(statements)


def find(text: str, source: str, start: int) -> tuple[int, int] | None:
    """Where `source` stands in `text`, looked for from `start` on first; None if nowhere."""
    source = source.strip()
    if not source:
        return None
    at = text.find(source, start)
    if at < 0:
        at = text.find(source)
    return (at, at + len(source)) if at >= 0 else None


def reply(statements: Sequence[tuple[str, str]]) -> str:
    """A reply in the form that `SplitStatements` reads, from (text, source) pairs."""
    return msgspec.json.encode(_Form([_Item(t, s) for t, s in statements])).decode()
