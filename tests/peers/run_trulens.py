"""TruLens' RAG triad with the oracle in place of a model."""

import ast
import json
import re

import numpy as np
import oracle
import peer
from trulens.core.feedback.endpoint import Endpoint
from trulens.feedback import llm_provider

# Its splitter fetches data from the network: the oracle's sentences are the same in these rows.
llm_provider.sent_tokenize = oracle.sentences
llm_provider.nltk.download = lambda *_, **__: True

TRIVIAL = re.compile(r"ALL STATEMENTS: (.*)\n\nIMPORTANT", re.DOTALL)


class Oracle(llm_provider.LLMProvider):
    model_engine: str = "oracle"

    def _create_chat_completion(self, prompt=None, messages=None, response_format=None, **_):
        asked = messages[-1]["content"]
        if found := TRIVIAL.match(asked):
            given = ast.literal_eval(found.group(1))
            return repr([s for s in given if oracle.claims(s) or s == oracle.REFUSAL])
        grade = self._grade(asked)
        return json.dumps(
            {"criteria": "as asked", "supporting_evidence": "as given", "score": grade}
        )

    def _grade(self, asked):
        if found := re.match(r"SOURCE: (.*)\n\nSTATEMENT: (.*?)\n\nRespond ONLY", asked, re.DOTALL):
            source, statement = found.groups()
            return oracle.grounded(statement, source)
        for one, other in (("PROMPT: ", "\n\nRESPONSE: "), ("USER QUERY: ", "\nSEARCH RESULT: ")):
            if asked.startswith(one):
                question, _, rest = asked.removeprefix(one).partition(other)
                # What follows the text is how to reply, after a blank line.
                return oracle.answers(question, rest.split("\n\n")[0])
        raise ValueError(f"an unknown prompt: {asked[:80]}")


class Here(Endpoint):
    def __init__(self):
        super().__init__(name="oracle")

    def run_in_pace(self, func, *args, **kwargs):
        return func(*args, **kwargs)


def provider():
    return Oracle(endpoint=Here())


def groundedness(row):
    return provider().groundedness_measure_with_cot_reasons(row["contexts"], row["answer"])[0]


def answer_relevance(row):
    return provider().relevance_with_cot_reasons(row["question"], row["answer"])[0]


def context_relevance(row):
    # Feedback over several contexts is the mean of theirs.
    ask = provider().context_relevance_with_cot_reasons
    return float(np.mean([ask(row["question"], context)[0] for context in row["contexts"]]))


if __name__ == "__main__":
    peer.main({f.__name__: f for f in (groundedness, answer_relevance, context_relevance)})
