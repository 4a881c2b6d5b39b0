"""How does a metric evaluate a run in the protocol of LangChain and LangSmith?"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from langsmith import evaluation
from langsmith.evaluation import EvaluationResult, EvaluationResults

from assay.integrations.rows import answer_of, document, picked, question_of, said
from assay.integrations.scoring import Finding, Scorer
from assay.runner.event_loop import run_to_completion


class RunEvaluator(evaluation.RunEvaluator):
    """Metrics as an evaluator of runs: ``langsmith.evaluate(..., evaluators=[RunEvaluator(...)])``.

    The question is taken from the inputs of the run, the answer from its outputs, the contexts from
    the outputs or else from the retrievers that ran within it, the reference from the outputs of
    the example. Keys are recognised as columns of data sets are.

    Args:
        metrics: As for `assay.evaluate`.
        judge: As for `assay.evaluate`.
        row: Makes the fields of a sample of a run and its example, where keys have other names.
        how: `embedder`, `store` and `settings` of `assay.evaluate`.
    """

    def __init__(
        self,
        metrics: Any,
        judge: Any = "embedded",
        *,
        row: Callable[[Any, Any], Mapping[str, Any]] | None = None,
        **how: Any,
    ) -> None:
        self._scorer = Scorer(metrics, judge, **how)
        self._row = row or row_of

    @property
    def feedback_keys(self) -> list[str]:
        """The labels of the metrics."""
        return [metric.label for metric in self._scorer.metrics]

    def evaluate_run(
        self, run: Any, example: Any = None, evaluator_run_id: UUID | None = None
    ) -> EvaluationResults:
        """The results of all metrics on a run."""
        return run_to_completion(self.aevaluate_run(run, example, evaluator_run_id))

    async def aevaluate_run(
        self, run: Any, example: Any = None, evaluator_run_id: UUID | None = None
    ) -> EvaluationResults:
        """The results of all metrics on a run."""
        del evaluator_run_id
        found = await self._scorer.ascore(self._row(run, example))
        return EvaluationResults(results=[_result(finding) for finding in found])


def row_of(run: Any, example: Any = None) -> dict[str, Any]:
    """The fields of a sample that a run and its example hold."""
    inputs, outputs = run.inputs or {}, run.outputs or {}
    wanted = getattr(example, "outputs", None) or {}
    contexts = picked(outputs, "contexts")
    return {
        "question": question_of(inputs) or question_of(getattr(example, "inputs", None) or {}),
        "answer": answer_of(outputs),
        "contexts": _retrieved(run) if contexts is None else contexts,
        "reference": said(picked(wanted, "reference") or "") or answer_of(wanted),
        "reference_contexts": picked(wanted, "reference_contexts"),
    }


def _retrieved(run: Any) -> list[Any] | None:
    """What the last retriever within a run found; None if there was none."""
    found = None
    for child in run.child_runs or ():
        if child.run_type == "retriever":
            documents = (child.outputs or {}).get("documents") or []
            found = [d if isinstance(d, Mapping) else document(d) for d in documents]
        else:
            deeper = _retrieved(child)
            found = found if deeper is None else deeper
    return found


def _result(finding: Finding) -> EvaluationResult:
    about = {"assay_run": finding.run, "assay_store": str(finding.store)}
    return EvaluationResult(
        key=finding.metric.label,
        score=finding.value,
        value=finding.why or None,
        comment=finding.reasons,
        metadata=about,
    )
