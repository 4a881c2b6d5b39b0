"""Questions for test sets, written from passages, and multiple-choice ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, ClassVar

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Example, InputText, Template
from assay.tasks.base import ItemsTask, decode, distinct, encode, numbered, one_line, schema

_INSTRUCTION = (
    "Write one question for testing a question-answering system. The user who asks it has not "
    "read the text below; the system has to find that text among thousands of others. Write in "
    "the language of the text, but in the words that such a user would choose. The question must "
    "be understandable on its own: name what it is about, and never mention a text, a passage, a "
    "document, an author, or anything 'above' or 'given'. {aim} If the text holds nothing that a "
    "user would ask about (a menu, a table of contents, a licence), leave the question empty. "
    "Do not repeat a question that was asked already, in these or in other words. Blocks of code "
    "and sample data (names, amounts and files made up to show something) are no facts to ask "
    "about. Where an asker is described, write the question as that person would put it."
)
_ANSWERED = (
    " Answer it from the text alone, in one or two full sentences. Then quote the text word for "
    "word: the shortest stretches that together bear the answer out."
)
_FORM = '{"question": "...", "answer": "...", "quotes": ["..."]}'


@dataclass(frozen=True, slots=True)
class Written:
    """A question, and what the passages say to it.

    Attributes:
        question: The question; "" if there is nothing to ask about.
        answer: The answer; "" for a question that the passages do not answer.
        quotes: What the answer rests on, as the judge copied it.
    """

    question: str
    answer: str = ""
    quotes: tuple[str, ...] = ()


class _QuestionForm(msgspec.Struct, frozen=True):
    question: str
    answer: str
    quotes: list[str]


@dataclass(frozen=True)
class WriteQuestion(Task[Written]):
    """Write a question about passages of one's own documents.

    Attributes:
        passages: What it is about: one passage, or two for a question that needs both.
        titles: Where each passage stands: the title of its document and the headings above it.
        asked: Questions about these passages that there are already.
        asker: Who asks and how, in words; "" for nobody in particular.
    """

    passages: tuple[str, ...]
    titles: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    asker: str = ""

    schema = schema(_QuestionForm)

    def input_texts(self) -> Sequence[InputText]:
        """Title and text of each passage, what was asked already, and who asks."""
        is_numbered = len(self.passages) > 1
        texts = []
        for number, text in enumerate(self.passages, start=1):
            suffix = f" {number}" if is_numbered else ""
            if self.titles[number - 1 : number] and self.titles[number - 1]:
                texts.append(InputText(f"title{suffix}", self.titles[number - 1]))
            texts.append(InputText(f"text{suffix}", text))
        if self.asked:
            texts.append(InputText("asked already", "\n".join(self.asked)))
        if self.asker:
            texts.append(InputText("asker", self.asker))
        return texts

    def read(self, raw: str) -> Written:
        """The question with its answer and quotes."""
        form = decode(raw, _QuestionForm)
        return Written(form.question.strip(), form.answer.strip(), distinct(form.quotes))

    @staticmethod
    def reply(written: Written) -> str:
        """A reply in the form that is read."""
        form = _QuestionForm(written.question, written.answer, list(written.quotes))
        return encode(form)


def _template(aim: str, example: Example, *, answered: bool = True) -> Template:
    aim = aim + _ANSWERED if answered else aim
    return Template(_INSTRUCTION.format(aim=aim), _FORM, (example,))


@dataclass(frozen=True)
class WriteSingleHop(WriteQuestion):
    """Write a question that one sentence of the passage answers."""

    template: ClassVar[Template] = _template(
        "The question asks for one fact that a single sentence of the text states.",
        Example(
            given=(
                "title: Returns\ntext: Orders can be returned within 30 days. Refunds are paid to "
                "the card that was charged, usually within five working days."
            ),
            reply=(
                '{"question": "How long does it take until a refund for a returned order arrives?",'
                ' "answer": "A refund usually arrives within five working days, on the card that '
                'was charged.", "quotes": ["Refunds are paid to the card that was charged, usually '
                'within five working days"]}'
            ),
        ),
    )


@dataclass(frozen=True)
class WriteReasoning(WriteQuestion):
    """Write a question whose answer follows from several statements of the passage."""

    template: ClassVar[Template] = _template(
        "No sentence of the text answers the question alone: the answer follows from at least two "
        "of its statements taken together, by a comparison, a condition, a cause or a calculation. "
        "The question does not give away how.",
        Example(
            given=(
                "title: Returns\ntext: Orders can be returned within 30 days. Members of the club "
                "have twice as long. Sale items cannot be returned by anyone."
            ),
            reply=(
                '{"question": "Can a club member still send back a full-price order 45 days after '
                'buying it?", "answer": "Yes. Members have twice the usual 30 days, so 60 days.", '
                '"quotes": ["Orders can be returned within 30 days", "Members of the club have '
                'twice as long"]}'
            ),
        ),
    )


@dataclass(frozen=True)
class WriteMultiHop(WriteQuestion):
    """Write a question that needs a fact from each of two passages."""

    template: ClassVar[Template] = _template(
        "There are two texts. The question needs a fact from each: neither text alone answers it. "
        "Both facts must be about the same thing; if the texts have nothing in common, leave the "
        "question empty. Quote both texts.",
        Example(
            given=(
                "text 1: The Nordlys ferry sails from Bergen to Stavanger.\n"
                "text 2: Tickets to Stavanger cost 40 euros, tickets to Oslo 70 euros."
            ),
            reply=(
                '{"question": "What is the fare on the route of the Nordlys?", "answer": "The '
                'Nordlys sails to Stavanger, and a ticket there costs 40 euros.", "quotes": ["The '
                'Nordlys ferry sails from Bergen to Stavanger", "Tickets to Stavanger cost 40 '
                'euros"]}'
            ),
        ),
    )


@dataclass(frozen=True)
class WriteUnanswerable(WriteQuestion):
    """Write a question on the subject of the passage that the passage does not answer."""

    template: ClassVar[Template] = _template(
        "The question is about the subject of the text, and a user could well expect an answer "
        "there, but the text does not hold one: it asks for a detail that the text leaves out, or "
        "about a case that it does not cover. It does not follow from what the text says, not "
        "even as a 'no'. Answer and quotes stay empty.",
        Example(
            given=(
                "title: Returns\ntext: Orders can be returned within 30 days. Refunds are paid to "
                "the card that was charged."
            ),
            reply=(
                '{"question": "Who pays the postage when an order is sent back?", "answer": "", '
                '"quotes": []}'
            ),
        ),
        answered=False,
    )


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question as the next message of a conversation.

    Attributes:
        before: What the user asked first; "" if no conversation leads to the question.
        answer: What was answered to that.
        question: The question as it is put then; it leans on the messages before it.
    """

    before: str
    answer: str = ""
    question: str = ""


class _FollowUpForm(msgspec.Struct, frozen=True):
    first_question: str
    first_answer: str
    follow_up: str


@dataclass(frozen=True)
class WriteFollowUp(Task[FollowUp]):
    """Put a question as the second one of a conversation.

    Attributes:
        question: The question, in full.
        passages: What it was written about.
        asker: Who asks, in words; "" for nobody in particular.
    """

    question: str
    passages: tuple[str, ...]
    asker: str = ""

    schema = schema(_FollowUpForm)
    template = Template(
        instruction=(
            "Turn the question into the second one of a conversation between a user and an "
            "assistant. Write what the user asked first, what the assistant answered to that from "
            "the text, in one or two sentences, and the follow-up: the question below as the user "
            "would put it then. The follow-up is short and leaves out, or replaces by pronouns, "
            "what the first exchange has named, so that nobody can understand it without that "
            "exchange; with it, it asks exactly what the question below asks. The first answer "
            "does not answer the follow-up. Write in the language of the question. If no such "
            "exchange leads to it, leave all three empty. Where an asker is described, write as "
            "that person would."
        ),
        form='{"first_question": "...", "first_answer": "...", "follow_up": "..."}',
        examples=(
            Example(
                given=(
                    "question: How long does it take until a refund for a returned order "
                    "arrives?\ntext: Orders can be returned within 30 days. Refunds are paid to "
                    "the card that was charged, usually within five working days."
                ),
                reply=(
                    '{"first_question": "Until when can I send an order back?", "first_answer": '
                    '"Orders can be returned within 30 days.", "follow_up": "And how long until '
                    'I get my money?"}'
                ),
            ),
        ),
    )

    def input_texts(self) -> Sequence[InputText]:
        """The question, the passages, and who asks."""
        asker = (InputText("asker", self.asker),) if self.asker else ()
        text = "\n\n".join(self.passages)
        return (InputText("question", self.question), InputText("text", text), *asker)

    def read(self, raw: str) -> FollowUp:
        """The two questions and the answer between them."""
        form = decode(raw, _FollowUpForm)
        texts = (form.first_question, form.first_answer, form.follow_up)
        return FollowUp(*(text.strip() for text in texts))

    @staticmethod
    def reply(written: FollowUp) -> str:
        """A reply in the form that is read."""
        return encode(_FollowUpForm(written.before, written.answer, written.question))


@dataclass(frozen=True, slots=True)
class MultipleChoice:
    """A question with its options.

    Attributes:
        question: The question.
        options: What may be chosen, two or more, in alphabetical order: the place of an option
            does not say whether it is right.
    """

    question: str
    options: tuple[str, ...]


class _ChoiceItem(msgspec.Struct, frozen=True):
    question: str
    options: list[str]


class _ChoiceForm(msgspec.Struct, frozen=True):
    questions: list[_ChoiceItem]


@dataclass(frozen=True)
class AskMultipleChoice(Task[tuple[MultipleChoice, ...]]):
    """Write n multiple-choice questions about one sentence of a text.

    Attributes:
        sentence: What the questions ask about.
        text: The text that it stands in, which may help to understand it.
        n: How many questions at most.
    """

    sentence: str
    text: str
    n: int = 5

    schema = schema(_ChoiceForm)
    template = Template(
        instruction=(
            "Write multiple-choice questions that test whether a reader knows what the sentence "
            "says, at most as many as the number below. The text around the sentence is there to "
            "understand it. Every question asks for one fact that the sentence states and is "
            "understandable without the text. Give it four different options: the answer that the "
            "sentence gives, and three wrong ones of the same kind that somebody who has not read "
            "it could believe as well. Write in the language of the sentence. If it states no "
            "fact, the list is empty."
        ),
        form='{"questions": [{"question": "...", "options": ["...", "...", "...", "..."]}]}',
        examples=(
            Example(
                given=(
                    "number: 1\ntext: The Treaty of Rome was signed on 25 March 1957. It founded "
                    "the European Economic Community.\nsentence: The Treaty of Rome was signed on "
                    "25 March 1957."
                ),
                reply=(
                    '{"questions": [{"question": "When was the Treaty of Rome signed?", "options": '
                    '["25 March 1957", "9 May 1950", "1 January 1958", "7 February 1992"]}]}'
                ),
            ),
        ),
    )

    def input_texts(self) -> Sequence[InputText]:
        """The number, the text, the sentence."""
        return (
            InputText("number", str(self.n)),
            InputText("text", self.text),
            InputText("sentence", self.sentence),
        )

    def read(self, raw: str) -> tuple[MultipleChoice, ...]:
        """The first n questions, each once; those with fewer than two options are left out."""
        by_text: dict[str, MultipleChoice] = {}
        for item in decode(raw, _ChoiceForm).questions:
            question, options = item.question.strip(), sorted(distinct(item.options))
            if question and len(options) > 1:
                options = options[: len(ascii_uppercase)]
                by_text.setdefault(question, MultipleChoice(question, tuple(options)))
        return tuple(by_text.values())[: self.n]

    @staticmethod
    def reply(questions: Sequence[MultipleChoice]) -> str:
        """A reply in the form that is read."""
        return encode(_ChoiceForm([_ChoiceItem(q.question, list(q.options)) for q in questions]))


@dataclass(frozen=True, slots=True)
class ChosenOption:
    """What the text answers to one question.

    Attributes:
        id: "q1", "q2" ... in order of the questions.
        option: The letter of the option, from "A"; None if the text does not answer the question.
    """

    id: str
    option: str | None


@dataclass(frozen=True)
class AnswerMultipleChoice(ItemsTask[ChosenOption]):
    """Choose the option that the text alone makes right, or say that it does not answer.

    Attributes:
        questions: What to answer.
        text: All that may be used.
        asked: Ids ("q1" ...) of the questions still without an answer; empty means all.
    """

    questions: tuple[MultipleChoice, ...]
    text: str
    asked: tuple[str, ...] = ()

    key = "answers"
    fields = (("option", str | None),)
    verdict = ChosenOption
    template = Template(
        instruction=(
            "For every question, choose the option that is right by the text alone; give its "
            "letter. Use no knowledge of your own. If the text does not answer the question, or "
            "answers it with none of the options, the option is null. Give one answer for every "
            "question id."
        ),
        form='{"answers": [{"id": "q1", "option": "..."}, {"id": "q2", "option": null}]}',
        examples=(
            Example(
                given=(
                    "text: The Treaty of Rome was signed on 25 March 1957.\n"
                    'multiple-choice questions:\n{"id": "q1", "question": "When was the Treaty of '
                    'Rome signed?", "options": {"A": "1 January 1958", "B": "25 March 1957"}}\n'
                    '{"id": "q2", "question": "How many countries signed the Treaty of Rome?", '
                    '"options": {"A": "Six", "B": "Twelve"}}'
                ),
                reply=('{"answers": [{"id": "q1", "option": "B"}, {"id": "q2", "option": null}]}'),
            ),
        ),
    )

    def shown(self) -> Mapping[str, MultipleChoice]:
        """The questions by id."""
        names = numbered("q", [q.question for q in self.questions])
        by_name = dict(zip(names, self.questions, strict=True))
        return {i: by_name[i] for i in self.asked} if self.asked else by_name

    def input_texts(self) -> Sequence[InputText]:
        """The text, then the questions with their lettered options as JSON, one a line."""
        lines = [
            one_line(
                {
                    "id": i,
                    "question": q.question,
                    "options": dict(zip(ascii_uppercase, q.options, strict=False)),
                }
            )
            for i, q in self.shown().items()
        ]
        return (
            InputText("text", self.text),
            InputText("multiple-choice questions", "\n".join(lines)),
        )

    def values_of(self, name: str, item: Any, raw: str) -> Mapping[str, Any]:
        """The option's letter; raises Unreadable if the question has no such option."""
        letter = (item.option or "").strip().rstrip(".)").upper()
        if letter and letter not in list(ascii_uppercase[: len(self.shown()[name].options)]):
            raise Unreadable(f"question {name} has no option '{item.option}'", raw=raw)
        return {"option": letter or None}
