"""The curves of a perturbed system on the console and in Markdown."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from assay._report import robustness as words
from assay._report import sanitize
from assay._report.tables import (
    STYLES,
    dim,
    joined,
    markdown_list,
    markdown_table,
    numeric,
    table,
)

Json = Mapping[str, Any]


def console(data: Json) -> RenderableType:
    """Each perturbation with a table a metric, and how they are to be read."""
    lines: list[RenderableType] = [Text(sanitize.plain(words.title(data)), "bold")]
    lines.append(Text(sanitize.plain(words.baseline(data))))
    for name, curves in words.perturbations(data):
        lines += _perturbation(data, name, curves)
    if data["combined"]:
        lines += [Text(), *(Text(sanitize.plain(line)) for line in words.combined(data))]
    return Group(*lines, Text(), *(dim(note) for note in words.notes(data)))


def _perturbation(data: Json, name: str, curves: Any) -> Iterator[RenderableType]:
    yield Text()
    yield Text.assemble((name, "bold"), f"  {curves[0]['title']}" if curves else "")
    for curve in curves:
        head = Text(sanitize.plain(curve["metric"]))
        if not curve["higher_is_better"]:
            head.append(" \N{DOWNWARDS ARROW} lower is better", "dim")
        head.append(f"  {words.sparkline(curve)}  ")
        head.append(sanitize.plain(curve["finding"]), STYLES[words.tone(curve)])
        yield head
        made = table(words.HEADS[0])
        numeric(made, words.HEADS[1:-1])
        made.add_column("")
        for point in curve["points"]:
            made.add_row(*(Text(sanitize.plain(cell)) for cell in words.row(point)))
        yield made
    for text in words.left_out(data, name):
        yield dim(text)


def markdown(data: Json) -> str:
    """The same in Markdown."""
    blocks = [f"# {sanitize.inline(words.title(data))}", sanitize.inline(words.baseline(data))]
    sides = {head: ":---" if head in ("level", "verdict") else "---:" for head in words.HEADS}
    for name, curves in words.perturbations(data):
        blocks.append(f"## {name}")
        for curve in curves:
            line = f"**{sanitize.inline(curve['metric'])}**: {sanitize.inline(curve['finding'])}"
            rows = (map(sanitize.inline, words.row(point)) for point in curve["points"])
            blocks += [line, markdown_table(sides, rows)]
        blocks.append(markdown_list(words.left_out(data, name)))
    return joined([*blocks, markdown_list(words.combined(data)), markdown_list(words.notes(data))])
