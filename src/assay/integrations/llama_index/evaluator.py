"""How does a metric evaluate a response in LlamaIndex's own protocol?"""

from collections.abc import Sequence
from typing import Any

from llama_index.core.evaluation import BaseEvaluator, EvaluationResult

from assay.integrations.scoring import Scorer
from assay.metrics.registry import check_threshold


class Evaluator(BaseEvaluator):
    """A metric as an evaluator of LlamaIndex, for `BatchEvalRunner` too.

    ``reference=...`` and other fields of a sample are given by name. What cannot be scored is an
    invalid result with its reason, never a number.

    Args:
        metric: As for `assay.evaluate`; one.
        judge: As for `assay.evaluate`.
        passing: The worst score that passes; the metric's guide value by default.
        how: `embedder`, `store` and `settings` of `assay.evaluate`.
    """

    def __init__(
        self, metric: Any, judge: Any = "embedded", *, passing: float | None = None, **how: Any
    ) -> None:
        if passing is not None:
            check_threshold(metric)
        self._scorer = Scorer(metric, judge, **how)
        (self._metric,) = self._scorer.metrics
        self._passing = passing

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        del prompts

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        sleep_time_in_seconds: int = 0,
        **further: Any,
    ) -> EvaluationResult:
        """The metric's score of a response.

        Raises:
            InputError: If a field that the metric needs is not there.
            Denied: If the judge refuses.
        """
        del sleep_time_in_seconds  # the judge's limits pace the calls
        kept = None if contexts is None else list(contexts)
        row = {"question": query, "answer": response, "contexts": kept, **further}
        (finding,) = await self._scorer.ascore(row)
        return EvaluationResult(
            query=query,
            response=response,
            contexts=kept,
            score=finding.value,
            passing=finding.passing(self._passing),
            feedback=finding.reasons,
            invalid_result=finding.value is None,
            invalid_reason=finding.why or None,
        )
