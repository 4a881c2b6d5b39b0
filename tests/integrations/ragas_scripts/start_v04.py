"""As the first pages of ragas 0.4 begin: a metric in words, an experiment, results in files."""

import asyncio

from ragas import Dataset, experiment
from ragas.backends import LocalCSVBackend
from ragas.llms import llm_factory
from ragas.metrics import DiscreteMetric, MetricResult, discrete_metric
from ragas.metrics.collections import Faithfulness

llm = llm_factory("gpt-4o-mini")


@discrete_metric(name="same", allowed_values=["pass", "fail"])
def same(response: str, expected: str) -> MetricResult:
    """Whether both say the same."""
    equal = response.strip().lower() == expected.strip().lower()
    return MetricResult(value="pass" if equal else "fail", reason=f"equal: {equal}")


correct = DiscreteMetric(
    name="correct",
    prompt="Does the {response} hold the points of the {grading_notes}? Say 'pass' or 'fail'.",
    allowed_values=["pass", "fail"],
)
correct.save("correct.json")
correct = DiscreteMetric.load("correct.json")

dataset = Dataset(name="questions", backend="local/csv", root_dir=".")
for question, notes in (("Which tower?", "Eiffel"), ("Which planet?", "Mars")):
    dataset.append({"question": question, "grading_notes": notes})
dataset.save()


@experiment()
async def run(row: dict[str, str]) -> dict[str, str]:
    """What a system answers, and how good that is."""
    response = "Mars" if "planet" in row["question"] else "Notre-Dame"
    score = await correct.ascore(llm=llm, response=response, grading_notes=row["grading_notes"])
    equal = same.score(response=response, expected=row["grading_notes"])
    return {**row, "response": response, "correct": score.value, "same": equal.value}


done = asyncio.run(run.arun(dataset, name="first"))
kept = LocalCSVBackend(root_dir=".").load_experiment("first")
faithful = Faithfulness(llm).score(
    user_input="Which planet?", response="It is Mars.", retrieved_contexts=["It is Mars."]
)
