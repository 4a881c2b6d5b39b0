"""Runs that ask again about another one: history and "last" leave them out."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay._runner.evaluate import describe, score_run
from assay._runner.plan import config, plan
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay._store import Store
from assay.data import Source
from assay.metrics import Metric


async def evaluate_derived(
    data: Source,
    metrics: Sequence[Metric],
    judge: Any,
    *,
    embedder: Any,
    settings: Settings,
    store: str | Path,
    of: str,
) -> Result:
    """Score answers as `aevaluate` does, as a run that is derived from the run `of`."""
    planned = await asyncio.to_thread(plan, data, metrics, judge, embedder, settings)
    run_config = {**config(planned.metrics, planned.route, planned.settings), "rescores": of}
    with Store(store) as opened:
        begun = await asyncio.to_thread(
            opened.begin, planned.samples, run_config, planned.samples.name
        )
        describe(begun, settings.description, opened)
        await score_run(begun, planned, opened)
    return Result(store, begun.id)
