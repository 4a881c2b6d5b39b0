"""Samples, a data frame out, a metric of a prompt, and an experiment."""

from said import ROWS

from assay.integrations.ragas import EvaluationDataset, SingleTurnSample, evaluate
from assay.integrations.ragas.metrics import DiscreteMetric, Faithfulness

sample = SingleTurnSample(
    user_input=ROWS[0]["question"],
    response=ROWS[0]["answer"],
    retrieved_contexts=ROWS[0]["contexts"],
)
found = evaluate(EvaluationDataset([sample]), [Faithfulness()], llm="embedded")
assert found.to_pandas()["faithfulness"].tolist() == [0.5]
assert DiscreteMetric(name="red", prompt="Red? {response}", allowed_values=["yes", "no"])
