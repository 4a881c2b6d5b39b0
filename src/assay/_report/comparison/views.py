"""A comparison on the console, in Markdown and as a page."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay._report import comparison, labels, numbers, sanitize
from assay._report.page import asset, page
from assay._report.sanitize import cell, code, inline
from assay._report.tables import (
    STYLES,
    Name,
    folded,
    joined,
    markdown_table,
    markdown_warnings,
    numeric,
    table,
    warnings,
)
from assay._text.results import between, difference

Json = Mapping[str, Any]
_SAMPLES: Final = 3
_EXCERPT: Final = 160
_PARTS: Final = 2
_METRIC: Final = 14  # characters of its name, at least: "hallucination_" stays whole


def console(data: Json, *, show_all: bool = False) -> RenderableType:
    """The tables, the findings in words, and the samples that changed most."""
    one_other = len(data["runs"]) == 2
    lines: list[RenderableType] = [_answer(text) for text in comparison.answers(data)]
    lines += [Text(), *(_run(run) for run in data["runs"])]
    lines += warnings(data["warnings"])
    tables = comparison.shown(data, show_all=show_all)
    for (run, metrics, left_out), text in zip(tables, data["headlines"], strict=True):
        lines += [Text(), *([] if one_other else [_answer(text)]), _table(run, metrics)]
        lines += [
            _metric_text(metric, text) for metric in metrics if (text := comparison.beside(metric))
        ]
        lines += [Text(f"{sanitize.plain(text)} --all shows more.") for text in left_out]
    lines.append(Text(comparison.legend(data), style="dim"))
    for _, metrics in comparison.changed(data, show_all=show_all):
        lines += [line for metric in metrics for line in _changes(metric)]
    return Group(*lines)


def _answer(text: str) -> Text:
    """What was found of a run."""
    return Text(sanitize.plain(text), style="bold")


def _run(run: Json) -> Text:
    description = f"{run['source']}, {numbers.plural(run['n_samples'], 'sample')}"
    description += ", the baseline" if run["name"] == "A" else ""
    text = f"  {sanitize.plain(run['called'])}  {sanitize.plain(description)}"
    return Text.assemble((run["name"], "bold"), text)


def _table(run: Json, metrics: list[Json]) -> Table:
    name = run["name"]
    grid = table("metric", gap=0)
    numeric(grid, ("A", name, f"{name} - A", "interval", "n", "p", comparison.SIDES))
    grid.columns[0].min_width = _METRIC
    grid.columns[4].no_wrap = False  # the interval, where the rest leaves it no room
    grid.add_column("", no_wrap=True)
    for metric in metrics:
        grid.add_row(*_row(metric))
    return grid


def _row(metric: Json) -> list[RenderableType]:
    name = Text(sanitize.plain(metric["metric"]))
    if not metric["higher_is_better"]:
        name.append(" \N{DOWNWARDS ARROW}", style="dim")
    tone = metric["tone"]
    verdict = Text(f"{labels.SYMBOLS[tone]} {metric['verdict']}", STYLES[tone])
    if metric["verdict"] == "no difference found":
        verdict = Text("none found", style="dim")
    paired = metric["paired"]
    if paired is None:
        return [Name(name), *(Text(numbers.DASH) for _ in range(7)), Text(metric["verdict"])]
    before, after, difference, *remaining_cells = map(Text, comparison.cells(metric))
    difference.style = "bold"
    sides = Text("/".join(comparison.became(metric)))
    return [Name(name), before, after, difference, *remaining_cells, sides, verdict]


def _metric_text(metric: Json, text: str) -> Text:
    """What is said of a metric."""
    return Text.assemble((f"{sanitize.plain(metric['metric'])}: ", "dim"), sanitize.plain(text))


def _changes(metric: Json) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for title, changes in (("became worse", metric["worst"]), ("became better", metric["best"])):
        if changes:
            head = f"{metric['metric']}: what {title} most in {metric['name']}"
            lines += [Text(), Text(sanitize.plain(head), style="bold")]
            lines += [_change(change) for change in changes[:_SAMPLES]]
    return lines


def _change(change: Json) -> RenderableType:
    scores = f"{numbers.score(change['before'])} to {numbers.score(change['after'])}"
    question = sanitize.flat(change["question"] or "")
    head = Text.assemble(
        (scores, "bold"), f"  {sanitize.plain(change['sample'])}  ", (question, "dim")
    )
    part_lines = [Padding(_part_line(part), (0, 0, 0, 2)) for part in change["parts"][:_PARTS]]
    return Group(head, *part_lines)


def _part_line(part: Json) -> RenderableType:
    tone = part["tone"]
    text = Text.assemble(
        (f"{labels.SYMBOLS[tone]} {sanitize.plain(part['words'])}: ", STYLES[tone]),
        _short(part["text"]),
    )
    if part["reason"]:
        text.append(f"  {_short(part['reason'])}", style="dim")
    return text


def _short(text: str) -> str:
    line = sanitize.flat(text)
    return (
        line
        if len(line) <= _EXCERPT
        else line[:_EXCERPT].rsplit(" ", 1)[0] + " \N{HORIZONTAL ELLIPSIS}"
    )


def console_groups(data: Json) -> RenderableType:
    """The scores of one run by a field of its samples."""
    run = numbers.beside(data["title"], data["run"])
    text = sanitize.plain(f"run {run}, by {data['field']}")
    lines: list[RenderableType] = [Text(text, style="bold")]
    lines += warnings(data["warnings"])
    means = table("metric", data["field"], gap=2)
    has_tests = any(group["against"] for metric in data["metrics"] for group in metric["groups"])
    numeric(means, ("mean (s.d.)", "n", "interval", *(["against the others"] if has_tests else [])))
    for metric in data["metrics"]:
        for number, group in enumerate(metric["groups"]):
            name = sanitize.plain(metric["metric"]) if not number else ""
            cells = [group["name"], group["shown"], numbers.count(group["n"]), group["span"]]
            cells += [group["against"]] if has_tests else []
            means.add_row(Text(name), *(Text(sanitize.plain(cell)) for cell in cells))
    lines += [Text(), means]
    lines += [_metric_text(metric, text) for metric in data["metrics"] for text in metric["said"]]
    return Group(*lines, Text(data["legend"], style="dim"))


_MARKDOWN_SAMPLES: Final = 3


def markdown(data: Json) -> str:
    """Runs compared: the tables, the findings in words, the samples that changed most."""
    title = " against ".join(code(run["called"]) for run in (*data["runs"][1:], data["runs"][0]))
    one_other = len(data["runs"]) == 2
    blocks = [f"## {title}", *map(_markdown_answer, comparison.answers(data))]
    blocks.append("\n".join(_markdown_run(run) for run in data["runs"]))
    blocks.append(markdown_warnings(data["warnings"]))
    tables = comparison.shown(data, show_all=False)
    for number, (run, metrics, left_out) in enumerate(tables):
        blocks += [] if one_other else [_markdown_answer(data["headlines"][number])]
        blocks.append(
            markdown_table(_table_heads(run), (_markdown_row(metric) for metric in metrics))
        )
        findings = [
            f"- {code(metric['metric'])}: {inline(text)}"
            for metric in metrics
            if (text := comparison.beside(metric))
        ]
        blocks.append("\n".join(findings))
        if left_out:
            _, all_metrics = comparison.others(data)[number]
            other_metrics = [metric for metric in all_metrics if metric not in metrics]
            inner = markdown_table(
                _table_heads(run), (_markdown_row(metric) for metric in other_metrics)
            )
            blocks.append(folded(" ".join(left_out), inner))
    blocks.append(inline(comparison.legend(data)))
    every_change = comparison.changed(data, show_all=False)
    blocks += [_markdown_changes(metric) for _, metrics in every_change for metric in metrics]
    return joined(blocks)


def _markdown_answer(text: str) -> str:
    return f"**{inline(text)}**"


def _markdown_run(run: Json) -> str:
    base = ", the baseline" if run["name"] == "A" else ""
    n = numbers.plural(run["n_samples"], "sample")
    return f"- {run['name']}: {code(run['called'])}, {code(run['source'])}, {n}{base}"


def _table_heads(run: Json) -> dict[str, str]:
    name = run["name"]
    numbered = dict.fromkeys(("metric", "A", name, f"{name} - A", "interval", "n", "p"), "---:")
    words = {"metric": ":---", "interval": ":---:"}
    return numbered | words | {comparison.SIDES: ":---:", "finding": ":---"}


def _markdown_row(metric: Json) -> list[str]:
    name = cell(metric["metric"]) + ("" if metric["higher_is_better"] else " (lower is better)")
    paired = metric["paired"]
    if paired is None:
        return [name, *[numbers.DASH] * 7, metric["verdict"]]
    before, after, difference, interval, n, p = comparison.cells(metric)
    cells = [before, after, f"**{difference}**", interval, n, inline(p)]
    verdict = f"{labels.SYMBOLS[metric['tone']]} {metric['verdict']}"
    return [name, *cells, " / ".join(comparison.became(metric)), verdict]


def _markdown_changes(metric: Json) -> str:
    lines = []
    for direction, changes in (("worse", metric["worst"]), ("better", metric["best"])):
        for change in changes[:_MARKDOWN_SAMPLES]:
            scores = f"{numbers.score(change['before'])} to {numbers.score(change['after'])}"
            question = f" {inline(change['question'])}" if change["question"] else ""
            lines.append(f"- {direction}, {scores}: {code(change['sample'])}{question}")
            lines += [_markdown_part(part) for part in change["parts"]]
    head = f"**{code(metric['metric'])}: what changed most in {metric['name']}**"
    return "\n".join([head, "", *lines]) if lines else ""


def _markdown_part(part: Json) -> str:
    reason = f" ({inline(part['reason'])})" if part["reason"] else ""
    return f"  - {inline(part['words'])}: {inline(part['text'])}{reason}"


def markdown_groups(data: Json) -> str:
    """The scores of one run by a field of its samples."""
    sides = {
        "metric": ":---",
        cell(data["field"]): ":---",
        "mean (s.d.)": "---:",
        "n": "---:",
        "interval": ":---:",
        "against the others": ":---",
    }
    rows = [
        [
            cell(metric["metric"]),
            inline(group["name"]),
            group["shown"],
            numbers.count(group["n"]),
            group["span"],
            inline(group["against"]),
        ]
        for metric in data["metrics"]
        for group in metric["groups"]
    ]
    run = numbers.beside(data["title"], data["run"])
    return joined(
        [
            f"## run {code(run)} by {code(data['field'])}",
            markdown_warnings(data["warnings"]),
            markdown_table(sides, rows),
            "\n".join(
                f"- {code(metric['metric'])}: {inline(text)}"
                for metric in data["metrics"]
                for text in metric["said"]
            ),
            inline(data["legend"]),
        ]
    )


WIDTH: Final = 240
HEIGHT: Final = 26
# No axis shows less than this share of a range: what is smaller is hardly a difference.
_LEAST: Final = 0.05


@dataclass(frozen=True, slots=True)
class Drawn:
    """One difference with its interval, in the drawing's units."""

    low: float  # left end of the interval
    high: float  # right end of the interval
    at: float  # the difference
    # Left and right end of what so many samples cannot show, None if that is not known.
    blind: tuple[float, float] | None
    limit: float  # the value at the right end of the axis; the left end is its negative
    words: str  # the same for those who cannot see it


def html(data: Json) -> str:
    """The page: a pure function of the comparison, one file without any outside reference."""
    style = asset("style.css") + asset("comparison.css")
    top = comparison.answers(data)
    context = {**overview(data), "top": top, "moment": numbers.moment}
    if len(data["runs"]) == 2:  # it stands at the top of the page
        context["answers"] = ()
    return page("comparison.html", style, version=data["assay"], **context)


def overview(data: Json) -> dict[str, Any]:
    """What the tables of the differences show, for their template."""
    tables = []
    for run, listed_metrics, left_out in comparison.shown(data, show_all=False):
        all_metrics = next(
            metrics for other_run, metrics in comparison.others(data) if other_run is run
        )
        rows = [(metric, _draw_bar(metric, _limit(metric, all_metrics))) for metric in all_metrics]
        visible = [row for row in rows if row[0] in listed_metrics]
        tables.append(
            (run, visible, " ".join(left_out), [row for row in rows if row not in visible])
        )
    return {
        "data": data,
        "tables": tables,
        "answers": data["headlines"],
        "legend": comparison.legend(data),
        "words": comparison,
        "width": WIDTH,
        "height": HEIGHT,
    }


def _limit(metric: Json, metrics: Sequence[Json]) -> float:
    """The end of a metric's axis: metrics of one range share it, without a range it is its own."""
    width = _width(metric)
    same_width = (
        [metric] if width is None else [other for other in metrics if _width(other) == width]
    )
    reach = max(map(_reach, same_width))
    if width is None:
        return _round_up(reach) if reach else 1.0
    return min(_round_up(max(reach, _LEAST * width)), width)


def _width(metric: Json) -> float | None:
    low, high = metric["range"]
    return None if low is None or high is None else float(high - low)


def _round_up(value: float) -> float:
    """The next number that is short to write: 0.00015, 0.2, 80."""
    size = 10.0 ** math.floor(math.log10(value))
    steps = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    short = next((step for step in steps if value <= step * size * (1 + 1e-9)), 10.0)
    return float(f"{short * size:.2g}")


def _reach(metric: Json) -> float:
    paired: Json | None = metric["paired"]
    if paired is None:
        return 0.0
    ends = paired["interval"] or {"low": paired["difference"], "high": paired["difference"]}
    return max(abs(float(ends["low"])), abs(float(ends["high"])), abs(float(paired["difference"])))


def _draw_bar(metric: Json, limit: float) -> Drawn | None:
    paired = metric["paired"]
    if paired is None or paired["interval"] is None:
        return None

    def x(value: float) -> float:
        return round((min(max(value / limit, -1.0), 1.0) + 1) / 2 * WIDTH, 1)

    ends, detectable = paired["interval"], metric["detectable"]
    blind = None if detectable is None else (x(-detectable), x(detectable))
    words = f"difference {difference(paired['difference'], ends)}, interval {between(ends)}"
    return Drawn(x(ends["low"]), x(ends["high"]), x(paired["difference"]), blind, limit, words)
