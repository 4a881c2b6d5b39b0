"""Metrics of a model's probabilities: GPTScore and MENLI."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric, override
from assay.metrics.correctness import (
    AnswerSimilarity,
    Direction,
    FactualCorrectness,
    Formula,
    NliScore,
)
from assay.metrics.grading import missing, texts_of
from assay.metrics.text_similarity import (
    BertScore,
    Bleu,
    Chrf,
    Meteor,
    Rouge,
    StringSimilarity,
    TokenF1,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import MeasureLikelihood

Aspect: TypeAlias = Literal[
    "consistency", "informativeness", "relevance", "fluency", "coherence", "adequacy"
]
# What is asked for under each aspect, in our words, and the texts that stand before the answer.
ASPECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "consistency": (
        "Answer the question with facts that are consistent with the text.",
        ("contexts", "question"),
    ),
    "informativeness": (
        "Answer the question with all that the text says about it.",
        ("contexts", "question"),
    ),
    "relevance": ("Answer the question to the point.", ("question",)),
    "fluency": ("Answer the question in fluent and correct sentences.", ("question",)),
    "coherence": ("Answer the question in a clear and well-ordered way.", ("question",)),
    "adequacy": ("Write the following text again with the same meaning.", ("reference",)),
}


@dataclass(frozen=True)
class LikelihoodScore(Metric):
    """Mean log-probability of the answer's tokens after an instruction that asks for an aspect.

    GPTScore = 1/m sum_t ln p(h_t | h_<t, instruction, texts) over the m tokens of the answer, all
    of one weight; 0 or less, without a lower bound (Fu et al. 2023, GPTScore, section 3;
    instructions in our words, without examples). The texts are contexts and question, the question
    alone, or for adequacy the reference. It
    depends on the model and on the length and wording of answers: compare systems on the same
    questions by the same model, not the numbers of two models. exp(-GPTScore) is the perplexity.
    Undefined if the answer or one of the texts is empty. It is not gpt_score, which asks for a
    grade. Needs a judge that tells log-probabilities of a given text: gguf:FILE, or openai:MODEL
    of a server whose /completions takes "echo" with "logprobs" (vLLM, SGLang, llama-cpp-python);
    OpenAI's chat models, Ollama and llama.cpp's server do not.

    Args:
        aspect: "consistency" (with the contexts), "informativeness", "relevance", "fluency",
            "coherence", or "adequacy" (as a rewording of the reference).
        instruction: Words of your own instead of the aspect's; the texts stay those of the aspect.
    """

    aspect: Aspect = "consistency"
    instruction: str = ""

    name = "gptscore"
    source = "Fu et al. 2023, GPTScore (arXiv 2302.04166)"
    needs = ("contexts", "question", "answer")
    tasks = (MeasureLikelihood,)
    range = (-math.inf, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.instruction, str):
            raise InputError(f"{self.name}: instruction must be a text, not {self.instruction!r}")
        override(self, needs=(*ASPECTS[self.aspect][1], "answer"))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Put the instruction and the texts before the answer, and measure it."""
        instruction, shows = ASPECTS[self.aspect]
        if gap := missing(sample, (*shows, "answer")):
            return Unscored("undefined", gap)
        texts = "\n\n".join(f"{name}: {text}" for name, text in texts_of(sample, shows))
        prompt = f"{self.instruction or instruction}\n\n{texts}"
        likelihood = await judge(MeasureLikelihood(prompt, (sample.answer or "").strip()))
        parts = tuple(
            Part("token", token, "log-probability", value)
            for token, value in zip(likelihood.tokens, likelihood.logprobs, strict=True)
        )
        mean = math.fsum(likelihood.logprobs) / len(parts)
        perplexity = math.exp(min(700.0, -mean))
        return Score(mean, parts, details={"tokens": len(parts), "perplexity": perplexity})


# Each with its range, in which higher is better.
OTHERS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        BertScore(),
        AnswerSimilarity(),
        FactualCorrectness(),
        TokenF1(),
        StringSimilarity(),
        Bleu(),
        Chrf(),
        Rouge(),
        Meteor(),
    )
}


@dataclass(frozen=True)
class Menli(Metric):
    """Entailment between answer and reference, mixed with another metric of the two.

    w N + (1 - w) M, N = nli_score(level=text), M = the other metric, both moved from their range to
    [0, 1]; in [0, 1] (Chen and Eger 2023, MENLI, section 3, which moves both to [0, 1] by their
    smallest and largest values in the data, so that a score depends on the other rows: the order of
    samples is the same as there up to the weight). Texts are taken as they stand: an answer of one
    word entails no sentence. Undefined where either is, and failed likewise.

    Args:
        weight: w, from 0 to 1.
        other: "bert_score", "answer_similarity", "factual_correctness", "token_f1",
            "string_similarity", "bleu", "chrf", "rouge" or "meteor".
        direction: As in nli_score.
        formula: As in nli_score.
    """

    weight: float = 0.2
    other: str = BertScore.name
    direction: Direction = "both"
    formula: Formula = "e"

    name = "menli_combined"
    source = NliScore.source
    needs = ("question", "answer", "reference")
    tasks = tuple(dict.fromkeys(t for m in (NliScore(), *OTHERS.values()) for t in m.tasks))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.other not in OTHERS:
            names = ", ".join(OTHERS)
            raise InputError(f"{self.name}: other must be one of {names}, not {self.other!r}")
        if not 0 <= self.weight <= 1:
            raise InputError(f"{self.name}: weight must be from 0 to 1, not {self.weight}")
        override(self, packages=OTHERS[self.other].packages)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """What the two ask."""
        return tuple(dict.fromkeys(t for m in self._mixed() for t in m.asks(can)))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Score both, move them to [0, 1], mix."""
        nli, other = self._mixed()
        scores: dict[str, Score] = {}
        for metric in (nli, other):
            outcome = await metric.score(sample, judge)
            if not isinstance(outcome, Score):
                return outcome
            scores[metric.name] = outcome
        n, m = (_moved(scores[metric.name].value, metric) for metric in (nli, other))
        parts = tuple(part for score in scores.values() for part in score.parts)
        details = {name: score.value for name, score in scores.items()}
        method = scores[nli.name].method
        return Score(self.weight * n + (1 - self.weight) * m, parts, method, details)

    def _mixed(self) -> tuple[Metric, Metric]:
        nli = NliScore(direction=self.direction, formula=self.formula, level="text")
        return nli, OTHERS[self.other]


def _moved(value: float, metric: Metric) -> float:
    low, high = metric.range
    return (value - low) / (high - low)
