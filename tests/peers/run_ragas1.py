"""The metrics of ragas 0.1 with the oracle in place of a model."""

import asyncio
import json
import os

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import oracle
import peer
from langchain_core.outputs import Generation, LLMResult
from ragas import metrics as ragas
from ragas.embeddings.base import BaseRagasEmbeddings
from ragas.llms.base import BaseRagasLLM
from ragas.llms.prompt import Prompt, PromptValue
from ragas.run_config import RunConfig
from ragas_replies import Embedding


def told(prompt, **given):
    # What a prompt is about, and not its wording, is passed on.
    return PromptValue(prompt_str=json.dumps({"name": prompt.name, "given": given}))


Prompt.format = told
RUN = RunConfig(max_retries=1)


def _split(given, _draw):
    # It shows the sentences, numbered, that end with a full stop.
    lines = [line.partition(":") for line in given["sentences"].splitlines()]
    return [
        {"sentence_index": int(n), "simpler_statements": oracle.statements(text)}
        for n, _, text in lines
    ]


def _verified(given, _draw):
    found = oracle.judged(json.loads(given["statements"]), given["context"])
    return [{"statement": s, "reason": "as told", "verdict": verdict} for s, verdict in found]


def _question(given, draw):
    question, evades = oracle.question(given["answer"], draw)
    return {"question": question, "noncommittal": int(evades)}


def _useful(given, _draw):
    return {"reason": "as told", "verdict": int(oracle.useful(given["answer"], given["context"]))}


def _attributed(given, _draw):
    found = oracle.judged(oracle.statements(given["answer"]), given["context"])
    return [{"statement": s, "reason": "as told", "attributed": yes} for s, yes in found]


def _classified(given, _draw):
    found = oracle.classified(given["answer"], given["ground_truth"])
    return {
        kind: [{"statement": s, "reason": "as told"} for s in statements]
        for kind, statements in found.items()
    }


REPLIES = {
    "long_form_answer": _split,
    "nli_statements": _verified,
    "question_generation": _question,
    "context_precision": _useful,
    "context_recall": _attributed,
    "text_entity_extraction": lambda given, _: {"entities": oracle.entities(given["text"])},
    "answer_correctness": _classified,
}


class Oracle(BaseRagasLLM):
    def generate_text(self, prompt, n=1, **_):
        asked = json.loads(prompt.to_string())
        texts = [json.dumps(REPLIES[asked["name"]](asked["given"], draw)) for draw in range(n)]
        return LLMResult(generations=[[Generation(text=text) for text in texts]])

    async def agenerate_text(self, prompt, n=1, **_):
        return self.generate_text(prompt, n)


class Vectors(Embedding, BaseRagasEmbeddings):
    pass


KINDS = {
    "Faithfulness": (ragas.Faithfulness, {}),
    "AnswerRelevancy": (ragas.AnswerRelevancy, {}),
    "ContextPrecision": (ragas.ContextPrecision, {}),
    "ContextUtilization": (ragas.ContextUtilization, {}),
    "ContextRecall": (ragas.ContextRecall, {}),
    "ContextEntityRecall": (ragas.ContextEntityRecall, {}),
    "AnswerCorrectness": (ragas.AnswerCorrectness, {}),
    "AnswerSimilarity": (ragas.AnswerSimilarity, {}),
    "NoiseSensitivity relevant": (ragas.NoiseSensitivity, {"focus": "relevant"}),
    "NoiseSensitivity irrelevant": (ragas.NoiseSensitivity, {"focus": "irrelevant"}),
}


def scored(kind, options):
    vectors = Vectors()
    vectors.set_run_config(RUN)
    metric = kind(llm=Oracle(run_config=RUN), **options)
    if hasattr(metric, "embeddings"):
        metric.embeddings = vectors
    metric.init(RUN)

    def score(row):
        given = {name: row[name] for name in ("question", "answer", "contexts")}
        return asyncio.run(metric.ascore({**given, "ground_truth": row["reference"]}))

    return score


if __name__ == "__main__":
    peer.main({name: scored(*made) for name, made in KINDS.items()})
