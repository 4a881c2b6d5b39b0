"""A definition with its worked example in words, for the conformance page and `assay explain`."""

import inspect
from collections.abc import Mapping

from assay.conformance import SAMPLE, Worked
from assay.metrics import Metric
from assay.score import Outcome, Score

_LONGEST = 100
_ARGS = "\nArgs:\n"


def definition(metric: Metric) -> str:
    """Its docstring without the parameters: what it is, formula, range, source, edge cases."""
    return inspect.cleandoc(type(metric).__doc__ or "").partition(_ARGS)[0].strip()


def texts() -> list[tuple[str, str]]:
    """(name, text) of what the judge sees of the sample."""
    contexts = [(f"context {n}", text) for n, text in enumerate(SAMPLE.contexts or (), start=1)]
    ends = [("answer", SAMPLE.answer or ""), ("reference", SAMPLE.reference or "")]
    return [("question", SAMPLE.question or ""), *contexts, *ends]


def facts(metric: Metric, shown: Worked | None) -> list[tuple[str, str]]:
    """(name, fact) of what a definition takes and asks, and of what it gives on the sample."""
    inputs = "; or ".join(", ".join(way) for way in (metric.needs, *metric.instead))
    known = [("source", metric.source), ("follows", metric.follows), ("inputs", inputs or "none")]
    if shown is not None:
        known.append(("calls per sample", calls(shown.calls)))
        edges = [f"{edge.what}: {outcome(edge.outcome)}" for edge in shown.edges]
        known += [("where something is absent", "; ".join(edges))] if edges else []
        known.append(("on the sample", outcome(shown.outcome)))
    return [(name, fact) for name, fact in known if fact]


def calls(counts: Mapping[str, int]) -> str:
    """``7 (generate_questions, embed x 6)``."""
    if not counts:
        return "none"
    kinds = ", ".join(kind if n == 1 else f"{kind} x {n}" for kind, n in counts.items())
    return f"{sum(counts.values())} ({kinds})"


def outcome(scored: Outcome) -> str:
    """The number with the numbers on the way to it, or why there is none."""
    if not isinstance(scored, Score):
        return f"{scored.why} ({scored.detail})"
    details = [f"{name} {_short(value)}" for name, value in scored.details.items()]
    more = f" ({', '.join(details)})" if details else ""
    method = f"; {scored.method}" if scored.method else ""
    return f"{number(scored.value)}{more}{method}"


def rows(scored: Outcome) -> list[tuple[str, str, str, str]]:
    """(kind, text, what was found, what it adds) of every part of an outcome."""
    return [
        (
            part.kind if part.context is None else f"{part.kind} (context {part.context + 1})",
            _cut(part.text),
            part.label,
            "" if part.value is None else number(part.value),
        )
        for part in scored.parts
    ]


def number(value: float) -> str:
    """A number to four digits."""
    return f"{value:.4g}"


def _short(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    return _cut(str(value))


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."
