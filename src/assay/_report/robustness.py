"""The curves of a perturbed system, in words, on the console, in Markdown and as a page."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay._analysis.robustness import FOLLOWS, SHARES, Robustness
from assay._report import numbers, sanitize
from assay._report.numbers import axis, estimate, ticks
from assay._report.page import asset, page, path
from assay._report.tables import (
    BLOCKS,
    STYLES,
    dim,
    joined,
    markdown_list,
    markdown_table,
    numeric,
    table,
)
from assay._text.results import between, difference
from assay._version import __version__

Json = Mapping[str, Any]
_COMMON: Final = ("undecided", "no drop seen")
HEADS: Final = ("level", "n", "mean", "unperturbed", "difference", "verdict")


def collect(robustness: Robustness) -> dict[str, Any]:
    """Everything that was found, as plain values."""
    return {"assay": __version__, **msgspec.to_builtins(robustness)}


def title(data: Json) -> str:
    """What was asked, in a line."""
    return f"{data['target']} over {numbers.plural(data['n'], 'question')} of {data['source']}"


def baseline(data: Json) -> str:
    """The means of the unperturbed answers, in a line."""
    means = (
        f"{metric['metric']} {estimate(metric['mean'], metric['interval'])}"
        for metric in data["baseline"]
    )
    return f"Unperturbed: {', '.join(means)}."


def perturbations(data: Json) -> Iterator[tuple[str, Sequence[Json]]]:
    """Each perturbation with its curves."""
    for name in dict.fromkeys(level["perturbation"] for level in data["levels"]):
        yield name, [curve for curve in data["curves"] if curve["perturbation"] == name]


def answer(data: Json) -> list[tuple[str, str]]:
    """What was found, the drops first, and its tone.

    "typos: drops from 0.1 on (faithfulness)"; what many curves have in common stands once: "no drop
    seen: letters, keywords (faithfulness)".
    """
    by_finding: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for curve in data["curves"]:
        name, finding = curve["perturbation"], curve["finding"]
        key = ("" if finding in _COMMON else name, finding, tone(curve))
        by_finding.setdefault(key, {}).setdefault(name, []).append(curve["metric"])
    lines = [
        (
            f"{name}: {finding} ({', '.join(metrics[name])})"
            if name
            else f"{finding}: {_perturbed_in_words(metrics)}",
            shade,
        )
        for (name, finding, shade), metrics in by_finding.items()
    ]
    return sorted(lines, key=lambda line: ("bad", "warn", "good").index(line[1]))


def _perturbed_in_words(perturbed: Mapping[str, Sequence[str]]) -> str:
    """Perturbations with their metrics; what all of one metric have in common stands once."""
    by_metrics: dict[tuple[str, ...], list[str]] = {}
    for name, metrics in perturbed.items():
        by_metrics.setdefault(tuple(metrics), []).append(name)
    phrases = (
        f"{', '.join(names)} ({', '.join(metrics)})" for metrics, names in by_metrics.items()
    )
    return "; ".join(phrases)


def row(point: Json) -> list[str]:
    """A level as a row of the table with `HEADS`."""
    ends = point["difference_interval"]
    gain = numbers.DASH
    if point["difference"] is not None:
        gain = difference(point["difference"], ends)
    return [
        point["level"],
        numbers.count(point["n"]),
        estimate(point["mean"], point["interval"]),
        numbers.score(point["baseline"]),
        f"{gain} ({between(ends) or numbers.DASH})",
        point["verdict"],
    ]


def sparkline(curve: Json) -> str:
    """The means over the levels as block characters, behind the unperturbed one; "" without."""
    points = [point for point in curve["points"] if point["mean"] is not None]
    low, high = curve["range"]
    if not points or low is None or high is None:
        return ""
    values = [points[0]["baseline"], *(point["mean"] for point in points)]
    shares = (min(max((value - low) / (high - low), 0.0), 1.0) for value in values)
    return "".join(BLOCKS[round(share * (len(BLOCKS) - 1))] for share in shares)


def tone(curve: Json) -> str:
    """Whether a finding is "good", "bad" or "warn" (it could not be told)."""
    verdicts = {point["verdict"] for point in curve["points"]} - {"no scores"}
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
    for level in data["levels"]:
        if level["perturbation"] == name and level["left_out"]:
            reasons = "; ".join(f"{n:,} ({reason})" for reason, n in level["left_out"].items())
            text = f"made of {level['n']:,} of {data['n']:,} samples. Left out: {reasons}"
            by_text.setdefault(text, []).append(level["level"])
    return [f"{', '.join(levels)}: {text}" for text, levels in by_text.items()]


def combined(data: Json) -> list[str]:
    """The metrics that look at all answers of a sample, a line each."""
    return [
        f"{row['metric']}: {estimate(row['mean'], row['interval'])}, n = {numbers.count(row['n'])}"
        for row in data["combined"]
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
    if any(curve["metric"] in SHARES for curve in data["curves"]):
        shares = " and ".join(sorted({curve["metric"] for curve in data["curves"]} & SHARES.keys()))
        lines.append(f"{shares}: shares of answers. mostly, seldom: surely above, below one half.")
    if any(curve["perturbation"] == "contradicted" for curve in data["curves"]):
        lines.append(
            f"{FOLLOWS}: the share of answers that state the altered fact and not the right one. "
            "Where the right fact stands nowhere else (instead), a system that goes by its "
            "contexts follows them; beside it, a careful one says that they disagree."
        )
    return lines


def console(data: Json) -> RenderableType:
    """Each perturbation with a table a metric, and how they are to be read."""
    lines: list[RenderableType] = [Text(sanitize.plain(title(data)), "bold")]
    lines.append(Text(sanitize.plain(baseline(data))))
    lines += [Text(sanitize.plain(line), STYLES[shade]) for line, shade in answer(data)]
    for name, curves in perturbations(data):
        lines += _perturbation(data, name, curves)
    if data["combined"]:
        lines += [Text(), *(Text(sanitize.plain(line)) for line in combined(data))]
    return Group(*lines, Text(), *(dim(note) for note in notes(data)))


def _perturbation(data: Json, name: str, curves: Any) -> Iterator[RenderableType]:
    yield Text()
    yield Text.assemble((name, "bold"), f"  {curves[0]['title']}" if curves else "")
    for curve in curves:
        head = Text(sanitize.plain(curve["metric"]))
        if not curve["higher_is_better"]:
            head.append(" \N{DOWNWARDS ARROW} lower is better", "dim")
        head.append(f"  {sparkline(curve)}", STYLES[tone(curve)])
        yield head
        levels = table(HEADS[0])
        numeric(levels, HEADS[1:-1])
        levels.add_column("")
        for point in curve["points"]:
            levels.add_row(*(Text(sanitize.plain(cell)) for cell in row(point)))
        yield levels
    for text in left_out(data, name):
        yield dim(text)


def markdown(data: Json) -> str:
    """The same in Markdown."""
    blocks = [f"# {sanitize.inline(title(data))}", sanitize.inline(baseline(data))]
    blocks.append(markdown_list(line for line, _ in answer(data)))
    sides = {head: ":---" if head in ("level", "verdict") else "---:" for head in HEADS}
    for name, curves in perturbations(data):
        blocks.append(f"## {name}")
        for curve in curves:
            rows = (map(sanitize.inline, row(point)) for point in curve["points"])
            blocks += [f"**{sanitize.inline(curve['metric'])}**", markdown_table(sides, rows)]
        blocks.append(markdown_list(left_out(data, name)))
    return joined([*blocks, markdown_list(combined(data)), markdown_list(notes(data))])


WIDTH: Final = 400
HEIGHT: Final = 150


@dataclass(frozen=True, slots=True)
class Mark:
    """A level in the drawing's units; `low` is None without an interval."""

    x: float
    y: float
    baseline: float
    low: float | None
    high: float | None
    level: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """One curve as it is drawn."""

    curve: Json
    tone: str
    marks: Sequence[Mark]
    path: str  # through the means
    baseline: str  # through the means of the same samples unperturbed
    ticks: Sequence[tuple[float, str]]  # (y, value) of the lines of the grid


def html(data: Json) -> str:
    """The page: a pure function of what was found, one file without any outside reference."""
    return page(
        "robustness.html",
        asset("style.css") + asset("history.css") + asset("robustness.css"),
        version=data["assay"],
        data=data,
        parts=[
            (name, [_picture(curve) for curve in curves]) for name, curves in perturbations(data)
        ],
        words=sys.modules[__name__],
        w=WIDTH,
        h=HEIGHT,
    )


def _picture(curve: Json) -> Picture:
    points = [point for point in curve["points"] if point["mean"] is not None]
    ends = [(point["interval"]["low"], point["interval"]["high"]) if point["interval"] else None
            for point in points]  # fmt: skip
    plotted = [
        {"mean": value, "interval": end}
        for point, end in zip(points, ends, strict=True)
        for value in (point["mean"], point["baseline"])
    ]
    low, high = curve["range"]
    step = 0.0 if low is None or high is None else (high - low) / 5
    if not step:
        low, high, step = axis([{"points": plotted}], curve["range"])

    def y(value: float) -> float:
        return round(float((high - value) / (high - low)) * HEIGHT, 1)

    gap = WIDTH / max(1, len(points))
    marks = [
        Mark(
            x=round((index + 0.5) * gap, 1),
            y=y(point["mean"]),
            baseline=y(point["baseline"]),
            low=y(end[0]) if end else None,
            high=y(end[1]) if end else None,
            level=point["level"],
            title=f"{point['level']}: {', '.join(row(point)[1:])}",
        )
        for index, (point, end) in enumerate(zip(points, ends, strict=True))
    ]
    return Picture(
        curve,
        tone(curve),
        marks,
        path((mark.x, mark.y) for mark in marks),
        path((mark.x, mark.baseline) for mark in marks),
        [(y(value), numbers.score(value)) for value in ticks(low, high, step)],
    )
