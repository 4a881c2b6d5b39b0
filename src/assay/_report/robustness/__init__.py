"""The curves of a perturbed system as plain values and in words, for every form of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from assay._analysis.robustness import FOLLOWS, SHARES, Robustness
from assay._report import numbers
from assay._version import __version__

Json = Mapping[str, Any]
_BLOCKS: Final = "▁▂▃▄▅▆▇█"
HEADS: Final = ("level", "n", "mean", "unperturbed", "difference", "verdict")


def collect(found: Robustness) -> dict[str, Any]:
    """Everything that was found, as plain values."""
    return {"assay": __version__, **msgspec.to_builtins(found)}


def title(data: Json) -> str:
    """What was asked, in a line."""
    return f"{data['target']} over {numbers.plural(data['n'], 'question')} of {data['source']}"


def baseline(data: Json) -> str:
    """The means of the unperturbed answers, in a line."""
    means = (f"{one['metric']} {_beside(one['mean'], one['interval'])}" for one in data["baseline"])
    return f"Unperturbed: {', '.join(means)}."


def perturbations(data: Json) -> Iterator[tuple[str, Sequence[Json]]]:
    """Each perturbation with its curves."""
    for name in dict.fromkeys(one["perturbation"] for one in data["levels"]):
        yield name, [one for one in data["curves"] if one["perturbation"] == name]


def row(point: Json) -> list[str]:
    """A level as a row of the table with `HEADS`."""
    difference = numbers.score(point["difference"])
    sign = "+" if (point["difference"] or 0.0) > 0 else ""
    return [
        point["level"],
        numbers.count(point["n"]),
        _beside(point["mean"], point["interval"]),
        numbers.score(point["baseline"]),
        f"{sign}{difference} ({_span(point['difference_interval'])})",
        point["verdict"],
    ]


def sparkline(curve: Json) -> str:
    """The means over the levels as block characters, behind the unperturbed one; "" without."""
    points = [one for one in curve["points"] if one["mean"] is not None]
    low, high = curve["range"]
    if not points or low is None or high is None:
        return ""
    values = [points[0]["baseline"], *(one["mean"] for one in points)]
    shares = (min(max((value - low) / (high - low), 0.0), 1.0) for value in values)
    return "".join(_BLOCKS[round(share * (len(_BLOCKS) - 1))] for share in shares)


def tone(curve: Json) -> str:
    """Whether a finding is "good", "bad" or "warn" (it could not be told)."""
    verdicts = {one["verdict"] for one in curve["points"]} - {"no scores"}
    if curve["metric"] in SHARES:
        bad = "mostly" if curve["metric"] == FOLLOWS else "seldom"
        good = "seldom" if curve["metric"] == FOLLOWS else "mostly"
    else:
        bad, good = "drops", "holds"
    if bad in verdicts:
        return "bad"
    return "good" if verdicts == {good} else "warn"


def left_out(data: Json, name: str) -> list[str]:
    """How many samples each level of a perturbation applies to, where not to all, and why."""
    by_text: dict[str, list[str]] = {}
    for one in data["levels"]:
        if one["perturbation"] == name and one["left_out"]:
            why = "; ".join(f"{n:,} ({reason})" for reason, n in one["left_out"].items())
            text = f"made of {one['n']:,} of {data['n']:,} samples. Left out: {why}"
            by_text.setdefault(text, []).append(one["level"])
    return [f"{', '.join(levels)}: {text}" for text, levels in by_text.items()]


def combined(data: Json) -> list[str]:
    """The metrics that look at all answers of a sample, a line each."""
    return [
        f"{one['metric']}: {_beside(one['mean'], one['interval'])}, n = {numbers.count(one['n'])}"
        for one in data["combined"]
    ]


def notes(data: Json) -> list[str]:
    """How the numbers are to be read."""
    share, margin = numbers.percent(data["level"]), numbers.score(data["margin"])
    means = (
        f"Means: each interval holds by itself in {share} of 100 cases. Differences to the same "
        "samples unperturbed: all of a curve hold together that often."
    )
    verdicts = (
        f"drops: surely worse. holds: surely no worse by more than {margin} of the metric's range; "
        "where every level holds, no drop is seen. undecided: more questions would tell."
    )
    lines = [means, verdicts]
    if any(one["perturbation"] == "contradicted" for one in data["curves"]):
        lines.append(
            f"{FOLLOWS}: the share of answers that state the altered fact and not the right one. "
            "Where the right fact stands nowhere else (instead), a system that goes by its "
            "contexts follows them; beside it, a careful one says that they disagree."
        )
    return lines


def _beside(mean: float | None, interval: Any) -> str:
    return numbers.DASH if mean is None else f"{numbers.score(mean)} ({_span(interval)})"


def _span(interval: Any) -> str:
    return numbers.span((interval["low"], interval["high"]) if interval else None)
