"""Base of all backends that read a prompt and write text, and a user's own function as one."""

import math
import re
import time
import warnings
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay._middleware.concurrency import called
from assay._text.sanitize import redacted
from assay.errors import CutShort, InputError, TimedOut, Unavailable, Unreadable, Unsupported
from assay.judge import CUT, AttributeBackend, Reasons, Reply, Task
from assay.judges.calls import check_call
from assay.judges.code_digest import callable_digest, name_of
from assay.prompt import Template
from assay.tasks import GiveGrade

# Kinds of tasks that gain by the likely tokens at each position.
WEIGHED = frozenset({GiveGrade.kind})

_GRADE = re.compile(r'"grade"\s*:\s*(?=(-?\d+(?:\.\d+)?))')
_DIGIT = re.compile(r"(\d)(?![\d.])")
# A probability of 1 may come out as a little more where it was computed with few bits.
ROUNDING = 0.01
LONGEST_NAME = 200  # letters of a model's name that are kept


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply.

    Attributes:
        text: What it says.
        top: Log-probability of the likely tokens in its place, by their text.
    """

    text: str
    top: Mapping[str, float]


def with_grade_probabilities(task: GiveGrade, raw: str, tokens: Sequence[Token]) -> str:
    """The reply and after it the probability of every allowed grade, where these are told.

    They are told where each allowed grade is a single digit, and so a token of its own: a model
    that writes "10" may do so in one token or in two, and "1" would be counted for both.
    """
    if not all(0 <= grade <= 9 and grade == int(grade) for grade, _ in task.grades):
        return raw
    try:
        grade = task.read(raw)
    except Unreadable:
        return raw
    allowed = [value for value, _ in task.grades]
    chances = _grade_probabilities(tokens, allowed, grade.value)
    if not chances.get(grade.value):  # it was not found where the reply has its grade
        return raw
    total = math.fsum(chances.values())
    shares = tuple((value, chances[value] / total) for value in allowed)
    return GiveGrade.with_probabilities(raw, shares)


def _grade_probabilities(
    tokens: Sequence[Token], allowed: Sequence[float], grade: float
) -> dict[float, float]:
    text = "".join(token.text for token in tokens)
    # The form of the prompt, quoted after the answer, has another grade in such a place.
    ends = [match.end() for match in _GRADE.finditer(text) if float(match[1]) == grade]
    if not ends:
        return {}
    position = 0
    for token in tokens:
        if position <= ends[-1] < position + len(token.text):
            return _digits(token, ends[-1] - position, allowed)
        position += len(token.text)
    return {}


def _digits(token: Token, before: int, allowed: Sequence[float]) -> dict[float, float]:
    # The token may begin before the grade (" 4") and go on after it ("4}").
    chances = dict.fromkeys(allowed, 0.0)
    for text, log in token.top.items():
        digit = _DIGIT.match(text, before) if text.startswith(token.text[:before]) else None
        # Above 0 it is no logarithm of a probability, nor is what is not finite.
        if digit and float(digit[1]) in chances and -math.inf < log <= ROUNDING:
            chances[float(digit[1])] += math.exp(log)
    return chances


SEEDS = 2**31  # seeds below this are taken everywhere

Ask: TypeAlias = Callable[[str], str] | Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Completion:
    """What an LLM wrote.

    Attributes:
        text: The text, untouched; "" if there is none.
        tokens_in: Prompt tokens.
        tokens_out: Tokens written, those of its reasoning included.
        tokens: The tokens with the likely ones in their places, where they are told.
        cut: Whether the bound on its length ended it.
        cached: Prompt tokens among them that the provider read from its cache, and that it wrote
            into it.
        model: The model that answered, as its provider names it; "" where it names none.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens: Sequence[Token] = ()
    cut: bool = False
    cached: tuple[int, int] = (0, 0)
    model: str = ""


def model_name(told: Any) -> str:
    """The name of the model that answered, as its provider tells it; "" where it tells none."""
    name = redacted(told) if isinstance(told, str) else ""
    return " ".join(name.split())[:LONGEST_NAME]


class LLM(AttributeBackend):
    """Base of every backend that reads prompts. A subclass says its `name` and completes.

    Args:
        prompts: Templates that replace the built-in ones, by kind of task.

    Attributes:
        reasons: Which verdicts on statements the built-in prompt asks a reason for; in a run its
            settings say so.
    """

    reasons: Reasons = "failures"

    def __init__(self, prompts: Mapping[str, Template] | None = None) -> None:
        self.prompts: Mapping[str, Template] = dict(prompts or {})

    @property
    @abstractmethod
    def name(self) -> str:
        """Who answers, with everything but the prompt that could change a reply."""

    @abstractmethod
    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What it writes after the prompt.

        Args:
            prompt: The whole prompt.
            schema: JSON schema of the reply, None where it is free text.
            kind: Kind of the task, a name for the schema.
            draw: 0 for the most likely text, n for the n-th other sample; `repeated` of it says
                which of these it asks for once more.

        Raises:
            JudgeError: If nothing came.
        """

    def lengths(self, task: Task[Any]) -> tuple[int, int] | None:
        """Letters read and tokens written, about; None where they are those of its prompt."""
        del task
        return None

    def template(self, kind: type[Task[Any]]) -> Template | None:
        """How it is asked: the user's template, else the task's own, None if there is none."""
        return self.prompts.get(kind.kind) or kind.template_for(self.reasons)

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name and the digest of the prompt; None for a task without a prompt (`Embed`)."""
        template = self.template(kind)
        return f"{self.name}#{template.digest}" if template else None

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What it writes when asked by prompt.

        Raises:
            Unsupported: If there is no prompt for this kind of task.
            JudgeError: If nothing came.
        """
        template = self.template(type(task))
        if template is None:
            raise Unsupported(f"{self.name} reads prompts, and '{task.kind}' has none")
        pieces = task.pieces(template)
        start = time.perf_counter()
        form = task.schema_for(template)
        completion = await self.complete("".join(pieces), form, task.kind, draw)
        ms = (time.perf_counter() - start) * 1000
        return self.replied(task, draw, pieces, completion, ms=ms)

    def replied(
        self,
        task: Task[Any],
        draw: int,
        pieces: tuple[str, ...],
        completion: Completion,
        *,
        ms: float = 0.0,
    ) -> Reply:
        """The reply that is made of what was written after the prompt in these pieces.

        Raises:
            CutShort: If it was cut short and is free text, which unlike JSON does not show that,
                or no text at all.
        """
        raw = completion.text
        if completion.cut and (task.schema is None or not raw.strip()):
            cost = completion.tokens_in, completion.tokens_out
            raise CutShort(f"{self.name} {CUT}", raw=raw, cost=cost)
        if isinstance(task, GiveGrade) and completion.tokens:
            raw = with_grade_probabilities(task, raw, completion.tokens)
        return Reply(
            pieces=pieces,
            raw=raw,
            tokens_in=completion.tokens_in,
            tokens_out=completion.tokens_out,
            ms=ms,
            backend=self.identity(type(task)) or "",
            kind=task.kind,
            draw=draw,
            cached_in=completion.cached[0],
            cache_written=completion.cached[1],
            model=completion.model,
        )


class Function(LLM):
    """A user's own callable from prompt to text, plain or async.

    A time-out or lost connection in it (`OSError`, `TimeoutError`) counts as "no reply came" and
    is retried by `Limiter`; it may raise `Unavailable` or `Denied` itself. Anything else that it
    raises is taken for a bug in it and stops the run.

    Args:
        ask: The callable.
        name: What to call it, instead of its module, name and the digest of its code and of the
            plain values that it holds. Change the name when something else that it goes by (a
            client, a file) changes, or replies of before will be taken from the store; of an
            object that it holds a warning says so.
        prompts: Templates that replace the built-in ones, by kind of task.

    Raises:
        InputError: If it cannot be called with a prompt alone.
    """

    def __init__(
        self, ask: Ask, *, name: str = "", prompts: Mapping[str, Template] | None = None
    ) -> None:
        super().__init__(prompts)
        remedy = "write def judge(prompt), which returns the reply's text; give others a default"
        check_call(ask, ["prompt"], remedy=remedy)
        self._ask = ask
        self._name = name or name_of(ask)
        if not name:
            _warn_of_unreadable(ask, self._name)

    @property
    def name(self) -> str:
        """``module:qualname``, and a digest of its code where it is written in Python."""
        return self._name

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What the callable returns; tokens are estimated, four characters each."""
        del schema, kind, draw  # a plain callable takes nothing but the prompt
        try:
            text = await called(self._ask, prompt)
        except OSError as error:  # TimeoutError and ConnectionError are among them
            error_type = TimedOut if isinstance(error, TimeoutError) else Unavailable
            raise error_type(f"{self.name}: {str(error) or type(error).__name__}") from error
        if not isinstance(text, str):
            fault = f"{self.name} returned {type(text).__name__} instead of str"
            raise InputError(fault, "return the text of the reply")
        return Completion(text, len(prompt) // 4, len(text) // 4)


def _warn_of_unreadable(ask: Ask, name: str) -> None:
    _, unreadable = callable_digest(ask)
    if unreadable:
        values = ", ".join(unreadable)
        warnings.warn(
            f"the name {name} does not tell all that it goes by: {values}. Replies of "
            "the same code with another one would be taken for its own -> give it a name that "
            "tells them apart: Function(ask, name=...)",
            stacklevel=3,
        )
