"""Pages that need no other file, and reports of titled tables in every form."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.console import Group, RenderableType
from rich.text import Text

from assay._report import labels, numbers, sanitize
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
from assay._text.sanitize import whole
from assay._version import __version__


def page(template: str, style: str, *, version: str, **context: Any) -> str:
    """A page that needs no other file, and that lets in no style and no script but its own.

    Args:
        template: Name of a template that fills in `base.html`.
        style: Its style sheet.
        version: The assay that made what it shows.
        context: What the template needs; `script_hash` where it has a script.
    """
    return fragment(
        template,
        **{"script_hash": "", **context},
        version=version,
        style=Markup(style),  # noqa: S704 - our own files
        style_hash=sanitize.source_hash(style),
    )


def fragment(template: str, **context: Any) -> str:
    """A piece of HTML."""
    return whole(environment().get_template(template).render(**context))


def path(points: Iterable[tuple[float, float]]) -> str:
    """What draws a line through points, as SVG has it; "" if there are none."""
    points_drawn = "L".join(f"{x} {y}" for x, y in points)
    return f"M{points_drawn}" if points_drawn else ""


@cache
def environment() -> Environment:
    """The templates, and the filters that they write with."""
    templates = Environment(
        loader=PackageLoader("assay._report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(
        visible=sanitize.visible,
        breakable=sanitize.breakable,
        prose=sanitize.prose,
        plain=sanitize.plain,
        script_json=sanitize.script_json,
        score=numbers.score,
        span=numbers.span,
        count=numbers.count,
        ms=numbers.milliseconds,
        number=numbers.detail,
        exact=numbers.exact,
        meaning=labels.meaning,
        judge=numbers.judge_in_words,
    )
    return templates


@cache
def asset(name: str) -> str:
    """A file of the templates' folder, as it is."""
    return files("assay._report").joinpath("templates", name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its title."""

    title: str  # what it shows
    heads: Sequence[str]  # of its columns; the first holds words, the others numbers
    rows: Sequence[Sequence[str]]  # its cells
    notes: Sequence[str] = ()  # how it is to be read


@dataclass(frozen=True, slots=True)
class Sections:
    """A report of titled tables."""

    title: str
    facts: Sequence[tuple[str, str]]
    warnings: Sequence[str]
    sections: Sequence[Section]


def console(report: Sections) -> RenderableType:
    """The tables one after the other."""
    lines: list[RenderableType] = [Text(plain(report.title), style="bold")]
    lines += [
        Text.assemble((plain(name), "bold"), f"  {plain(text)}") for name, text in report.facts
    ]
    lines += warnings(report.warnings)
    for section in report.sections:
        lines += [Text(), Text(plain(section.title), style="bold")]
        lines += [measures(section.heads, section.rows), *map(dim, section.notes)]
    return Group(*lines)


def markdown(report: Sections) -> str:
    """The same in Markdown."""
    facts = "\n".join(f"- {inline(name)}: {inline(text)}" for name, text in report.facts)
    blocks = [f"## {inline(report.title)}", facts, markdown_warnings(report.warnings)]
    for section in report.sections:
        blocks += [f"### {inline(section.title)}", markdown_measures(section.heads, section.rows)]
        blocks.append(markdown_list(section.notes))
    return joined(blocks)


def html(report: Sections) -> str:
    """The same as a page that needs no other file."""
    style = asset("style.css") + asset("agreement.css")
    return page("sections.html", style, version=__version__, report=report)


def renderers(
    report: Callable[[Mapping[str, Any]], Sections],
) -> tuple[
    Callable[[Mapping[str, Any]], RenderableType],
    Mapping[str, Callable[[Mapping[str, Any]], str]],
]:
    """What shows data on the console by a report of them, and what writes them, by the ending."""
    return lambda data: console(report(data)), {
        ".html": lambda data: html(report(data)),
        ".md": lambda data: markdown(report(data)),
    }
