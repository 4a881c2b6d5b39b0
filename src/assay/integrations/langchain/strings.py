"""A metric as a string evaluator, in the protocol that LangChain keeps in langchain-classic."""

from typing import Any

from langchain_classic import evaluation

from assay._runner.event_loop import run_to_completion
from assay.integrations.rows import Finding, Scorer


class StringEvaluator(evaluation.StringEvaluator):
    """A metric as a string evaluator: prediction, input and reference in, score and reasons out.

    Contexts are given as ``contexts=[...]``, other fields of a sample likewise.

    Args:
        metric: As for `assay.evaluate`; one.
        judge: As for `assay.evaluate`.
        how: `embedder`, `store` and `settings` of `assay.evaluate`.
    """

    def __init__(self, metric: Any, judge: Any = "embedded", **how: Any) -> None:
        self._scorer = Scorer(metric, judge, **how)
        (self._metric,) = self._scorer.metrics

    @property
    def evaluation_name(self) -> str:
        """The metric's label."""
        return self._metric.label

    @property
    def requires_input(self) -> bool:
        """Whether the metric needs the question."""
        return "question" in self._metric.needs

    @property
    def requires_reference(self) -> bool:
        """Whether the metric needs the right answer."""
        return "reference" in self._metric.needs

    def _evaluate_strings(self, **fields: Any) -> dict[str, Any]:
        return run_to_completion(self._aevaluate_strings(**fields))

    async def _aevaluate_strings(
        self,
        *,
        prediction: Any,
        reference: Any = None,
        input: Any = None,  # noqa: A002 - LangChain's own name
        **further: Any,
    ) -> dict[str, Any]:
        row = {"question": input, "answer": prediction, "reference": reference, **further}
        row = {k: v for k, v in row.items() if k not in ("callbacks", "tags", "include_run_info")}
        (finding,) = await self._scorer.ascore(row)
        return _result(finding)


def _result(finding: Finding) -> dict[str, Any]:
    return {
        "score": finding.value,
        "value": finding.why or None,
        "reasoning": finding.reasons,
        "run": finding.run,
    }
