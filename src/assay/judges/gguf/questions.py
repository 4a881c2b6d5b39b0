"""Yes-or-no questions to a model, item by item, and what the probability of its Yes means."""

import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.errors import InputError, Unavailable
from assay.judge import Task
from assay.judges.code_digest import text_digest
from assay.judges.gguf.engine import Answer, Engine, TooLong, Wish
from assay.judges.llm import Token
from assay.prompt import InputText, Template, render
from assay.tasks import (
    Choice,
    JudgeContexts,
    SelectSentences,
    Usefulness,
    Verdict,
    VerifyStatements,
)

Style = Literal["plain", "quote"]
SHIPPED = "calibration.json"
# Beside model.gguf: what `training/gguf/fit.py` wrote for it.
BESIDE = ".calibration.json"
SUREST = 15.0  # log-odds; beyond them nothing changes but that exp may overflow


class Fit(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one kind of yes-or-no question is put to one model, and what its answer means."""

    # "plain" asks for Yes or No at once; "quote" for a quote and a comparison first.
    style: Style = "plain"
    slope: float = 1.0  # weight of the log-odds of Yes against No
    bias: float = 0.0  # what is added to them; the verdict is yes where the sum is not negative
    card: str = ""  # what is known of its agreement with people

    def probability(self, yes: float) -> float:
        """The probability that the right answer is yes, from that which the model gives to Yes."""
        odds = max(-SUREST, min(SUREST, log_odds(yes) * self.slope + self.bias))
        return 1 / (1 + math.exp(-odds))


class _Model(msgspec.Struct, frozen=True):
    name: str
    kinds: dict[str, Fit]


def log_odds(probability: float) -> float:
    """The log-odds of a probability, bounded where it is 0 or 1."""
    low = 1 / (1 + math.exp(SUREST))
    sane = max(low, min(1 - low, probability))
    return math.log(sane / (1 - sane))


def fits(path: Path, digest: str) -> Mapping[str, Fit]:
    """The fits by kind of task: from the file beside the model, else the shipped ones, else none.

    A kind without a fit is asked plainly, and yes is what the model holds likelier than no.

    Raises:
        InputError: If the file beside the model is not about this model or cannot be read.
    """
    fits_path = path.with_suffix(BESIDE)
    if fits_path.is_file():
        models = _models(fits_path.read_bytes(), str(fits_path))
        if digest not in models:
            fault = f"'{fits_path}' is not about this model ({digest}), but {', '.join(models)}"
            raise InputError(fault, "fit it anew with training/gguf/fit.py, or take it away")
    else:
        models = _models(resources.files(__package__).joinpath(SHIPPED).read_bytes(), SHIPPED)
    return models[digest].kinds if digest in models else {}


def _models(content: bytes, location: str) -> dict[str, _Model]:
    try:
        return msgspec.json.decode(content, type=dict[str, _Model])
    except msgspec.DecodeError as error:
        raise InputError(f"'{location}' cannot be read: {error}", "see docs/gguf.md") from error


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
        question = self.quote if self.quoted(fit) else self.plain
        return (f"\n{self.name}: ", json.dumps(text, ensure_ascii=False), f"\n\n{question}")

    def quoted(self, fit: Fit) -> bool:
        """Whether a quote and a comparison come first."""
        return fit.style == "quote" and bool(self.quote)

    def digest(self, fit: Fit) -> str:
        """Eight hex digits that change with the prompt and with what its answer means."""
        digested = [self.template.digest, *self.own("", fit), self.splits]
        return text_digest("\0".join([*digested, repr((fit.style, fit.slope, fit.bias))]))


@dataclass(frozen=True, slots=True)
class Case:
    """A task taken apart."""

    shared: tuple[InputText, ...]  # the texts that all items share, in order
    items: Mapping[str, str]  # the text of each item by its id


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """What was found about one item."""

    probability: float  # probability that the answer is yes
    said: float  # the probability that the model itself gives to Yes
    # The shared texts that it was shown; all, or one part of them.
    shown: tuple[InputText, ...] = ()
    quote: str = ""  # what it quoted
    compare: str = ""  # what it wrote in comparison
    note: str = ""  # what else there is to know

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
    return Case(tuple(task.input_texts()[:-1]), {s.id: s.text for s in task.statements})


def _contexts(task: JudgeContexts) -> Case:
    return Case(tuple(task.input_texts()[:2]), task.shown())


def _sentences(task: SelectSentences) -> Case:
    return Case(tuple(task.input_texts()[:1]), {s.id: s.text for s in task.sentences})


def _verdicts(task: VerifyStatements, answers: Mapping[str, ItemAnswer]) -> str:
    return VerifyStatements.reply([_verdict(task, i, answers[i]) for i in task.ids])


def _verdict(task: VerifyStatements, item: str, answer: ItemAnswer) -> Verdict:
    quote = answer.quote.strip()
    holding = [n for n, context in enumerate(task.contexts) if quote and quote in context]
    reason = answer.reason
    if quote and not holding:  # a quote that stands nowhere is no evidence, but it is on record
        reason, quote = f"{reason}; it quotes what stands in no context: {quote!r}", ""
    if not holding and len({m.name for m in answer.shown}) == 1:
        names = [m.name for m in task.input_texts()]
        holding = [names.index(answer.shown[0].name)]
    context = holding[0] if holding and answer.yes else None
    return Verdict(item, answer.yes, reason, context, quote, round(answer.probability, 4))


def _usefulness(task: JudgeContexts, answers: Mapping[str, ItemAnswer]) -> str:
    pairs = [(i, answers[i]) for i in task.ids]
    return JudgeContexts.reply(
        [Usefulness(i, f.yes, f.reason, "", round(f.probability, 4)) for i, f in pairs]
    )


def _choices(task: SelectSentences, answers: Mapping[str, ItemAnswer]) -> str:
    helpful = [(s.id, answers[s.id]) for s in task.sentences if answers[s.id].yes]
    return SelectSentences.reply([Choice(i, f.reason, round(f.probability, 4)) for i, f in helpful])


@dataclass(frozen=True)
class Protocol:
    """How a kind of task is asked item by item and replied to as a whole."""

    question: Question  # what is asked about each item
    case: Callable[[Any], Case]  # takes the task apart
    reply: Callable[[Any, Mapping[str, ItemAnswer]], str]  # puts the reply together


PROTOCOLS: Mapping[str, Protocol] = {
    VerifyStatements.kind: Protocol(VERIFY, _statements, _verdicts),
    JudgeContexts.kind: Protocol(USEFUL, _contexts, _usefulness),
    SelectSentences.kind: Protocol(RELEVANT, _sentences, _choices),
}


def protocol(kind: type[Task[Any]]) -> Protocol | None:
    """How a kind of task is asked item by item, None if it is asked as a whole."""
    return PROTOCOLS.get(kind.kind)


def halves(
    texts: Sequence[InputText],
) -> tuple[tuple[InputText, ...], tuple[InputText, ...]] | None:
    """The texts in two parts of about the same length; None if there is nothing to part."""
    if len(texts) > 1:
        lengths = [len(t.text) for t in texts]
        gaps = [abs(sum(lengths[:n]) - sum(lengths[n:])) for n in range(1, len(texts))]
        index = gaps.index(min(gaps)) + 1
        return tuple(texts[:index]), tuple(texts[index:])
    (only,) = texts
    halves_of_text = halved(only.text)
    if halves_of_text is None:
        return None
    return (InputText(only.name, halves_of_text[0]),), (InputText(only.name, halves_of_text[1]),)


def halved(text: str) -> tuple[str, str] | None:
    """A text in two parts, cut near its middle, between sentences or words if it has any."""
    if len(text) < 2:
        return None
    middle = len(text) // 2
    for separator in (". ", "\n", " "):
        cuts = [
            cut + len(separator)
            for cut in (text.rfind(separator, 0, middle), text.find(separator, middle))
        ]
        inside = [cut for cut in cuts if len(text) // 4 < cut < len(text) * 3 // 4]
        if inside:
            middle_cut = min(inside, key=lambda cut: abs(cut - middle))
            return text[:middle_cut], text[middle_cut:]
    return text[:middle], text[middle:]


QUOTE_TOKENS = 300
_WORDS = ("yes", "no")


class _Quoted(msgspec.Struct):
    quote: str
    compare: str


@dataclass
class ItemQuestions:
    """The questions of one task, and what was asked on the way."""

    engine: Engine  # runs the model
    question: Question  # what is asked about each item
    fit: Fit  # how it is put, and what the answer means
    draw: int  # which draw it is; the plain style has no second one, since nothing is sampled
    stop: threading.Event  # set when nobody waits any more
    # The prompts in pieces, each shared beginning once before the ends that went with it.
    pieces: list[str] = field(default_factory=list)
    tokens_in: int = 0  # prompt tokens, those of a shared beginning counted once
    tokens_out: int = 0  # tokens written
    _last_prompt: tuple[str, ...] = ()

    def all(self, case: Case) -> dict[str, ItemAnswer]:
        """What is found about every item.

        Raises:
            TooLong: If an item cannot be shown even with the shortest part of the rest.
            JudgeError: If there is no reply.
        """
        if not case.items:
            return {}
        if self.question.splits == "item":
            return {i: _highest(self._item(case.shared, t)) for i, t in case.items.items()}
        if not case.shared:
            return dict.fromkeys(case.items, ItemAnswer(0.0, 0.0, note="there is no context"))
        return {
            i: _highest(readings) for i, readings in self._windows(case.shared, case.items).items()
        }

    def _windows(
        self, shared: tuple[InputText, ...], items: Mapping[str, str]
    ) -> dict[str, list[ItemAnswer]]:
        # The longest item first: if it has room, all have. Windows are the outer loop, so that
        # each is read once and not once for each item.
        longest_first = sorted(items.items(), key=lambda item: -len(item[1]))
        try:
            return {i: [self._ask(shared, text)] for i, text in longest_first}
        except TooLong:
            both_halves = halves(shared)
            if both_halves is None:
                raise
        first, second = (self._windows(half, items) for half in both_halves)
        return {i: first[i] + second[i] for i in items}

    def _item(self, shared: tuple[InputText, ...], text: str) -> list[ItemAnswer]:
        try:
            return [self._ask(shared, text)]
        except TooLong:
            both_halves = halved(text)
            if both_halves is None:
                raise
        return [reading for half in both_halves for reading in self._item(shared, half)]

    def _ask(self, shared: tuple[InputText, ...], text: str) -> ItemAnswer:
        before = render(self.question.template, shared)
        own_prompt = self.question.own(text, self.fit)
        quoted = self.question.quoted(self.fit)
        wish = Wish(1, probabilities=True)
        if quoted:
            wish = Wish(QUOTE_TOKENS, QUOTE_SCHEMA, self.draw, probabilities=True)
        beginnings = (before[0], "".join(before[1:]))
        answer = self.engine.ask(beginnings, "".join(own_prompt), wish, self.stop)
        self._record(before, own_prompt, answer)
        probability_of_yes = _yes_probability(answer)
        probability = self.fit.probability(probability_of_yes)
        if not quoted:
            return ItemAnswer(probability, probability_of_yes, shared)
        wrote = _decoded(answer.text)
        return ItemAnswer(probability, probability_of_yes, shared, wrote.quote, wrote.compare)

    def _record(self, before: tuple[str, ...], own_prompt: tuple[str, ...], answer: Answer) -> None:
        if before == self._last_prompt:
            self.tokens_in += answer.tokens_in - answer.cached
        else:
            self.pieces += before
            self.tokens_in += answer.tokens_in
            self._last_prompt = before
        self.pieces += own_prompt
        self.tokens_out += answer.tokens_out


def _highest(answers: list[ItemAnswer]) -> ItemAnswer:
    best = max(answers, key=lambda f: f.probability)
    if len(answers) == 1:
        return best
    note = f"the highest of {len(answers)} parts, since all is longer than the model reads at once"
    return ItemAnswer(best.probability, best.said, best.shown, best.quote, best.compare, note)


def _yes_probability(answer: Answer) -> float:
    """The probability of Yes against No where the verdict stands: the last of these words.

    Raises:
        Unavailable: If the model holds neither for likely.
    """
    answers = [token for token in answer.tokens if _letters(token.text) in _WORDS]
    token = answers[-1] if answers else next(iter(answer.tokens), Token("", {}))
    likely = {word: _sum(token.top, word) for word in _WORDS}
    if not any(likely.values()):
        raise Unavailable(
            f"the model answers a yes-or-no question with {answer.text[:80]!r} -> take a chat "
            "model that follows instructions and answers without thinking aloud",
            permanent=True,
        )
    # A word that is not among the likely tokens is less likely than each of them, and than all
    # that they leave over.
    chances = [math.exp(p) for p in token.top.values()]
    bound = min(*chances, max(0.0, 1.0 - sum(chances)))
    yes, no = (value or bound for value in likely.values())
    return yes / (yes + no)


def _sum(top: Mapping[str, float], word: str) -> float:
    return sum(math.exp(p) for text, p in top.items() if _letters(text) == word)


def _letters(text: str) -> str:
    return "".join(c for c in text if c.isalpha()).lower()


def _decoded(text: str) -> _Quoted:
    # It is bound by a schema; only a reply that was stopped at its longest length is no JSON.
    try:
        return msgspec.json.decode(text, type=_Quoted)
    except msgspec.DecodeError:
        return _Quoted("", text)
