"""The metrics of ragas 0.4's collections with the oracle in place of a model."""

import asyncio
import json
import os

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import oracle
import peer
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics import collections as ragas
from ragas.prompt.metrics.base_prompt import BasePrompt
from ragas_replies import reply

# What a prompt is about, and not its wording, is passed on.
for prompt in BasePrompt.__subclasses__():
    prompt.to_string = lambda _self, data: data.model_dump_json()


class Oracle(InstructorBaseRagasLLM):
    def __init__(self):
        self.asked = 0

    def generate(self, prompt, response_model):
        found = reply(response_model.__name__, json.loads(prompt), self.asked)
        self.asked += 1
        return response_model.model_validate(found)

    async def agenerate(self, prompt, response_model):
        return self.generate(prompt, response_model)


class Vectors(BaseRagasEmbedding):
    def embed_text(self, text, **_):
        return oracle.vector(text)

    async def aembed_text(self, text, **_):
        return oracle.vector(text)


TEXTS = ("reference", "response")
FIELDS = {
    "user_input": "question",
    "response": "answer",
    "reference": "reference",
    "retrieved_contexts": "contexts",
}
RAG = ("user_input", "response", "retrieved_contexts")
JUDGED = {
    "Faithfulness": (ragas.Faithfulness, RAG, {}),
    "ContextPrecisionWithReference": (
        ragas.ContextPrecisionWithReference,
        ("user_input", "reference", "retrieved_contexts"),
        {},
    ),
    "ContextPrecisionWithoutReference": (ragas.ContextPrecisionWithoutReference, RAG, {}),
    "ContextRecall": (ragas.ContextRecall, ("user_input", "retrieved_contexts", "reference"), {}),
    "ContextEntityRecall": (ragas.ContextEntityRecall, ("reference", "retrieved_contexts"), {}),
    "FactualCorrectness": (ragas.FactualCorrectness, TEXTS, {}),
    "FactualCorrectness precision": (ragas.FactualCorrectness, TEXTS, {"mode": "precision"}),
    "FactualCorrectness recall": (ragas.FactualCorrectness, TEXTS, {"mode": "recall"}),
    "FactualCorrectness beta 0.5": (ragas.FactualCorrectness, TEXTS, {"beta": 0.5}),
    "NoiseSensitivity relevant": (ragas.NoiseSensitivity, (*RAG, "reference"), {}),
    "NoiseSensitivity irrelevant": (
        ragas.NoiseSensitivity,
        (*RAG, "reference"),
        {"mode": "irrelevant"},
    ),
    "AnswerAccuracy": (ragas.AnswerAccuracy, ("user_input", *TEXTS), {}),
    "ContextRelevance": (ragas.ContextRelevance, ("user_input", "retrieved_contexts"), {}),
    "ResponseGroundedness": (ragas.ResponseGroundedness, ("response", "retrieved_contexts"), {}),
}
EMBEDDED = {
    "AnswerRelevancy": (ragas.AnswerRelevancy, ("user_input", "response"), {}),
    "AnswerCorrectness": (ragas.AnswerCorrectness, ("user_input", *TEXTS), {}),
    "AnswerCorrectness beta 2": (ragas.AnswerCorrectness, ("user_input", *TEXTS), {"beta": 2.0}),
    "AnswerCorrectness facts only": (
        ragas.AnswerCorrectness,
        ("user_input", *TEXTS),
        {"weights": [1.0, 0.0]},
    ),
}
DISTANCES = ("LEVENSHTEIN", "HAMMING", "JARO", "JARO_WINKLER")
PLAIN = {
    "ExactMatch": (ragas.ExactMatch, TEXTS, {}),
    "StringPresence": (ragas.StringPresence, TEXTS, {}),
    **{
        f"NonLLMStringSimilarity {name}": (
            ragas.NonLLMStringSimilarity,
            TEXTS,
            {"distance_measure": ragas.DistanceMeasure[name]},
        )
        for name in DISTANCES
    },
    "BleuScore": (ragas.BleuScore, TEXTS, {}),
    "CHRFScore": (ragas.CHRFScore, TEXTS, {}),
    **{
        f"RougeScore {kind} {mode}": (ragas.RougeScore, TEXTS, {"rouge_type": kind, "mode": mode})
        for kind in ("rouge1", "rougeL")
        for mode in ("fmeasure", "precision", "recall")
    },
    "QuotedSpansAlignment": (ragas.QuotedSpansAlignment, ("response", "retrieved_contexts"), {}),
}


def scored(kind, fields, options, helpers):
    def score(row):
        metric = kind(**{name: made() for name, made in helpers.items()}, **options)
        given = {field: row[FIELDS[field]] for field in fields}
        return asyncio.run(metric.ascore(**given)).value

    return score


def metrics():
    """Each metric under the name that the table of pairs knows it by."""
    similar = {"SemanticSimilarity": (ragas.SemanticSimilarity, TEXTS, {})}
    groups = (
        (JUDGED, {"llm": Oracle}),
        (EMBEDDED, {"llm": Oracle, "embeddings": Vectors}),
        (similar, {"embeddings": Vectors}),
        (PLAIN, {}),
    )
    return {
        name: scored(*made, helpers) for group, helpers in groups for name, made in group.items()
    }


if __name__ == "__main__":
    peer.main(metrics())
