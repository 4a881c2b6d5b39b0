"""Titled tables with remarks: on the console, in Markdown, and as a page without scripts."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from assay._report.page import asset, page
from assay._report.sanitize import inline, plain
from assay._report.tables import (
    dim,
    joined,
    markdown_list,
    markdown_measures,
    markdown_warnings,
    measures,
    warnings,
)
from assay._version import __version__


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its title.

    Attributes:
        title: What it shows.
        heads: Of its columns; the first holds words, the others numbers.
        rows: Its cells.
        notes: How it is to be read.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Sections:
    """A report of titled tables.

    Attributes:
        title: What it is about.
        facts: What is compared: (name, what it is).
        warnings: What must be read before the numbers.
        sections: The tables.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    warnings: Sequence[str]
    sections: Sequence[Section]


def console(report: Sections) -> RenderableType:
    """The tables one after the other."""
    lines: list[RenderableType] = [Text(plain(report.title), style="bold")]
    lines += [
        Text.assemble((plain(name), "bold"), f"  {plain(said)}") for name, said in report.facts
    ]
    lines += warnings(report.warnings)
    for section in report.sections:
        lines += [Text(), Text(plain(section.title), style="bold")]
        lines += [measures(section.heads, section.rows), *map(dim, section.notes)]
    return Group(*lines)


def markdown(report: Sections) -> str:
    """The same in Markdown."""
    facts = "\n".join(f"- {inline(name)}: {inline(said)}" for name, said in report.facts)
    blocks = [f"## {inline(report.title)}", facts, markdown_warnings(report.warnings)]
    for section in report.sections:
        blocks += [f"### {inline(section.title)}", markdown_measures(section.heads, section.rows)]
        blocks.append(markdown_list(section.notes))
    return joined(blocks)


def html(report: Sections) -> str:
    """The same as a page that needs no other file."""
    style = asset("style.css") + asset("agreement.css")
    return page("sections.html", style, version=__version__, report=report)
