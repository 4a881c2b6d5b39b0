"""Questions about a text, what it answers to them, what it names and which facts it holds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Example, InputText, Template, earlier_turns
from assay.tasks.base import ItemsTask, ListTask, decode, encode, listed, numbered, schema


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions made from an answer.

    Attributes:
        questions: As many as were asked for.
        noncommittal: Whether the answer evades ("I do not know") instead of answering.
    """

    questions: tuple[str, ...]
    noncommittal: bool


class _GeneratedForm(msgspec.Struct, frozen=True):
    noncommittal: bool
    questions: list[str]


# Added to the instruction where the answer is a message of a conversation.
_IN_CONVERSATION = (
    "The answer is a message of a conversation; the turns before it are shown. Write each question "
    "as the user would put it at that point of the conversation."
)


@dataclass(frozen=True)
class GenerateQuestions(Task[Questions]):
    """Make n wordings of the question that the answer, by what it tells, answers.

    Attributes:
        answer: The answer to make questions for.
        n: How many questions.
        earlier: Messages before the answer, oldest first, each after the role of its speaker; none
            where it is no part of a conversation.
    """

    answer: str
    n: int = 3
    earlier: tuple[str, ...] = ()

    schema = schema(_GeneratedForm)
    template = Template(
        instruction=(
            "Write exactly as many questions as the number below says, no more and no fewer: what "
            "a user most likely asked to be told this. Each asks for all main points of the "
            "answer, also for one that strays from the others, in a single question, but for no "
            "detail, and for nothing that the answer leaves open: what it says is unknown, not "
            "provided or not mentioned is no point of it, unless it tells nothing else. Use its "
            "names and terms. Let the questions differ in wording, not in what they ask. Write "
            "them in the language of the answer. Also say whether the answer is noncommittal: it "
            "evades, says that it does not know or cannot tell, and gives no information that was "
            "asked for."
        ),
        form='{"noncommittal": false, "questions": ["...", "..."]}',
        examples=(
            Example(
                given=(
                    "number: 2\nanswer: The Treaty of Rome was signed on 25 March 1957. Who "
                    "drafted it is not mentioned."
                ),
                reply=(
                    '{"noncommittal": false, "questions": ["When was the Treaty of Rome signed?", '
                    '"On what date was the Treaty of Rome signed?"]}'
                ),
            ),
            Example(
                given="number: 1\nanswer: I have no information about that after 2021.",
                reply='{"noncommittal": true, "questions": ["What happened after 2021?"]}',
            ),
        ),
    )

    def pieces(self, template: Template | None = None) -> tuple[str, ...]:
        """The prompt; within a conversation it says so."""
        if not self.earlier:
            return super().pieces(template)
        base = template or self.template
        return super().pieces(replace(base, instruction=f"{base.instruction} {_IN_CONVERSATION}"))

    def inputs(self) -> tuple[str, ...]:
        """The texts, and what is added to the instruction within a conversation."""
        added = (f"{_IN_CONVERSATION}\n",) if self.earlier else ()
        return (*super().inputs(), *added)

    def input_texts(self) -> Sequence[InputText]:
        """The number, the turns before the answer where there are any, the answer."""
        turns = earlier_turns(self.earlier)
        return (InputText("number", str(self.n)), *turns, InputText("answer", self.answer))

    def read(self, raw: str) -> Questions:
        """The first n questions; raises Unreadable if there are fewer."""
        form = decode(raw, _GeneratedForm)
        questions = tuple(q.strip() for q in form.questions if q.strip())
        if len(questions) < self.n:
            raise Unreadable(f"{len(questions)} questions instead of {self.n}", raw=raw)
        return Questions(questions[: self.n], form.noncommittal)

    @staticmethod
    def reply(questions: Questions) -> str:
        """A reply in the form that is read."""
        form = _GeneratedForm(
            noncommittal=questions.noncommittal, questions=list(questions.questions)
        )
        return encode(form)


@dataclass(frozen=True)
class SplitQuestion(ListTask):
    """Take a question apart into questions that ask for one thing each.

    Attributes:
        question: What was asked.
    """

    question: str

    key = "questions"
    empty = "no question at all"
    template = Template(
        instruction=(
            "Take the question apart: write one question for each thing that it asks for, each "
            "understandable on its own, in the language and as far as possible in the words of "
            "the question. Add nothing that is not asked. If it asks for one thing only, the list "
            "holds that question alone. A request or an instruction is a question as well."
        ),
        form='{"questions": ["...", "..."]}',
        examples=(
            Example(
                given="question: When was the Treaty of Rome signed, and by whom?",
                reply=(
                    '{"questions": ["When was the Treaty of Rome signed?", "By whom was the '
                    'Treaty of Rome signed?"]}'
                ),
            ),
        ),
    )


@dataclass(frozen=True)
class AskAboutFacts(ListTask):
    """Ask for each important fact of a text, one short question a fact.

    Unlike `GenerateQuestions`, which wants the question that a text answers as a whole.

    Attributes:
        text: The text to ask about.
    """

    text: str

    key = "questions"
    template = Template(
        instruction=(
            "Write questions that test whether a reader knows the facts of the text: one question "
            "for each important fact, such as a name, a number, a date, a place or a cause, until "
            "most of what the text says is asked about. Every question is answered by the text "
            "in a few words, asks for one fact only, gives no answer away and is understandable "
            "without the text. Write them in the language of the text. If the text states no "
            "fact, the list is empty."
        ),
        form='{"questions": ["...", "..."]}',
        examples=(
            Example(
                given="text: The Treaty of Rome was signed on 25 March 1957 by six countries.",
                reply=(
                    '{"questions": ["When was the Treaty of Rome signed?", "How many countries '
                    'signed the Treaty of Rome?"]}'
                ),
            ),
        ),
    )


@dataclass(frozen=True)
class AnswerClosedBook(ListTask):
    """Answer a question from memory, without any text; no answer where the judge does not know.

    Attributes:
        question: What is asked.
    """

    question: str

    key = "answers"
    template = Template(
        instruction=(
            "Answer the question from your own knowledge, as briefly as it allows: one answer in "
            "the list. If you do not know it, the list is empty; do not guess."
        ),
        form='{"answers": ["..."]}',
        examples=(
            Example(
                given="question: When was the Treaty of Rome signed?",
                reply='{"answers": ["On 25 March 1957."]}',
            ),
            Example(
                given="question: When was the boiler of our house in Elm Street replaced?",
                reply='{"answers": []}',
            ),
        ),
    )


# What models write in place of null.
_DASH = re.compile(r"[-\u2013\u2014]+")
_NOTHING = re.compile(r"(null|none|n/a)\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """What the text answers to one question.

    Attributes:
        id: "q1", "q2" ... in order of the questions.
        answer: The answer in a few words; None if the text does not answer the question.
    """

    id: str
    answer: str | None


@dataclass(frozen=True)
class AnswerQuestions(ItemsTask[ShortAnswer]):
    """Answer each question from the text alone, in a few words, or say that it does not answer it.

    Attributes:
        questions: What to answer.
        text: All that may be used.
        asked: Ids ("q1" ...) of the questions still without an answer; empty means all.
    """

    questions: tuple[str, ...]
    text: str
    asked: tuple[str, ...] = ()

    key = "answers"
    fields = (("answer", str | None),)
    verdict = ShortAnswer
    template = Template(
        instruction=(
            "Answer every question from the text alone, in as few words as possible and in the "
            "words of the text: a name, a number, a date, a short phrase. Use no knowledge of "
            "your own. If the text does not answer a question, its answer is null. Give one "
            "answer for every question id."
        ),
        form='{"answers": [{"id": "q1", "answer": "..."}, {"id": "q2", "answer": null}]}',
        examples=(
            Example(
                given=(
                    "text: The Treaty of Rome was signed on 25 March 1957.\n"
                    'questions:\n{"id": "q1", "text": "When was the Treaty of Rome signed?"}\n'
                    '{"id": "q2", "text": "How many countries signed the Treaty of Rome?"}'
                ),
                reply=(
                    '{"answers": [{"id": "q1", "answer": "25 March 1957"}, {"id": "q2", "answer": '
                    "null}]}"
                ),
            ),
        ),
    )

    def shown(self) -> Mapping[str, str]:
        """The questions by id."""
        return numbered("q", self.questions, self.asked)

    def input_texts(self) -> Sequence[InputText]:
        """The text, then the questions as JSON, one a line."""
        questions = listed(self.shown().items())
        return (InputText("text", self.text), InputText("questions", questions))

    def values_of(self, name: str, item: Any, raw: str) -> Mapping[str, Any]:  # noqa: ARG002
        """No answer for an empty one, and for a "null", "none" or "n/a" that is not in the text."""
        return {"answer": self._answer(item.answer or "")}

    def _answer(self, answer: str) -> str | None:
        stripped = answer.strip()
        if not stripped or _DASH.fullmatch(stripped):
            return None
        nothing = _NOTHING.fullmatch(stripped)
        if nothing and not re.search(rf"\b{nothing[1]}\b", self.text, re.IGNORECASE):
            return None
        return stripped


@dataclass(frozen=True, slots=True)
class ClosedQuestion:
    """A question that the text answers with yes.

    Attributes:
        phrase: The key phrase of the text that it is about.
        text: The question.
    """

    phrase: str
    text: str


class _ClosedItem(msgspec.Struct, frozen=True):
    phrase: str
    question: str


class _ClosedForm(msgspec.Struct, frozen=True):
    questions: list[_ClosedItem]


@dataclass(frozen=True)
class AskClosedQuestions(Task[tuple[ClosedQuestion, ...]]):
    """Find the key phrases of a text and ask about each what the text answers with yes.

    Unlike `AskAboutFacts`, whose questions are open and answered in words.

    Attributes:
        text: The text to ask about.
    """

    text: str

    schema = schema(_ClosedForm)
    template = Template(
        instruction=(
            "Find the key phrases of the text: persons, organisations, places, dates and times, "
            "amounts of money, percentages, and whatever else it is about. For each key phrase "
            "write one question or several that can be answered with yes or no and that the text "
            "answers with yes. Every question asks for one fact and is understandable without the "
            "text. Write them in the language of the text. If the text states no fact, the list is "
            "empty."
        ),
        form='{"questions": [{"phrase": "...", "question": "..."}]}',
        examples=(
            Example(
                given="text: The Treaty of Rome was signed on 25 March 1957 by six countries.",
                reply=(
                    '{"questions": [{"phrase": "25 March 1957", "question": "Was the Treaty of '
                    'Rome signed on 25 March 1957?"}, {"phrase": "six countries", "question": '
                    '"Did six countries sign the Treaty of Rome?"}]}'
                ),
            ),
        ),
    )

    def read(self, raw: str) -> tuple[ClosedQuestion, ...]:
        """The questions in order, each once; empty ones are left out."""
        by_text: dict[str, ClosedQuestion] = {}
        for item in decode(raw, _ClosedForm).questions:
            if text := item.question.strip():
                by_text.setdefault(text, ClosedQuestion(item.phrase.strip(), text))
        return tuple(by_text.values())

    @staticmethod
    def reply(questions: Sequence[ClosedQuestion]) -> str:
        """A reply in the form that is read."""
        return encode(_ClosedForm([_ClosedItem(q.phrase, q.text) for q in questions]))


@dataclass(frozen=True, slots=True)
class ClosedAnswer:
    """What the text answers to one question.

    Attributes:
        id: "q1", "q2" ... in order of the questions.
        yes: True for yes; False for no, and where the text does not tell.
        reason: Why, in the judge's words.
    """

    id: str
    yes: bool
    reason: str = ""


@dataclass(frozen=True)
class AnswerClosedQuestions(ItemsTask[ClosedAnswer]):
    """Decide for each question whether the text alone answers it with yes.

    Attributes:
        questions: Questions to be answered with yes or no.
        text: All that may be used.
        asked: Ids ("q1" ...) of the questions still without an answer; empty means all.
    """

    questions: tuple[str, ...]
    text: str
    asked: tuple[str, ...] = ()

    key = "answers"
    fields = (("reason", str), ("yes", bool))
    verdict = ClosedAnswer
    template = Template(
        instruction=(
            "For every question, decide whether the text alone answers it with yes. Use no "
            "knowledge of your own: if the text does not tell, or tells otherwise, yes is false. "
            "Give one answer for every question id: first the reason in one sentence, then yes: "
            "true or false."
        ),
        form='{"answers": [{"id": "q1", "reason": "...", "yes": true}]}',
    )

    def shown(self) -> Mapping[str, str]:
        """The questions by id."""
        return numbered("q", self.questions, self.asked)

    def input_texts(self) -> Sequence[InputText]:
        """The text, then the questions as JSON, one a line."""
        questions = listed(self.shown().items())
        return (InputText("text", self.text), InputText("yes-or-no questions", questions))


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

    def input_texts(self) -> Sequence[InputText]:
        """The question, the texts, the nuggets known, one a line."""
        texts = [InputText(f"text {n}", text) for n, text in enumerate(self.texts, start=1)]
        inputs = [InputText("known", "\n".join(self.known))] if self.known else []
        return (InputText("question", self.question), *texts, *inputs)
