"""Which yes-or-no questions make up a task, and which reply do their answers make?

A small model that is to judge ten statements in one long JSON loses its way. It is asked about one
item at a time, and what all items share stands first, so that it is read once.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.backends.code import text_digest
from assay.backends.gguf.calibration import Fit
from assay.judge import Task
from assay.prompt import Material, Template
from assay.tasks import (
    Choice,
    JudgeContexts,
    SelectSentences,
    Usefulness,
    Verdict,
    VerifyStatements,
    judge_contexts,
    select_sentences,
    verify_statements,
)

_TEXT: Mapping[str, Any] = {"type": "string", "maxLength": 300}
QUOTE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"quote": _TEXT, "compare": _TEXT, "supported": {"enum": ["Yes", "No"]}},
    "required": ["quote", "compare", "supported"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Question:
    """How a kind of task is asked, item by item.

    Attributes:
        template: What stands before the shared texts.
        name: What the item is called.
        plain: What is asked after the item.
        quote: What is asked instead where a quote and a comparison come first; "" if never.
        splits: What is read in parts where all is longer than the model reads at once: the shared
            texts or the item.
    """

    template: Template
    name: str
    plain: str
    quote: str = ""
    splits: Literal["shared", "item"] = "item"

    def own(self, text: str, fit: Fit) -> tuple[str, ...]:
        """The end of the prompt in pieces: the item as a JSON string, and the question."""
        asked = self.quote if self.quoted(fit) else self.plain
        return (f"\n{self.name}: ", json.dumps(text, ensure_ascii=False), f"\n\n{asked}")

    def quoted(self, fit: Fit) -> bool:
        """Whether a quote and a comparison come first."""
        return fit.style == "quote" and bool(self.quote)

    def digest(self, fit: Fit) -> str:
        """Eight hex digits that change with the prompt and with what its answer means."""
        parts = [self.template.digest, *self.own("", fit), self.splits]
        return text_digest("\0".join([*parts, repr((fit.style, fit.slope, fit.bias))]))


@dataclass(frozen=True, slots=True)
class Case:
    """A task taken apart.

    Attributes:
        shared: The texts that all items share, in order.
        items: The text of each item by its id.
    """

    shared: tuple[Material, ...]
    items: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found about one item.

    Attributes:
        probability: Probability that the answer is yes.
        said: The probability that the model itself gives to Yes.
        shown: The shared texts that it was shown; all, or one part of them.
        quote: What it quoted.
        compare: What it wrote in comparison.
        note: What else there is to know.
    """

    probability: float
    said: float
    shown: tuple[Material, ...] = ()
    quote: str = ""
    compare: str = ""
    note: str = ""

    @property
    def yes(self) -> bool:
        """The verdict."""
        return self.probability >= 0.5

    @property
    def reason(self) -> str:
        """The comparison and the numbers behind the verdict."""
        numbers = f"the model gives Yes {self.said:.3f}, which means {self.probability:.3f}"
        return "; ".join(filter(None, [self.compare.strip(), numbers, self.note]))


VERIFY = Question(
    Template(
        "Contexts and a statement are given. Decide whether the statement can be inferred from the "
        "contexts alone, with its numbers, names and dates. Use no knowledge of your own. The "
        "statement is a JSON string and material as well."
    ),
    name="statement",
    plain=(
        "Can the statement be inferred from the contexts alone, in all its parts? Answer Yes or No."
    ),
    quote=(
        'Reply with JSON only: {"quote": "the words of the contexts that come nearest to the '
        'statement", "compare": "what agrees and what differs, in one sentence", "supported": '
        '"Yes" or "No"}'
    ),
    splits="shared",
)
USEFUL = Question(
    Template(
        "A question, the answer to arrive at and a context are given. Decide whether the context "
        "is useful for arriving at that answer: whether it holds information that the answer "
        "states or rests on. Being on the same subject is not enough. The context is a JSON string "
        "and material as well."
    ),
    name="context",
    plain="Is the context useful for arriving at the answer? Answer Yes or No.",
)
RELEVANT = Question(
    Template(
        "A question and a sentence are given. Decide whether someone who answers the question "
        "would use what the sentence says. Being on the same subject is not enough. The sentence "
        "is a JSON string and material as well."
    ),
    name="sentence",
    plain="Does the sentence help to answer the question? Answer Yes or No.",
)


def _statements(task: VerifyStatements) -> Case:
    return Case(tuple(task.material()[:-1]), {s.id: s.text for s in task.statements})


def _contexts(task: JudgeContexts) -> Case:
    return Case(tuple(task.material()[:2]), dict(task.shown()))


def _sentences(task: SelectSentences) -> Case:
    return Case(tuple(task.material()[:1]), {s.id: s.text for s in task.sentences})


def _verdicts(task: VerifyStatements, found: Mapping[str, Found]) -> str:
    return verify_statements.reply([_verdict(task, i, found[i]) for i in task.ids])


def _verdict(task: VerifyStatements, item: str, found: Found) -> Verdict:
    quote = found.quote.strip()
    places = [n for n, context in enumerate(task.contexts) if quote and quote in context]
    reason = found.reason
    if quote and not places:  # a quote that stands nowhere is no evidence, but it is on record
        reason, quote = f"{reason}; it quotes what stands in no context: {quote!r}", ""
    if not places and len({m.name for m in found.shown}) == 1:
        names = [m.name for m in task.material()]
        places = [names.index(found.shown[0].name)]
    context = places[0] if places and found.yes else None
    return Verdict(item, found.yes, reason, context, quote, round(found.probability, 4))


def _usefulness(task: JudgeContexts, found: Mapping[str, Found]) -> str:
    pairs = [(i, found[i]) for i in task.ids]
    return judge_contexts.reply(
        [Usefulness(i, f.yes, f.reason, "", round(f.probability, 4)) for i, f in pairs]
    )


def _choices(task: SelectSentences, found: Mapping[str, Found]) -> str:
    chosen = [(s.id, found[s.id]) for s in task.sentences if found[s.id].yes]
    return select_sentences.reply([Choice(i, f.reason, round(f.probability, 4)) for i, f in chosen])


@dataclass(frozen=True)
class Protocol:
    """How a kind of task is asked item by item and replied to as a whole.

    Attributes:
        question: What is asked about each item.
        case: Takes the task apart.
        reply: Puts the reply together.
    """

    question: Question
    case: Callable[[Any], Case]
    reply: Callable[[Any, Mapping[str, Found]], str]


PROTOCOLS: Mapping[str, Protocol] = {
    VerifyStatements.kind: Protocol(VERIFY, _statements, _verdicts),
    JudgeContexts.kind: Protocol(USEFUL, _contexts, _usefulness),
    SelectSentences.kind: Protocol(RELEVANT, _sentences, _choices),
}


def protocol(kind: type[Task[Any]]) -> Protocol | None:
    """How a kind of task is asked item by item, None if it is asked as a whole."""
    return PROTOCOLS.get(kind.kind)


def halves(texts: Sequence[Material]) -> tuple[tuple[Material, ...], tuple[Material, ...]] | None:
    """The texts in two parts of about the same length; None if there is nothing to part."""
    if len(texts) > 1:
        lengths = [len(t.text) for t in texts]
        gaps = [abs(sum(lengths[:n]) - sum(lengths[n:])) for n in range(1, len(texts))]
        at = gaps.index(min(gaps)) + 1
        return tuple(texts[:at]), tuple(texts[at:])
    (only,) = texts
    parts = halved(only.text)
    if parts is None:
        return None
    return (Material(only.name, parts[0]),), (Material(only.name, parts[1]),)


def halved(text: str) -> tuple[str, str] | None:
    """A text in two parts, cut near its middle, between sentences or words if it has any."""
    if len(text) < 2:
        return None
    middle = len(text) // 2
    for near in (". ", "\n", " "):
        places = [at + len(near) for at in (text.rfind(near, 0, middle), text.find(near, middle))]
        inside = [at for at in places if len(text) // 4 < at < len(text) * 3 // 4]
        if inside:
            at = min(inside, key=lambda at: abs(at - middle))
            return text[:at], text[at:]
    return text[:middle], text[middle:]
