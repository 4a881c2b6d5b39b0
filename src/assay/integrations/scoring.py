"""Samples scored one by one, as other libraries hand them over."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay._runner import STORE
from assay._runner.evaluate import aevaluate
from assay._runner.event_loop import run_to_completion
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, resolve
from assay.score import Outcome, Unscored


@dataclass(frozen=True, slots=True)
class Finding:
    """What one metric found on one sample.

    Attributes:
        metric: The metric.
        outcome: The score with its evidence, or why there is none.
        store: The store that holds prompts and replies.
        run: The run in it.
    """

    metric: Metric
    outcome: Outcome
    store: Path
    run: str

    @property
    def value(self) -> float | None:
        """The score; None if there is none."""
        return None if isinstance(self.outcome, Unscored) else self.outcome.value

    @property
    def why(self) -> str:
        """Why there is no score, "" if there is one."""
        return self.outcome.reason if isinstance(self.outcome, Unscored) else ""

    @property
    def reasons(self) -> str:
        """The evidence in words, one line a part: label, text and reason."""
        lines = [f"{part.label or part.kind}: {part.text}" for part in self.outcome.parts]
        reasons = [part.reason for part in self.outcome.parts]
        full = [f"{a} ({b})" if b else a for a, b in zip(lines, reasons, strict=True)]
        return "\n".join([self.why, *full] if self.why else full)

    def passing(self, threshold: float | None) -> bool | None:
        """Whether the score is good enough; None where there is no score or no threshold.

        Args:
            threshold: The worst score that passes; None for the metric's guide value.
        """
        wanted = self.metric.guide if threshold is None else threshold
        if self.value is None or wanted is None:
            return None
        return self.value >= wanted if self.metric.higher_is_better else self.value <= wanted


class Scorer:
    """Metrics and their judge, for samples that come one by one.

    Each sample is a run of its own in the store; the same sample is not paid for twice.

    Args:
        metrics: As for `assay.evaluate`.
        judge: As for `assay.evaluate`.
        embedder: As for `assay.evaluate`.
        store: As for `assay.evaluate`.
        settings: As for `assay.evaluate`.

    Raises:
        InputError: If a metric is unknown.
    """

    def __init__(
        self,
        metrics: Iterable[str | Metric] | str | Metric,
        judge: Any = DEFAULT,
        *,
        embedder: Any = None,
        store: str | Path = STORE,
        settings: Settings | None = None,
    ) -> None:
        self.metrics = resolve(metrics)
        self.judge = judge
        self.embedder = embedder
        self.store = Path(store)
        self._settings = settings

    async def ascore(self, row: Mapping[str, Any]) -> list[Finding]:
        """What each metric found on a sample, in order.

        Args:
            row: Its fields by name; those that are None are left out.

        Raises:
            InputError: If a field that a metric needs is not there.
            Denied: If the judge refuses.
        """
        (findings,) = await self.aeach([row])
        return findings

    def score(self, row: Mapping[str, Any]) -> list[Finding]:
        """`ascore`, whether or not an event loop is running."""
        return run_to_completion(self.ascore(row))

    async def aeach(self, rows: Iterable[Mapping[str, Any]]) -> list[list[Finding]]:
        """For each of several samples what each metric found: one run for all of them."""
        result = await self.aresult(rows)
        path, run = result.path, result.run.id
        by_metric = [
            [Finding(metric, outcome, path, run) for outcome in result[metric.label]]
            for metric in self.metrics
        ]
        return [list(findings) for findings in zip(*by_metric, strict=True)]

    async def aresult(self, rows: Iterable[Mapping[str, Any]]) -> Result:
        """The result of several samples."""
        filled = [{k: v for k, v in row.items() if v is not None} for row in rows]
        return await aevaluate(
            filled,
            self.metrics,
            self.judge,
            embedder=self.embedder,
            store=self.store,
            settings=self._settings,
        )
