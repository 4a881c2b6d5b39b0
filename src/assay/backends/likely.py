"""How likely is each grade in the place where a model wrote one? Its log-probabilities tell."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import Unreadable
from assay.tasks import GiveGrade, give_grade

# Kinds of tasks that gain by the likely tokens at each position.
WEIGHED = frozenset({GiveGrade.kind})

_GRADE = re.compile(r'"grade"\s*:\s*(?=(-?\d+(?:\.\d+)?))')
_DIGIT = re.compile(r"(\d)(?![\d.])")
# A probability of 1 may come out as a little more where it was computed with few bits.
ROUNDING = 0.01


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply.

    Attributes:
        text: What it says.
        top: Log-probability of the likely tokens in its place, by their text.
    """

    text: str
    top: Mapping[str, float]


def weighed(task: GiveGrade, raw: str, tokens: Sequence[Token]) -> str:
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
    chances = _chances(tokens, allowed, grade.value)
    if not chances.get(grade.value):  # it was not found where the reply has its grade
        return raw
    total = math.fsum(chances.values())
    shares = tuple((value, chances[value] / total) for value in allowed)
    return give_grade.with_probabilities(raw, shares)


def _chances(tokens: Sequence[Token], allowed: Sequence[float], grade: float) -> dict[float, float]:
    text = "".join(token.text for token in tokens)
    # The form of the prompt, quoted after the answer, has another grade in such a place.
    places = [match.end() for match in _GRADE.finditer(text) if float(match[1]) == grade]
    if not places:
        return {}
    at = 0
    for token in tokens:
        if at <= places[-1] < at + len(token.text):
            return _digits(token, places[-1] - at, allowed)
        at += len(token.text)
    return {}


def _digits(token: Token, before: int, allowed: Sequence[float]) -> dict[float, float]:
    # The token may begin before the grade (" 4") and go on after it ("4}").
    chances = dict.fromkeys(allowed, 0.0)
    for text, log in token.top.items():
        found = _DIGIT.match(text, before) if text.startswith(token.text[:before]) else None
        # Above 0 it is no logarithm of a probability, nor is what is not finite.
        if found and float(found[1]) in chances and -math.inf < log <= ROUNDING:
            chances[float(found[1])] += math.exp(log)
    return chances
