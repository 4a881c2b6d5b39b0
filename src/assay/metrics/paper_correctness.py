"""How right is the answer, as the telecom paper asked and counted it?"""

from dataclasses import dataclass

from assay.judge import Judge
from assay.metrics.answer_correctness import WeightedCorrectness
from assay.metrics.base import Metric
from assay.metrics.evidence import blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import Embed, PaperCorrectness

TELECOM = (
    "Roychowdhury et al. 2024, Evaluation of RAG Metrics for Question Answering in the Telecom "
    "Domain (arXiv 2407.12873), appendix A.5"
)


@dataclass(frozen=True)
class PaperFactualCorrectness(Metric):
    """Factual correctness with the prompt of the telecom paper (needs an LLM).

    FacCor = |TP| / (|TP| + 0.5 (|FP| + |FN|)) in [0, 1] (Roychowdhury et al. 2024, appendix A.5):
    one prompt asks for the statements that answer and ground truth share (TP), that only the answer
    makes (FP) and that only the ground truth makes (FN); each list is counted as the judge gives
    it. factual_correctness counts each text's statements over their own number and is equal if as
    many match on both sides. With TP 2, FP 1, FN 1 it is 0.667. An empty answer scores 0. Undefined
    if the reference is empty or all three lists are.
    """

    name = "paper:factual_correctness"
    source = TELECOM
    needs = ("question", "answer", "reference")
    tasks = (PaperCorrectness,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The paper's prompt, and its three lists counted."""
        answer, reference = sample.answer or "", sample.reference or ""
        if blank(reference):
            return Unscored("undefined", "the reference is empty")
        if blank(answer):
            return Score(0.0, (Part("answer", answer, "empty answer", 0.0),))
        found = await judge(PaperCorrectness(sample.question or "", answer, reference))
        parts = (
            *(Part("statement", text, "TP", 1.0) for text in found.both),
            *(Part("statement", text, "FP", 0.0) for text in found.answer_only),
            *(Part("reference statement", text, "FN", 0.0) for text in found.reference_only),
        )
        if not parts:
            return Unscored("undefined", "the judge names no statement of answer or reference")
        tp, fp, fn = map(len, (found.both, found.answer_only, found.reference_only))
        return Score(tp / (tp + (fp + fn) / 2), parts, details={"TP": tp, "FP": fp, "FN": fn})


@dataclass(frozen=True)
class PaperAnswerCorrectness(WeightedCorrectness):
    """Answer correctness of the telecom paper: its factual correctness and answer similarity.

    AnsCor = w1 FacCor + w2 AnsSim over w1 + w2, default 0.75 and 0.25 (Roychowdhury et al. 2024,
    appendix A.5, whose figure prints 0.7 and 0.3), in [-w2 / (w1 + w2), 1]; FacCor is
    paper:factual_correctness, AnsSim the cosine of the embeddings. Undefined where
    paper:factual_correctness is. Needs an LLM.

    Args:
        factual_weight: w1.
        similarity_weight: w2. With 0, no embedding is asked for.
    """

    name = "paper:answer_correctness"
    source = TELECOM
    tasks = (PaperCorrectness, Embed)

    _factual_name = PaperFactualCorrectness.name

    async def _factual(self, sample: Sample, judge: Judge) -> Outcome:
        return await PaperFactualCorrectness().score(sample, judge)


METRICS: tuple[type[Metric], ...] = (PaperFactualCorrectness, PaperAnswerCorrectness)
