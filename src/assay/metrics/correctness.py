"""Correctness of an answer against a reference, in facts and in meaning."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from assay._text.sentences import spans
from assay._text.words import words
from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import RAGAS_DOCS, Can, Metric, override
from assay.metrics.evidence import (
    BY_VERDICTS,
    CONTRADICTION_UNKNOWN,
    blank,
    by_probability,
    contradicted,
    exact_mean,
    parts_beside,
    premise,
    split,
    three_way_tasks,
    verdict_parts,
    verify,
    verify_three_way,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    ChooseLabel,
    Embed,
    SplitStatements,
    Statement,
    Verdict,
    VerifyStatements,
)
from assay.tasks.embedding import cosine
from assay.tasks.statements import Level

_MAX_BETA = 1_000_000  # recall alone, to all digits that are shown
_SHORT = 12  # words of a reference that says what is asked for and no more
LED = 2  # how much more recall weighs beside a short reference
BEYOND = "beyond"  # says more than a short reference, and nothing against it
_RECALL_LED = "led by recall beside a short reference: FP is only what contradicts it, beta is {:g}"


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """Weighted harmonic mean of precision and recall, in [0, 1]; 0 if both are 0.

    F_beta = (1 + beta^2) P R / (beta^2 P + R). With P = TP/(TP+FP) and R = TP/(TP+FN) and
    beta = 1 it is TP / (TP + 0.5 (FP + FN)). beta > 1 weighs recall higher.
    """
    weighted = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / weighted if weighted else 0.0


def check_beta(name: str, called: str, beta: float) -> None:
    """Refuse a weight that F-beta cannot be computed with.

    Raises:
        InputError: If it is not above 0, or so large that its square is none.
    """
    if not 0 < beta <= _MAX_BETA:
        raise InputError(
            f"{name}: {called} must be a number above 0 and up to {_MAX_BETA:,}, not {beta}"
        )


Beta: TypeAlias = Annotated[float, check_beta]


@dataclass(frozen=True)
class FScore(Metric):
    """The parameters of an F-score of statements; no metric by itself."""

    mode: Literal["f1", "precision", "recall"] = "f1"
    beta: Beta = 1.0
    atomicity: Level = "high"
    coverage: Level = "high"

    needs: ClassVar[tuple[str, ...]] = ("question", "answer", "reference")
    tasks = (SplitStatements, VerifyStatements)


@dataclass(frozen=True)
class FactualCorrectness(FScore):
    """F-score of the answer's statements against the reference's.

    Statements are true positives (in answer and reference), false positives (in the answer only) or
    false negatives (in the reference only). precision = TP / (TP + FP) over the answer's
    statements, recall = 1 - FN / (reference statements) over the reference's; f1 = their harmonic
    mean, TP / (TP + 0.5 (FP + FN)) if equally many statements match on both sides; in [0, 1] (RAGAS
    documentation). Each direction is counted over its own statements (ragas mixes them in recall,
    its issue 2693). Undefined if neither text makes a statement.

    A short reference, one phrase or sentence of 12 words at most, says what was asked for, and an
    answer may say more. Beside one f1 is led by recall: FP are only the answer's statements that
    contradict the reference, as far as the judge tells them from others, and beta is doubled (F2
    for F1); the score says so. The modes "precision" and "recall" stay the two shares above.

    Where the judge gives probabilities, these are expected counts: each statement counts with the
    probability that the other text supports it; TP is the sum over the answer's statements, and FP
    and FN are the remainders to the numbers of statements. That agrees better with people than
    counts of verdicts: see the judge's card (RAGChecker, EVOUNA).

    At "low" atomicity a statement is a whole sentence; at "low" coverage it is the main content of
    a sentence (for the embedded judge, by rule, the first clause of each sentence).

    Args:
        mode: "f1", "precision" or "recall".
        beta: Weight of recall against precision in "f1".
        atomicity: "high": one claim per statement; "low": one sentence per statement.
        coverage: "high": all claims; "low": the main content of each sentence.
        soft: Whether statements count by the judge's probabilities, where it gives any; False
            counts its verdicts.
        short: Whether recall leads beside a short reference; False counts all that the answer adds
            as FP there, too.
    """

    soft: bool = True
    short: bool = True

    name = "factual_correctness"
    source = RAGAS_DOCS
    revision = 2

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split both texts and verify each against the other."""
        answer, reference = sample.answer or "", sample.reference or ""
        levels = self.atomicity, self.coverage
        answer_statements, reference_statements = await split(
            sample.question or "", [answer, reference], judge, levels
        )
        against_theirs, against_mine = (
            premise(reference_statements, reference),
            premise(answer_statements, answer),
        )
        correct, covered = await verify(
            [(answer_statements, (against_theirs,)), (reference_statements, (against_mine,))], judge
        )
        answer_parts = parts_beside(
            answer_statements, correct, answer, "statement", ("TP", "FP"), soft=self.soft
        )
        of_reference = reference_statements, covered, reference, "reference statement"
        reference_parts = parts_beside(*of_reference, ("covered", "FN"), soft=self.soft)
        if self.short and self.mode == "f1" and is_short(reference) and answer_parts:
            return self._led_by_recall(_beyond_reference(answer_parts, correct), reference_parts)
        return self._count(answer_parts, reference_parts)

    def _led_by_recall(
        self, answer_parts: Sequence[Part], reference_parts: Sequence[Part]
    ) -> Outcome:
        """F-beta with a doubled beta, in which FP are only those that keep this label."""
        parts, beta = (*answer_parts, *reference_parts), LED * self.beta
        precision, recall = precision_within_reference(answer_parts), mean(reference_parts)
        how = _RECALL_LED.format(beta)
        method = f"{by_probability(parts)}; {how}" if self.soft and by_probability(parts) else how
        tp, fn = (
            math.fsum(part.value or 0.0 for part in side)
            for side in (answer_parts, reference_parts)
        )
        counts = {
            "TP": tp,
            "FP": math.fsum(1 - (part.value or 0.0) for part in answer_parts if part.label == "FP"),
            "FN": len(reference_parts) - fn,
        }
        details = {"precision": precision, "recall": recall, **counts}
        return Score(f_beta(precision, recall, beta), parts, method, details)

    def _count(
        self, answer_statements: Sequence[Part], reference_statements: Sequence[Part]
    ) -> Outcome:
        parts = (*answer_statements, *reference_statements)
        counted = {"precision": answer_statements, "recall": reference_statements, "f1": parts}[
            self.mode
        ]
        if not counted:
            return Unscored("undefined", _EMPTY[self.mode], parts)
        precision, recall = mean(answer_statements), mean(reference_statements)
        value = {
            "precision": precision,
            "recall": recall,
            "f1": f_beta(precision, recall, self.beta),
        }[self.mode]
        sides = {"precision": precision, "recall": recall}
        return Score(
            value,
            parts,
            by_probability(parts) if self.soft else "",
            details={**sides, **self._counts(answer_statements, reference_statements)},
        )

    def _counts(
        self, answer_statements: Sequence[Part], reference_statements: Sequence[Part]
    ) -> dict[str, float]:
        if by_probability(answer_statements or reference_statements) and self.soft:
            true, covered = (
                math.fsum(p.value or 0.0 for p in parts)
                for parts in (answer_statements, reference_statements)
            )
            return {
                "TP": true,
                "FP": len(answer_statements) - true,
                "FN": len(reference_statements) - covered,
            }
        labels = [part.label for part in (*answer_statements, *reference_statements)]
        return {label: labels.count(label) for label in ("TP", "FP", "FN")}


def is_short(reference: str) -> bool:
    """Whether a reference is a phrase or one short sentence: what was asked for and no more."""
    return len(spans(reference)) <= 1 and 0 < len(words(reference)) <= _SHORT


def _beyond_reference(parts: Sequence[Part], verdicts: Sequence[Verdict]) -> list[Part]:
    """The parts; those that are not supported and contradict nothing labelled so."""
    return [
        replace(part, label=BEYOND) if part.label == "FP" and not verdict.contradicted else part
        for part, verdict in zip(parts, verdicts, strict=True)
    ]


def precision_within_reference(parts: Sequence[Part]) -> float:
    """TP / (TP + FP) without what is beyond the reference; 1 if the rest is nothing."""
    true = math.fsum(part.value or 0.0 for part in parts)
    false = math.fsum(1 - (part.value or 0.0) for part in parts if part.label == "FP")
    return true / (true + false) if true + false else 1.0


_EMPTY = {
    "precision": "the answer makes no statement",
    "recall": "the reference makes no statement",
    "f1": "neither answer nor reference makes a statement",
}


def mean(parts: Sequence[Part]) -> float:
    """The mean of the parts' values; 0 without any."""
    return sum(part.value or 0.0 for part in parts) / len(parts) if parts else 0.0


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


@dataclass(frozen=True)
class WeightedCorrectness(Metric):
    """A weighted mean of a factual score and answer similarity; no metric by itself."""

    factual_weight: float = 0.75
    similarity_weight: float = 0.25

    needs = ("question", "answer", "reference")
    tasks: ClassVar[tuple[type[Task[Any]], ...]] = (SplitStatements, VerifyStatements, Embed)
    range = (-0.25, 1.0)
    _factual_name: ClassVar[str] = FactualCorrectness.name

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = (self.factual_weight, self.similarity_weight)
        if not (all(0 <= weight < math.inf for weight in weights) and any(weights)):
            raise InputError(f"{self.name}: weights must be 0 or more, not both 0: {weights}")
        share = self.similarity_weight / sum(weights)
        override(self, range=(0.0 - share, 1.0))  # only the cosine can be below 0, and to -1

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Score both components and weigh them."""
        factual = await self._factual(sample, judge)
        if isinstance(factual, Unscored):
            return factual
        components = [(self._factual_name, factual.value, self.factual_weight)]
        if self.similarity_weight:
            similar = await AnswerSimilarity().score(sample, judge)
            if isinstance(similar, Unscored):
                return similar
            components.append((AnswerSimilarity.name, similar.value, self.similarity_weight))
        total = sum(weight for _, _, weight in components)
        value = sum(value * weight for _, value, weight in components) / total
        parts = tuple(
            Part("component", name, f"weight {weight / total:g}", value)
            for name, value, weight in components
        )
        return Score(value, (*parts, *factual.parts), factual.method, factual.details)

    @abstractmethod
    async def _factual(self, sample: Sample, judge: Judge) -> Outcome:
        """The factual score."""


@dataclass(frozen=True)
class AnswerCorrectness(WeightedCorrectness):
    """Weighted mean of factual correctness (F1) and answer similarity.

    w1 factual_correctness + w2 answer_similarity over w1 + w2, default 0.75 and 0.25 (RAGAS
    documentation), in [-w2 / (w1 + w2), 1]. Undefined where factual correctness is.

    Args:
        factual_weight: w1.
        similarity_weight: w2. With 0, no embedding is asked for.
        soft: Whether statements count by the judge's probabilities, as in factual_correctness.
        short: Whether recall leads beside a short reference, as in factual_correctness.
    """

    soft: bool = True
    short: bool = True

    name = "answer_correctness"
    source = RAGAS_DOCS
    revision = 2

    async def _factual(self, sample: Sample, judge: Judge) -> Outcome:
        return await FactualCorrectness(soft=self.soft, short=self.short).score(sample, judge)


Direction = Literal["both", "answer", "reference"]
Formula = Literal["e-c", "e", "-c"]


@dataclass(frozen=True)
class NliScore(Metric):
    """How surely answer and reference entail each other, statement by statement.

    For each statement of one text e - c: the probability e that the other text entails it, less the
    probability c that it contradicts it (1 - e where the judge says that it does, else 0: a
    paraphrase that a judge takes for a contradiction goes below 0, with formula=e it does not). The
    mean over the answer's statements against the reference and the mean over the reference's
    against the answer are averaged; in [-1, 1], e alone in [0, 1], -c in [-1, 0] (Chen and Eger
    2023, MENLI, section 3; MENLI compares whole texts, which no model reads well if they are long).
    If the judge gives no probabilities, 0 and 1 are used, and the score says so. A text without a
    statement entails nothing: 0. Undefined if neither makes one, and with -c if either makes none.
    With -c a judge that does not say what is contradicted is asked to label it; failed if it
    cannot. Statements and verdicts are those of factual_correctness.

    Args:
        direction: "both", "answer" (its statements against the reference) or "reference".
        contradiction: False is the same as formula=e.
        formula: "e-c", "e" or "-c".
        level: "statement", or "text": whole texts against each other, as MENLI does.
    """

    direction: Direction = "both"
    contradiction: bool = True
    formula: Formula = "e-c"
    level: Literal["statement", "text"] = "statement"

    name = "nli_score"
    aliases = ("menli",)
    source = "Chen and Eger 2023, MENLI (arXiv 2208.07316)"
    needs = ("question", "answer", "reference")
    tasks = (SplitStatements, VerifyStatements, ChooseLabel)
    range = (-1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.contradiction and self.formula == "-c":
            raise InputError(f"{self.name}: formula -c is about contradiction", "leave it out")
        entailed, denied = self._terms
        override(self, range=(-float(denied), float(entailed)))

    @property
    def _terms(self) -> tuple[bool, bool]:
        """Whether e and c count."""
        return self.formula != "-c", bool(self.contradiction) and self.formula != "e"

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Statements where texts are split, verdicts, and labels where -c alone counts."""
        verdicts = three_way_tasks(can) if self.formula == "-c" else (VerifyStatements,)
        return verdicts if self.level == "text" else (SplitStatements, *verdicts)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split both texts and verify each against the other."""
        answer, reference = sample.answer or "", sample.reference or ""
        answer_statements, reference_statements = (
            [() if blank(text) else (Statement("s1", text),) for text in (answer, reference)]
            if self.level == "text"
            else await split(sample.question or "", [answer, reference], judge)
        )
        if not (answer_statements or reference_statements):
            return Unscored("undefined", "neither answer nor reference makes a statement")
        if self.formula == "-c" and not (answer_statements and reference_statements):
            return Unscored("undefined", "answer or reference makes no statement")
        groups = [
            (answer_statements, (premise(reference_statements, reference),)),
            (reference_statements, (premise(answer_statements, answer),)),
        ]
        correct, covered = await (verify_three_way if self.formula == "-c" else verify)(
            groups, judge
        )
        if self.formula == "-c" and None in map(contradicted, (*correct, *covered)):
            return Unscored("failed", CONTRADICTION_UNKNOWN)
        parts = (
            *self._with_values(
                verdict_parts(answer_statements, correct, answer, in_contexts=False), correct
            ),
            *self._with_values(
                verdict_parts(
                    reference_statements,
                    covered,
                    reference,
                    kind="reference statement",
                    in_contexts=False,
                ),
                covered,
            ),
        )
        sides = {
            "answer": exact_mean([p for p in parts if p.kind == "statement"]),
            "reference": exact_mean([p for p in parts if p.kind == "reference statement"]),
        }
        value = fmean(sides.values()) if self.direction == "both" else sides[self.direction]
        probabilities = [  # by the judge: of a blank text nothing is asked
            verdict.probability
            for (_, contexts), verdicts in zip(groups, (correct, covered), strict=True)
            for verdict in verdicts
            if not blank(*contexts)
        ]
        return Score(value, parts, BY_VERDICTS if None in probabilities else "", sides)

    def _with_values(self, parts: Sequence[Part], verdicts: Sequence[Verdict]) -> list[Part]:
        return [
            replace(part, value=self._value(verdict))
            for part, verdict in zip(parts, verdicts, strict=True)
        ]

    def _value(self, verdict: Verdict) -> float:
        entailed, denied = self._terms
        against = 1 - verdict.support if denied and verdict.contradicted else 0.0
        return (verdict.support if entailed else 0.0) - against
