"""How likely a language model is to write a text after another one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from assay.errors import Unreadable
from assay.judge import Task
from assay.prompt import Material
from assay.tasks.base import encode
from assay.tasks.parsing import decode

# A probability of 1 may come out as a little more where it was computed with few bits.
_ROUNDING = 0.01


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The tokens of a text and how likely each is after all before it.

    Attributes:
        tokens: The tokens as the model writes them.
        logprobs: Their natural log-probabilities, 0 or less, by the model's own distribution.
    """

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]


class _LikelihoodForm(msgspec.Struct, frozen=True):
    tokens: list[str]
    logprobs: list[float]


@dataclass(frozen=True)
class MeasureLikelihood(Task[Likelihood]):
    """The log-probability of every token of a text after another one. Measured, never asked for.

    Attributes:
        before: What stands before the text: an instruction with what it is about.
        text: The text; not blank.
    """

    before: str
    text: str

    def material(self) -> Sequence[Material]:
        """What stands before, and the text."""
        return (Material("before", self.before), Material("text", self.text))

    def read(self, raw: str) -> Likelihood:
        """The tokens; raises Unreadable if there is none or a number is no log-probability."""
        form = decode(raw, _LikelihoodForm)
        if not form.tokens or len(form.tokens) != len(form.logprobs):
            what = f"{len(form.logprobs)} log-probabilities for {len(form.tokens)} tokens"
            raise Unreadable(what, raw=raw)
        if not all(-math.inf < value <= _ROUNDING for value in form.logprobs):
            raise Unreadable("a number that is no log-probability", raw=raw)
        return Likelihood(tuple(form.tokens), tuple(min(0.0, value) for value in form.logprobs))

    @staticmethod
    def reply(tokens: Sequence[str], logprobs: Sequence[float]) -> str:
        """A reply in the form that is read."""
        return encode(_LikelihoodForm(list(tokens), list(logprobs)))
