"""As the first page of ragas 0.1 begins: four metrics over a data set, and no model named."""

from ragas import evaluate
from ragas.metrics import answer_relevancy, context_precision, context_recall, faithfulness

from support.hugging import Dataset

dataset = Dataset.from_dict(
    {
        "question": ["When was the tower built?", "How tall is the tower?"],
        "answer": ["The tower was built in 1889.", "The tower is 330 metres tall."],
        "contexts": [["The tower was built in 1889."], ["The tower is 330 metres tall."]],
        "ground_truth": ["The tower was built in 1889.", "It is 330 metres tall."],
    }
)
result = evaluate(
    dataset, metrics=[context_precision, faithfulness, answer_relevancy, context_recall]
)
shown = str(result)
frame = result.to_pandas()
means = {name: round(float(result[name]), 2) for name in result}
