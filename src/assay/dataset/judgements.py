"""Which number does a person's judgement stand for?"""

import difflib
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from assay.dataset.aliases import normal
from assay.dataset.values import FieldError, describe, is_finite, of_decimal
from assay.errors import InputError

YES: Final = (
    *("true", "yes", "y", "correct", "right", "supported", "attributable", "entailed", "grounded"),
    *("faithful", "consistent", "relevant", "useful", "good", "pass", "passed", "ok", "complete"),
)
NO: Final = (
    *("false", "no", "n", "incorrect", "wrong", "unsupported", "not supported", "refuted"),
    *("not attributable", "contradicted", "contradictory", "hallucinated", "ungrounded"),
    *("unfaithful", "inconsistent", "irrelevant", "useless", "bad", "fail", "failed"),
    *("not relevant", "not correct", "incomplete"),
)
FIRST: Final = ("a", "answer a", "first", "a better", "a is better")
SECOND: Final = ("b", "answer b", "second", "b better", "b is better")
TIE: Final = ("tie", "equal", "draw", "same", "both", "neither")
OPEN: Final = ("", "na", "n/a", "none", "null", "skip", "skipped", "unsure", "unknown", "?", "-")

_VERDICTS: Final = {normal(w): v for v, words in ((1.0, YES), (0.0, NO)) for w in words}
_PREFERENCES: Final = {
    normal(w): v for v, words in ((1.0, FIRST), (0.0, SECOND), (0.5, TIE)) for w in words
}


def scale(levels: Sequence[str]) -> dict[str, float]:
    """Number of each level of an ordinal scale, worst first, from 0.

    Raises:
        InputError: If there is only one level or one stands there twice.
    """
    names = [normal(level) for level in levels]
    if levels and (len(set(names)) < len(names) or len(names) < 2):
        raise InputError(
            f"levels '{','.join(levels)}' are not a scale", "name two or more, worst first"
        )
    return {name: float(place) for place, name in enumerate(names)}


def number(value: Any, levels: Mapping[str, float]) -> tuple[bool, float] | None:
    """(whether it prefers one of two answers, the number); None if it was left open.

    Raises:
        FieldError: If it is no judgement.
    """
    if isinstance(value, str):
        return _of_text(value, levels)
    if value is None:
        return None
    given = of_decimal(value)
    if isinstance(given, bool | int | float) and is_finite(given):
        return False, float(given)
    raise FieldError(f"is {describe(value)}, but must be a label", _REMEDY)


_REMEDY: Final = (
    "give yes/no, a number, A/B/tie, or one of the levels (give them as levels, worst first)"
)


def _of_text(value: str, levels: Mapping[str, float]) -> tuple[bool, float] | None:
    stripped = value.strip().lower()
    key = normal(value)
    if key in levels:
        return False, levels[key]
    if stripped in OPEN:
        return None
    with suppress(ValueError):
        found = float(stripped)
        if math.isfinite(found) and "_" not in stripped:
            return False, found
    if key in _VERDICTS and not levels:
        return False, _VERDICTS[key]
    if key in _PREFERENCES and not levels:
        return True, _PREFERENCES[key]
    near = difflib.get_close_matches(key, levels or _VERDICTS, n=1, cutoff=0.75)
    hint = f"did you mean '{near[0]}'? " if near else ""
    raise FieldError(f"is {describe(value)}, which is not a label", hint + _REMEDY)
