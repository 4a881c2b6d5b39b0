"""What do several definitions give on the same samples, and why do they differ?"""

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.cli import running, screen
from assay.cli.hints import hint, run_name
from assay.cli.request import Request
from assay.cli.run import command as run_command
from assay.conformance.explanation import definition
from assay.data.missing_fields import SKIP_HINT
from assay.errors import InputError
from assay.metrics import Metric
from assay.report import numbers, sanitize
from assay.runner.result import Result
from assay.sample import Sample
from assay.score import Outcome, Score

# Samples that are shown on the screen; --json has them all.
_MOST = 5


def show(names: Sequence[str], given: Mapping[str, Any]) -> int:
    """Score the data by every metric named and show them side by side; the exit code.

    Raises:
        InputError: If fewer than two are named, or they cannot be computed.
    """
    if len(names) < 2:
        what = "--compare takes two metrics or more"
        raise InputError(what, "assay metrics --compare DATA faithfulness deepeval:faithfulness")
    usual = run_command.make_context("run", ["DATA"]).params  # its defaults
    try:
        return running.run({**usual, **given, "metrics": names}, _Ending())
    except InputError as error:
        raise error.without(SKIP_HINT) from error


@dataclass(frozen=True)
class Row:
    """One sample under every definition.

    Attributes:
        sample: The sample.
        outcomes: What each metric gives, by its label.
        spread: How far the values lie apart, as a share of the metrics' ranges.
    """

    sample: Sample
    outcomes: Mapping[str, Outcome]
    spread: float


def rows(result: Result, metrics: Sequence[Metric]) -> list[Row]:
    """Every sample, those first on which the definitions differ most."""
    columns = [list(result.outcomes(metric.label)) for metric in metrics]
    found = []
    for cells in zip(*columns, strict=True):
        outcomes = [outcome for _, outcome in cells]
        labelled = dict(zip((m.label for m in metrics), outcomes, strict=True))
        found.append(Row(cells[0][0], labelled, _spread(metrics, outcomes)))
    return sorted(found, key=lambda row: -row.spread)


def _spread(metrics: Sequence[Metric], outcomes: Sequence[Outcome]) -> float:
    shares = [
        _goodness(metric, outcome.value)
        for metric, outcome in zip(metrics, outcomes, strict=True)
        if isinstance(outcome, Score)
    ]
    return max(shares) - min(shares) if shares else 0.0


def _goodness(metric: Metric, value: float) -> float:
    # Faithfulness of 1 and hallucination of 0 say the same; so do 0.5 of 1 and 5 of 10. Some
    # ranges have no end (latency): such values are compared as they are.
    low, high = metric.range
    span = high - low
    share = (value - low) / span if span < float("inf") else value
    return share if metric.higher_is_better else 1 - share


def _evidence(outcome: Outcome) -> str:
    """``2 supported, 1 contradicted``, or why there is no score."""
    if not isinstance(outcome, Score):
        return outcome.reason
    counts = Counter(part.label or part.kind for part in outcome.parts)
    return ", ".join(f"{n} {label}" for label, n in counts.items())


class _Ending:
    """Shows a comparison where a run would show its scores."""

    def show(self, result: Result, request: Request) -> None:
        """The means, the samples on which they differ most, the definitions."""
        console = screen.out()
        compared = rows(result, request.metrics)
        console.print(_means(result, request.metrics))
        shown = [row for row in compared if row.spread > 0][:_MOST]
        if not shown:
            console.print("\nNo sample on which they differ.")
        for row in shown:
            _show_row(row, console)
        console.print(Text("\nWhy they differ: what each one computes", style="bold"))
        for metric in request.metrics:
            console.print(Text(f"\n{metric.label}", style="bold"))
            console.print(Text(_filled(definition(metric))))
            console.print(Text(_inputs(metric), style="dim"))
        line = hint("show", run_name(result), "--sample", "ID", store=request.store)
        console.print(Text(f"\n{line}", style="dim"), soft_wrap=True)

    def as_json(self, result: Result, request: Request) -> dict[str, Any]:
        """The same for programs."""
        summary = {row.metric: row for row in result.summary()}
        return {
            "run": result.run.id,
            "store": request.store,
            "metrics": [
                {
                    "metric": metric.label,
                    "mean": summary[metric.label].mean,
                    "n_scored": summary[metric.label].n_scored,
                    "n_undefined": summary[metric.label].n_undefined,
                    "n_failed": summary[metric.label].n_failed,
                    "higher_is_better": metric.higher_is_better,
                    "definition": definition(metric),
                    "source": metric.source,
                    "needs": list(metric.needs),
                }
                for metric in request.metrics
            ],
            "samples": [_row_json(row) for row in rows(result, request.metrics)],
        }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "sample": row.sample.id,
        "question": row.sample.question,
        "spread": row.spread,
        "values": {
            label: outcome.value if isinstance(outcome, Score) else None
            for label, outcome in row.outcomes.items()
        },
        "evidence": {label: _evidence(outcome) for label, outcome in row.outcomes.items()},
    }


def _means(result: Result, metrics: Sequence[Metric]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("metric")
    for head in ("mean", "scored", "undefined", "failed"):
        table.add_column(head, justify="right")
    table.add_column("better")
    for metric, row in zip(metrics, result.summary(), strict=True):
        mean = numbers.score(row.mean)
        counts = (row.n_scored, row.n_undefined, row.n_failed)
        better = "higher" if metric.higher_is_better else "lower"
        table.add_row(Text(row.metric), mean, *map(str, counts), better)
    return table


def _show_row(row: Row, console: Console) -> None:
    console.print()
    question = sanitize.plain(row.sample.question or "")
    console.print(Text.assemble((sanitize.plain(row.sample.id), "bold"), f"  {question}"))
    table = Table.grid(padding=(0, 2))
    for label, outcome in row.outcomes.items():
        value = numbers.score(outcome.value if isinstance(outcome, Score) else None)
        table.add_row(
            Text(f"  {label}"), value, Text(sanitize.plain(_evidence(outcome)), style="dim")
        )
    console.print(table)


def _filled(text: str) -> str:
    return "\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def _inputs(metric: Metric) -> str:
    source = f" ({metric.source})" if metric.source else ""
    return f"from {', '.join(metric.needs) or 'nothing'}{source}"
