"""`evaluate` as ragas has it, over assay's own, and the result that it gives."""

import asyncio
import copy
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import InputError, JudgeError
from assay.integrations.ragas.advice import completed, refuse, reworded
from assay.integrations.ragas.metrics.base import Metric, MultiTurnMetric, Ready, SingleTurnMetric
from assay.integrations.ragas.metrics.result import why
from assay.integrations.ragas.run_config import RunConfig, TokenUsage
from assay.integrations.ragas.scoring import mapping_of, named, rows_of, scored
from assay.middleware.limiter import Limits
from assay.runner.progress import Progress
from assay.runner.result import Result
from assay.runner.settings import Settings

__all__ = ["EvaluationResult", "RunConfig", "aevaluate", "evaluate"]

_NO_EFFECT = (
    "experiment_name",
    "batch_size",
    "token_usage_parser",
    "allow_nest_asyncio",
    "is_async",
    "in_ci",
)


class Scores(list[float]):
    """The scores of one metric, a list (ragas 0.2 and later) and its mean (before) in one.

    NaN stands where there is no score; the mean is that of the others. It is the mean where a
    number is asked for: ``float(scores)``, ``round(scores, 2)``, ``f"{scores:.2f}"``, and in
    arithmetic and comparisons with a number or the scores of another metric.
    """

    @property
    def average(self) -> float:
        """The mean of the scores there are; NaN if there is none."""
        # Not called `mean`: numpy would call an attribute of that name.
        there = [score for score in self if not math.isnan(score)]
        return sum(there) / len(there) if there else math.nan

    def __float__(self) -> float:
        return self.average

    def __round__(self, digits: int | None = None) -> float:
        return round(self.average, digits)

    def __format__(self, form: str) -> str:
        return format(self.average, form) if form else str(self)

    def __neg__(self) -> float:
        return -self.average

    def __add__(self, other: Any) -> Any:
        return self.average + float(other) if _is_number(other) else super().__add__(other)

    def __sub__(self, other: Any) -> float:
        return self.average - float(other)

    def __rsub__(self, other: float) -> float:
        return other - self.average

    def __mul__(self, other: Any) -> Any:
        return self.average * float(other)

    def __truediv__(self, other: Any) -> float:
        return self.average / float(other)

    def __rtruediv__(self, other: float) -> float:
        return other / self.average

    __radd__ = __add__
    __rmul__ = __mul__

    def __lt__(self, other: Any) -> bool:
        return self.average < float(other) if _is_number(other) else super().__lt__(other)

    def __le__(self, other: Any) -> bool:
        return self.average <= float(other) if _is_number(other) else super().__le__(other)

    def __gt__(self, other: Any) -> bool:
        return self.average > float(other) if _is_number(other) else super().__gt__(other)

    def __ge__(self, other: Any) -> bool:
        return self.average >= float(other) if _is_number(other) else super().__ge__(other)


def _is_number(other: Any) -> bool:
    return isinstance(other, int | float | Scores)


def _names(name: str, model: str) -> bool:
    """Whether a judge is of that model: `gpt-4o` is not `openai:gpt-4o-mini`."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", model) is not None


@dataclass(eq=False)
class EvaluationResult(Mapping[str, Scores]):
    """The scores of a data set.

    Attributes:
        rows: The rows as they were given.
        columns: Scores by metric, in the order of the rows.
        reasons: Why there is no score, by metric and in the order of the rows; "" where there is.
        runs: assay's own results, one for each judge, with all the evidence.
        dataset: The data set as it was given.
    """

    rows: Sequence[Mapping[str, Any]]
    columns: Mapping[str, Scores]
    reasons: Mapping[str, Sequence[str]]
    runs: Sequence[Result] = ()
    dataset: Any = field(default=None, repr=False)

    def __getitem__(self, metric: str) -> Scores:
        return self.columns[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        shown = [f"'{name}': {mean:0.4f}" for name, mean in self._repr_dict.items()]
        return "{" + ", ".join(shown) + "}"

    @property
    def _repr_dict(self) -> dict[str, float]:
        # Not public in ragas either, but what scripts for 0.2 and later take means from.
        return {name: scores.average for name, scores in self.columns.items()}

    @property
    def assay(self) -> Result:
        """Assay's own result: intervals, evidence, reports.

        Raises:
            InputError: If the metrics had several judges, or none that assay knows of.
        """
        if len(self.runs) != 1:
            raise InputError(f"there are {len(self.runs)} runs of assay behind it", "see .runs")
        return self.runs[0]

    @property
    def scores(self) -> list[dict[str, float]]:
        """One dict a row."""
        return [
            {name: scores[at] for name, scores in self.columns.items()}
            for at in range(len(self.rows))
        ]

    def to_pandas(self) -> Any:
        """Rows, scores, and beside each score with gaps a column `<metric>_why`.

        Raises:
            InputError: If pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InputError("to_pandas needs pandas", "pip install 'assay[ragas]'") from None
        frame = pd.DataFrame([dict(row) for row in self.rows])
        for name, scores in self.columns.items():
            frame[name] = list(scores)
            if any(self.reasons[name]):
                frame[f"{name}_why"] = list(self.reasons[name])
        return frame

    def total_tokens(self) -> TokenUsage | list[TokenUsage]:
        """Tokens that this evaluation paid for; a list where it had several judges.

        Replies that were in the store already cost nothing and are not counted.
        """
        found = []
        for run in self.runs:
            spent = run.paid
            judge = str(run.run.config["judge"])
            found.append(TokenUsage(spent.tokens_in, spent.tokens_out, judge))
        return found[0] if len(found) == 1 else found

    def total_cost(
        self,
        cost_per_input_token: float | None = None,
        cost_per_output_token: float | None = None,
        per_model_costs: Mapping[str, tuple[float, float]] | None = None,
    ) -> float:
        """What these tokens cost.

        Args:
            cost_per_input_token: Price of a token read.
            cost_per_output_token: Price of a token written, the same if it is not given.
            per_model_costs: Both prices by model, where there are several.

        Raises:
            InputError: If a model has no price.
        """
        used = self.total_tokens()
        prices = per_model_costs or {}
        total = 0.0
        for usage in used if isinstance(used, list) else [used]:
            model = next((name for name in prices if _names(name, usage.model)), None)
            if model is not None:
                total += usage.cost(*prices[model])
            elif cost_per_input_token is not None:
                total += usage.cost(cost_per_input_token, cost_per_output_token)
            else:
                raise InputError(f"no price for {usage.model}", "give cost_per_input_token")
        return total

    @property
    def traces(self) -> Any:
        """Not kept in ragas' form.

        Raises:
            InputError: Always, with the assay way.
        """
        refuse("result.traces", "result.assay.trace(sample, metric) has the evidence of a score")

    ragas_traces = traces

    @property
    def cost_cb(self) -> Any:
        """There are no callbacks.

        Raises:
            InputError: Always, with the assay way.
        """
        refuse("result.cost_cb", "result.total_tokens() and result.total_cost() need no callback")

    @property
    def run_id(self) -> str:
        """The id of assay's run, by which the store has it; see `assay` for when there is one."""
        return self.assay.run.id

    @property
    def binary_columns(self) -> list[str]:
        """The metrics whose scores are all 0 or 1."""
        return [name for name, scores in self.columns.items() if {*scores} <= {0.0, 1.0}]

    def upload(self, *_: Any, **__: Any) -> str:
        """There is no server to upload to.

        Raises:
            InputError: Always, with the assay way.
        """
        refuse("upload")


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
    **how: Any,
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
        how: `run_config`, a `RunConfig`; `column_map`, the column of the data by ragas' name of
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
        result = await _scored(dataset, _metrics(metrics), (llm, embeddings), _Options.of(how))
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
    **how: Any,
) -> EvaluationResult:
    """`aevaluate` run to completion, whether or not an event loop is running."""
    result = completed(_scored(dataset, _metrics(metrics), (llm, embeddings), _Options.of(how)))
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


async def _scored(
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
        done, scored_rows = await scored(rows, group, judge, embedder, settings)
        runs += done
        for metric, outcomes in zip(group, scored_rows, strict=True):
            table.add(metric.key, [metric.value(o) for o in outcomes], list(map(why, outcomes)))
    for metric in metrics:
        if not isinstance(metric, Ready):
            judged = _judged(metric, *judges)
            await _add_user_metric(judged, dataset, table, settings)
    keys = [metric.key if isinstance(metric, Ready) else metric.name for metric in metrics]
    scores = {key: table.scores[key] for key in keys}
    return EvaluationResult(rows, scores, table.reasons, runs, dataset)


def _check_others(others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if name == "callbacks" and value:
            has = "result.assay has every prompt and reply"
            warnings.warn(f"callbacks= of LangChain are not called: {has}", stacklevel=4)
        elif name == "return_executor" and value:
            way = "stop a run at any time: the same call resumes where it was"
            refuse("return_executor=True", way)
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
            way = "score rows with it one by one, or give assay.evaluate a metric of assay"
            raise InputError(f"evaluate cannot take {metric!r} as a metric", way)
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
            both = (judge, embedder)
            groups.setdefault((id(judge), id(embedder)), (both, []))[1].append(metric)
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


def _judged(metric: Any, llm: Any, embeddings: Any) -> Any:
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
