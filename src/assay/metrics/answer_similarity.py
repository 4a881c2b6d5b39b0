"""How close in meaning are answer and reference?"""

from dataclasses import dataclass

from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import Embed
from assay.tasks.embedding import cosine


@dataclass(frozen=True)
class AnswerSimilarity(Metric):
    """Cosine between the embeddings of answer and reference.

    cos(E(answer), E(reference)) in [-1, 1] (RAGAS documentation: semantic similarity). The cosine
    is not an absolute scale: read it relative to the embedder's cosine of unrelated texts, which
    the report shows. An empty answer scores 0; undefined if the reference is empty.
    """

    name = "answer_similarity"
    aliases = ("semantic_similarity",)
    source = RAGAS_DOCS
    needs = ("answer", "reference")
    tasks = (Embed,)
    range = (-1.0, 1.0)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Embed both and compare."""
        answer, reference = sample.answer or "", sample.reference or ""
        if blank(reference):
            return Unscored("undefined", "the reference is empty")
        if blank(answer):
            return Score(0.0, (Part("similarity", reference, "empty answer", 0.0),))
        a, b = await judge.each([Embed(answer), Embed(reference)])
        value = cosine(a, b)
        return Score(value, (Part("similarity", reference, "cosine", value),))


METRICS: tuple[type[Metric], ...] = (AnswerSimilarity,)
