"""What the oracle says to a prompt of ragas 0.4, by the form of its reply; its vectors for ragas."""

import oracle


def _split(given, _draw):
    return {"statements": oracle.statements(given.get("answer") or given.get("text") or "")}


def _verified(given, _draw):
    told = oracle.judged(given["statements"], given["context"])
    return {"statements": [_reasoned(s, verdict=found) for s, found in told]}


def _reasoned(statement, **verdict):
    return {"statement": statement, "reason": "as the oracle says", **verdict}


def _question(given, draw):
    question, evades = oracle.question(given["response"], draw)
    return {"question": question, "noncommittal": int(evades)}


def _useful(given, _draw):
    found = oracle.useful(given["answer"], given["context"])
    return {"reason": "as the oracle says", "verdict": int(found)}


def _attributed(given, _draw):
    told = oracle.judged(oracle.statements(given["answer"]), given["context"])
    return {"classifications": [_reasoned(s, attributed=found) for s, found in told]}


def _classified(given, _draw):
    found = oracle.classified(given["answer"], given["ground_truth"])
    return {kind: [_reasoned(s) for s in statements] for kind, statements in found.items()}


def _accuracy(given, _draw):
    return {"rating": 2 * oracle.rating(given["user_answer"], given["reference_answer"], 2)}


def _relevance(given, _draw):
    return {"rating": min(2, oracle.answers(given["user_input"], given["context"]))}


def _groundedness(given, _draw):
    return {"rating": oracle.rating(given["response"], given["context"], 2)}


REPLIES = {
    "StatementGeneratorOutput": _split,
    "ClaimDecompositionOutput": lambda given, _: {"claims": oracle.statements(given["response"])},
    "NLIStatementOutput": _verified,
    "StatementFaithfulnessOutput": _verified,
    "AnswerRelevanceOutput": _question,
    "ResponseRelevanceOutput": _question,
    "ContextPrecisionOutput": _useful,
    "Verification": _useful,
    "ContextRecallOutput": _attributed,
    "ContextRecallClassifications": _attributed,
    "EntitiesList": lambda given, _: {"entities": oracle.entities(given["text"])},
    "ClassificationWithReason": _classified,
    "AnswerAccuracyOutput": _accuracy,
    "ContextRelevanceOutput": _relevance,
    "ResponseGroundednessOutput": _groundedness,
}


def reply(form, given, draw=0):
    """The content of the form that this prompt is to be answered with."""
    return REPLIES[form](given, draw)


class Embedding:
    """The methods that ragas asks its embeddings for, in each of its versions."""

    def embed_query(self, text):
        return oracle.vector(text)

    def embed_documents(self, texts):
        return [oracle.vector(text) for text in texts]

    async def aembed_query(self, text):
        return oracle.vector(text)

    async def aembed_documents(self, texts):
        return [oracle.vector(text) for text in texts]
