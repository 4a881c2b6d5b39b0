"""Metrics as papers define them: the telecom paper, CRUD-RAG, GPTScore, MENLI."""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from assay._text.words import overlap, token_pair
from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric, override
from assay.metrics.correctness import (
    AnswerSimilarity,
    Direction,
    FactualCorrectness,
    Formula,
    NliScore,
    WeightedCorrectness,
)
from assay.metrics.evidence import blank, share
from assay.metrics.grading import missing, texts_of
from assay.metrics.text_similarity import (
    BertScore,
    Bleu,
    Chrf,
    Meteor,
    Rouge,
    StringSimilarity,
    TextSimilarity,
    TokenF1,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    AnswerQuestions,
    AskAboutFacts,
    Embed,
    MeasureLikelihood,
    PaperCorrectness,
    ShortAnswer,
)

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
        shared = await judge(PaperCorrectness(sample.question or "", answer, reference))
        parts = (
            *(Part("statement", text, "TP", 1.0) for text in shared.both),
            *(Part("statement", text, "FP", 0.0) for text in shared.answer_only),
            *(Part("reference statement", text, "FN", 0.0) for text in shared.reference_only),
        )
        if not parts:
            return Unscored("undefined", "the judge names no statement of answer or reference")
        tp, fp, fn = map(len, (shared.both, shared.answer_only, shared.reference_only))
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


CRUD = "Lyu et al. 2024, CRUD-RAG (arXiv 2401.17043), RAGQuestEval"


@dataclass(frozen=True)
class QuestEvalRecall(Metric):
    """Share of the questions about the reference that the answer answers.

    R = questions that the answer answers / questions, in [0, 1] (CRUD-RAG's RAGQuestEval). The
    questions ask for the facts of the reference one by one; one that the reference itself does not
    answer is left out. It does not measure whether the answer's answers are right;
    crud:quest_eval_precision does. An empty answer scores 0. Undefined if no question is left (0 in
    CRUD-RAG). Needs an LLM.
    """

    name = "crud:quest_eval_recall"
    source = CRUD
    needs = ("answer", "reference")
    tasks = (AskAboutFacts, AnswerQuestions)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask about the reference, answer from both texts."""
        facts = await _answered_facts(sample, judge)
        if not facts:
            return Unscored("undefined", "the reference answers no question")
        return share([_fact_part(*item, float(item[2] is not None)) for item in facts])


@dataclass(frozen=True)
class QuestEvalPrecision(Metric):
    """Mean word overlap of the answer's and the reference's answers to the same questions.

    P = mean F1 of the words of the two short answers, over the questions that both texts answer, in
    [0, 1] (CRUD-RAG's RAGQuestEval, which splits Chinese into words with jieba; here words are
    those of token_f1: every Chinese or Japanese character is one where both have some, punctuation
    and articles are none). 0 if the answer answers no question, as in CRUD-RAG. Undefined if the
    reference answers none (0 in CRUD-RAG). Needs an LLM.
    """

    name = "crud:quest_eval_precision"
    revision = 2
    source = CRUD
    needs = ("answer", "reference")
    tasks = (AskAboutFacts, AnswerQuestions)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask about the reference, answer from both texts, compare the answers."""
        facts = await _answered_facts(sample, judge)
        if not facts:
            return Unscored("undefined", "the reference answers no question")
        parts = tuple(_fact_part(*item, _f1(item[2], item[1], sample.language)) for item in facts)
        values = [part.value for part in parts if part.value is not None]
        return Score(sum(values) / len(values) if values else 0.0, parts)


async def _answered_facts(sample: Sample, judge: Judge) -> list[tuple[str, str, str | None]]:
    """(question, answer by the reference, answer by the answer) of every good question."""
    answer, reference = sample.answer or "", sample.reference or ""
    questions = () if blank(reference) else await judge(AskAboutFacts(reference))
    if not questions:
        return []
    texts = [reference] if blank(answer) else [reference, answer]
    by_reference, *by_answer = await judge.each(
        [AnswerQuestions(questions, text) for text in texts]
    )
    answers = by_answer[0] if by_answer else [ShortAnswer(r.id, None) for r in by_reference]
    rows = zip(questions, by_reference, answers, strict=True)
    return [(q, r.answer, g.answer) for q, r, g in rows if r.answer is not None]


def _f1(answered: str | None, expected: str, language: str | None) -> float | None:
    if answered is None:
        return None
    words, expected_words = token_pair(answered, expected, language)
    return overlap(words or _words(answered), expected_words or _words(expected)).f1


def _words(text: str) -> list[str]:
    """The words of an answer that is nothing but an article or a mark: "A", "+"."""
    return text.lower().rstrip(".").split()


def _fact_part(question: str, expected: str, answered: str | None, value: float | None) -> Part:
    reply = "no answer" if answered is None else f"'{answered}'"
    label = "not answered" if answered is None else "answered"
    return Part(
        "fact question", question, label, value, f"reference: '{expected}'; answer: {reply}"
    )


CRUD_CODE = "Lyu et al. 2024, CRUD-RAG (arXiv 2401.17043), and its code (src/metric/common.py)"
_LONGEST = 4


@dataclass(frozen=True)
class _CrudSimilarity(TextSimilarity):
    """Base of the two: a comparison of words, which a text is split into in either of two ways."""

    split: Literal["characters", "jieba"] = "characters"

    source = CRUD_CODE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.split == "jieba":
            override(self, packages=(*self.packages, "rjieba"))

    def compare(self, answer: str, reference: str) -> float:
        """The value in a language that is not named."""
        return self.compare_in(None, answer, reference)

    def compare_in(self, language: str | None, answer: str, reference: str) -> float:
        """The value for the words of both."""
        if self.split == "jieba":
            import rjieba

            return self.compare_words(rjieba.cut(answer), rjieba.cut(reference))
        return self.compare_words(*token_pair(answer, reference, language))

    @abstractmethod
    def compare_words(self, words: Sequence[str], expected: Sequence[str]) -> float:
        """How close the answer's words are to the reference's, in [0, 1]."""


@dataclass(frozen=True)
class CrudBleu(_CrudSimilarity):
    """BLEU without brevity penalty, in words of any language.

    The geometric mean of the precisions of n-grams of 1 to 4 words, each n-gram counted at most as
    often as in the reference; in [0, 1] (CRUD-RAG's "bleu-avg", which is not smoothed and divides
    the brevity penalty out). 0 where no 4-gram is shared. Words are those of token_f1: every
    Chinese or Japanese character is one, punctuation and articles are none. Undefined if both texts
    are blank.

    Args:
        split: "jieba" takes the words that jieba cuts a text into, punctuation and spaces included,
            as CRUD-RAG does; for Chinese alone.
    """

    name = "crud:bleu"

    def compare_words(self, words: Sequence[str], expected: Sequence[str]) -> float:
        """The mean of the four precisions."""
        logs = 0.0
        for n in range(1, _LONGEST + 1):
            ngrams, expected_ngrams = (
                Counter(zip(*(text[start:] for start in range(n)), strict=False))
                for text in (words, expected)
            )
            shared = (ngrams & expected_ngrams).total()
            if not shared:
                return 0.0
            logs += math.log(shared / ngrams.total())
        return math.exp(logs / _LONGEST)


@dataclass(frozen=True)
class CrudRougeL(_CrudSimilarity):
    """F1 of the longest common subsequence of words, in any language.

    2 P R / (P + R), P = longest common subsequence / words of the answer, R = the same / words of
    the reference; in [0, 1] (CRUD-RAG's "rouge-L"; Lin 2004 with equal weights). Words are those of
    crud:bleu, without stems. rouge knows the letters a to z only. 0 if either text has no word;
    undefined if both are blank.

    Args:
        split: "jieba" takes the words that jieba cuts a text into, punctuation and spaces included,
            as CRUD-RAG does; for Chinese alone.
    """

    name = "crud:rouge_l"
    packages = ("rapidfuzz",)

    def compare_words(self, words: Sequence[str], expected: Sequence[str]) -> float:
        """The F1."""
        from rapidfuzz.distance import LCSseq

        common = LCSseq.similarity(words, expected)
        return 2 * common / (len(words) + len(expected)) if common else 0.0


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
        return tuple(dict.fromkeys(t for m in self._mixed_metrics() for t in m.asks(can)))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Score both, move them to [0, 1], mix."""
        nli, similarity = self._mixed_metrics()
        scores: dict[str, Score] = {}
        for metric in (nli, similarity):
            outcome = await metric.score(sample, judge)
            if not isinstance(outcome, Score):
                return outcome
            scores[metric.name] = outcome
        n, m = (_as_share(scores[metric.name].value, metric) for metric in (nli, similarity))
        parts = tuple(part for score in scores.values() for part in score.parts)
        details = {name: score.value for name, score in scores.items()}
        method = scores[nli.name].method
        return Score(self.weight * n + (1 - self.weight) * m, parts, method, details)

    def _mixed_metrics(self) -> tuple[Metric, Metric]:
        nli = NliScore(direction=self.direction, formula=self.formula, level="text")
        return nli, OTHERS[self.other]


def _as_share(value: float, metric: Metric) -> float:
    low, high = metric.range
    return (value - low) / (high - low)
