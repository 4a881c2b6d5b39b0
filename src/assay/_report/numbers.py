"""Numbers and names as people read them, the same way on every page."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay._store import Run
from assay._store.runs import written
from assay._text.results import extent, rounded
from assay.stats.intervals import Interval

DASH = "\N{EN DASH}"


def score(value: float | None) -> str:
    """A score with the digits that a reader can use; a dash where there is none."""
    if value is None:
        return DASH
    return rounded(value)


def span(pair: Sequence[float] | None, between: str = " to ") -> str:
    """An interval or a pair of bounds."""
    return DASH if pair is None else extent(pair[0], pair[1], between)


def interval(of: Interval | Mapping[str, float] | None) -> str:
    """An interval of a score, also as plain values; a dash where there is none."""
    if isinstance(of, Mapping):
        return span((of["low"], of["high"]) if of else None)
    return span((of.low, of.high) if of else None)


def estimate(value: float | None, of: Interval | Mapping[str, float] | None) -> str:
    """A score with its interval: "0.61 (0.52 to 0.70)"; a dash where there is none."""
    return DASH if value is None else f"{score(value)} ({interval(of)})"


def count(number: int | None) -> str:
    """A count with thousands apart."""
    return DASH if number is None else f"{number:,}"


def percent(share: float) -> str:
    """A share in percent, without the sign; 99.6 is not read as all of them, nor 0.4 as none."""
    for digits in (0, 1, 2):
        text = f"{100 * share:.{digits}f}"
        if share in (0, 1) or 0 < float(text) < 100:
            return text
    return "<0.01" if share < 0.5 else ">99.99"


def plural(number: int, noun: str) -> str:
    """A number with its noun: 1 sample, 2 samples."""
    if number == 1:
        return f"1 {noun}"
    stem = f"{noun[:-1]}ie" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else noun
    return f"{number:,} {stem}s"


def seconds(amount: float) -> str:
    """A duration as people say it."""
    if round(amount, 1) < 60:
        return f"{amount:.1f} s"
    minutes, seconds_left = divmod(round(amount), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds_left} s"


def milliseconds(amount: float) -> str:
    """The duration of one call."""
    return f"{amount:,.0f} ms" if amount < 10_000 else seconds(amount / 1000)


def money(amount: float) -> str:
    """An amount in the currency of the price list, which the report does not know."""
    if 0 < amount < 0.0001:  # little is not nothing
        return f"{amount:.1g}"
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.4f}"


def detail(value: Any) -> str:
    """One of a score's further facts, of whatever type."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return score(value)
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def exact(value: Any) -> str:
    """One of a sample's further facts, as the data has it: nothing is rounded."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def calls(replies: Sequence[Mapping[str, Any]]) -> str:
    """What some calls to the judge took in all; encoders count no tokens."""
    tokens = sum(reply["tokens_in"] + reply["tokens_out"] for reply in replies)
    phrases = [plural(len(replies), "judge call"), plural(tokens, "token") if tokens else ""]
    phrases.append(milliseconds(sum(reply["ms"] for reply in replies)))
    return ", ".join(phrase for phrase in phrases if phrase)


def moment(text: str) -> str:
    """An ISO time stamp in UTC, as people read it."""
    return text.replace("T", " ").removesuffix("Z").removesuffix("+00:00").split(".")[0] + " UTC"


_EMBEDDED = re.compile(r"embedded:v([\d.]+)(?:\+[\w.-]+:[0-9a-f]+)*")
_LARGE = re.compile(r"embedded:v([\d.]+)\+[\w.-]+\+mpnet[\w.-]*:[0-9a-f]+(?:\+[\w.-]+:[0-9a-f]+)*")


def called(run: Run) -> str:
    """``k5 (1a2b3c4d)``, or ``questions.jsonl, 24 Nov 14:03 (1a2b3c4d)``."""
    return beside(run.title, run.id)


def beside(title: str, id_: str) -> str:
    """A run's title with its short id."""
    return f"{title} ({id_[:8]})" if title else id_[:8]


def run_description(run: Run) -> dict[str, Any]:
    """What people say of a run, as plain values, and what it is called where they say nothing."""
    description: dict[str, Any] = msgspec.to_builtins(run.description)
    return {"title": run.title, **description}


def remarks(run: Mapping[str, Any]) -> str:
    """Its tags, parameters and note in a line: ``k=5, model=small; nightly``; "" without any."""
    params = ", ".join(f"{key}={written(value)}" for key, value in run["params"].items())
    return "; ".join(filter(None, [params, ", ".join(run["tags"]), run["note"]]))


def judge_in_words(name: str) -> str:
    """A judge's name as people say it: of the embedded one the version, without its models."""
    return _EMBEDDED.sub(r"embedded \1", _LARGE.sub(r"embedded:large \1", name))


def axis(series: Sequence[Mapping[str, Any]], ends: Sequence[float | None]) -> list[float]:
    """The ends of an axis on which all means and intervals have their place, and its step."""
    values = [value for line in series for point in line["points"] for value in reach(point)]
    lowest, highest = min(values, default=0.0), max(values, default=1.0)
    bottom, top = ends
    # No axis shows less than a twentieth of the range, or where it is open half of the values.
    if bottom is None or top is None:
        fewest = max(abs(lowest), abs(highest)) / 2 or 0.05
    else:
        fewest = (top - bottom) / 20
    step = _step(max(highest - lowest, fewest))
    low, high = math.floor(lowest / step) * step, math.ceil(highest / step) * step
    low = low if bottom is None else max(low, bottom)
    high = high if top is None else min(high, top)
    if high <= low:  # all the same, with nothing known of how far off it may be
        low, high = (low - step, high) if high == top else (low, low + step)
    return [round(low, 12), round(high, 12), step]


def ticks(low: float, high: float, step: float) -> list[float]:
    """The round values on an axis."""
    first = math.ceil(round(low / step, 6))
    return [round(n * step, 12) for n in range(first, math.floor(round(high / step, 6)) + 1)]


def _step(width: float) -> float:
    """A round number of which a handful make this width."""
    size = 10.0 ** math.floor(math.log10(width))
    return next(size * factor for factor in (0.2, 0.5, 1.0, 2.0) if width <= 5 * size * factor)


def reach(point: Mapping[str, Any]) -> list[float]:
    """The mean and the ends of its interval, as far as they are known."""
    return [value for value in (point["mean"], *(point["interval"] or ())) if value is not None]
