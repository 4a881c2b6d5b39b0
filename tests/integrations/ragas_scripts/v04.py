"""As scripts for ragas 0.4 are written: collections, metrics in words, experiments."""

import asyncio

from pydantic import BaseModel
from ragas import Dataset, experiment
from ragas.metrics import DiscreteMetric, MetricResult, NumericMetric, RankingMetric, numeric_metric
from ragas.metrics.collections import AnswerRelevancy, ExactMatch, Faithfulness

from support.judges import capricious

llm = embeddings = capricious(1)
sample = {
    "user_input": "When was the tower built?",
    "response": "In 1889. It is tall.",
    "retrieved_contexts": ["It was built in 1889.", "It is tall."],
}
faithful = asyncio.run(Faithfulness(llm=llm).ascore(**sample))
relevant = AnswerRelevancy(llm=llm, embeddings=embeddings).score(
    user_input=sample["user_input"], response=sample["response"]
)
exact = ExactMatch().batch_score(
    [{"reference": "1889", "response": "1889"}, {"reference": "1889", "response": "1890"}]
)

quality = DiscreteMetric(
    name="quality",
    prompt="Is the {response} good for a reader who wants {expected}?",
    allowed_values=["poor", "good", "excellent"],
)
label = quality.score(llm=llm, response="In 1889.", expected="1889")
grade = NumericMetric(name="grade", prompt="Grade {response}.", allowed_values=(1, 5)).score(
    llm=llm, response="In 1889."
)
order = RankingMetric(name="order", prompt="Which of {answers} is best?", allowed_values=3).score(
    llm=llm, answers=["one", "two", "three"]
)


@numeric_metric(name="length", allowed_values=(0, 100))
def length(response: str) -> float:
    """How many characters it has."""
    return float(len(response))


class Row(BaseModel):
    """What comes out for a row."""

    question: str
    length: float


@experiment(Row)
async def lengths(row: dict[str, str]) -> Row:
    """The length of every answer."""
    found: MetricResult = await length.ascore(response=row["response"])
    return Row(question=row["user_input"], length=found.value)


dataset = Dataset(name="questions", backend="local/jsonl", root_dir=".")
dataset.append({"user_input": "a?", "response": "four"})
dataset.append({"user_input": "b?", "response": "eleven char"})
dataset.save()
done = asyncio.run(lengths.arun(dataset, name="first"))
