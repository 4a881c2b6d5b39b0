"""Agreement with human labels on the console and in Markdown."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from assay._analysis.agreement import Agreement, Disagreement
from assay._analysis.concordance import Concordance
from assay._report import agreement as words
from assay._report import numbers, sanitize, titles
from assay._report.sanitize import code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_measures, measures, shorten

Json = Mapping[str, Any]
_STYLES: Final = {"yes": "cyan", "no": "bold yellow", "undecided": "yellow", "": ""}
_EXCERPT: Final = 200
_PARTS: Final = 6


def console(data: Json) -> RenderableType:
    """Every metric with its measures, what they were beside, and what to read."""
    report = msgspec.convert(data, words.AgreementReport)
    blocks: list[RenderableType] = [_metric(metric) for metric in report.metrics]
    blocks += [dim(f"{name}: {why}") for name, why in report.without.items()]
    if report.concordance:
        blocks.append(_concordance(report.concordance))
    return Group(*blocks)


def _metric(metric: Agreement) -> RenderableType:
    title = Text(sanitize.plain(metric.metric), style="bold")
    title.append(f"  {words.head(metric)}", style="not bold")
    table = measures(words.heads(metric), words.rows(metric), _STYLES)
    rest = [dim(note) for note in words.notes(metric)]
    counts = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    lines: list[RenderableType] = [title, table, *([Text(counts)] if counts else []), *rest]
    if metric.worst:
        lines.append(Text("Worst disagreements", style="bold"))
        lines += [_case(case) for case in metric.worst]
    return Group(*lines, Text())


def _case(case: Disagreement) -> RenderableType:
    head = Text.assemble((sanitize.plain(case.sample), "bold"), f"  {words.difference(case)}  ")
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
    heads = words.concordance_heads(table)
    rest = [dim(f"{name}: {why}") for name, why in table.without.items()]
    title = Text("Where metrics are high or low, what people say", style="bold")
    return Group(title, measures(heads, words.concordance_rows(table)), *rest)


def _short(text: str) -> str:
    return shorten(text, _EXCERPT, "...")


def markdown(data: Json) -> str:
    """Every metric with its measures, what they were beside, and what to read."""
    report = msgspec.convert(data, words.AgreementReport)
    run = titles.beside(report.title, report.run)
    blocks = [f"## Run {code(run)} and people ({code(report.labels)})"]
    for metric in report.metrics:
        blocks += _markdown_metric(metric)
    blocks += [f"{code(name)}: {inline(why)}" for name, why in report.without.items()]
    if report.concordance:
        blocks += _markdown_concordance(report.concordance)
    return joined(blocks)


def _markdown_metric(metric: Agreement) -> list[str]:
    both = ", ".join(f"{n} {what}" for what, n in words.counts(metric))
    cases = [
        f"- {code(case.sample)}: {inline(words.difference(case))}. {inline(case.text)}"
        for case in metric.worst
    ]
    return [
        f"### {code(metric.metric)}",
        f"{inline(words.head(metric))}.",
        markdown_measures(words.heads(metric), words.rows(metric)),
        f"{both}." if both else "",
        markdown_list(words.notes(metric)),
        "Worst disagreements:" if cases else "",
        "\n".join(cases),
    ]


def _markdown_concordance(table: Concordance) -> list[str]:
    rest = [f"- {code(name)}: {inline(why)}" for name, why in table.without.items()]
    grids = [
        block
        for name, rows in words.grids(table)
        for block in (
            f"{code(name)} at other thresholds:",
            markdown_measures(words.GRID_HEADS, rows),
        )
    ]
    drawn = markdown_measures(words.concordance_heads(table), words.concordance_rows(table))
    return ["### Concordance", drawn, "\n".join(rest), *grids]
