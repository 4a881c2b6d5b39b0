"""Metrics as a component of a pipeline of Haystack."""

from typing import Any

from haystack import component, default_from_dict, default_to_dict

from assay._runner.event_loop import run_to_completion
from assay.errors import InputError
from assay.integrations.haystack import INPUTS, rows
from assay.integrations.rows import MetricOutcome, Scorer


@component
class AssayEvaluator:
    """Metrics as a component: lists of questions, contexts and answers in, scores out.

    Each list holds one item a sample. Documents are taken as well as texts, and so are a
    `GeneratedAnswer` and a `ChatMessage` for an answer.

    Args:
        metrics: As for `assay.evaluate`.
        judge: As for `assay.evaluate`. A pipeline with a judge that is no text cannot be saved.
        embedder: As for `assay.evaluate`.
        store: As for `assay.evaluate`.
    """

    def __init__(
        self,
        metrics: Any,
        judge: Any = "embedded",
        embedder: Any = None,
        store: str = "assay.db",
    ) -> None:
        self._scorer = Scorer(metrics, judge, embedder=embedder, store=store)
        for name in INPUTS:
            component.set_input_type(self, name, list[Any] | None, None)

    def to_dict(self) -> dict[str, Any]:
        """What a saved pipeline keeps.

        Raises:
            InputError: If judge or embedder is an object.
        """
        for name in ("judge", "embedder"):
            if not isinstance(getattr(self._scorer, name), str | None):
                remedy = f"give the {name} as text, such as 'openai:MODEL'"
                raise InputError(f"a {name} that is an object cannot be saved", remedy)
        saved: dict[str, Any] = default_to_dict(
            self,
            metrics=[metric.label for metric in self._scorer.metrics],
            judge=self._scorer.judge,
            embedder=self._scorer.embedder,
            store=str(self._scorer.store),
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "AssayEvaluator":
        """The component that a saved pipeline kept."""
        evaluator: AssayEvaluator = default_from_dict(cls, data)
        return evaluator

    @component.output_types(scores=dict[str, float | None], results=list[dict[str, Any]], run=str)
    def run(self, **inputs: Any) -> dict[str, Any]:
        """Score all samples.

        Returns:
            ``scores`` by metric (the mean of those scored, None if there is none), ``results``
            with one dict a sample (by metric: ``score``, ``why``, ``reasons``), and the id of the
            ``run`` in the store.

        Raises:
            InputError: If lists differ in length, or a field that a metric needs is not there.
            Denied: If the judge refuses.
        """
        return run_to_completion(self.run_async(**inputs))

    @component.output_types(scores=dict[str, float | None], results=list[dict[str, Any]], run=str)
    async def run_async(self, **inputs: Any) -> dict[str, Any]:
        """See `run`."""
        scored = await self._scorer.ascore_many(rows(inputs))
        results = [{f.metric.label: _result(f) for f in outcomes} for outcomes in scored]
        means = {metric.label: _mean(results, metric.label) for metric in self._scorer.metrics}
        return {"scores": means, "results": results, "run": scored[0][0].run}


def _result(scored: MetricOutcome) -> dict[str, Any]:
    return {"score": scored.value, "why": scored.why, "reasons": scored.reasons}


def _mean(results: list[dict[str, Any]], label: str) -> float | None:
    values = [result[label]["score"] for result in results if result[label]["score"] is not None]
    return sum(values) / len(values) if values else None
