"""As scripts for ragas 0.1 are written: a data set of Hugging Face, metrics in lower case."""

from ragas import RunConfig, evaluate
from ragas.metrics import answer_relevancy, context_precision, context_recall, faithfulness

from support.hugging import Dataset
from support.judges import capricious

dataset = Dataset.from_dict(
    {
        "question": ["When was the tower built?", "How many moons has Mars?"],
        "contexts_v1": [["It was built in 1889.", "It is tall."], ["Mars has two moons."]],
        "answer": ["In 1889. It is tall.", "It has two moons, and one of them is Phobos."],
        "ground_truth": ["It was built in 1889.", "Mars has two moons."],
    }
)
result = evaluate(
    dataset,
    metrics=[context_precision, faithfulness, answer_relevancy, context_recall],
    llm=capricious(1),
    embeddings=capricious(1),
    column_map={"contexts": "contexts_v1"},
    run_config=RunConfig(timeout=60, max_workers=4),
    raise_exceptions=False,
    batch_size=2,
)
mean = f"{result['faithfulness']:.4f}"
frame = result.to_pandas()
