"""Is what a metric of the user's own returned an outcome that is kept and can be read again?"""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from assay.data.values import describe
from assay.errors import InputError
from assay.judge import Judge
from assay.metrics import Metric
from assay.metrics.custom import quoted
from assay.sample import Sample
from assay.score import NoNumber, Outcome, Score, Unscored
from assay.store import rows

_BUILT_IN: Final = "assay.metrics."
_WHY: Final = ("undefined", "failed", "unanswered")
_TEXTS = "kind, text, label, reason and quote of a Part are texts, parts a tuple of Parts"
_PLAIN = "give texts, numbers, and lists and dicts of them"


async def returned(metric: Metric, sample: Sample, judge: Judge) -> Outcome:
    """What the metric says of the sample.

    Raises:
        InputError: If a metric of the user's own returned what cannot be kept; what to return.
    """
    if type(metric).__module__.startswith(_BUILT_IN):
        return await metric.score(sample, judge)
    where = f"{metric.label} of {sample.id}"
    try:
        coming: Any = metric.score(sample, judge)
        if not inspect.isawaitable(coming):
            raise InputError(f"`score` of {metric.label} is not async", "write `async def score`")
        made: Any = await coming
    except NoNumber as error:
        remedy = "give a number; where there is none, return Unscored('undefined', why)"
        raise InputError(f"{where}: {error}", remedy) from error
    if not isinstance(made, (Score, Unscored)):
        raise InputError(f"{where} is {quoted(made)}", "return a Score or an Unscored")
    if isinstance(made, Unscored) and made.why not in _WHY:
        remedy = "why is 'undefined', 'failed' or 'unanswered'"
        raise InputError(f"{where}: why is {quoted(made.why)}", remedy)
    _check(made, where)
    return made


def _check(made: Outcome, where: str) -> None:
    """Raise InputError if it could not be read again from the store."""
    try:
        value, why, detail, _, evidence, _ = rows.outcome_values(made, ())
        rows.outcome(value, why, detail, evidence, b"")
        msgspec.json.decode(msgspec.json.encode(detail), type=str)
    except msgspec.ValidationError as error:
        what, _, place = str(error).replace("`", "").partition(" - at $")
        named = place.removeprefix(".") or "detail"
        raise InputError(f"{where}: {named}: {what[0].lower()}{what[1:]}", _TEXTS) from error
    except RecursionError as error:
        raise InputError(f"{where}: its evidence is nested too deeply", _PLAIN) from error
    except (TypeError, ValueError, OverflowError) as error:
        place, leaf = _place(made)
        if isinstance(leaf, str):
            remedy = "repair the text where it was cut or wrongly decoded"
            raise InputError(f"{where}: {place} holds half of a character", remedy) from error
        raise InputError(f"{where}: {place} is {describe(leaf)}", _PLAIN) from error


def _place(value: object, at: str = "") -> tuple[str, object]:
    """Where the innermost value stands that cannot be written, and the value."""
    for place, item in _items(value):
        if not _is_written(item):
            return _place(item, f"{at}{place}")
    return at.removeprefix("."), value


def _items(value: object) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        yield from ((f".{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value))
    elif isinstance(value, Mapping):
        yield from ((f"[{key!r}]", item) for key, item in value.items())
    elif isinstance(value, list | tuple):
        yield from ((f"[{n}]", item) for n, item in enumerate(value))


def _is_written(value: object) -> bool:
    try:
        msgspec.json.encode(value, enc_hook=rows.plain_number)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
