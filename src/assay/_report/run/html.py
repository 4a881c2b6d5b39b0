"""A run as HTML: a page that works offline and without scripts, and frames for notebook cells.

A notebook's own page runs scripts and loads what its cells name; a frame with a policy of its own
does neither, whatever a text that is shown in it holds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from markupsafe import Markup

from assay._analysis.comparison import Comparison
from assay._report import comparison, labels, notes, numbers, sanitize, tables
from assay._report.comparison import views as comparison_views
from assay._report.diagnosis import views
from assay._report.page import asset, environment, fragment, page
from assay._report.run import collect, evidence, score_values
from assay._report.run.evidence import TextTable, readable
from assay._report.tables import Spread
from assay._runner.result import Result, Trace
from assay._runner.summary import Summary
from assay.score import Part

Json = Mapping[str, Any]
WIDTH: Final = 240
HEIGHT: Final = 40


def render(data: Json) -> str:
    """The page: a pure function of the report, one file without any outside reference."""
    texts = TextTable()
    metrics = data["metrics"]
    # Rendered one by one: the view of a sample is let go before the next one is made.
    template = environment().get_template("sample.html")
    causes = views.by_sample(data)
    samples = [
        Markup(  # noqa: S704 - escaped by the template
            template.render(
                e=evidence.evidence(number, sample, metrics, texts),
                causes=causes.get(str(sample["id"]), ("", "")),
            )
        )
        for number, sample in enumerate(data["samples"])
    ]
    script = asset("script.js")
    links = {str(sample["id"]): f"#s{n}" for n, sample in enumerate(data["samples"])}
    return page(
        "page.html",
        _style(data),
        version=data["assay"],
        facts=facts(data),
        samples=samples,
        texts={"lines": texts.lines, "texts": texts.texts},
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=sanitize.source_hash(script),
        **overview(data, links),
    )


def overview(data: Json, links: Mapping[str, str], *, everywhere: bool = False) -> dict[str, Any]:
    """What the sections above the samples show, for their templates.

    Args:
        data: The report.
        links: Where each sample stands, by its id.
        everywhere: Whether all samples beyond a guide value are counted, not only those shown.
    """
    return {
        "data": data,
        "head": head(data),
        "dx": views.page(data, links),
        "rows": rows(data, everywhere=everywhere),
        "notes": notes.notes(data),
        "remarks": notes,
        "baseline": notes.baseline(data),
        "zero": notes.zero(data),
        "width": WIDTH,
        "height": HEIGHT,
        "dx_width": views.WIDTH,
    }


def _style(data: Json) -> str:
    """The style sheet with as many columns as there are metrics, and room for the samples' ids."""
    longest = max((len(str(sample["id"])) for sample in data["samples"]), default=0)
    width = f"{min(max(longest, 8), 24) * 7.5 + 8:.0f}px"
    style = asset("style.css").replace("/*COLUMNS*/0", str(len(data["metrics"])))
    return style.replace("/*ID*/112px", width) + asset("diagnosis.css")


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram, in the drawing's units."""

    x: float
    y: float
    width: float
    height: float
    style: str
    title: str


@dataclass(frozen=True, slots=True)
class Row:
    """One metric in the score table."""

    number: int  # which metric of the run it is
    metric: Json  # the metric as the report holds it
    spread: Spread  # its distribution
    bars: Sequence[Bar]  # the distribution as it is drawn
    missed: int  # how many samples lie on the wrong side of the guide value

    @property
    def unit(self) -> str:
        """What the mean is counted in; "" if there is none."""
        return "" if self.metric["mean"] is None else notes.unit(self.metric)

    @property
    def n_unanswered(self) -> int:
        """Samples whose question the system did not answer."""
        return int(self.metric.get("n_unanswered", 0))

    @property
    def n_not_reached(self) -> int:
        """Samples that the run stopped or was killed before."""
        return int(self.metric.get("n_not_reached", 0))

    @property
    def side(self) -> str:
        """Where the scores lie that miss the guide value."""
        return "below" if self.metric["higher_is_better"] else "above"

    def x(self, value: float) -> float:
        """Where a value is drawn."""
        return round(self.spread.at(value) * WIDTH, 1)


def rows(data: Json, *, everywhere: bool = False) -> list[Row]:
    """The score table; `everywhere` counts all samples that miss a guide value, shown or not."""
    table_rows = []
    for number, metric in enumerate(data["metrics"]):
        shown_values = (sample["scores"][metric["label"]]["value"] for sample in data["samples"])
        values = metric["values"] if everywhere else shown_values
        table_rows.append(_row(number, metric, [value for value in values if value is not None]))
    return table_rows


def head(data: Json) -> list[tuple[str, str]]:
    """What was measured, by whom, when."""
    run = data["run"]
    lines = [
        ("Data", run["source"]),
        ("Samples", numbers.count(run["n_samples"])),
        ("Judge", run["judge_in_words"]),
        ("Started", numbers.moment(run["created"])),
        ("Took", notes.cost(data)),
        ("About", numbers.remarks(run)),
    ]
    return [(name, value) for name, value in lines if value]


def facts(data: Json) -> dict[str, Any]:
    """What the page's script needs to sort and filter: the scores, without any text."""
    groups = sorted({sample["group"] for sample in data["samples"] if sample["group"]})
    index_of = {group: index for index, group in enumerate(groups)}
    return {
        "metrics": [
            {"label": m["label"], "guide": m["guide"], "up": m["higher_is_better"]}
            for m in data["metrics"]
        ],
        "groups": groups,
        "rows": [
            [index_of.get(sample["group"], -1), *(_fact(sample, m) for m in data["metrics"])]
            for sample in data["samples"]
        ],
    }


def _fact(sample: Json, metric: Json) -> float | str | None:
    score = sample["scores"].get(metric["label"])
    if score is None:
        return None
    value = score["value"]
    return str(score["why"]) if value is None else float(round(value, tables.EXACT))


def _row(number: int, metric: Json, values: Sequence[float]) -> Row:
    spread = tables.spread(metric)
    missed = sum(tables.misses(value, metric) for value in values)
    return Row(number, metric, spread, _bars(spread, metric), missed)


def _bars(spread: Spread, metric: Json) -> list[Bar]:
    top = max(spread.counts) or 1
    width = WIDTH / len(spread.counts)
    bars = []
    for number, count in enumerate(spread.counts):
        if not count:
            continue
        low, high = spread.edges(number)
        # A single sample among thousands must still be seen.
        height = max(round(count / top * HEIGHT, 1), 1.5)
        style = "miss" if tables.misses((low + high) / 2, metric) else "meet"
        title = f"{numbers.score(low)} to {numbers.score(high)}: {numbers.plural(count, 'sample')}"
        x = round(number * width + 0.5, 1)
        bars.append(Bar(x, HEIGHT - height, round(width - 1, 1), height, style, title))
    return bars


# So much of a text is shown: a notebook is kept with what its cells showed.
LONGEST: Final = 20_000
# Pixels: a frame without scripts cannot ask for the height that it needs.
_LINE: Final = 22
_ROW: Final = 25
_WIDTH: Final = 110  # characters of a line
_TALLEST: Final = 640
_FOLDED: Final = re.compile(r"<details.*?</details>", re.DOTALL)
_TABLE: Final = re.compile(r"<table.*?</table>", re.DOTALL)
_BLOCK: Final = re.compile(r"</(?:div|summary)>|</span>(?=<div)")


def write_report(result: Result | Comparison, path: str | Path) -> Path:
    """Write the self-contained HTML report of a run or of a comparison; returns its path."""
    target = Path(path)
    if isinstance(result, Comparison):
        text = comparison_views.html(comparison.collect(result))
    else:
        text = render(collect(result))
    target.write_text(text, encoding="utf-8")
    return target


def notebook_html(value: Result | Summary | Trace) -> str:
    """The HTML that a notebook shows of a result, of its summary, or of the evidence of a score."""
    if isinstance(value, Result):
        return _result_frame(value)
    if isinstance(value, Summary):
        return _render_frame("notebook_summary.html", rows=value, notes=value.notes())
    return _trace_frame(value)


def _result_frame(run: Result) -> str:
    """A run: the table of its metrics with what must be known before believing it."""
    data = collect(run, limit=0)
    unanswered = any(metric["n_unanswered"] for metric in data["metrics"])
    for metric in data["metrics"]:
        metric["cells"] = _table_cells(metric, unanswered=unanswered)
    return _render_frame(
        "notebook_result.html",
        data=data,
        unanswered=unanswered,
        notes=notes.notes(data),
        beside=notes.beside(data),
        cost=notes.cost(data),
    )


def _trace_frame(trace: Trace) -> str:
    """The evidence of one score: texts, parts with their verdicts, contexts, calls."""
    sample, outcome = trace.sample, trace.outcome
    score = score_values(outcome, trace.replies)
    higher = trace.higher_is_better
    contexts = sample.contexts or ()
    shortened = [text[:LONGEST] for text in contexts]
    groups = [
        (
            labels.heading(kind),
            labels.tally(parts),
            [_part_data(p, contexts, higher=higher) for p in parts],
        )
        for kind, parts in labels.grouped(outcome.parts).items()
    ]
    calls = [
        {**reply, "prompt": reply["prompt"][:LONGEST], "raw": readable(reply["raw"])[:LONGEST]}
        for reply in score["replies"]
    ]
    texts = [(name, getattr(sample, name)) for name in ("question", "answer", "reference")]
    return _render_frame(
        "notebook_trace.html",
        metric=trace.metric,
        score=score,
        sample=sample,
        texts=[(name, text[:LONGEST]) for name, text in texts if text],
        turns=evidence.turns(msgspec.to_builtins(sample)),
        longest=LONGEST,
        groups=groups,
        contexts=shortened,
        folded=numbers.plural(len(shortened), "context"),
        calls=calls,
        said=numbers.calls(score["replies"]),
    )


def _render_frame(template: str, **context: Any) -> str:
    cell = fragment(template, **context)
    style = asset("notebook.css")
    document = fragment(
        "notebook_page.html",
        cell=Markup(cell),  # noqa: S704 - made by a template of ours
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=sanitize.source_hash(style),
        script_hash="",
    )
    return fragment("notebook_frame.html", document=document, height=_height(cell))


def _height(cell: str) -> int:
    """About as many pixels as what is not folded takes."""
    visible = _FOLDED.sub("</summary>", cell)
    blocks = (Markup(block).striptags() for block in _BLOCK.split(_TABLE.sub("", visible)))  # noqa: S704 - measured
    lines = sum(
        -(-len(line) // _WIDTH) for block in blocks if block for line in block.splitlines() if line
    )
    return min(_TALLEST, visible.count("<tr") * _ROW + (lines + 1) * _LINE)


def _table_cells(metric: Mapping[str, Any], *, unanswered: bool) -> list[str]:
    cells = [
        numbers.score(metric["mean"]),
        numbers.span(metric["interval"]),
        *(notes.quality(metric) or ("", "")),
        *(numbers.count(metric[f"n_{kind}"]) for kind in ("scored", "undefined", "failed")),
    ]
    return [*cells, numbers.count(metric["n_unanswered"])] if unanswered else cells


def _part_data(part: Part, contexts: Sequence[str], *, higher: bool) -> dict[str, str]:
    tone = labels.tone(part, higher_is_better=higher)
    facts = [part.label, *labels.facts(part, tone)]
    return {
        "symbol": labels.SYMBOLS[tone],
        "tone": tone,
        "text": labels.excerpt(part, contexts)[:LONGEST],
        "about": ", ".join(filter(None, facts)),
        "reason": part.reason[:LONGEST],
        "quote": part.quote[:LONGEST],
        "lost": _lost_quote(part, contexts),
    }


def _lost_quote(part: Part, contexts: Sequence[str]) -> str:
    """That a quote was made up, which must not be shown as found; "" if it was not."""
    context = labels.context(part, contexts)
    if not part.quote or context is None or evidence.find_quote(context, part.quote):
        return ""
    return f"~ these words are not in context {(part.context or 0) + 1}"
