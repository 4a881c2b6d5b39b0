"""Reports as users get them from Python: a page in a file, or a frame in a notebook cell.

A notebook's own page runs scripts and loads what its cells name; a frame with a policy of its own
does neither, whatever a text that is shown in it holds.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from markupsafe import Markup

from assay._report import labels, notes, numbers, sanitize
from assay._report.page import asset, fragment
from assay._report.run import collect, evidence, html
from assay._report.run.evidence import readable
from assay._runner.result import Result, Trace
from assay._runner.summary import Summary
from assay.score import Part, Score

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


def write_report(result: Result, path: str | Path) -> Path:
    """Write the self-contained HTML report of a run; returns its path."""
    target = Path(path)
    target.write_text(html.render(collect(result)), encoding="utf-8")
    return target


def notebook_html(value: Result | Summary | Trace) -> str:
    """The HTML that a notebook shows of a result, of its summary, or of the evidence of a score."""
    if isinstance(value, Result):
        return _result(value)
    return _summary(value) if isinstance(value, Summary) else _trace(value)


def _result(run: Result) -> str:
    """A run: the table of its metrics with what must be known before believing it."""
    data = collect(run, most=0)
    unanswered = any(metric["n_unanswered"] for metric in data["metrics"])
    for metric in data["metrics"]:
        metric["cells"] = _cells(metric, unanswered=unanswered)
    return _framed(
        "notebook_result.html",
        data=data,
        unanswered=unanswered,
        notes=notes.notes(data),
        beside=notes.beside(data),
        cost=notes.cost(data),
    )


def _summary(means: Summary) -> str:
    """The means of a run as a table."""
    return _framed("notebook_summary.html", rows=means, notes=means.notes())


def _trace(found: Trace) -> str:
    """The evidence of one score: texts, parts with their verdicts, contexts, calls."""
    sample, outcome = found.sample, found.outcome
    if isinstance(outcome, Score):
        value, why, detail = numbers.score(outcome.value), "", ""
        method, details = outcome.method, outcome.details
    else:
        value, why, detail = "", outcome.why, outcome.detail
        method, details = "", {}
    higher = found.higher_is_better
    contexts = sample.contexts or ()
    shortened = [text[:LONGEST] for text in contexts]
    groups = [
        (labels.heading(kind), labels.tally(own), [_part(p, contexts, higher=higher) for p in own])
        for kind, own in labels.grouped(outcome.parts).items()
    ]
    replies = [{**msgspec.to_builtins(reply), "prompt": reply.prompt} for reply in found.replies]
    shown = [
        {**reply, "prompt": reply["prompt"][:LONGEST], "raw": readable(reply["raw"])[:LONGEST]}
        for reply in replies
    ]
    texts = [(name, getattr(sample, name)) for name in ("question", "answer", "reference")]
    return _framed(
        "notebook_trace.html",
        metric=found.metric,
        value=value,
        why=why,
        detail=detail,
        method=method,
        details=details,
        sample=sample,
        texts=[(name, text[:LONGEST]) for name, text in texts if text],
        turns=evidence.turns(msgspec.to_builtins(sample)),
        longest=LONGEST,
        groups=groups,
        contexts=shortened,
        folded=numbers.plural(len(shortened), "context"),
        calls=shown,
        said=numbers.calls(replies),
    )


def _framed(template: str, **context: Any) -> str:
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
    shown = _FOLDED.sub("</summary>", cell)
    blocks = (Markup(block).striptags() for block in _BLOCK.split(_TABLE.sub("", shown)))  # noqa: S704 - measured
    lines = sum(
        -(-len(line) // _WIDTH) for block in blocks if block for line in block.splitlines() if line
    )
    return min(_TALLEST, shown.count("<tr") * _ROW + (lines + 1) * _LINE)


def _cells(metric: Mapping[str, Any], *, unanswered: bool) -> list[str]:
    cells = [
        numbers.score(metric["mean"]),
        numbers.span(metric["interval"]),
        *(notes.quality(metric) or ("", "")),
        *(numbers.count(metric[f"n_{kind}"]) for kind in ("scored", "undefined", "failed")),
    ]
    return [*cells, numbers.count(metric["n_unanswered"])] if unanswered else cells


def _part(part: Part, contexts: Sequence[str], *, higher: bool) -> dict[str, str]:
    tone = labels.tone(part, higher_is_better=higher)
    about = [part.label, *labels.facts(part, tone)]
    return {
        "symbol": labels.SYMBOLS[tone],
        "tone": tone,
        "text": labels.excerpt(part, contexts)[:LONGEST],
        "about": ", ".join(filter(None, about)),
        "reason": part.reason[:LONGEST],
        "quote": part.quote[:LONGEST],
        "lost": _lost(part, contexts),
    }


def _lost(part: Part, contexts: Sequence[str]) -> str:
    """That a quote was made up, which must not be shown as found; "" if it was not."""
    context = labels.context(part, contexts)
    if not part.quote or context is None or evidence.find_quote(context, part.quote):
        return ""
    return f"~ these words are not in context {(part.context or 0) + 1}"
