"""How do rows become scores: through assay's one door, whichever form of ragas asks?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from assay.integrations.ragas import judges
from assay.integrations.ragas.rows import filled, mapping_of
from assay.metrics import Metric
from assay.run import STORE
from assay.run.evaluate import aevaluate
from assay.run.result import Result
from assay.run.settings import Settings
from assay.score import Outcome


class Scored(Protocol):
    """A metric of ragas that assay computes."""

    llm: Any
    embeddings: Any

    def in_assay(self, fields: frozenset[str]) -> Metric:
        """The metric of assay, for samples that fill these fields."""


async def run(
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[Metric],
    llm: Any,
    embeddings: Any,
    settings: Settings,
    store: str | Path = STORE,
) -> Result:
    """Score all rows by these metrics."""
    judge = judges.judge(llm)
    return await aevaluate(
        list(rows),
        list(dict.fromkeys(metrics)),
        judge,
        embedder=judges.embedder(embeddings, judge),
        store=store,
        settings=settings,
    )


async def outcomes(metric: Scored, rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """What one metric finds for these rows, in their order."""
    mapping = mapping_of(rows)
    found = metric.in_assay(filled(rows, mapping))
    settings = Settings(mapping=mapping, probe=False)
    result = await run(rows, [found], metric.llm, metric.embeddings, settings)
    return result[found.label]
