"""SelfCheckGPT's measures of whether a system says the same when it is asked again."""

import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric
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
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import ChooseLabel, Statement, Verdict, VerifyStatements

Groups: TypeAlias = Sequence[tuple[Statements, tuple[str, ...]]]

PAPER = "Manakul et al. 2023, SelfCheckGPT (arXiv 2303.08896)"
_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")
_BEFORE = ""  # no token is empty: it stands before a sentence where an n-gram begins there


@dataclass(frozen=True)
class SelfCheckNLI(Metric):
    """Mean probability that further answers contradict the answer's sentences; lower is better.

    S = mean over sentences of the mean over further answers of P(contradiction), in [0, 1]
    (SelfCheckGPT, NLI variant, which leaves "neutral" out so that support and contradiction add up
    to 1). If a further answer supports or contradicts the sentence, P is 1 - the judge's
    probability of support (0 or 1 where it gives none); if it does neither, P is 0.5. Empty further
    answers are left out. Undefined if the answer is empty or there is no further answer. A judge
    that does not say which unsupported sentences are contradicted is asked to label each; failed if
    it cannot.
    """

    name = "selfcheck:nli"
    source = PAPER
    needs = ("answer", "further_answers")
    tasks = (VerifyStatements, ChooseLabel)
    higher_is_better = False

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Verdicts, and labels where they leave it unsaid."""
        return three_way_tasks(can)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify every sentence against every further answer."""
        return await _inconsistency(sample, judge, verify_three_way, _contradiction)


@dataclass(frozen=True)
class SelfCheckPrompt(Metric):
    """Share of further answers that do not support the answer's sentences; lower is better.

    S = mean over sentences of the mean over further answers of x, in [0, 1], with x = 0 if the
    further answer supports the sentence and 1 if not (SelfCheckGPT, prompt variant). There an
    unreadable reply counts 0.5; here it is asked for again, and if it stays unreadable the score
    fails. Empty further answers are left out. Undefined if the answer is empty or there is no
    further answer.
    """

    name = "selfcheck:prompt"
    source = PAPER
    needs = ("answer", "further_answers")
    tasks = (VerifyStatements,)
    higher_is_better = False

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify every sentence against every further answer."""
        return await _inconsistency(
            sample, judge, verify, lambda verdict: float(not verdict.supported)
        )


@dataclass(frozen=True)
class SelfCheckNgram(Metric):
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
    """

    n: int = 1
    over: Literal["average", "maximum"] = "average"

    name = "selfcheck:ngram"
    source = PAPER
    needs = ("answer", "further_answers")
    range = (0.0, math.inf)
    higher_is_better = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.n) is not int or self.n < 1:
            raise InputError(f"{self.name}: n must be a whole number from 1, not {self.n!r}")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
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
        return [tuple(padded[at : at + self.n]) for at in range(len(tokens))]


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
    known = [value for value in values if value is not None]
    value = sum(known) / len(values) if len(known) == len(values) else None
    reason = "; ".join(f"further answer {n}: {three_way(v)}" for n, v in enumerate(verdicts, 1))
    return Part("answer sentence", sentence.text, "checked", value, reason, span=sentence.span)


def _further_answers(sample: Sample) -> list[str]:
    return [text for text in sample.further_answers or () if not blank(text)]


def _undefined(answer: str, further: Sequence[str]) -> Unscored | None:
    if blank(answer) or not sentences(answer):
        return Unscored("undefined", "the answer holds no sentence")
    return None if further else Unscored("undefined", "there is no further answer")
