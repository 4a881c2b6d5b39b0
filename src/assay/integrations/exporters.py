"""What other tools are sent of a finished run: scores, reasons, and whose they are.

One place for all of them, so that every tool shows the same numbers under the same names.
"""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay._runner.result import Result
from assay.errors import InputError
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored

_MAX_PARTS = 5
_MAX_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """One score of one sample, or why there is none."""

    sample: str  # id of the sample
    trace: str  # id of the trace that it was made of, "" if it was made of none
    span: str  # id of the span in it, "" if not known
    metric: str  # label of the metric
    value: float | None  # the score, None if there is none
    why: str  # why there is none: "undefined", "failed" ...; "" if there is one
    explanation: str  # the evidence in a few lines
    judged: bool  # whether a judge was asked, rather than code alone


@dataclass(frozen=True, slots=True)
class ExportCounts:
    """What was sent."""

    scores: int = 0  # scores with a number
    unscored: int = 0  # reasons why there is no number
    left_out: int = 0  # reasons that the tool has no place for
    # Samples left out because nobody knows of which trace they are, or of which span where the tool
    # needs that.
    untraced: int = 0


def score_records(result: Result) -> Iterator[ScoreRecord]:
    """Every score of a run, in the order of metrics and samples."""
    signatures, facts = result.run.config["metrics"], result.run.config["about"]
    for metric in result.run.metrics:
        judged = _asks_judge(signatures[metric], metric)
        sign = 1 if facts[metric]["higher_is_better"] else -1
        for sample, outcome in result.outcomes(metric):
            yield _record(sample, metric, outcome, sign, judged=judged)


def with_trace(result: Result) -> tuple[list[ScoreRecord], int]:
    """The scores of samples whose trace is known, and how many samples there are without.

    Raises:
        InputError: If no sample's trace is known.
    """
    scores = list(score_records(result))
    known = [item for item in scores if item.trace]
    if scores and not known:
        fault = f"no sample of run {result.run.id[:8]} names its trace"
        remedy = "evaluate traces, or give the columns trace_id and span_id"
        raise InputError(fault, remedy)
    return known, len({item.sample for item in scores if not item.trace})


def with_span(
    result: Result,
    remedy: str = "give the column span_id",
    findable: Callable[[ScoreRecord], bool] = lambda item: bool(item.span),
) -> tuple[list[ScoreRecord], int]:
    """The scores of samples whose span is known, too, and how many samples there are without.

    Args:
        result: A finished run.
        remedy: What to do if no sample's is.
        findable: Whether the tool can find the span of a score.

    Raises:
        InputError: If no sample's span is known.
    """
    items, untraced = with_trace(result)
    known = [item for item in items if findable(item)]
    if items and not known:
        raise InputError(f"no sample of run {result.run.id[:8]} names its span", remedy)
    left = len({item.sample for item in items}) - len({item.sample for item in known})
    return known, untraced + left


def counts(items: list[ScoreRecord], untraced: int, *, with_reasons: bool) -> ExportCounts:
    """The account of what was sent.

    Args:
        items: What was to be sent.
        untraced: Samples left out.
        with_reasons: Whether the tool takes reasons without a number.
    """
    scores = sum(item.value is not None for item in items)
    n_reasons = len(items) - scores
    return ExportCounts(
        scores, n_reasons if with_reasons else 0, 0 if with_reasons else n_reasons, untraced
    )


def numbers(result: Result) -> dict[str, float]:
    """The means of a run with their intervals and counts, under names that every tool takes."""
    by_name: dict[str, float] = {}
    for row in result.summary():
        low, high = row.interval or (None, None)
        values = {
            "mean": row.mean,
            "ci_low": low,
            "ci_high": high,
            "scored": row.n_scored,
            "undefined": row.n_undefined,
            "failed": row.n_failed,
        }
        name = plain_name(row.metric)
        by_name |= {f"{name}/{key}": float(v) for key, v in values.items() if v is not None}
    return by_name


def facts(result: Result) -> dict[str, str]:
    """What the numbers are of: data, judge, and the signature of each metric."""
    run = result.run
    run_facts = {
        "assay.run": run.id,
        "assay.source": run.source,
        "assay.judge": run.config["judge"],
        "assay.embedder": str(run.config["embedder"] or ""),
        "assay.samples": str(run.n_samples),
    }
    signatures = run.config["metrics"]
    return run_facts | {f"assay.signature.{plain_name(m)}": signatures[m] for m in run.metrics}


def table(result: Result) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows: of each sample its texts, and each score or why there is none."""
    metrics = list(result.run.metrics)
    columns = ["id", "question", "answer", "reference"]
    columns += [name for metric in metrics for name in (metric, f"{metric}_why")]
    return columns, [[row.get(name) for name in columns] for row in result.rows()]


@contextmanager
def artefacts(result: Result) -> Iterator[tuple[Path, Path]]:
    """The HTML report and the evidence of a run, as files as long as the block lasts."""
    with tempfile.TemporaryDirectory() as folder:
        report, evidence = Path(folder) / "report.html", Path(folder) / "evidence.jsonl"
        result.report(report)
        result.to_jsonl(evidence)
        yield report, evidence


def plain_name(label: str) -> str:
    """A metric's label of letters, digits, "_", "-" and "." alone."""
    return re.sub(r"[^\w.\-]+", "_", label).strip("_")


def _asks_judge(signature: str, label: str) -> bool:
    """Whether a signature names a task that a judge was asked."""
    tasks = signature.removeprefix(label).split("|")[1:]
    return any(task.partition("=")[0] not in ("assay", "code", "revision") for task in tasks)


def _record(
    sample: Sample, metric: str, outcome: Outcome, sign: int, *, judged: bool
) -> ScoreRecord:
    trace_and_span = _trace_and_span(sample.metadata)
    if isinstance(outcome, Unscored):
        reason, text = outcome.why, outcome.detail
        return ScoreRecord(
            sample.id, *trace_and_span, metric, None, reason, text[:_MAX_CHARACTERS], judged
        )
    text = _explain(outcome.parts, outcome.method, sign)
    return ScoreRecord(sample.id, *trace_and_span, metric, float(outcome), "", text, judged)


def _trace_and_span(metadata: Mapping[str, Any]) -> tuple[str, str]:
    trace, span = metadata.get("trace_id"), metadata.get("span_id")
    return str(trace or ""), str(span or "")


def _explain(parts: tuple[Part, ...], method: str, sign: int) -> str:
    """The parts that speak most against the answer first; the rest is counted.

    With the sign -1, those of the highest values.
    """
    worst_first = sorted(parts, key=lambda part: (part.value is None, sign * (part.value or 0)))
    lines = [method] if method else []
    for part in worst_first[:_MAX_PARTS]:
        head = f"{part.label}: {part.text}" if part.label else part.text
        lines.append(f"{head} ({part.reason})" if part.reason else head)
    if len(parts) > _MAX_PARTS:
        lines.append(f"and {len(parts) - _MAX_PARTS} more")
    return "\n".join(lines)[:_MAX_CHARACTERS]
