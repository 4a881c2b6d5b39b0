"""What does a report show? The one dict that every form of report is made from."""

import itertools
from typing import Any

import msgspec

from assay._version import __version__
from assay.judge import Reply
from assay.run.result import NOT_DONE, MetricSummary, Result
from assay.sample import Sample
from assay.score import Outcome
from assay.store import Run, Store
from assay.tasks import Embed

# More samples than this make a page that no browser likes; the table still counts them all.
MOST_SAMPLES = 2000


def collect(result: Result, *, most: int = MOST_SAMPLES, only: str | None = None) -> dict[str, Any]:
    """Everything a report shows of a run, as plain values.

    Args:
        result: The run.
        most: Samples shown in full, the first ones.
        only: Id of the one sample to show instead.

    Raises:
        InputError: If there is no sample of that id.
    """
    run = result.run
    baseline = result.baseline()
    cost = result.cost()
    with Store(result.path) as store:
        first = itertools.islice(store.samples(run.id), most)
        found = first if only is None else [store.sample(run.id, only)]
        samples = [_sample(store, run, row, sample) for row, sample in found]
    used = sum(len(score["replies"]) for s in samples for score in s["scores"].values())
    return {
        "assay": __version__,
        "run": _run(run),
        "metrics": [_metric(row, run) for row in result.summary()],
        "baseline": msgspec.to_builtins(baseline) if baseline else None,
        "cost": {**msgspec.to_builtins(cost), "cached": max(0, used - cost.calls)},
        "judge_card": [{"text": text} for text in run.config["card"]],
        "samples": samples,
        "n_shown": len(samples),
    }


def _run(run: Run) -> dict[str, Any]:
    routes = {kind: name for kind, name in run.config["routes"].items() if kind != Embed.kind}
    judge = ", ".join([run.config["judge"], *(f"{k}={v}" for k, v in routes.items())])
    return {
        "id": run.id,
        "created": run.created,
        "finished": run.finished is not None,
        "stopped": run.stopped,
        "source": run.source,
        "judge": judge,
        "embedder": run.config["embedder"],
        "n_samples": run.n_samples,
        "skipped": run.skipped,
    }


def _metric(row: MetricSummary, run: Run) -> dict[str, Any]:
    return {
        **run.config["about"][row.metric],
        **msgspec.to_builtins(row),
        "name": row.metric,
        "label": row.metric,
        "methods": list(row.methods),
    }


def _sample(store: Store, run: Run, row: int, sample: Sample) -> dict[str, Any]:
    scores = {
        metric: _score(
            store.outcome(run.id, row, metric) or NOT_DONE, store.replies(run.id, row, metric)
        )
        for metric in run.metrics
    }
    fields = msgspec.to_builtins(sample)
    return {**fields, "row": row, "contexts": list(sample.contexts or ()), "scores": scores}


def _score(outcome: Outcome, replies: list[Reply]) -> dict[str, Any]:
    empty: dict[str, Any] = {"value": None, "why": "", "detail": "", "method": "", "details": {}}
    shown = [{**msgspec.to_builtins(reply), "prompt": reply.prompt} for reply in replies]
    return {**empty, **msgspec.to_builtins(outcome), "replies": shown}
