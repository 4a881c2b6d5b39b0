"""GPTScore: how likely a language model is to write an answer under an instruction."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import Metric, override
from assay.metrics.grading import missing, shown
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
        texts = "\n\n".join(f"{name}: {text}" for name, text in shown(sample, shows))
        prompt = f"{self.instruction or instruction}\n\n{texts}"
        likelihood = await judge(MeasureLikelihood(prompt, (sample.answer or "").strip()))
        parts = tuple(
            Part("token", token, "log-probability", value)
            for token, value in zip(likelihood.tokens, likelihood.logprobs, strict=True)
        )
        mean = math.fsum(likelihood.logprobs) / len(parts)
        perplexity = math.exp(min(700.0, -mean))
        return Score(mean, parts, details={"tokens": len(parts), "perplexity": perplexity})
