"""DeepEval's RAG metrics with the oracle in place of a model."""

import asyncio
import json
import os

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

import oracle
import peer
from deepeval import metrics as deepeval
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase


def yes(found):
    return "yes" if found else "no"


def verdict(found, **more):
    return {"verdict": found, "reason": "as the oracle says", **more}


def faithful(asked):
    premise = asked["retrieval_context"]
    told = [c for c in asked["claims"] if oracle.SILENT not in c]
    return [verdict(_three_way(c, premise)) for c in told]


def _three_way(claim, premise):
    if oracle.supported(claim, premise):
        return "yes"
    return "no" if oracle.contradicted(claim, premise) else "borderline"


def relevant(asked):
    return [verdict(yes(oracle.helps(asked["input"], s))) for s in asked["statements"]]


def precise(asked):
    target = asked["expected_output"]
    return [verdict(yes(oracle.useful(target, node))) for node in asked["nodes"]]


def recalled(asked):
    premise = " ".join(asked["nodes"])
    told = oracle.judged(oracle.sentences(asked["expected_output"]), premise)
    return [verdict(yes(found)) for _, found in told]


def relevancy(asked):
    return [
        verdict(yes(oracle.helps(asked["input"], s)), statement=s)
        for s in oracle.statements(asked["context"])
    ]


def hallucinated(asked):
    given = oracle.statements(asked["actual_output"])
    return [
        verdict(yes(not any(oracle.contradicted(s, context) for s in given)))
        for context in asked["contexts"]
    ]


VERDICTS = {
    "FaithfulnessMetric": faithful,
    "AnswerRelevancyMetric": relevant,
    "ContextualPrecisionMetric": precise,
    "ContextualRecallMetric": recalled,
    "ContextualRelevancyMetric": relevancy,
    "HallucinationMetric": hallucinated,
}


class Oracle(DeepEvalBaseLLM):
    def load_model(self):
        return self

    def get_model_name(self):
        return "oracle"

    def generate(self, prompt, schema=None):
        asked = json.loads(prompt)
        return schema.model_validate(self._reply(asked))

    async def a_generate(self, prompt, schema=None):
        return self.generate(prompt, schema)

    def _reply(self, asked):
        if asked["step"] == "generate_truths":
            return {"truths": oracle.statements(asked["retrieval_context"])}
        if asked["step"] == "generate_claims":
            return {"claims": oracle.statements(asked["actual_output"])}
        if asked["step"] == "generate_statements":
            return {"statements": oracle.statements(asked["actual_output"])}
        return {"verdicts": VERDICTS[asked["metric"]](asked)}


def scored(kind):
    def score(row):
        metric = kind(model=Oracle(), include_reason=False)
        nodes, known = row["contexts"], row["reference_contexts"]

        def ask(step, **given):
            # Its prompts name what they are about: that, and not their wording, is passed on.
            known = {k: v for k, v in given.items() if isinstance(v, str | list | bool | int)}
            return json.dumps({"metric": kind.__name__, "step": step, "nodes": nodes, **known})

        metric._get_prompt = ask
        case = LLMTestCase(
            input=row["question"],
            actual_output=row["answer"],
            expected_output=row["reference"],
            retrieval_context=nodes,
            context=known if nodes is None else nodes,
        )
        return asyncio.run(metric.a_measure(case, _show_indicator=False))

    return score


if __name__ == "__main__":
    peer.main({name: scored(getattr(deepeval, name)) for name in VERDICTS})
