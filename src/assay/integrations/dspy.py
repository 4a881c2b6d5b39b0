"""DSPy: a metric scores programs, and tells optimisers what was wrong."""

from collections.abc import Callable, Mapping
from typing import Any

from assay.data.values import describe
from assay.errors import AssayError, InputError
from assay.integrations.rows import MetricOutcome, Scorer, pick
from assay.metrics.registry import check_threshold


class NotScored(AssayError):
    """A metric could not score a prediction, and no score was agreed on for that case."""


class DSPyMetric:
    """A metric in the form that `dspy.Evaluate` and DSPy's optimisers call.

    Question and reference are taken from the example, answer and contexts from the prediction or
    else from the example. Keys are recognised as columns of data sets are.

    Args:
        metric: As for `assay.evaluate`; one. Its scores have to be better the higher they are.
        judge: As for `assay.evaluate`.
        row: Makes the fields of a sample of an example and a prediction, where keys have other
            names.
        unscored: The score of a prediction that cannot be scored; None raises `NotScored`, which
            DSPy counts as an error.
        passing: While examples are bootstrapped, a score from here on is a success; the metric's
            guide value by default, 1 if it has none.
        feedback: Whether to give a `dspy.Prediction` with score and feedback, as GEPA reads it.
        options: `embedder`, `store` and `settings` of `assay.evaluate`.

    Raises:
        InputError: If the metric is unknown, its low scores are the good ones, or none of its
            scores is the one that passes.
    """

    def __init__(
        self,
        metric: Any,
        judge: Any = "embedded",
        *,
        row: Callable[[Any, Any], Mapping[str, Any]] | None = None,
        unscored: float | None = None,
        passing: float | None = None,
        feedback: bool = False,
        **options: Any,
    ) -> None:
        if passing is not None:
            check_threshold(metric)
        self._scorer = Scorer(metric, judge, **options)
        self.metric = self._scorer.metric
        if not self.metric.higher_is_better:
            fault = f"for {self.metric.label} lower is better, but DSPy takes the highest"
            raise InputError(fault, "give a metric for which higher is better")
        self.__name__ = self.metric.label
        self._row = row or row_of
        self._unscored, self._feedback = unscored, feedback
        self._scorer.check_passing(passing)
        self._passing = 1.0 if passing is None and self.metric.guide is None else passing

    def __call__(
        self,
        example: Any,
        prediction: Any,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> Any:
        """The score of a prediction: a float, whether it passes while bootstrapping, or feedback.

        Raises:
            NotScored: If there is no score, and `unscored` was not given.
            InputError: If a field that the metric needs is not there.
            Denied: If the judge refuses.
        """
        del pred_name, pred_trace
        (scored,) = self._scorer.score(self._row(example, prediction))
        value = self._value(scored)
        if self._feedback:
            from dspy import Prediction

            return Prediction(score=value, feedback=f"{self.__name__} {value:g}\n{scored.reasons}")
        if trace is not None:
            return bool(scored.passing(self._passing))
        return value

    def _value(self, scored: MetricOutcome) -> float:
        if scored.value is not None:
            return scored.value
        if self._unscored is None:
            raise NotScored(f"{self.__name__} is {scored.why} -> unscored=0.0 makes it a score")
        return self._unscored


def row_of(example: Any, prediction: Any) -> dict[str, Any]:
    """The fields of a sample that an example and a prediction hold."""
    expected, predicted = _fields(example, "example"), _fields(prediction, "prediction")
    contexts = pick(predicted, "contexts")
    return {
        "question": pick(expected, "question"),
        "answer": pick(predicted, "answer"),
        "contexts": pick(expected, "contexts") if contexts is None else contexts,
        # An example's own answer is the right one.
        "reference": pick(expected, "reference") or pick(expected, "answer"),
    }


def _fields(obj: Any, role: str) -> Mapping[str, Any]:
    """The fields of an object of DSPy, or of a dict in its place.

    Raises:
        InputError: If it has none.
    """
    fields = obj if isinstance(obj, Mapping) else getattr(obj, "toDict", dict)()
    if not fields:
        remedy = f"give a dspy.{role.title()}, or row=, a function that makes the fields of both"
        raise InputError(f"{describe(obj)} is no {role} of DSPy with fields", remedy)
    return fields
