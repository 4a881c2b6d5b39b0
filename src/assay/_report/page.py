"""One self-contained HTML page: templates, style sheets, and a policy that lets in no others."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay._report import labels, numbers, sanitize
from assay._text.sanitize import whole


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
    drawn = "L".join(f"{x} {y}" for x, y in points)
    return f"M{drawn}" if drawn else ""


@cache
def environment() -> Environment:
    """The templates, and the filters that they write with."""
    made = Environment(
        loader=PackageLoader("assay._report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
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
    )
    return made


@cache
def asset(name: str) -> str:
    """A file of the templates' folder, as it is."""
    return files("assay._report").joinpath("templates", name).read_text(encoding="utf-8")
