"""Splitting texts into statements, and naming the entities that they mention."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, Literal, TypeAlias

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import AS_IN_EXAMPLES, Example, Material, Template, earlier_turns
from assay.tasks.base import ListTask, encode
from assay.tasks.parsing import by_id, decode, schema


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim of a text that can be true or false on its own.

    Attributes:
        id: "s1", "s2" ... in order.
        text: The statement, understandable without the text it comes from.
        span: (start, end) characters of the text it was taken from, where known.
        repeats: The same of each further place at which the text makes it.
    """

    id: str
    text: str
    span: tuple[int, int] | None = None
    repeats: tuple[tuple[int, int], ...] = ()

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """All places that are known."""
        return (*((self.span,) if self.span else ()), *self.repeats)


_SINGLE = re.compile("['\u2018\u2019]")
_DOUBLE = re.compile('["\u201c\u201d\u201e]')


class Item(msgspec.Struct, frozen=True):
    """A statement as a judge writes it, with the words of the text that make it."""

    text: str
    source: str = ""


class _StatementsForm(msgspec.Struct, frozen=True):
    # Plain strings are what models without structured outputs often write.
    statements: list[Item | str]


class _AskedStatements(msgspec.Struct):
    statements: list[Item]


Level: TypeAlias = Literal["low", "high"]

_ATOMICITY: dict[Level, str] = {
    "high": (
        "A statement is one claim that can be true or false and that is understandable on its "
        "own: replace every pronoun by what it stands for. "
    ),
    "low": (
        "A statement is what one sentence of the text says as a whole, understandable on its own: "
        "do not take a sentence apart, however many claims it makes, and replace every pronoun by "
        "what it stands for. "
    ),
}
_COVERAGE: dict[Level, str] = {
    "high": (
        "Cover every claim of the text once, in order; add nothing, correct nothing and leave "
        "nothing out, even if it is wrong. "
    ),
    "low": (
        "Give what each sentence mainly says, in order, and leave out its side remarks and lesser "
        "details; add nothing and correct nothing, even if it is wrong. "
    ),
}
_REST = (
    "Keep the language of the text. Greetings, questions, offers of help and phrases that claim "
    "nothing are not statements; if the text claims nothing at all, the list is empty. Give as "
    "source the exact words of the text that make the claim, copied without change."
)
_HUSBAND = (
    "Marie Curie's husband shared a Nobel Prize with her.",
    "Her husband shared a Nobel Prize with her.",
)
# What the example's text is split into, by atomicity and coverage: (text, source) pairs.
_SPLITS: dict[tuple[Level, Level], tuple[tuple[str, str], ...]] = {
    ("high", "high"): (
        ("Marie Curie was a physicist.", "She was a physicist"),
        ("Marie Curie was born in Warsaw in 1867.", "born in Warsaw in 1867"),
        _HUSBAND,
    ),
    ("high", "low"): (("Marie Curie was a physicist.", "She was a physicist"), _HUSBAND),
    ("low", "high"): (
        (
            "Marie Curie was a physicist born in Warsaw in 1867.",
            "She was a physicist born in Warsaw in 1867.",
        ),
        _HUSBAND,
    ),
    ("low", "low"): (
        (
            "Marie Curie was a physicist born in Warsaw.",
            "She was a physicist born in Warsaw in 1867.",
        ),
        _HUSBAND,
    ),
}


def how_to_split(atomicity: Level, coverage: Level) -> str:
    """What a statement is at these levels, and what is to be given of it."""
    return f"{_ATOMICITY[atomicity]}{_COVERAGE[coverage]}{_REST}"


@cache
def _template(atomicity: Level, coverage: Level) -> Template:
    pairs = ", ".join(
        f'{{"text": "{text}", "source": "{source}"}}'
        for text, source in _SPLITS[atomicity, coverage]
    )
    return Template(
        instruction=(
            f"Split the text into statements. {how_to_split(atomicity, coverage)} {AS_IN_EXAMPLES}"
        ),
        examples=(
            Example(
                given=(
                    "question: Who was Marie Curie?\n"
                    "text: She was a physicist born in Warsaw in 1867. Her husband shared a Nobel "
                    "Prize with her."
                ),
                reply=f'{{"statements": [{pairs}]}}',
            ),
            Example(
                given="question: How many moons has Mars?\ntext: Sorry, I do not know.",
                reply='{"statements": []}',
            ),
        ),
    )


@dataclass(frozen=True)
class SplitStatements(Task[tuple[Statement, ...]]):
    """Split a text (an answer or a reference) into self-contained statements.

    Attributes:
        question: What the text answers; resolves what "it" or "there" means. May be empty.
        text: The text to split.
        atomicity: "high": one claim a statement; "low": one sentence a statement.
        coverage: "high": all that is claimed; "low": what each sentence mainly says.
        earlier: Messages before the question, oldest first, each after the role of its speaker;
            none where the text is no part of a conversation.
    """

    question: str
    text: str
    atomicity: Level = "high"
    coverage: Level = "high"
    earlier: tuple[str, ...] = ()

    schema = schema(_AskedStatements)
    template = _template("high", "high")

    def pieces(self, template: Template | None = None) -> tuple[str, ...]:
        """The prompt; at other levels than the default ones it says so."""
        if template in (None, self.template):
            return super().pieces(self._asked)
        if self._asked is self.template:
            return super().pieces(template)
        # The user's own words stay; what the levels mean is added to them.
        meant = f"{_ATOMICITY[self.atomicity]}{_COVERAGE[self.coverage]}".rstrip()
        instruction = f"{template.instruction}\n\n{meant}"
        return super().pieces(replace(template, instruction=instruction))

    def inputs(self) -> tuple[str, ...]:
        """The material, and the levels with the digest of their prompt where they are not default.

        A reply is kept under these: other levels are another question.
        """
        template = self._asked
        if template is self.template:
            return super().inputs()
        named = f"{self.atomicity} atomicity, {self.coverage} coverage (prompt {template.digest})"
        return (*super().inputs(), "levels:\n", named, "\n")

    @property
    def _asked(self) -> Template:
        """The prompt for these levels."""
        return _template(self.atomicity, self.coverage)

    def material(self) -> Sequence[Material]:
        """The turns before the question where there are any, the question, the text."""
        before = earlier_turns(self.earlier)
        return (*before, Material("question", self.question), Material("text", self.text))

    def read(self, raw: str) -> tuple[Statement, ...]:
        """The statements, numbered here in their order, without empty ones.

        Repeated ones are one statement with several places.
        """
        items = [
            Item(i) if isinstance(i, str) else i for i in decode(raw, _StatementsForm).statements
        ]
        places: dict[str, list[tuple[int, int]]] = {}
        last = (0, 0)
        for item in items:
            if not (text := item.text.strip()):
                continue
            known = places.setdefault(text, [])
            # Behind the last statement, else within its words: one clause may make two.
            span = find(self.text, item.source, last[1], last[0])
            # A judge that repeats itself, not the text, names the same words again.
            if span and (not known or known[-1][1] <= span[0]):
                known.append(span)
                last = span
        return tuple(
            Statement(f"s{n}", text, known[0] if known else None, tuple(known[1:]))
            for n, (text, known) in enumerate(places.items(), start=1)
        )

    @staticmethod
    def reply(statements: Sequence[tuple[str, str]]) -> str:
        """A reply in the form that is read, from (text, source) pairs."""
        return encode(_StatementsForm([Item(t, s) for t, s in statements]))


def find(text: str, source: str, *starts: int) -> tuple[int, int] | None:
    """Where `source` stands in `text`, looked for from each of `starts` and then from 0.

    As words of their own, if it does so anywhere ("5" is not found in "15"); None if nowhere. White
    space, marks of emphasis and the shape of quotation marks may differ: models do not copy these.
    """
    source = source.strip()
    if not source:
        return None
    written = re.escape(source)
    before = r"(?<!\w)" if source[0].isalnum() else ""
    after = r"(?!\w)" if source[-1].isalnum() else ""
    for pattern in (f"{before}{written}{after}", _loosely(source), written):
        for start in (*starts, 0):
            match = re.compile(pattern).search(text, start)
            if match:
                return match.span()
    return None


def _loosely(source: str) -> str:
    # No longer run of blanks and marks: each would be gone through from each of its places.
    words = r"[\s*_`]{1,40}".join(map(re.escape, source.split()))
    alike = _SINGLE.sub(_SINGLE.pattern, _DOUBLE.sub(_DOUBLE.pattern, words))
    before = r"(?<![^\W_])" if source[0].isalnum() else ""
    after = r"(?![^\W_])" if source[-1].isalnum() else ""
    return f"{before}{alike}{after}"


class _TextItem(msgspec.Struct, frozen=True):
    id: str
    statements: tuple[Item, ...]


class _TextsForm(msgspec.Struct, frozen=True):
    texts: list[_TextItem]


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
    schema = schema(_TextsForm)
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
        by_name = by_id(decode(raw, _TextsForm).texts, self.ids, raw)
        for name, own in zip(self.ids, self.texts, strict=True):
            others = [text for text in self.texts if text != own]
            for item in by_name[name].statements if name in by_name else ():
                words = item.source.strip()
                if words and words not in own and any(words in text for text in others):
                    raise Unreadable(f"a statement of {name} is of another text", raw=raw)
        return {name: text.statements for name, text in by_name.items()}

    @staticmethod
    def reply(splits: Mapping[str, str]) -> str:
        """A reply in the form that is read, from those to each `SplitStatements` by id."""
        form = {"texts": [{"id": name, **msgspec.json.decode(raw)} for name, raw in splits.items()]}
        return encode(form)


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

    def material(self) -> Sequence[Material]:
        """The text."""
        return (Material("text", self.text),)


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
        known = [Material("known", "\n".join(self.known))] if self.known else []
        return (Material("question", self.question), *texts, *known)
