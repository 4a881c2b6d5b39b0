"""Contexts of a question: useful ones and sentences, graded relevance, an answer from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self, TypeVar

import msgspec

from assay._text.words import closest_sentence
from assay.errors import Unreadable
from assay.judge import Reasons, Task
from assay.prompt import AS_IN_EXAMPLES, Example, InputText, Template
from assay.tasks.base import (
    IN_PARTS,
    NumberedTask,
    Probability,
    by_id,
    decode,
    encode,
    halved_texts,
    listed,
    numbered,
    schema,
)


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What was found about one context.

    Attributes:
        id: "c1", "c2" ... in order of rank.
        useful: Whether it is useful for arriving at the target.
        reason: Why, in the judge's words.
        quote: The words of the context that are useful.
        probability: Probability that it is useful, where the judge gives one.
    """

    id: str
    useful: bool
    reason: str = ""
    quote: str = ""
    probability: float | None = None


class _ContextItem(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    useful: bool
    reason: str = ""
    quote: str = ""
    probability: Probability | None = None


class _ContextsForm(msgspec.Struct, frozen=True):
    verdicts: list[_ContextItem | list[str]]


class _ShortContexts(msgspec.Struct):
    verdicts: list[list[str]]


class _AskedContext(msgspec.Struct):
    id: str
    reason: str
    useful: bool


class _AskedContexts(msgspec.Struct):
    verdicts: list[_AskedContext]


class _EitherContexts(msgspec.Struct):
    verdicts: list[_AskedContext | list[str]]


USEFUL, USELESS = "useful", "useless"

_USEFUL_IF = (
    "whether it holds information that the answer states or rests on. Being on the same subject "
    "is not enough. Judge each context on its own, not by its place. "
)
_LONG = (
    "A question, the answer to arrive at, and some contexts are given. For every context, decide "
    f"whether it is useful for arriving at that answer: {_USEFUL_IF}Give one verdict for every "
    "context id: first the reason in one sentence, in the language of the question, then useful: "
    "true or false."
)
# A useless context says nothing that a reason could point at, so the short form asks for none.
_SHORT: Final = Template(
    "For every context, decide whether it is useful for arriving at the answer to the question: "
    f"{_USEFUL_IF}Give one list for every context id, in order: the id, then "
    f'"{USEFUL}" or "{USELESS}".',
    '{"verdicts": [["c1", "..."], ["c2", "..."]]}',
    leading="context ",
)
_TEMPLATES: Final[Mapping[Reasons, Template]] = {
    "all": Template(
        _LONG, '{"verdicts": [{"id": "c1", "reason": "...", "useful": true}]}', leading="context "
    ),
    "failures": _SHORT,
    "none": _SHORT,
}
_SCHEMAS: Final[Mapping[Reasons, Mapping[str, Any]]] = {
    "all": schema(_AskedContexts),
    "failures": schema(_ShortContexts),
    "none": schema(_ShortContexts),
}
_EITHER_SCHEMA: Final = schema(_EitherContexts)

_Judged = TypeVar("_Judged")


class _ByContext(NumberedTask[_Judged]):
    """A task about contexts by number: about all of them, or about those that are asked for."""

    contexts: tuple[str, ...]

    def shown(self) -> Mapping[str, str]:
        """The texts of those that are asked about, by id."""
        return numbered("c", self.contexts, self.asked)


@dataclass(frozen=True)
class JudgeContexts(_ByContext[Usefulness]):
    """Decide for each context whether it is useful for arriving at the target.

    Attributes:
        question: What was asked.
        target: The reference (or the answer) to arrive at.
        contexts: The retrieved contexts in order of rank.
        asked: Ids ("c1" ...) of the contexts still without a verdict; empty means all.
    """

    question: str
    target: str
    contexts: tuple[str, ...]
    asked: tuple[str, ...] = ()

    schema = _SCHEMAS["failures"]
    template = _TEMPLATES["failures"]

    @classmethod
    def template_for(cls, reasons: Reasons) -> Template:
        """The prompt that asks for a reason for these verdicts."""
        return _TEMPLATES[reasons]

    @classmethod
    def schema_for(cls, template: Template) -> Mapping[str, Any]:
        """The form that a prompt asks for; a user's own prompt may ask for either."""
        forms = (form for reasons, form in _SCHEMAS.items() if _TEMPLATES[reasons] == template)
        return next(forms, _EITHER_SCHEMA)

    def input_texts(self) -> Sequence[InputText]:
        """The question, the answer to arrive at, and the contexts."""
        contexts = [InputText(f"context {i}", text) for i, text in self.shown().items()]
        return (InputText("question", self.question), InputText("answer", self.target), *contexts)

    def halves(self) -> tuple[Self, Self] | None:
        """Either half of the contexts; of a single one, either half of its text."""
        ids = self.ids
        if len(ids) > 1:
            middle = len(ids) // 2
            return self.narrow(ids[:middle]), self.narrow(ids[middle:])
        index = int(ids[0][1:]) - 1
        halves = halved_texts((self.contexts[index],))
        return halves and (
            self._with_text(index, halves[0][0]),
            self._with_text(index, halves[1][0]),
        )

    def _with_text(self, index: int, text: str) -> Self:
        contexts = (*self.contexts[:index], text, *self.contexts[index + 1 :])
        return replace(self, contexts=contexts, asked=(f"c{index + 1}",))

    def joined(
        self, first: Mapping[str, Usefulness], second: Mapping[str, Usefulness]
    ) -> dict[str, Usefulness]:
        """Each verdict; a context whose text was divided is useful where one part is."""
        if len(self.ids) > 1:
            return {**first, **second}
        (name,) = self.ids
        stronger = max(first[name], second[name], key=lambda verdict: verdict.useful)
        reason = IN_PARTS + stronger.reason.removeprefix(IN_PARTS)
        return {name: replace(stronger, reason=reason)}

    def read_some(self, raw: str) -> dict[str, Usefulness]:
        """The verdicts by context id; a short reply quotes nothing, so the quotes are found."""
        verdicts = decode(raw, _ContextsForm).verdicts
        short = [_item(verdict, raw) for verdict in verdicts if isinstance(verdict, list)]
        full_verdicts = [verdict for verdict in verdicts if isinstance(verdict, _ContextItem)]
        items = by_id([*full_verdicts, *map(self._quoting, short)], self.ids, raw)
        return {
            i: Usefulness(i, x.useful, x.reason, x.quote, x.probability) for i, x in items.items()
        }

    def _quoting(self, item: _ContextItem) -> _ContextItem:
        """The verdict with the sentence of its context that has most words of the target."""
        context = self.shown().get(item.id)
        span = closest_sentence(self.target, context) if context and item.useful else None
        if context is None or span is None:
            return item
        return msgspec.structs.replace(item, quote=context[slice(*span)])

    @staticmethod
    def reply(verdicts: Sequence[Usefulness]) -> str:
        """A reply in the form that is read."""
        items = [_ContextItem(v.id, v.useful, v.reason, v.quote, v.probability) for v in verdicts]
        return encode(_ContextsForm([*items]))

    @staticmethod
    def short_reply(verdicts: Sequence[Usefulness]) -> str:
        """A reply in the short form: a reason only of a useless context that has one."""
        lists = [
            [v.id, USEFUL] if v.useful else [v.id, *([v.reason] if v.reason else []), USELESS]
            for v in verdicts
        ]
        return encode(_ShortContexts(lists))


def _item(verdict: Sequence[str], raw: str) -> _ContextItem:
    """A verdict of a short reply: an id, maybe a reason, and what was found."""
    if not 2 <= len(verdict) <= 3:
        raise Unreadable(
            "a verdict of the reply is no list of an id, a reason and a finding", raw=raw
        )
    name, *reasons, finding = verdict
    if (standing := finding.strip().lower()) not in (USEFUL, USELESS):
        fault = f"the verdict for '{name}' is '{finding}', neither {USEFUL} nor {USELESS}"
        raise Unreadable(fault, raw=raw)
    return _ContextItem(name, standing == USEFUL, "".join(reasons))


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a context under the id that a judge is to use for it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What was found of a sentence.

    Attributes:
        id: The sentence's id.
        reason: Why it helps or does not, in the judge's words.
        probability: Probability that it helps, where the judge gives one.
        chosen: Whether it was chosen. Most judges tell of no others.
        passage: Probability that the context that it stands in helps, where the judge gives one:
            the same for all sentences of a context.
    """

    id: str
    reason: str = ""
    probability: float | None = None
    chosen: bool = True
    passage: float | None = None


class _SentenceItem(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    reason: str = ""
    probability: Probability | None = None
    passage: Probability | None = None


class _SentencesForm(msgspec.Struct, frozen=True, omit_defaults=True):
    relevant: list[_SentenceItem]
    others: list[_SentenceItem] = []


class _AskedSentence(msgspec.Struct):
    id: str
    reason: str


class _AskedSentences(msgspec.Struct):
    relevant: list[_AskedSentence]


@dataclass(frozen=True)
class SelectSentences(Task[tuple[Choice, ...]]):
    """Choose, by id, the sentences that can help to answer the question.

    Attributes:
        question: What was asked.
        sentences: All sentences of the contexts, in order.
    """

    question: str
    sentences: tuple[Passage, ...]

    schema = schema(_AskedSentences)
    template = Template(
        instruction=(
            "Choose the sentences that can help to answer the question. Choose a sentence only "
            "if someone who answers the question would use what it says; being on the same "
            "subject is not enough. Give for each chosen sentence its id and the reason in a few "
            "words of the question's language. If none helps, or the question cannot be answered "
            "from them, the list is empty."
        ),
        form='{"relevant": [{"id": "1.2", "reason": "..."}]}',
    )

    def input_texts(self) -> Sequence[InputText]:
        """The question, then the sentences as JSON, one a line."""
        sentences = listed((s.id, s.text) for s in self.sentences)
        return (InputText("question", self.question), InputText("sentences", sentences))

    def read(self, raw: str) -> tuple[Choice, ...]:
        """The chosen sentences, and others of which the judge tells, in the order of the text."""
        ids = [s.id for s in self.sentences]
        form = decode(raw, _SentencesForm)
        relevant = by_id(form.relevant, ids, raw)
        by_name = by_id([*form.relevant, *form.others], ids, raw)
        return tuple(
            Choice(i, by_name[i].reason, by_name[i].probability, i in relevant, by_name[i].passage)
            for i in ids
            if i in by_name
        )

    @staticmethod
    def reply(choices: Sequence[Choice]) -> str:
        """A reply in the form that is read."""
        items = {c.id: _SentenceItem(c.id, c.reason, c.probability, c.passage) for c in choices}
        relevant = [items[c.id] for c in choices if c.chosen]
        return msgspec.json.encode(
            _SentencesForm(relevant, [items[c.id] for c in choices if not c.chosen])
        ).decode()


GRADES: Final = (0, 1, 2, 3)


@dataclass(frozen=True, slots=True)
class PassageGrade:
    """The grade of one passage.

    Attributes:
        id: "c1", "c2" ... in the order in which the passages were given.
        grade: 0 irrelevant, 1 related but no answer, 2 answers in part, 3 answers fully.
        probability: Probability that it helps to answer, where the judge gives one.
    """

    id: str
    grade: int
    probability: float | None = None


class _Item(msgspec.Struct, frozen=True):
    id: str
    values: tuple[str | float, ...]


class _Form(msgspec.Struct, frozen=True):
    grades: list[tuple[str | float, ...]]


class _GradesForm(msgspec.Struct):
    grades: list[list[str]]


@dataclass(frozen=True)
class GradePassages(_ByContext[PassageGrade]):
    """Grade how far each passage answers a question, on the scale of TREC and UMBRELA.

    Source:
        Upadhyay et al. 2024, UMBRELA: UMbrela is the (Open-Source Reproduction of the) Bing
        RELevance Assessor; Craswell et al. 2020, Overview of the TREC 2019 deep learning track.

    Attributes:
        question: What was asked.
        contexts: The passages.
        asked: Ids ("c1" ...) of the passages still without a grade; empty means all.
    """

    question: str
    contexts: tuple[str, ...]
    asked: tuple[str, ...] = ()

    schema = schema(_GradesForm)
    template = Template(
        instruction=(
            "A question and some contexts, which a search has found, are given. Grade every "
            "context by how far it answers the question: 0 if it has nothing to do with the "
            "question; 1 if it is about the same subject, but answers no part of the question; 2 "
            "if it answers the question in part, or the answer is vague or buried in other "
            "matter; 3 if it is about what is asked and holds the answer, whole and clear. Grade "
            "what the context says, not what you know, and each context by itself, whatever its "
            "place and the others. Give one pair for every context id, in order: the id and the "
            "grade. " + AS_IN_EXAMPLES
        ),
        examples=(
            Example(
                "context c1: The bridge, opened in May 1932, carries eight lanes.\n"
                "context c2: The bridge is painted grey. Tea is grown in hills.\n"
                "question: When was the bridge opened?",
                '{"grades": [["c1", "3"], ["c2", "1"]]}',
            ),
        ),
        leading="context ",
    )

    def input_texts(self) -> Sequence[InputText]:
        """The question and the passages."""
        passages = [InputText(f"context {i}", text) for i, text in self.shown().items()]
        return (InputText("question", self.question), *passages)

    def halves(self) -> tuple[Self, Self] | None:
        """Either half of the passages; a single one cannot be divided."""
        ids = self.ids
        middle = len(ids) // 2
        return (self.narrow(ids[:middle]), self.narrow(ids[middle:])) if middle else None

    def read_some(self, raw: str) -> dict[str, PassageGrade]:
        """The grades by passage id."""
        pairs = [[str(value) for value in pair] for pair in decode(raw, _Form).grades]
        if not all(pairs):
            raise Unreadable("a pair is empty", raw=raw)
        items = by_id([_Item(name, tuple(fields)) for name, *fields in pairs], self.ids, raw)
        return {i: self._grade(i, item.values, raw) for i, item in items.items()}

    def _grade(self, name: str, values: Sequence[object], raw: str) -> PassageGrade:
        try:
            grade, *more = [float(str(value)) for value in values]
        except ValueError:
            grade, more = -1.0, []
        if grade not in GRADES or len(more) > 1 or not all(0 <= p <= 1 for p in more):
            raise Unreadable(f"the grade for '{name}' is none of 0, 1, 2 and 3", raw=raw)
        return PassageGrade(name, int(grade), more[0] if more else None)

    @staticmethod
    def reply(grades: Sequence[PassageGrade]) -> str:
        """A reply in the form that is read."""
        extras = [(g, () if g.probability is None else (str(g.probability),)) for g in grades]
        return encode(_Form([(g.id, str(g.grade), *more) for g, more in extras]))


# Also the reference of a question without an answer: metrics of statements find none in it.
NO_ANSWER: Final = "I do not know: the documents do not answer this question."


@dataclass(frozen=True)
class AnswerFromPassages(Task[str]):
    """Answer from retrieved passages alone, for the pipeline and the draws of SelfCheckGPT.

    Attributes:
        question: What was asked.
        passages: What was retrieved, best first.
    """

    question: str
    passages: tuple[str, ...]

    template = Template(
        "Answer the question from the passages alone, in one to three sentences and in the "
        "language of the question. Use no knowledge of your own. If the passages do not answer "
        f'it, reply exactly: "{NO_ANSWER}"'
    )

    def input_texts(self) -> Sequence[InputText]:
        """The passages, then the question."""
        passages = [
            InputText(f"passage {n}", text) for n, text in enumerate(self.passages, start=1)
        ]
        return (*passages, InputText("question", self.question))

    def read(self, raw: str) -> str:
        """The answer; raises Unreadable if there is none."""
        if not raw.strip():
            raise Unreadable("an answer without a word", raw=raw)
        return raw.strip()
