"""`evaluate` as ragas has it, over assay's own, and the result that it gives."""

import asyncio
import copy
import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay._runner.progress import Progress
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay.errors import InputError, JudgeError
from assay.integrations.ragas.advice import completed, refuse, reworded
from assay.integrations.ragas.metrics.base import Metric, MultiTurnMetric, Ready, SingleTurnMetric
from assay.integrations.ragas.metrics.result import why
from assay.integrations.ragas.run_config import EvaluationResult, RunConfig, Scores
from assay.integrations.ragas.scoring import mapping_of, named, rows_of, scored
from assay.judge import Limits

__all__ = ["EvaluationResult", "RunConfig", "aevaluate", "evaluate"]

_NO_EFFECT = (
    "experiment_name",
    "batch_size",
    "token_usage_parser",
    "allow_nest_asyncio",
    "is_async",
    "in_ci",
)


@dataclass
class _Table:
    """Scores and reasons as they come in, by metric."""

    rows: Sequence[Mapping[str, Any]]
    scores: dict[str, Scores] = field(default_factory=dict)
    reasons: dict[str, list[str]] = field(default_factory=dict)

    def add(self, key: str, values: Sequence[float], reasons: Sequence[str]) -> None:
        if key in self.scores:
            raise InputError(f"two metrics are called '{key}'", "give one a name=")
        self.scores[key], self.reasons[key] = Scores(values), list(reasons)


async def aevaluate(
    dataset: Any,
    metrics: Sequence[Any] | None = None,
    llm: Any = None,
    embeddings: Any = None,
    *,
    raise_exceptions: bool = False,
    **options: Any,
) -> EvaluationResult:
    """Score every row by every metric.

    Replies and scores are kept in `assay.db` in the current folder, as by `assay.evaluate`: the
    same call goes on where it was stopped, and pays for no reply twice.

    Args:
        dataset: `EvaluationDataset`, Hugging Face `Dataset`, data frame, or list of dicts.
        metrics: Metrics of `metrics`; by default answer relevancy, context precision,
            faithfulness and context recall.
        llm: Who judges where a metric has no judge of its own: a model of LangChain or LlamaIndex,
            what `llm_factory` gives, or what `assay.evaluate` takes.
        embeddings: Who embeds, likewise.
        raise_exceptions: Whether a score that failed is an error, after all others were made.
        options: `run_config`, a `RunConfig`; `column_map`, the column of the data by ragas' name of
            it; `show_progress`, whether to show a bar where the output is a terminal. Of ragas'
            other parameters batch_size, experiment_name, token_usage_parser (tokens are always
            counted), in_ci, is_async and allow_nest_asyncio have no effect.

    Returns:
        The scores; NaN, with the reason beside it, where there is none.

    Raises:
        InputError: If data, metrics or judge cannot be used; nothing was asked yet.
        JudgeError: If a score failed and `raise_exceptions` says so.
    """
    with reworded():
        result = await _score_all(
            dataset, _metrics(metrics), (llm, embeddings), _Options.of(options)
        )
    for message in _messages(result, raise_exceptions=raise_exceptions):
        warnings.warn(message, stacklevel=2)
    return result


def evaluate(
    dataset: Any,
    metrics: Sequence[Any] | None = None,
    llm: Any = None,
    embeddings: Any = None,
    *,
    raise_exceptions: bool = False,
    **options: Any,
) -> EvaluationResult:
    """`aevaluate` run to completion, whether or not an event loop is running."""
    result = completed(
        _score_all(dataset, _metrics(metrics), (llm, embeddings), _Options.of(options))
    )
    for message in _messages(result, raise_exceptions=raise_exceptions):
        warnings.warn(message, stacklevel=2)
    return result


@dataclass(frozen=True)
class _Options:
    run_config: RunConfig | None = None
    column_map: Mapping[str, str] | None = None
    show_progress: bool = True

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "_Options":
        known = {name: value for name, value in options.items() if name in cls.__dataclass_fields__}
        _check_others({name: value for name, value in options.items() if name not in known})
        return cls(**known)


async def _score_all(
    dataset: Any, metrics: Sequence[Any], judges: tuple[Any, Any], options: _Options
) -> EvaluationResult:
    rows = rows_of(dataset)
    if not rows:
        raise InputError("the data set holds no rows", "give at least one")
    mapping = mapping_of(rows, options.column_map)
    settings = Settings(
        mapping=mapping,
        limits=options.run_config.limits() if options.run_config else Limits(),
        on_progress=bar() if options.show_progress else None,
    )
    table, runs = _Table(rows), list[Result]()
    for (judge, embedder), group in _by_judge(metrics, *judges):
        new_runs, scored_rows = await scored(rows, group, judge, embedder, settings)
        runs += new_runs
        for metric, outcomes in zip(group, scored_rows, strict=True):
            table.add(metric.key, [metric.value(o) for o in outcomes], list(map(why, outcomes)))
    for metric in metrics:
        if not isinstance(metric, Ready):
            judged = _with_judges(metric, *judges)
            await _add_user_metric(judged, dataset, table, settings)
    keys = [metric.key if isinstance(metric, Ready) else metric.name for metric in metrics]
    scores = {key: table.scores[key] for key in keys}
    return EvaluationResult(rows, scores, table.reasons, runs, dataset)


def _check_others(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if name == "callbacks" and value:
            has = "result.assay has every prompt and reply"
            warnings.warn(f"callbacks= of LangChain are not called: {has}", stacklevel=4)
        elif name == "return_executor" and value:
            remedy = "stop a run at any time: the same call resumes where it was"
            refuse("return_executor=True", remedy)
        elif name not in ("callbacks", "return_executor", *_NO_EFFECT) and name[0] != "_":
            raise InputError(f"evaluate has no parameter '{name}'", "see docs/ragas.md")


def _metrics(metrics: Sequence[Any] | None) -> list[Any]:
    from assay.integrations.ragas import metrics as ours

    if metrics is None:
        return [
            ours.answer_relevancy,
            ours.context_precision,
            ours.faithfulness,
            ours.context_recall,
        ]
    if not isinstance(metrics, list | tuple):
        raise TypeError("metrics are given as a list: metrics=[Faithfulness()]")
    for metric in metrics:
        if isinstance(metric, type):
            raise TypeError(f"{metric.__name__} is a class: metrics=[{metric.__name__}()]")
        if not isinstance(metric, Metric):
            remedy = "score rows with it one by one, or give assay.evaluate a metric of assay"
            raise InputError(f"evaluate cannot take {metric!r} as a metric", remedy)
    return list(metrics)


def _by_judge(
    metrics: Sequence[Any], llm: Any, embeddings: Any
) -> list[tuple[tuple[Any, Any], list[Ready]]]:
    """The metrics that assay computes, those with the same judges together."""
    groups: dict[tuple[int, int], tuple[tuple[Any, Any], list[Ready]]] = {}
    for metric in metrics:
        if isinstance(metric, Ready):
            judge = llm if metric.llm is None else metric.llm
            embedder = embeddings if metric.embeddings is None else metric.embeddings
            models = (judge, embedder)
            groups.setdefault((id(judge), id(embedder)), (models, []))[1].append(metric)
    return list(groups.values())


async def _add_user_metric(metric: Any, dataset: Any, table: _Table, settings: Settings) -> None:
    """Score every row by a metric of the user's own, as many at once as may be."""
    from assay.integrations.ragas.dataset_schema import EvaluationDataset, MultiTurnSample

    typed = isinstance(dataset, EvaluationDataset)
    rows = [named(row, settings.mapping) for row in table.rows]
    samples = dataset.samples if typed else EvaluationDataset.from_list(rows).samples
    free = asyncio.Semaphore(settings.limits.concurrency)

    async def score(sample: Any, row: Mapping[str, Any]) -> float:
        async with free:
            if isinstance(sample, MultiTurnSample) and isinstance(metric, MultiTurnMetric):
                return float(await metric.multi_turn_ascore(sample))
            if isinstance(metric, SingleTurnMetric):
                return float(await metric.single_turn_ascore(sample))
            if hasattr(metric, "_ascore"):  # as metrics of ragas 0.1 are defined
                return float(await metric.ascore(row))
            raise InputError(f"{metric.name} does not score a {type(sample).__name__}")

    scored = await asyncio.gather(*map(score, samples, rows), return_exceptions=True)
    values, reasons = [], []
    for value in scored:
        if isinstance(value, InputError) or not isinstance(value, float | Exception):
            raise value  # what cannot be asked for at all, and what is to end the program
        values.append(value if isinstance(value, float) else math.nan)
        reasons.append(_missing_reason(value))
    table.add(metric.name, values, reasons)


def _with_judges(metric: Any, llm: Any, embeddings: Any) -> Any:
    """A metric of the user's own with the judges of `evaluate` where it has none; a copy."""
    models = {"llm": llm, "embeddings": embeddings}
    lacks = {name: model for name, model in models.items() if getattr(metric, name, ...) is None}
    if not any(model is not None for model in lacks.values()):
        return metric
    metric = copy.copy(metric)
    for name, model in lacks.items():
        setattr(metric, name, model)
    return metric


def _missing_reason(value: float | Exception) -> str:
    """Why a metric of the user's own has no score; "" if it has one."""
    if isinstance(value, Exception):
        return f"failed: {type(value).__name__}: {value}"
    return "undefined: the metric gave NaN" if math.isnan(value) else ""


def _messages(result: EvaluationResult, *, raise_exceptions: bool) -> list[str]:
    """What is to be said of rows without a score.

    Raises:
        JudgeError: If one failed and that is to be an error.
    """
    messages = []
    for key in result:
        gaps = [reason for reason in result.reasons[key] if reason]
        if raise_exceptions and (failed := [gap for gap in gaps if gap.startswith("failed")]):
            raise JudgeError(f"{key}: {failed[0]}")
        if gaps:
            n = f"{len(gaps)} of {len(result.rows)}"
            messages.append(f"{key}: {n} rows have no score and are NaN; the first is {gaps[0]}")
    return messages


_WIDTH = 30


def bar() -> Callable[[Progress], None] | None:
    """What draws the bar; None where the output is no terminal."""
    return draw if sys.stderr.isatty() else None


def draw(progress: Progress) -> None:
    """Draw the bar once more, over itself."""
    filled = _WIDTH * progress.done // max(1, progress.total)
    line = "\N{FULL BLOCK}" * filled + "\N{LIGHT SHADE}" * (_WIDTH - filled)
    ended = "\n" if progress.done >= progress.total else ""
    failed = f", {progress.failed} failed" if progress.failed else ""
    bar = f"Evaluating {line} {progress.done}/{progress.total}{failed}"
    sys.stderr.write(f"\r{bar}{ended}")
    sys.stderr.flush()
