"""SelfCheckGPT's measures of whether a system says the same when it is asked again."""

import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Any, Final, Literal, TypeAlias

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Draws, Metric, check_draws, override
from assay.metrics.evidence import (
    CONTRADICTION_UNKNOWN,
    Statements,
    blank,
    contradicted,
    sentences,
    share,
    three_way,
    three_way_tasks,
    verify,
    verify_three_way,
)
from assay.metrics.text_similarity import check_baseline, rescaled, token_similarity
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    AnswerClosedBook,
    AnswerFromPassages,
    AnswerMultipleChoice,
    AskMultipleChoice,
    ChooseLabel,
    ChosenOption,
    EmbedTokens,
    MultipleChoice,
    Statement,
    TokenVectors,
    Verdict,
    VerifyStatements,
)

Groups: TypeAlias = Sequence[tuple[Statements, tuple[str, ...]]]

PAPER = "Manakul et al. 2023, SelfCheckGPT (arXiv 2303.08896)"
_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")
_BEFORE = ""  # no token is empty: it stands before a sentence where an n-gram begins there

_WRITING: Final = (AnswerFromPassages, AnswerClosedBook)


@dataclass(frozen=True)
class SelfCheck(Metric):
    """Base of the five variants: further answers are the sample's, or drawn from the judge."""

    draws: int = field(default=0, kw_only=True)

    source = PAPER
    needs = ("answer", "further_answers")
    higher_is_better = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.draws != 0:
            check_draws(self.name, "draws", self.draws)
            override(self, needs=("question", "answer"), tasks=(*self.tasks, *_WRITING))

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """What the variant asks, and further answers where the judge gives them."""
        return (*self.compares_by(can), *(_WRITING if self.draws else ()))

    def compares_by(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """The tasks by which the answer is compared with further ones."""
        del can
        return type(self).tasks

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Draw further answers if the judge is to give them, then compare."""
        if not self.draws:
            return await self.inconsistency(sample, judge)
        further = await self._draw_answers(sample, judge)
        compared = replace(sample, further_answers=further)
        outcome = await self.inconsistency(compared, judge)
        parts = tuple(Part("further answer", text, "drawn from the judge") for text in further)
        return replace(outcome, parts=(*outcome.parts, *parts))

    @abstractmethod
    async def inconsistency(self, sample: Sample, judge: Judge) -> Outcome:
        """How far the answer is from the sample's further answers."""

    async def _draw_answers(self, sample: Sample, judge: Judge) -> tuple[str, ...]:
        question, contexts = sample.question or "", sample.contexts or ()
        if blank(question) or blank(sample.answer or ""):
            return ()
        # The answer is taken for the most likely one: all further ones are samples.
        if contexts:
            task = AnswerFromPassages(question, tuple(contexts))
            return tuple(await judge.draws(task, self.draws, first=1))
        lists = await judge.draws(AnswerClosedBook(question), self.draws, first=1)
        return tuple(" ".join(answers) for answers in lists)


@dataclass(frozen=True)
class SelfCheckNLI(SelfCheck):
    """Mean probability that further answers contradict the answer's sentences; lower is better.

    S = mean over sentences of the mean over further answers of P(contradiction), in [0, 1]
    (SelfCheckGPT, NLI variant, which leaves "neutral" out so that support and contradiction add up
    to 1). If a further answer supports or contradicts the sentence, P is 1 - the judge's
    probability of support (0 or 1 where it gives none); if it does neither, P is 0.5. Empty further
    answers are left out. Undefined if the answer is empty or there is no further answer. A judge
    that does not say which unsupported sentences are contradicted is asked to label each; failed if
    it cannot.

    Args:
        draws: How many further answers the judge writes to the question, at its temperature for
            draws, from the contexts if there are any; 0 takes those of the sample.
    """

    name = "selfcheck:nli"
    tasks = (VerifyStatements, ChooseLabel)

    def compares_by(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Verdicts, and labels where they leave it unsaid."""
        return three_way_tasks(can)

    async def inconsistency(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify every sentence against every further answer."""
        return await _inconsistency(sample, judge, verify_three_way, _contradiction)


@dataclass(frozen=True)
class SelfCheckPrompt(SelfCheck):
    """Share of further answers that do not support the answer's sentences; lower is better.

    S = mean over sentences of the mean over further answers of x, in [0, 1], with x = 0 if the
    further answer supports the sentence and 1 if not (SelfCheckGPT, prompt variant). There an
    unreadable reply counts 0.5; here it is asked for again, and if it stays unreadable the score
    fails. Empty further answers are left out. Undefined if the answer is empty or there is no
    further answer.

    Args:
        draws: How many further answers the judge writes to the question, at its temperature for
            draws, from the contexts if there are any; 0 takes those of the sample.
    """

    name = "selfcheck:prompt"
    tasks = (VerifyStatements,)

    async def inconsistency(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify every sentence against every further answer."""
        return await _inconsistency(
            sample, judge, verify, lambda verdict: float(not verdict.supported)
        )


@dataclass(frozen=True)
class SelfCheckBERTScore(SelfCheck):
    """How far the answer's sentences are from what further answers say; lower is better.

    S = mean over sentences of 1 - the mean over further answers of the largest BERTScore F1 of the
    sentence and a sentence of the further answer, in [0, 2] (SelfCheckGPT, BERTScore variant, whose
    code rescales with the baseline of RoBERTa-large: set ``baseline`` to that of your embedder).
    Token vectors are those of bert_score, with each sentence read by itself. Sentences without a
    token, and further answers that have no other, are left out. Undefined if the answer has no
    sentence with a token or there is no further answer with one.

    Args:
        baseline: The score of unrelated texts; b > 0 turns a BERTScore x into (x - b) / (1 - b).
        draws: How many further answers the judge writes to the question, at its temperature for
            draws, from the contexts if there are any; 0 takes those of the sample.
    """

    baseline: float = 0.0

    name = "selfcheck:bert_score"
    tasks = (EmbedTokens,)
    range = (0.0, 2.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_baseline(self.name, self.baseline)

    async def inconsistency(self, sample: Sample, judge: Judge) -> Outcome:
        """Embed the tokens of all sentences, match every pair."""
        answer, further = sample.answer or "", _further_answers(sample)
        if missing := _undefined(answer, further):
            return missing
        statements, *other_sentences = map(sentences, (answer, *further))
        texts = dict.fromkeys(s.text for group in (statements, *other_sentences) for s in group)
        tokens = [EmbedTokens(text) for text in texts]
        vectors = dict(zip(texts, await judge.each(tokens), strict=True))
        groups = [[vectors[s.text] for s in g if vectors[s.text].tokens] for g in other_sentences]
        groups = [group for group in groups if group]
        embedded = [s for s in statements if vectors[s.text].tokens]
        if not embedded or not groups:
            lacking = "no further answer" if embedded else "no sentence of the answer"
            return Unscored("undefined", f"{lacking} has a token")
        return share([self._sentence_part(s, vectors[s.text], groups) for s in embedded])

    def _sentence_part(
        self, sentence: Statement, vectors: TokenVectors, groups: Sequence[Sequence[TokenVectors]]
    ) -> Part:
        best = [
            max(
                rescaled(token_similarity(vectors, other_vectors), self.baseline)
                for other_vectors in group
            )
            for group in groups
        ]
        reason = "closest in each further answer: " + ", ".join(f"{value:.2f}" for value in best)
        value = 1 - math.fsum(best) / len(best)
        return Part("answer sentence", sentence.text, "checked", value, reason, span=sentence.span)


@dataclass(frozen=True)
class SelfCheckMQAG(SelfCheck):
    """Probability that the answer is wrong, as further answers answer its questions otherwise.

    For each sentence up to n multiple-choice questions are written and answered from the answer and
    from every further answer; m further answers choose the answer's own option, k another one, and
    those that do not answer the question count in neither. A question's inconsistency is
    g2^k / (g1^m + g2^k), g1 = b2 / (1 - b1), g2 = b1 / (1 - b2): the probability that the
    sentence is not factual by Bayes' rule, 0.5 without an answer (SelfCheckGPT, MQAG variant,
    section 5.2 and its code, method "bayes_with_alpha", there weighed by a model's probability that
    the question can be answered, which is 1 or 0 here). S = mean over sentences of the mean over
    their questions, in [0, 1]; lower is better. A question that the answer itself does not answer
    is left out, and so is a sentence without one. Undefined if none is left, if the answer is empty
    or there is no further answer. Needs an LLM.

    Args:
        n: Questions a sentence, at most.
        b1: Probability that a further answer disagrees with a sentence that is not factual, above 0
            and below 1.
        b2: Probability that it agrees with a factual one, likewise.
        draws: How many further answers the judge writes to the question, at its temperature for
            draws, from the contexts if there are any; 0 takes those of the sample.
    """

    n: Draws = 5
    b1: float = 0.8
    b2: float = 0.8

    name = "selfcheck:mqag"
    tasks = (AskMultipleChoice, AnswerMultipleChoice)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 < self.b1 < 1 and 0 < self.b2 < 1):
            fault = f"{self.name}: b1 and b2 must be above 0 and below 1, not {self.b1}, {self.b2}"
            raise InputError(fault)

    async def inconsistency(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask about every sentence, answer all questions from each text, count."""
        answer, further = sample.answer or "", _further_answers(sample)
        if missing := _undefined(answer, further):
            return missing
        statements = sentences(answer)
        question_groups = await judge.each(
            [AskMultipleChoice(s.text, answer, self.n) for s in statements]
        )
        questions = tuple(question for group in question_groups for question in group)
        if not questions:
            return Unscored("undefined", "no question was made from the answer")
        own_options, *other_options = await judge.each(
            [AnswerMultipleChoice(questions, text) for text in (answer, *further)]
        )
        rows = iter(zip(questions, own_options, *other_options, strict=True))
        parts: list[Part] = []
        values: list[float] = []
        for statement, group in zip(statements, question_groups, strict=True):
            of_questions = [self._question_part(*next(rows)) for _ in group]
            answered = [part.value for part in of_questions if part.value is not None]
            value = math.fsum(answered) / len(answered) if answered else None
            label, reason = "checked" if answered else "no question", f"{len(answered)} questions"
            parts.append(
                Part("answer sentence", statement.text, label, value, reason, span=statement.span)
            )
            parts += of_questions
            values += [] if value is None else [value]
        if not values:
            fault = "the answer itself answers none of the questions made from it"
            return Unscored("undefined", fault, tuple(parts))
        return Score(math.fsum(values) / len(values), tuple(parts))

    def _question_part(
        self, question: MultipleChoice, own_option: ChosenOption, *other_options: ChosenOption
    ) -> Part:
        if own_option.option is None:
            return Part("question", question.question, "not answered by the answer")
        agreed = sum(other_option.option == own_option.option for other_option in other_options)
        unsaid = sum(other_option.option is None for other_option in other_options)
        value = self._bayes(agreed, len(other_options) - agreed - unsaid)
        option = question.options[ascii_uppercase.index(own_option.option)]
        reason = (
            f"answer: '{option}'; further answers: {agreed} the same, "
            f"{len(other_options) - agreed - unsaid} another, {unsaid} none"
        )
        return Part("question", question.question, "answered", value, reason)

    def _bayes(self, agreed: int, denied: int) -> float:
        g1, g2 = self.b2 / (1 - self.b1), self.b1 / (1 - self.b2)
        return 1 / (1 + math.exp(min(700.0, agreed * math.log(g1) - denied * math.log(g2))))


@dataclass(frozen=True)
class SelfCheckNgram(SelfCheck):
    """Mean surprisal of the answer's words, given their frequency in all answers; lower is better.

    With n-grams counted over the answer and the further answers, p = count / all n-grams: S = mean
    of -ln p over the tokens of the answer ("average"), or the mean over its sentences of the
    largest -ln p ("maximum") (SelfCheckGPT, n-gram variant; no smoothing, lower case). It is 0 or
    more without an upper bound and grows with the number of different words, so compare it only
    between answers to one question, or by rank. Sentences and tokens are split by rules, where
    SelfCheckGPT uses spaCy. It needs no judge. Undefined if the answer is empty or there is no
    further answer.

    Args:
        n: Length of the n-grams; 1 counts single tokens.
        over: "average" or "maximum".
        draws: How many further answers the judge writes to the question, at its temperature for
            draws, from the contexts if there are any; 0 takes those of the sample.
    """

    n: int = 1
    over: Literal["average", "maximum"] = "average"

    name = "selfcheck:ngram"
    range = (0.0, math.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.n) is not int or self.n < 1:
            raise InputError(f"{self.name}: n must be a whole number from 1, not {self.n!r}")

    async def inconsistency(self, sample: Sample, judge: Judge) -> Outcome:
        """Count, then look up."""
        del judge
        answer, further = sample.answer or "", _further_answers(sample)
        if missing := _undefined(answer, further):
            return missing
        grams = [
            gram for text in (answer, *further) for s in sentences(text) for gram in self._ngrams(s)
        ]
        counts = Counter(grams)
        surprises = [
            (s, [math.log(len(grams) / counts[gram]) for gram in self._ngrams(s)])
            for s in sentences(answer)
        ]
        reason = "the mean over {} tokens"
        if self.over == "maximum":
            surprises = [(s, [max(values)]) for s, values in surprises]
            reason = "the largest of all tokens"
        flat = [value for _, values in surprises for value in values]
        parts = tuple(
            Part("answer sentence", s.text, "surprise", value, reason.format(len(v)), span=s.span)
            for s, v in surprises
            for value in [math.fsum(v) / len(v)]
        )
        return Score(math.fsum(flat) / len(flat), parts)

    def _ngrams(self, sentence: Statement) -> list[tuple[str, ...]]:
        tokens = [token.lower() for token in _TOKEN.findall(sentence.text)] or [sentence.text]
        padded = [_BEFORE] * (self.n - 1) + tokens
        return [tuple(padded[start : start + self.n]) for start in range(len(tokens))]


async def _inconsistency(
    sample: Sample,
    judge: Judge,
    verifying: Callable[[Groups, Judge], Awaitable[list[tuple[Verdict, ...]]]],
    inconsistency: Callable[[Verdict], float | None],
) -> Outcome:
    answer, further = sample.answer or "", _further_answers(sample)
    if missing := _undefined(answer, further):
        return missing
    statements = sentences(answer)
    against = await verifying([(statements, (text,)) for text in further], judge)
    parts = tuple(
        _inconsistent(s, verdicts, [inconsistency(v) for v in verdicts])
        for s, *verdicts in zip(statements, *against, strict=True)
    )
    if any(part.value is None for part in parts):
        return Unscored("failed", CONTRADICTION_UNKNOWN, parts)
    return share(parts)


def _contradiction(verdict: Verdict) -> float | None:
    denied = contradicted(verdict)
    if denied is None:
        return None
    if not verdict.supported and not denied:
        return 0.5
    return float(denied) if verdict.probability is None else 1.0 - verdict.probability


def _inconsistent(
    sentence: Statement, verdicts: Sequence[Verdict], values: Sequence[float | None]
) -> Part:
    numbers = [value for value in values if value is not None]
    value = sum(numbers) / len(values) if len(numbers) == len(values) else None
    reason = "; ".join(f"further answer {n}: {three_way(v)}" for n, v in enumerate(verdicts, 1))
    return Part("answer sentence", sentence.text, "checked", value, reason, span=sentence.span)


def _further_answers(sample: Sample) -> list[str]:
    return [text for text in sample.further_answers or () if not blank(text)]


def _undefined(answer: str, further: Sequence[str]) -> Unscored | None:
    if blank(answer) or not sentences(answer):
        return Unscored("undefined", "the answer holds no sentence")
    return None if further else Unscored("undefined", "there is no further answer")
