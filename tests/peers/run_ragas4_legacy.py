"""The metrics that ragas 0.4's `evaluate` takes, with the oracle in place of a model."""

import asyncio
import json
import os

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import peer
from langchain_core.outputs import Generation, LLMResult
from ragas import metrics as ragas
from ragas.dataset_schema import SingleTurnSample
from ragas.embeddings.base import BaseRagasEmbeddings
from ragas.llms.base import BaseRagasLLM
from ragas.prompt import PydanticPrompt
from ragas.run_config import RunConfig
from ragas_replies import Embedding, reply
from rows import RAGAS_FIELDS


def told(prompt, data):
    # What a prompt is about, and not its wording, is passed on.
    return json.dumps({"form": prompt.output_model.__name__, "given": data.model_dump()})


PydanticPrompt.to_string = told
RUN = RunConfig(max_retries=1)


class Oracle(BaseRagasLLM):
    def generate_text(self, prompt, n=1, **_):
        asked = json.loads(prompt.text)
        texts = [json.dumps(reply(asked["form"], asked["given"], draw)) for draw in range(n)]
        return LLMResult(generations=[[Generation(text=text) for text in texts]])

    async def agenerate_text(self, prompt, n=1, **_):
        return self.generate_text(prompt, n)

    def is_finished(self, response):
        return True


class Vectors(Embedding, BaseRagasEmbeddings):
    pass


KINDS = {
    "Faithfulness": (ragas.Faithfulness, {}),
    "ResponseRelevancy": (ragas.ResponseRelevancy, {}),
    "LLMContextPrecisionWithReference": (ragas.LLMContextPrecisionWithReference, {}),
    "LLMContextPrecisionWithoutReference": (ragas.LLMContextPrecisionWithoutReference, {}),
    "LLMContextRecall": (ragas.LLMContextRecall, {}),
    "ContextEntityRecall": (ragas.ContextEntityRecall, {}),
    "FactualCorrectness": (ragas.FactualCorrectness, {}),
    "FactualCorrectness precision": (ragas.FactualCorrectness, {"mode": "precision"}),
    "FactualCorrectness recall": (ragas.FactualCorrectness, {"mode": "recall"}),
    "AnswerCorrectness": (ragas.AnswerCorrectness, {}),
    "NoiseSensitivity relevant": (ragas.NoiseSensitivity, {}),
    "NoiseSensitivity irrelevant": (ragas.NoiseSensitivity, {"mode": "irrelevant"}),
    "SemanticSimilarity": (ragas.SemanticSimilarity, {}),
    "NonLLMContextPrecisionWithReference": (ragas.NonLLMContextPrecisionWithReference, {}),
    "NonLLMContextRecall": (ragas.NonLLMContextRecall, {}),
    "IDBasedContextPrecision": (ragas.IDBasedContextPrecision, {}),
    "IDBasedContextRecall": (ragas.IDBasedContextRecall, {}),
    "ExactMatch": (ragas.ExactMatch, {}),
    "StringPresence": (ragas.StringPresence, {}),
    "NonLLMStringSimilarity": (ragas.NonLLMStringSimilarity, {}),
    "BleuScore": (ragas.BleuScore, {}),
    "RougeScore": (ragas.RougeScore, {}),
    "ChrfScore": (ragas.ChrfScore, {}),
}


def scored(kind, options):
    metric = kind(**options)
    if hasattr(metric, "llm"):
        metric.llm = Oracle(run_config=RUN)
    if hasattr(metric, "embeddings"):
        metric.embeddings = Vectors()
        metric.embeddings.set_run_config(RUN)
    metric.init(RUN)

    def score(row):
        sample = SingleTurnSample(**{name: row[field] for name, field in RAGAS_FIELDS.items()})
        return asyncio.run(metric.single_turn_ascore(sample))

    return score


if __name__ == "__main__":
    peer.main({name: scored(*made) for name, made in KINDS.items()})
