"""How is agreement with people shown on the console?"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from assay.analysis.agreement import Agreement, Disagreement
from assay.analysis.concordance import Concordance
from assay.report import agreement as words
from assay.report import numbers, safe
from assay.report.console_parts import dim, flat, measures

Json = Mapping[str, Any]
_STYLES: Final = {"yes": "cyan", "no": "bold yellow", "undecided": "yellow", "": ""}
_EXCERPT: Final = 200
_PARTS: Final = 6


def overview(data: Json) -> RenderableType:
    """Every metric with its measures, what they were beside, and what to read."""
    found = msgspec.convert(data, words.Told)
    shown: list[RenderableType] = [_metric(metric) for metric in found.metrics]
    shown += [dim(f"{name}: {why}") for name, why in found.without.items()]
    if found.concordance:
        shown.append(_concordance(found.concordance))
    return Group(*shown)


def _metric(metric: Agreement) -> RenderableType:
    title = Text(safe.plain(metric.metric), style="bold")
    title.append(f"  {words.head(metric)}", style="not bold")
    table = measures(words.heads(metric))
    for row in words.rows(metric):
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    rest = [dim(note) for note in words.notes(metric)]
    counts = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    lines: list[RenderableType] = [title, table, *([Text(counts)] if counts else []), *rest]
    if metric.worst:
        lines.append(Text("Worst disagreements", style="bold"))
        lines += [_case(case) for case in metric.worst]
    return Group(*lines, Text())


def _case(case: Disagreement) -> RenderableType:
    head = Text.assemble((safe.plain(case.sample), "bold"), f"  {words.difference(case)}  ")
    head.append(_short(case.question), style="dim")
    parts = words.evidence(case)
    lines = parts[:_PARTS] if parts else [case.text]
    if len(parts) > _PARTS:
        lines.append(f"... and {numbers.plural(len(parts) - _PARTS, 'part')} more")
    return Padding(
        Group(head, *(Padding(dim(_short(line)), (0, 0, 0, 2)) for line in lines)), (0, 0, 0, 2)
    )


def _concordance(table: Concordance) -> RenderableType:
    """The paper's table."""
    made = measures(("metric", "n", "P(correct)", *words.conditions(table)))
    for row in words.concordance_rows(table):
        made.add_row(*map(Text, row))
    rest = [dim(f"{name}: {why}") for name, why in table.without.items()]
    title = Text("Where metrics are high or low, what people say", style="bold")
    return Group(title, made, *rest)


def _short(text: str) -> str:
    line = flat(text)
    return line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]}..."
