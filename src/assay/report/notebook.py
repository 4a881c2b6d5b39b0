"""How do a run and a score's evidence look in a notebook? HTML without scripts or style sheets."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from assay.report import conversation, labels, marks, notes, numbers
from assay.report.collect import collect
from assay.report.evidence import readable
from assay.report.html import environment
from assay.run.result import Result, Trace
from assay.run.summary import Summary
from assay.score import Part, Score
from assay.text.sanitize import whole

# So much of a text is shown: a notebook is kept with what its cells showed.
LONGEST: Final = 20_000
_COLOURS: Final = {"good": "#3a8f4f", "bad": "#c8452e", "warn": "#b98a00", "plain": "#8a8a8a"}


def result(found: Result) -> str:
    """A run: the table of its metrics with what must be known before believing it."""
    data = collect(found, most=0)
    unanswered = any(metric["n_unanswered"] for metric in data["metrics"])
    for metric in data["metrics"]:
        metric["cells"] = _cells(metric, unanswered=unanswered)
    template = environment().get_template("notebook_result.html")
    said = {
        "notes": notes.notes(data),
        "beside": notes.beside(data),
        "cost": notes.cost(data),
    }
    return whole(template.render(data=data, unanswered=unanswered, **said))


def summary(found: Summary) -> str:
    """The means of a run as a table."""
    template = environment().get_template("notebook_summary.html")
    return whole(template.render(rows=found, notes=found.notes()))


def trace(found: Trace) -> str:
    """The evidence of one score: texts, parts with their verdicts, contexts, calls."""
    sample, outcome = found.sample, found.outcome
    if isinstance(outcome, Score):
        value, why, detail = numbers.score(outcome.value), "", ""
        method, details = outcome.method, outcome.details
    else:
        value, why, detail = "", outcome.why, outcome.detail
        method, details = "", {}
    higher = found.higher_is_better
    given = sample.contexts or ()
    contexts = [text[:LONGEST] for text in given]
    groups = [
        (labels.heading(kind), labels.tally(own), [_part(p, given, higher=higher) for p in own])
        for kind, own in labels.grouped(outcome.parts).items()
    ]
    replies = [{**msgspec.to_builtins(reply), "prompt": reply.prompt} for reply in found.replies]
    shown = [
        {**reply, "prompt": reply["prompt"][:LONGEST], "raw": readable(reply["raw"])[:LONGEST]}
        for reply in replies
    ]
    texts = [(name, getattr(sample, name)) for name in ("question", "answer", "reference")]
    page = environment().get_template("notebook_trace.html")
    return whole(
        page.render(
            metric=found.metric,
            value=value,
            why=why,
            detail=detail,
            method=method,
            details=details,
            sample=sample,
            texts=[(name, text[:LONGEST]) for name, text in texts if text],
            turns=conversation.told(msgspec.to_builtins(sample)),
            longest=LONGEST,
            groups=groups,
            contexts=contexts,
            folded=numbers.plural(len(contexts), "context"),
            calls=shown,
            said=numbers.calls(replies),
        )
    )


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
        "colour": _COLOURS[tone],
        "text": labels.excerpt(part, contexts)[:LONGEST],
        "about": ", ".join(filter(None, about)),
        "reason": part.reason[:LONGEST],
        "quote": part.quote[:LONGEST],
        "lost": _lost(part, contexts),
    }


def _lost(part: Part, contexts: Sequence[str]) -> str:
    """That a quote was made up, which must not be shown as found; "" if it was not."""
    context = labels.context(part, contexts)
    if not part.quote or context is None or marks.find_quote(context, part.quote):
        return ""
    return f"~ these words are not in context {(part.context or 0) + 1}"
