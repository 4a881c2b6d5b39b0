"""As the first pages of ragas 0.2 and 0.3 begin: a metric alone, a critic, a system of one's own."""

import asyncio

from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.embeddings import OpenAIEmbeddings
from ragas.llms import LangchainLLMWrapper
from ragas.metrics import AspectCritic, BleuScore, Faithfulness, LLMContextRecall

from support.judges import capricious

summary = SingleTurnSample(
    user_input="Sum up: sales in Asia rose by 8 %, thanks to marketing.",
    response="Sales in Asia rose by 8 % because of marketing.",
    reference="Marketing made sales in Asia rise by 8 %.",
)
bleu = BleuScore().single_turn_score(summary)

evaluator_llm = LangchainLLMWrapper(capricious(2))
critic = AspectCritic(name="right", definition="Is the summary right?", llm=evaluator_llm)
right = asyncio.run(critic.single_turn_ascore(summary))
dataset = EvaluationDataset.from_list([summary.to_dict(), summary.to_dict()])
features = dataset.features()
verdicts = evaluate(dataset, metrics=[critic])


class Retriever:
    """Finds the document that lies nearest to a question."""

    def __init__(self, documents: list[str]) -> None:
        self.embeddings = OpenAIEmbeddings()
        self.documents = documents
        self.vectors = self.embeddings.embed_texts(documents)

    def nearest(self, question: str) -> str:
        """The document."""
        asked = self.embeddings.embed_text(question)
        near = [sum(a * b for a, b in zip(asked, v, strict=True)) for v in self.vectors]
        return self.documents[near.index(max(near))]


documents = ["The tower was built in 1889.", "Mars has two moons."]
retriever = Retriever(documents)
found = [retriever.nearest(document) for document in documents]
rows = [
    {"user_input": "What?", "retrieved_contexts": [text], "response": text, "reference": text}
    for text in found
]
result = evaluate(
    dataset=EvaluationDataset.from_list(rows),
    metrics=[LLMContextRecall(), Faithfulness()],
    llm=evaluator_llm,
)
