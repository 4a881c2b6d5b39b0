"""How are the yes-or-no questions of one task put to a model, whatever the length of its texts?"""

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from assay.backends.gguf.calibration import Fit
from assay.backends.gguf.engine import Answer, Engine, TooLong, Wish
from assay.backends.gguf.questions import QUOTE_SCHEMA, Case, Found, Question, halved, halves
from assay.backends.likely import Token
from assay.errors import Unavailable
from assay.prompt import Material, render

QUOTE_TOKENS = 300
_WORDS = ("yes", "no")


class _Quoted(msgspec.Struct):
    quote: str
    compare: str


@dataclass
class Asking:
    """The questions of one task, and what was asked on the way.

    Attributes:
        engine: Runs the model.
        question: What is asked about each item.
        fit: How it is put, and what the answer means.
        draw: Which draw it is; the plain style has no second one, since nothing is sampled.
        stop: Set when nobody waits any more.
        pieces: The prompts in pieces, each shared beginning once before the ends that went with it.
        tokens_in: Prompt tokens, those of a shared beginning counted once.
        tokens_out: Tokens written.
    """

    engine: Engine
    question: Question
    fit: Fit
    draw: int
    stop: threading.Event
    pieces: list[str] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    _shown: tuple[str, ...] = ()

    def all(self, case: Case) -> dict[str, Found]:
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
            return dict.fromkeys(case.items, Found(0.0, 0.0, note="there is no context"))
        return {i: _highest(found) for i, found in self._windows(case.shared, case.items).items()}

    def _windows(
        self, shared: tuple[Material, ...], items: Mapping[str, str]
    ) -> dict[str, list[Found]]:
        # The longest item first: if it has room, all have. Windows are the outer loop, so that
        # each is read once and not once for each item.
        longest_first = sorted(items.items(), key=lambda item: -len(item[1]))
        try:
            return {i: [self._ask(shared, text)] for i, text in longest_first}
        except TooLong:
            parts = halves(shared)
            if parts is None:
                raise
        first, second = (self._windows(part, items) for part in parts)
        return {i: first[i] + second[i] for i in items}

    def _item(self, shared: tuple[Material, ...], text: str) -> list[Found]:
        try:
            return [self._ask(shared, text)]
        except TooLong:
            parts = halved(text)
            if parts is None:
                raise
        return [found for part in parts for found in self._item(shared, part)]

    def _ask(self, shared: tuple[Material, ...], text: str) -> Found:
        before = render(self.question.template, shared)
        own = self.question.own(text, self.fit)
        quoted = self.question.quoted(self.fit)
        wish = Wish(1, probabilities=True)
        if quoted:
            wish = Wish(QUOTE_TOKENS, QUOTE_SCHEMA, self.draw, probabilities=True)
        beginnings = (before[0], "".join(before[1:]))
        answer = self.engine.ask(beginnings, "".join(own), wish, self.stop)
        self._record(before, own, answer)
        said = _yes(answer)
        probability = self.fit.probability(said)
        if not quoted:
            return Found(probability, said, shared)
        wrote = _decoded(answer.text)
        return Found(probability, said, shared, wrote.quote, wrote.compare)

    def _record(self, before: tuple[str, ...], own: tuple[str, ...], answer: Answer) -> None:
        if before == self._shown:
            self.tokens_in += answer.tokens_in - answer.cached
        else:
            self.pieces += before
            self.tokens_in += answer.tokens_in
            self._shown = before
        self.pieces += own
        self.tokens_out += answer.tokens_out


def _highest(found: list[Found]) -> Found:
    best = max(found, key=lambda f: f.probability)
    if len(found) == 1:
        return best
    note = f"the highest of {len(found)} parts, since all is longer than the model reads at once"
    return Found(best.probability, best.said, best.shown, best.quote, best.compare, note)


def _yes(answer: Answer) -> float:
    """The probability of Yes against No where the verdict stands: the last of these words.

    Raises:
        Unavailable: If the model holds neither for likely.
    """
    spoken = [token for token in answer.tokens if _letters(token.text) in _WORDS]
    place = spoken[-1] if spoken else next(iter(answer.tokens), Token("", {}))
    likely = {word: _sum(place.top, word) for word in _WORDS}
    if not any(likely.values()):
        raise Unavailable(
            f"the model answers a yes-or-no question with {answer.text[:80]!r} -> take a chat "
            "model that follows instructions and answers without thinking aloud",
            permanent=True,
        )
    # A word that is not among the likely tokens is less likely than each of them, and than all
    # that they leave over.
    chances = [math.exp(p) for p in place.top.values()]
    most = min(*chances, max(0.0, 1.0 - sum(chances)))
    yes, no = (value or most for value in likely.values())
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
