"""Splitting texts into statements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from assay.errors import Unreadable
from assay.judge import Reasons, Task
from assay.prompt import AS_IN_EXAMPLES, Example, InputText, Template, earlier_turns, render
from assay.tasks.base import by_id, decode, encode, one_line, schema
from assay.tasks.sentences import SCHEMA as _SHORT_SCHEMA
from assay.tasks.sentences import NumberedSentences, find, is_numbered


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


class Item(msgspec.Struct, frozen=True):
    """A statement as a judge writes it, with the words of the text that make it."""

    text: str
    source: str = ""


class _StatementsForm(msgspec.Struct, frozen=True):
    # In short, of numbered sentences; as objects with their source; or plain strings, which models
    # without structured outputs often write.
    statements: list[Item | str | list[str | int]]


class _LongStatements(msgspec.Struct):
    statements: list[Item]


class _EitherStatements(msgspec.Struct):
    statements: list[Item | list[str]]


_LONG_SCHEMA = schema(_LongStatements)
_EITHER_SCHEMA = schema(_EitherStatements)

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
_LONG_REST = (
    "Keep the language of the text. Greetings, questions, offers of help and phrases that claim "
    "nothing are not statements; if the text claims nothing at all, the list is empty. Give as "
    "source the exact words of the text that make the claim, copied without change."
)
_SHORT_REST = (
    "Keep the language of the text. Greetings, questions, offers of help and phrases that claim "
    "nothing are not statements. Give one list for every sentence, by its number, in order: the "
    "number alone if the sentence is one such statement as it stands; else the number and each "
    'statement that it makes; the number and "" if it makes none.'
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

# A sentence that is a statement as it stands, for the short form's examples.
_ALONE = "Radium is a metal."


def how_to_split(atomicity: Level, coverage: Level, *, short: bool) -> str:
    """What a statement is at these levels, and what is to be given of it."""
    instruction = _SHORT_REST if short else _LONG_REST
    return f"{_ATOMICITY[atomicity]}{_COVERAGE[coverage]}{instruction}"


@cache
def _template(atomicity: Level, coverage: Level, *, short: bool) -> Template:
    how = how_to_split(atomicity, coverage, short=short)
    pairs = _SPLITS[atomicity, coverage]
    born, husband = "She was a physicist born in Warsaw in 1867.", _HUSBAND[1]
    if short:
        of_first = [text for text, _ in pairs[:-1]]
        text = f"<1> {born} <2> {husband} <3> {_ALONE}"
        reply = by_sentence([("1", *of_first), ("2", _HUSBAND[0]), ("3",)])
        refusal, nothing = "<1> Sorry, I do not know.", by_sentence([("1", "")])
    else:
        text = f"{born} {husband}"
        examples = ", ".join(
            f'{{"text": "{text}", "source": "{source}"}}' for text, source in pairs
        )
        reply = f'{{"statements": [{examples}]}}'
        refusal, nothing = "Sorry, I do not know.", '{"statements": []}'
    return Template(
        instruction=f"Split the text into statements. {how} {AS_IN_EXAMPLES}",
        examples=(
            Example(f"question: Who was Marie Curie?\ntext: {text}", reply),
            Example(f"question: How many moons has Mars?\ntext: {refusal}", nothing),
        ),
    )


def by_sentence(lists: Sequence[Sequence[str]]) -> str:
    """A reply by the numbers of sentences, each alone or with its statements."""
    return one_line({"statements": [list(texts) for texts in lists]})


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

    schema = _SHORT_SCHEMA
    template = _template("high", "high", short=True)

    @classmethod
    def template_for(cls, reasons: Reasons) -> Template:
        """The prompt; where all reasons are asked for, also for the words behind a statement."""
        return _template("high", "high", short=reasons != "all")

    @classmethod
    def schema_for(cls, template: Template) -> Mapping[str, Any]:
        """The form that a prompt asks for; a user's own prompt may ask for either."""
        forms = zip(cls.built_in(), (_SHORT_SCHEMA, _LONG_SCHEMA), strict=True)
        return next((form for prompt, form in forms if prompt == template), _EITHER_SCHEMA)

    @classmethod
    def built_in(cls) -> tuple[Template, Template]:
        """The prompts that ask for the short and for the long form."""
        return cls.template, cls.template_for("all")

    def pieces(self, template: Template | None = None) -> tuple[str, ...]:
        """The prompt; at other levels than the default ones it says so."""
        base = template or self.template
        if base in self.built_in():
            short = base == self.template
            base = _template(self.atomicity, self.coverage, short=short)
        elif not self._is_default:
            # The user's own words stay; what the levels mean is added to them.
            levels = f"{_ATOMICITY[self.atomicity]}{_COVERAGE[self.coverage]}".rstrip()
            base = replace(base, instruction=f"{base.instruction}\n\n{levels}")
        return _rendered(base, self.prompt_texts)

    def inputs(self) -> tuple[str, ...]:
        """The texts, and the levels with the digest of their prompt where they are not default.

        A reply is kept under these: other levels are another question.
        """
        if self._is_default:
            return super().inputs()
        template = _template(self.atomicity, self.coverage, short=False)
        levels = f"{self.atomicity} atomicity, {self.coverage} coverage (prompt {template.digest})"
        return (*super().inputs(), "levels:\n", levels, "\n")

    @property
    def _is_default(self) -> bool:
        return (self.atomicity, self.coverage) == ("high", "high")

    def input_texts(self) -> Sequence[InputText]:
        """The turns before the question where there are any, the question, the text."""
        turns = earlier_turns(self.earlier)
        return (*turns, InputText("question", self.question), InputText("text", self.text))

    def read(self, raw: str) -> tuple[Statement, ...]:
        """The statements, numbered here in their order, without empty ones.

        Repeated ones are one statement with several places.
        """
        spans_by_text: dict[str, list[tuple[int, int]]] = {}
        last = (0, 0)
        for item in _items(decode(raw, _StatementsForm).statements, self.text, raw):
            if not (text := item.text.strip()):
                continue
            spans = spans_by_text.setdefault(text, [])
            # Behind the last statement, else within its words: one clause may make two.
            span = find(self.text, item.source, last[1], last[0])
            # A judge that repeats itself, not the text, names the same words again.
            if span and (not spans or spans[-1][1] <= span[0]):
                spans.append(span)
                last = span
        return tuple(
            Statement(f"s{n}", text, spans[0] if spans else None, tuple(spans[1:]))
            for n, (text, spans) in enumerate(spans_by_text.items(), start=1)
        )

    @staticmethod
    def reply(statements: Sequence[tuple[str, str]]) -> str:
        """A reply in the form that is read, from (text, source) pairs."""
        return encode(_StatementsForm([Item(t, s) for t, s in statements]))

    def short_reply(self, raw: str) -> str:
        """A reply as an LLM is asked for it: by sentence."""
        placed = [(s.text, s.span[0]) for s in self.read(raw) if s.span]
        return by_sentence(NumberedSentences((self.text,)).lists([placed]))


def _rendered(template: Template, inputs: Sequence[InputText]) -> tuple[str, ...]:
    """The prompt, the sentences of its texts numbered where its examples number them."""
    if not any(is_numbered(example.given) for example in template.examples):
        return render(template, inputs)
    texts = [m.text for m in inputs if m.name.startswith("text")]
    numbered_texts = iter(NumberedSentences(texts).numbered_texts())
    numbered = (
        InputText(m.name, next(numbered_texts)) if m.name.startswith("text") else m for m in inputs
    )
    return render(template, list(numbered))


def _items(entries: Sequence[Item | str | list[str | int]], text: str, raw: str) -> list[Item]:
    """The statements of a reply in any form, with the words that each was taken from.

    Raises:
        Unreadable: If they are by sentence, and one that claims something is left out.
    """
    lists = [entry for entry in entries if isinstance(entry, list)]
    if not lists:
        return [entry if isinstance(entry, Item) else Item(str(entry)) for entry in entries]
    if len(lists) < len(entries):
        raise Unreadable("some statements are by sentence and some are not", raw=raw)
    (placed,) = NumberedSentences((text,)).read(lists, raw)
    if placed is None:
        raise Unreadable("a sentence is left out", raw=raw)
    return [Item(statement.text, text[slice(*statement.span)]) for statement in placed]


class _TextItem(msgspec.Struct, frozen=True):
    id: str
    statements: tuple[Item, ...]


class _LongTexts(msgspec.Struct, frozen=True):
    texts: list[_TextItem]


class _TextsForm(msgspec.Struct, frozen=True):
    # One of the two: by the numbers of sentences, or by the ids of the texts.
    statements: list[list[str | int]] | None = None
    texts: list[_TextItem] | None = None


@cache
def _texts_template(*, short: bool) -> Template:
    remark = (
        ""
        if short
        else (
            ": a claim that two texts make stands in the list of either, and a claim that only one "
            "makes stands in its list only"
        )
    )
    how = how_to_split("high", "high", short=short)
    ask = f"Split every text into statements, each as if the others were not there{remark}. {how}"
    curie = "question: Who was Marie Curie?\n"
    mars = "question: How many moons has Mars?\n"
    born, husband = "She was a physicist born in Warsaw in 1867.", _HUSBAND[1]
    if short:
        text = f"text t1: <1> {born} <2> Hope this helps!\ntext t2: <3> A physicist. <4> {_ALONE}"
        is_physicist = "Marie Curie was a physicist."
        reply = by_sentence(
            [
                ("1", is_physicist, "Marie Curie was born in Warsaw in 1867."),
                ("2", ""),
                ("3", is_physicist),
                ("4",),
            ]
        )
        examples: tuple[Example, ...] = (Example(f"{curie}{text}", reply),)
    else:
        examples = (
            Example(
                f"{curie}text t1: {born}\ntext t2: A physicist. {husband}",
                '{"texts": [{"id": "t1", "statements": [{"text": "Marie Curie was a '
                'physicist.", "source": "She was a physicist"}, {"text": "Marie Curie was '
                'born in Warsaw in 1867.", "source": "born in Warsaw in 1867"}]}, {"id": '
                '"t2", "statements": [{"text": "Marie Curie was a physicist.", "source": "A '
                'physicist"}, {"text": "Marie Curie\'s husband shared a Nobel Prize with '
                'her.", "source": "Her husband shared a Nobel Prize with her."}]}]}',
            ),
            Example(
                f"{mars}text t1: Sorry, I do not know.\ntext t2: Two.",
                '{"texts": [{"id": "t1", "statements": []}, {"id": "t2", "statements": '
                '[{"text": "Mars has two moons.", "source": "Two"}]}]}',
            ),
        )
    return Template(instruction=f"{ask} {AS_IN_EXAMPLES}", examples=examples)


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
    schema = _SHORT_SCHEMA
    template = _texts_template(short=True)

    @classmethod
    def template_for(cls, reasons: Reasons) -> Template:
        """The prompt; where all reasons are asked for, also for the words behind a statement."""
        return _texts_template(short=reasons != "all")

    @classmethod
    def schema_for(cls, template: Template) -> Mapping[str, Any]:
        """The form that a prompt asks for, whether it is this one or that for a single text."""
        return _SHORT_SCHEMA if cls._is_short(template) else _LONG_TEXTS_SCHEMA

    @classmethod
    def _is_short(cls, template: Template | None) -> bool:
        return template not in (cls.template_for("all"), SplitStatements.template_for("all"))

    def pieces(self, template: Template | None = None) -> tuple[str, ...]:
        """The prompt; in the form that was chosen for single texts, where one was."""
        return _rendered(_texts_template(short=self._is_short(template)), self.prompt_texts)

    @property
    def ids(self) -> tuple[str, ...]:
        """The texts' ids."""
        return tuple(f"t{n}" for n in range(1, len(self.texts) + 1))

    def input_texts(self) -> Sequence[InputText]:
        """The turns before the question where there are any, the question, the texts."""
        turns = earlier_turns(self.earlier)
        texts = zip(self.ids, self.texts, strict=True)
        texts_by_name = (InputText(f"text {name}", text) for name, text in texts)
        return (*turns, InputText("question", self.question), *texts_by_name)

    def read(self, raw: str) -> dict[str, tuple[Item, ...]]:
        """The statements of each text by its id; a text may be missing, none is guessed.

        Raises:
            Unreadable: If the reply is invalid, names an unknown text or contradicts itself, or
                puts into one text's list what it took from another.
        """
        form = decode(raw, _TextsForm)
        if form.texts is None:
            return self._by_sentence(form.statements, raw)
        by_name = by_id(form.texts, self.ids, raw)
        for name, own_text in zip(self.ids, self.texts, strict=True):
            other_texts = [text for text in self.texts if text != own_text]
            for item in by_name[name].statements if name in by_name else ():
                words = item.source.strip()
                if words and words not in own_text and any(words in text for text in other_texts):
                    raise Unreadable(f"a statement of {name} is of another text", raw=raw)
        return {name: text.statements for name, text in by_name.items()}

    def _by_sentence(
        self, lists: Sequence[Sequence[str | int]] | None, raw: str
    ) -> dict[str, tuple[Item, ...]]:
        if lists is None:
            raise Unreadable("neither statements nor texts", raw=raw)
        placed = NumberedSentences(self.texts).read(lists, raw)
        return {
            name: tuple(
                Item(statement.text, text[slice(*statement.span)]) for statement in statements
            )
            for name, text, statements in zip(self.ids, self.texts, placed, strict=True)
            if statements is not None
        }

    def short_reply(self, raw: str) -> str:
        """A reply as an LLM is asked for it: by sentence."""
        by_name = self.read(raw)
        placed = [
            [(i.text, max(text.find(i.source), 0)) for i in by_name.get(name, ())]
            for name, text in zip(self.ids, self.texts, strict=True)
        ]
        return by_sentence(NumberedSentences(self.texts).lists(placed))

    @staticmethod
    def reply(splits: Mapping[str, str]) -> str:
        """A reply in the form that is read, from those to each `SplitStatements` by id."""
        form = {"texts": [{"id": name, **msgspec.json.decode(raw)} for name, raw in splits.items()]}
        return encode(form)


_LONG_TEXTS_SCHEMA = schema(_LongTexts)
