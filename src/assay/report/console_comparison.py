"""How is a comparison shown on the console?"""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.report import comparison, labels, numbers, run_titles, safe
from assay.report.console_parts import STYLES, flat, numeric, table, warnings

Json = Mapping[str, Any]
_SAMPLES: Final = 3
_EXCERPT: Final = 160
_PARTS: Final = 2
_METRIC: Final = 12  # characters of its name, at least


def runs(data: Json, *, show_all: bool = False) -> RenderableType:
    """The tables, the findings in words, and the samples that changed most.

    Args:
        data: The comparison in words.
        show_all: Whether metrics that show no difference are more than counted.
    """
    lines: list[RenderableType] = [_run(run) for run in data["runs"]]
    lines += warnings(data["warnings"])
    tables = comparison.shown(data, show_all=show_all)
    for run, metrics, left_out in tables:
        lines += [Text(), _table(run, metrics)]
        lines += [_said(one) for one in metrics]
        lines += [Text(f"{safe.plain(text)} --all shows more.") for text in left_out]
    lines.append(Text(comparison.legend(data), style="dim"))
    for _, metrics, _ in tables:
        lines += [line for one in metrics for line in _changes(one)]
    return Group(*lines)


def _run(run: Json) -> Text:
    about = f"{run['source']}, {numbers.plural(run['n_samples'], 'sample')}"
    about += ", the baseline" if run["name"] == "A" else ""
    text = f"  {safe.plain(run['called'])}  {safe.plain(about)}"
    return Text.assemble((run["name"], "bold"), text)


def _table(run: Json, metrics: list[Json]) -> Table:
    name = run["name"]
    found = table("metric")
    numeric(found, ("A", name, f"{name} - A", "interval", "p", "d", comparison.SIDES))
    found.columns[0].min_width = _METRIC
    found.columns[4].no_wrap = False  # the interval, where the rest leaves it no room
    found.add_column("", no_wrap=True)
    for one in metrics:
        found.add_row(*_row(one))
    return found


def _row(one: Json) -> list[Text]:
    name = Text(safe.plain(one["metric"]))
    if not one["higher_is_better"]:
        name.append(" \N{DOWNWARDS ARROW}", style="dim")
    tone = one["tone"]
    verdict = Text(f"{labels.SYMBOLS[tone]} {one['verdict']}", STYLES[tone])
    if one["verdict"] == "no difference found":
        verdict = Text("not found", style="dim")
    found = one["paired"]
    if found is None:
        return [name, *(Text(numbers.DASH) for _ in range(7)), Text(one["verdict"])]
    return [
        name,
        Text(numbers.score(found["before"])),
        Text(numbers.score(found["after"])),
        Text(comparison.signed(found["difference"]), style="bold"),
        Text(comparison.between(found["interval"])),
        Text(comparison.p_value(one["p"])),
        Text(comparison.signed(found["effect"])),
        Text(f"{one['wins']}/{found['same']}/{one['losses']}"),
        verdict,
    ]


def _said(one: Json) -> Text:
    text = Text.assemble((f"{safe.plain(one['metric'])}: ", "dim"), one["said"])
    return text.append(f" {one['counted']}.", style="dim")


def _changes(one: Json) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for title, found in (("became worse", one["worst"]), ("became better", one["best"])):
        if found:
            head = f"{one['metric']}: what {title} most in {one['name']}"
            lines += [Text(), Text(safe.plain(head), style="bold")]
            # Where chance may have moved the scores, it is the samples that are worth a look.
            most = _PARTS if one["tone"] != "plain" else 0
            lines += [_change(change, most) for change in found[:_SAMPLES]]
    return lines


def _change(change: Json, most: int) -> RenderableType:
    moved = f"{numbers.score(change['before'])} to {numbers.score(change['after'])}"
    question = flat(change["question"] or "")
    head = Text.assemble((moved, "bold"), f"  {safe.plain(change['sample'])}  ", (question, "dim"))
    parts = [Padding(_part(part), (0, 0, 0, 2)) for part in change["parts"][:most]]
    return Group(head, *parts)


def _part(part: Json) -> RenderableType:
    tone = part["tone"]
    text = Text.assemble(
        (f"{labels.SYMBOLS[tone]} {safe.plain(part['words'])}: ", STYLES[tone]),
        _short(part["text"]),
    )
    if part["reason"]:
        text.append(f"  {_short(part['reason'])}", style="dim")
    return text


def _short(text: str) -> str:
    line = flat(text)
    return (
        line
        if len(line) <= _EXCERPT
        else line[:_EXCERPT].rsplit(" ", 1)[0] + " \N{HORIZONTAL ELLIPSIS}"
    )


def groups(data: Json) -> RenderableType:
    """The scores of one run by a field of its samples."""
    run = run_titles.beside(data["title"], data["run"])
    text = safe.plain(f"run {run}, by {data['field']}")
    lines: list[RenderableType] = [Text(text, style="bold")]
    lines += warnings(data["warnings"])
    means = table("metric", data["field"], gap=2)
    many = any(group["against"] for one in data["metrics"] for group in one["groups"])
    numeric(means, ("mean (s.d.)", "n", "interval", *(["against the others"] if many else [])))
    for one in data["metrics"]:
        for number, group in enumerate(one["groups"]):
            name = safe.plain(one["metric"]) if not number else ""
            cells = [*_cells(group), *([group["against"]] if many else [])]
            means.add_row(Text(name), *(Text(safe.plain(cell)) for cell in cells))
    lines += [Text(), means]
    lines += [
        Text.assemble((f"{safe.plain(one['metric'])}: ", "dim"), safe.plain(text))
        for one in data["metrics"]
        for text in one["said"]
    ]
    return Group(*lines, Text(data["legend"], style="dim"))


def _cells(group: Json) -> tuple[str, ...]:
    return (group["name"], group["shown"], numbers.count(group["n"]), group["span"])
