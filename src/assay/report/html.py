"""How is a run shown as one self-contained page that also works offline and without scripts?"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.report import diagnosis_page, labels, notes, numbers, safe, view
from assay.report.evidence import evidence
from assay.report.texts import TextTable
from assay.text.sanitize import whole


def render(data: Mapping[str, Any]) -> str:
    """The page: a pure function of the report, one file without any outside reference."""
    texts = TextTable()
    metrics = data["metrics"]
    # Rendered one by one: the view of a sample is let go before the next one is made.
    template = environment().get_template("sample.html")
    causes = diagnosis_page.by_sample(data)
    samples = [
        Markup(  # noqa: S704 - escaped by the template
            template.render(
                e=evidence(number, sample, metrics, texts),
                causes=causes.get(str(sample["id"]), ("", "")),
            )
        )
        for number, sample in enumerate(data["samples"])
    ]
    script = asset("script.js")
    return page(
        "page.html",
        _style(data),
        version=data["assay"],
        data=data,
        head=view.head(data),
        dx=diagnosis_page.page(data),
        rows=view.rows(data),
        notes=notes.notes(data),
        baseline=notes.baseline(data),
        zero=notes.zero(data),
        facts=view.facts(data),
        samples=samples,
        texts={"lines": texts.lines, "texts": texts.texts},
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=safe.source_hash(script),
    )


def page(template: str, style: str, *, version: str, **given: Any) -> str:
    """A page that needs no other file, and that lets in no style and no script but its own.

    Args:
        template: Name of a template that fills in `base.html`.
        style: Its style sheet.
        version: The assay that made what it shows.
        given: What the template needs; `script_hash` where it has a script.
    """
    given = {"script_hash": "", **given}
    made = environment().get_template(template)
    return whole(
        made.render(
            version=version,
            style=Markup(style),  # noqa: S704 - our own files
            style_hash=safe.source_hash(style),
            **given,
        )
    )


@cache
def environment() -> Environment:
    """What all pages are made with."""
    made = Environment(
        loader=PackageLoader("assay.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        visible=safe.visible,
        prose=safe.prose,
        plain=safe.plain,
        script_json=safe.script_json,
        score=numbers.score,
        span=numbers.span,
        count=numbers.count,
        ms=numbers.milliseconds,
        number=numbers.detail,
        given=numbers.given,
        meaning=labels.meaning,
        broken=_broken,
    )
    made.globals.update(width=view.WIDTH, height=view.HEIGHT, dx_width=diagnosis_page.WIDTH)
    return made


def _style(data: Mapping[str, Any]) -> str:
    """The style sheet with as many columns as there are metrics, and room for the samples' ids."""
    longest = max((len(str(sample["id"])) for sample in data["samples"]), default=0)
    width = f"{min(max(longest, 8), 24) * 7.5 + 8:.0f}px"
    style = asset("style.css").replace("/*COLUMNS*/0", str(len(data["metrics"])))
    return style.replace("/*ID*/112px", width) + asset("diagnosis.css")


@cache
def asset(name: str) -> str:
    """A file of the templates' folder, as it is."""
    return files("assay.report").joinpath("templates", name).read_text(encoding="utf-8")


def _broken(name: object) -> Markup:
    """A metric's name that may be broken after "_" and ":", so that columns can be narrow."""
    text = str(safe.visible(name))
    return Markup(text.replace("_", "_<wbr>").replace(":", ":<wbr>"))  # noqa: S704 - escaped above
