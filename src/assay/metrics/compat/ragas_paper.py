"""The metrics of the RAGAS paper, with its prompts, and its baselines."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from assay._text.sentences import spans
from assay.judge import Judge
from assay.metrics.base import PAPER, Draws, Metric, override
from assay.metrics.contexts import context_sentences
from assay.metrics.evidence import (
    blank,
    blank_outcome,
    context_parts,
    share,
    unsupported,
    verdict_parts,
)
from assay.metrics.grading import grade_parts, graded, missing, texts_of
from assay.metrics.relevance import compared
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    Choice,
    Embed,
    GiveGrade,
    PaperExtraction,
    PaperQuestion,
    PaperStatements,
    PaperVerdicts,
    PreferAnswer,
    Statement,
)


@dataclass(frozen=True)
class PaperFaithfulness(Metric):
    """Faithfulness with the prompts of the RAGAS paper (needs an LLM).

    F = |V| / |S| in [0, 1] (Es et al. 2023, section 3), contexts joined by a blank line.
    Undefined if the answer makes no statement. With no context retrieved, nothing is supported: 0.
    """

    name = "paper:faithfulness"
    source = PAPER
    needs = ("question", "contexts", "answer")
    tasks = (PaperStatements, PaperVerdicts)
    guide = 0.8

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The paper's two prompts."""
        question, answer = sample.question or "", sample.answer or ""
        statements = () if blank(answer) else await judge(PaperStatements(question, answer))
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        context = "\n\n".join(sample.contexts or ())
        verdicts = (
            unsupported(statements)
            if blank(context)
            else await judge(PaperVerdicts(statements, context))
        )
        return share(verdict_parts(statements, verdicts))


@dataclass(frozen=True)
class PaperAnswerRelevance(Metric):
    """Answer relevance with the prompts of the RAGAS paper (needs an LLM).

    AR = 1/n sum_i sim(q, q_i) in [-1, 1] (Es et al. 2023, section 3): n draws of one prompt.
    An empty answer scores 0; undefined if the question is empty.

    Args:
        n: How many questions are generated.
    """

    n: Draws = 3

    name = "paper:answer_relevancy"
    aliases = ("paper:answer_relevance",)
    source = PAPER
    needs = ("question", "answer")
    tasks = (PaperQuestion, Embed)
    range = (-1.0, 1.0)
    guide = 0.75

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask the paper's prompt n times."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return blank_outcome(question, answer)
        questions = await judge.draws(PaperQuestion(answer), self.n)
        return await compared(question, answer, questions, judge, noncommittal=None)


# An extracted sentence may differ from the context in white space, case or a stray letter; below
# this ratio, or with another figure in it, it is another sentence.
SAME = 0.9

_FIGURE = re.compile(r"\d+")


@dataclass(frozen=True)
class PaperContextRelevance(Metric):
    """Context relevance with the prompts of the RAGAS paper (needs an LLM).

    CR = extracted sentences / sentences of the contexts, in [0, 1] (Es et al. 2023, section 3).
    "Insufficient Information" gives 0. An extracted sentence counts only if it is actually in the
    contexts; one that is not is dropped and listed, and if none is, the judge failed. Undefined if
    nothing was retrieved.
    """

    name = "paper:context_relevance"
    source = PAPER
    needs = ("question", "contexts")
    tasks = (PaperExtraction,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The paper's prompt over the joined contexts, each copied line looked up."""
        numbered = context_sentences(sample)
        if not numbered:
            return Unscored("undefined", "the contexts hold no sentence")
        context = "\n\n".join(sample.contexts or ())
        copied = await judge(PaperExtraction(sample.question or "", context))
        texts = [line[start:end] for line in copied for start, end in spans(line)]
        choices, dropped = _find_copied(texts, [sentence for _, sentence in numbered])
        if copied and not choices:
            detail = "none of the extracted sentences is in the contexts"
            return Unscored("failed", detail, tuple(dropped))
        return share([*context_parts(numbered, choices, "sentence"), *dropped])


def _find_copied(
    texts: Iterable[str], sentences: Iterable[Statement]
) -> tuple[dict[str, Choice], list[Part]]:
    """The sentences that were copied, of equal ones as many as copies; and what is none of them."""
    left: dict[str, deque[Statement]] = {}
    for sentence in sentences:
        left.setdefault(_normalized(sentence.text), deque()).append(sentence)
    choices: dict[str, Choice] = {}
    dropped: list[Part] = []
    for text in texts:
        normalized = _normalized(text)
        original = normalized if normalized in left else _nearest_sentence(normalized, left)
        if original is not None and left[original]:
            name = left[original].popleft().id
            choices[name] = Choice(name)
        else:
            reason = (
                "not in the contexts" if original is None else "copied more often than it occurs"
            )
            dropped.append(Part("sentence", text, "dropped", reason=reason))
    return choices, dropped


def _nearest_sentence(copy: str, sentences: Iterable[str]) -> str | None:
    """The sentence that a copy with slips was made from, none of them in its figures."""
    best, nearest = SAME, None
    for candidate in sentences:
        if _FIGURE.findall(copy) != _FIGURE.findall(candidate):
            continue
        matcher = SequenceMatcher(None, copy, candidate, autojunk=False)
        if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:
            continue
        if (ratio := matcher.ratio()) >= best:
            best, nearest = ratio, candidate
    return nearest


def _normalized(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


SOURCE = "Es et al. 2023, RAGAS (arXiv 2309.15217), section 5"
Quality: TypeAlias = Literal["faithfulness", "answer_relevance", "context_relevance"]

FAITHFUL = (
    "Faithfulness: is the answer consistent with the given context? Whatever the answer claims "
    "that cannot be deduced from the context lowers it."
)
RELEVANT = (
    "Answer relevance: does the answer address the question directly and fittingly? Redundant "
    "information and gaps lower it, whether or not the answer is right."
)
FOCUSED = (
    "Context relevance: does the context hold what is needed to answer the question and little "
    "else? Whatever does not help to answer it lowers it."
)
# What each quality means, in our words, and the texts that it is about.
QUALITIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "faithfulness": (FAITHFUL, ("contexts", "answer")),
    "answer_relevance": (RELEVANT, ("question", "answer")),
    "context_relevance": (FOCUSED, ("question", "contexts")),
}
TEN: tuple[tuple[float, str], ...] = (
    (0.0, "worst"),
    *((float(grade), "") for grade in range(1, 10)),
    (10.0, "best"),
)
WINS = {"first": 1.0, "tie": 0.5, "second": 0.0}


@dataclass(frozen=True)
class GptScore(Metric):
    """A grade from 0 to 10 for one quality, asked for directly (the baseline "GPT Score").

    The judge is told what the quality means and grades the sample in one call (Es et al. 2023,
    section 5; definitions in our words). In [0, 10]. Undefined if a required text is empty. The
    GPTScore of Fu et al., a log-probability, is gptscore.

    Args:
        quality: "faithfulness", "answer_relevance" or "context_relevance".
    """

    quality: Quality = "faithfulness"

    name = "gpt_score"
    source = SOURCE
    needs = ("contexts", "answer")
    tasks = (GiveGrade,)
    range = (0.0, 10.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        override(self, needs=QUALITIES[self.quality][1])

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for the grade."""
        definition, shows = QUALITIES[self.quality]
        if gap := missing(sample, shows):
            return Unscored("undefined", gap)
        grade = await judge(GiveGrade(definition, TEN, texts_of(sample, shows)))
        return Score(grade.value, grade_parts([grade], graded(sample, shows), 10))


@dataclass(frozen=True)
class GptRanking(Metric):
    """Whether the answer is preferred to another one in one quality (the baseline "GPT Ranking").

    1 if it is, 0 if the other answer is, 0.5 if neither; asked once, with this answer first (Es et
    al. 2023, section 5; definitions in our words). As a baseline it is not corrected for position
    bias: a judge that prefers the first answer favours this one. pairwise_preference asks in both
    orders. In {0, 0.5, 1}. Undefined if a required text is empty. Contexts cannot be ranked: a
    sample has one set.

    Args:
        quality: "faithfulness" or "answer_relevance".
    """

    quality: Literal["faithfulness", "answer_relevance"] = "faithfulness"

    name = "gpt_ranking"
    source = SOURCE
    needs = ("contexts", "answer", "other_answer")
    tasks = (PreferAnswer,)

    def __post_init__(self) -> None:
        super().__post_init__()
        override(self, needs=(*QUALITIES[self.quality][1], "other_answer"))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask which answer is better."""
        definition, (consulted, _) = QUALITIES[self.quality]
        answer, other_answer = sample.answer or "", sample.other_answer or ""
        if gap := missing(sample, (consulted,)):
            return Unscored("undefined", gap)
        if blank(answer) or blank(other_answer):
            return Unscored("undefined", "one of the two answers is empty")
        preference = await judge(
            PreferAnswer(definition, texts_of(sample, (consulted,)), answer, other_answer)
        )
        label = {"first": "preferred", "second": "other preferred", "tie": "tie"}[preference.better]
        value = WINS[preference.better]
        return Score(value, (Part("answer", answer, label, value, preference.reason),))
