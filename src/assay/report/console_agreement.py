"""How is agreement with people shown on the console?"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.report import agreement as words
from assay.report import numbers, safe

Json = Mapping[str, Any]
_STYLES: Final = {"yes": "cyan", "no": "bold yellow", "undecided": "yellow", "": ""}
_EXCERPT: Final = 200
_PARTS: Final = 6


def overview(data: Json) -> RenderableType:
    """Every metric with its measures, what they were beside, and what to read."""
    shown: list[RenderableType] = [_metric(metric) for metric in data["metrics"]]
    shown += [_dim(f"{name}: {why}") for name, why in data["without"].items()]
    if data["concordance"]:
        shown.append(concordance(data["concordance"]))
    return Group(*shown)


def _metric(metric: Json) -> RenderableType:
    title = Text(safe.plain(metric["metric"]), style="bold")
    title.append(f"  {words.head(metric)}", style="not bold")
    table = _table(words.heads(metric))
    for row in words.rows(metric):
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    rest = [_dim(note) for note in words.notes(metric)]
    counts = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    lines: list[RenderableType] = [title, table, *([Text(counts)] if counts else []), *rest]
    if metric["worst"]:
        lines.append(Text("Worst disagreements", style="bold"))
        lines += [_case(case) for case in metric["worst"]]
    return Group(*lines, Text())


def _case(case: Json) -> RenderableType:
    head = Text.assemble((safe.plain(case["sample"]), "bold"), f"  {words.difference(case)}  ")
    head.append(_short(case["question"]), style="dim")
    parts = words.evidence(case)
    lines = parts[:_PARTS] if parts else [case["text"]]
    if len(parts) > _PARTS:
        lines.append(f"... and {numbers.plural(len(parts) - _PARTS, 'part')} more")
    return Padding(
        Group(head, *(Padding(_dim(_short(line)), (0, 0, 0, 2)) for line in lines)), (0, 0, 0, 2)
    )


def concordance(table: Json) -> RenderableType:
    """The paper's table."""
    made = _table(("metric", "n", "P(correct)", *words.conditions(table)))
    for row in words.concordance_rows(table):
        made.add_row(*map(Text, row))
    rest = [_dim(f"{name}: {why}") for name, why in table["without"].items()]
    title = Text("Where metrics are high or low, what people say", style="bold")
    return Group(title, made, *rest)


def _table(heads: Iterable[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for place, name in enumerate(heads):
        table.add_column(name, justify="left" if place == 0 else "right", overflow="fold")
    return table


def _short(text: str) -> str:
    flat = " ".join(safe.plain(text).split())
    return flat if len(flat) <= _EXCERPT else f"{flat[:_EXCERPT]}..."


def _dim(text: str) -> Text:
    return Text(safe.plain(text), style="dim")
