"""Metrics as ragas 0.4.3 computes them, where assay differs on purpose."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assay.judge import Judge
from assay.metrics.base import FOLLOWS_RAGAS, Draws, Metric
from assay.metrics.base import FOLLOWS_RAGAS as FOLLOWS
from assay.metrics.contexts import ContextPrecision, ContextPrecisionWithoutReference
from assay.metrics.correctness import (
    Beta,
    FactualCorrectness,
    FScore,
    WeightedCorrectness,
    f_beta,
)
from assay.metrics.evidence import blank, blank_outcome, parts_beside, share, split, verify
from assay.metrics.groundedness import faithfulness
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    Embed,
    GenerateQuestions,
    NameEntities,
    Questions,
    SplitStatements,
    VerifyStatements,
)
from assay.tasks.embedding import cosine
from assay.tasks.statements import Level

_SOURCE = "ragas (explodinggradients/ragas), its code"
_AP_EPSILON = 1e-10
_EPSILON = 1e-8
_NOTHING_RETRIEVED = share([Part("context", "", "nothing was retrieved", 0.0)])


@dataclass(frozen=True)
class RagasFaithfulness(Metric):
    """Faithfulness as in ragas 0.4.3: by verdicts, whatever the judge's probabilities.

    F = supported statements / statements of the answer, in [0, 1]. Undefined if the answer makes no
    statement (NaN in ragas). 0 if no context was retrieved, as by ragas' evaluate
    (ragas.metrics.collections raises).
    """

    name = "ragas:faithfulness"
    source = _SOURCE
    follows = FOLLOWS
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, VerifyStatements)
    guide = 0.8
    revision = 3

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """As faithfulness, counted."""
        return await faithfulness(sample, judge, soft=False)


@dataclass(frozen=True)
class RagasAnswerRelevancy(Metric):
    """Answer relevancy as in ragas 0.4.3: 0 if the answer is noncommittal.

    mean_i cos(E(question), E(question_i)), times 0 if the answer is called noncommittal, in [-1,
    1]. Each of the n questions is asked for separately, each time with a verdict on whether the
    answer is noncommittal: all n must say so (in earlier versions, any one). An empty answer scores
    0, as by ragas' evaluate; undefined if the question is empty.

    Args:
        strictness: How many questions are generated.
        noncommittal: "all" or "any" of them make the answer noncommittal.
    """

    strictness: Draws = 3
    noncommittal: Literal["all", "any"] = "all"

    name = "ragas:answer_relevancy"
    aliases = ("ragas:response_relevancy",)
    source = _SOURCE
    follows = FOLLOWS
    needs = ("question", "answer")
    tasks = (GenerateQuestions, Embed)
    range = (-1.0, 1.0)
    guide = 0.75
    revision = 2

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Draw questions one by one and compare them with the one that was asked."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return blank_outcome(question, answer)
        drawn = await judge.draws(GenerateQuestions(answer, 1), self.strictness)
        question_vector, *vectors = await judge.each(
            [Embed(question), *(Embed(generated.questions[0]) for generated in drawn)]
        )
        parts = tuple(
            _question_part(generated, cosine(question_vector, vector))
            for generated, vector in zip(drawn, vectors, strict=True)
        )
        rule = all if self.noncommittal == "all" else any
        evades = rule(generated.noncommittal for generated in drawn)
        mean = sum(part.value or 0.0 for part in parts) / len(parts)
        return Score(0.0 if evades else mean, parts, details={"noncommittal": evades})


def _question_part(generated: Questions, value: float) -> Part:
    label = "noncommittal" if generated.noncommittal else "generated"
    return Part("question", generated.questions[0], label, value)


@dataclass(frozen=True)
class RagasContextPrecision(ContextPrecision):
    """Context precision as in ragas 0.4.3, with an epsilon: never quite 1.

    sum_k (P@k v_k) / (sum_k v_k + 1e-10), in [0, 1). 0 if nothing was retrieved, as by ragas'
    evaluate (ragas.metrics.collections raises). Undefined if the reference is empty.
    """

    name = "ragas:context_precision"
    aliases = ("ragas:llm_context_precision_with_reference",)
    source = _SOURCE
    follows = FOLLOWS
    revision = 2

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """As context_precision, divided by a little more."""
        if not sample.contexts and not blank(sample.reference or ""):
            return _NOTHING_RETRIEVED
        return _with_epsilon(await super().score(sample, judge))


@dataclass(frozen=True)
class RagasContextPrecisionWithoutReference(ContextPrecisionWithoutReference):
    """Context precision against the answer as in ragas 0.4.3, with an epsilon: never quite 1.

    sum_k (P@k v_k) / (sum_k v_k + 1e-10), in [0, 1). 0 if nothing was retrieved or the answer is
    empty, as by ragas' evaluate (ragas.metrics.collections raises).
    """

    name = "ragas:context_precision_without_reference"
    aliases = (
        "ragas:context_utilization",
        "ragas:llm_context_precision_without_reference",
    )
    source = _SOURCE
    follows = FOLLOWS
    revision = 2

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """As context_precision_without_reference, divided by a little more."""
        if not sample.contexts:
            return _NOTHING_RETRIEVED
        if blank(sample.answer or ""):
            return share([Part("answer", sample.answer or "", "empty", 0.0)])
        return _with_epsilon(await super().score(sample, judge))


def _with_epsilon(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Unscored):
        return outcome
    useful = sum(part.value or 0.0 for part in outcome.parts)
    return replace(outcome, value=outcome.value * useful / (useful + _AP_EPSILON))


@dataclass(frozen=True)
class RagasContextEntityRecall(Metric):
    """Context entity recall as in ragas 0.4.3: two lists of names compared letter by letter.

    |entities of reference and contexts| / (|entities of the reference| + 1e-8), in [0, 1): the
    judge names the entities of the reference and those of all contexts joined, and only identical
    spellings match ("Paris" is not "paris"). 0 if the reference names no entity. ragas 0.4.3 has it
    twice: in ragas.metrics.collections an entity of the reference that the judge names twice counts
    once; in ragas.metrics, the legacy metric, it counts twice in the denominator and once in the
    numerator.

    Args:
        variant: "collections" or "legacy": which of the two.
    """

    variant: Literal["collections", "legacy"] = "collections"

    name = "ragas:context_entity_recall"
    source = _SOURCE
    follows = FOLLOWS
    needs = ("contexts", "reference")
    tasks = (NameEntities,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Name the entities of both and compare."""
        reference, contexts = sample.reference or "", "\n".join(sample.contexts or ())
        texts = [reference, contexts]
        entities = iter(await judge.each([NameEntities(text) for text in texts if not blank(text)]))
        expected, retrieved = (() if blank(text) else next(entities) for text in texts)
        parts = tuple(
            Part(
                "entity",
                name,
                "found" if name in retrieved else "not found",
                float(name in retrieved),
            )
            for name in dict.fromkeys(expected)
        )
        if self.variant == "legacy":  # after its first time it stands for nothing new
            parts += tuple(
                Part("entity", name, "repeated", 0.0) for name in _repeated_names(expected)
            )
        total = sum(part.value or 0.0 for part in parts)
        nothing = (Part("reference", reference, "no entity", 0.0),)
        return Score(total / (len(parts) + _EPSILON), parts or nothing)


def _repeated_names(names: Sequence[str]) -> list[str]:
    return [name for n, name in enumerate(names) if name in names[:n]]


@dataclass(frozen=True)
class RagasFactualCorrectness(FScore):
    """Factual correctness as in ragas 0.4.3: recall over mixed directions, two decimals.

    TP and FP are counted over the answer's statements, FN over the reference's; precision = TP /
    (TP + FP + 1e-8), recall = TP / (TP + FN + 1e-8) although TP and FN count statements of
    different texts (its issue 2693), f1 = F-beta of both; in [0, 1], rounded to two decimals. With
    `exact` it is neither rounded nor is 1e-8 added. The texts are split without their question and
    checked against each other unchanged. 0 if neither makes a statement, or the answer is empty;
    undefined if the reference is empty.

    Args:
        mode: "f1", "precision" or "recall".
        beta: Weight of recall against precision in "f1".
        atomicity: "high": one claim per statement; "low": one sentence per statement.
        coverage: "high": all claims; "low": the main content of each sentence.
        exact: Whether all digits count.
    """

    atomicity: Level = "low"
    coverage: Level = "low"
    exact: bool = False

    name = "ragas:factual_correctness"
    source = _SOURCE
    follows = FOLLOWS
    needs = ("answer", "reference")
    revision = 2

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the texts that count and check each against the other."""
        answer, reference = sample.answer or "", sample.reference or ""
        if blank(reference):
            return Unscored("undefined", "the reference is empty")
        levels = self.atomicity, self.coverage
        texts = [answer, "" if self.mode == "precision" else reference]
        answer_statements, reference_statements = await split("", texts, judge, levels)
        correct, covered = await verify(
            [(answer_statements, (reference,)), (reference_statements, (answer,))], judge
        )
        of_reference = reference_statements, covered, reference, "reference statement"
        parts = [
            *parts_beside(answer_statements, correct, answer, "statement", ("TP", "FP")),
            *parts_beside(*of_reference, ("covered", "FN")),
        ]
        return self._count_parts(parts, answer)

    def _count_parts(self, parts: Sequence[Part], answer: str) -> Score:
        tp, fp, fn = (sum(p.label == label for p in parts) for label in ("TP", "FP", "FN"))
        precision, recall = counted(tp, fp, fn)
        value = f_beta(precision, recall, self.beta)
        if self.mode != "f1":
            value = precision if self.mode == "precision" else recall
            denominator = tp + (fp if self.mode == "precision" else fn)
            value *= 1 if self.exact else denominator / (denominator + _EPSILON)
        nothing = (Part("answer", answer, "no statement", 0.0),)
        # As numpy rounds, which is not always as Python does.
        rounded = value if self.exact else round(value * 100) / 100
        return Score(rounded, tuple(parts) or nothing, details={"TP": tp, "FP": fp, "FN": fn})


def counted(tp: int, fp: int, fn: int) -> tuple[float, float]:
    """Precision and recall of counts, whichever text they were counted in; 0 if nothing was."""
    return tp / (tp + fp) if tp + fp else 0.0, tp / (tp + fn) if tp + fn else 0.0


@dataclass(frozen=True)
class RagasAnswerCorrectness(WeightedCorrectness):
    """Answer correctness as in ragas 0.4.3: F-beta of counts, not of two shares.

    w1 F + w2 answer_similarity over w1 + w2, default 0.75 and 0.25, in [-w2 / (w1 + w2), 1], where
    F is F-beta of TP and FP (statements of the answer) and FN (statements of the reference). ragas
    sorts all statements with one prompt; here each is verified, as for factual_correctness.
    Undefined if neither text makes a statement, where ragas gives a perfect score.

    Args:
        factual_weight: w1.
        similarity_weight: w2. With 0, no embedding is asked for.
        beta: Weight of recall against precision.
    """

    beta: Beta = 1.0

    name = "ragas:answer_correctness"
    source = _SOURCE
    follows = FOLLOWS

    async def _factual(self, sample: Sample, judge: Judge) -> Outcome:
        outcome = await FactualCorrectness(beta=self.beta, short=False).score(sample, judge)
        if isinstance(outcome, Unscored):
            return outcome
        tp, fp, fn = (outcome.details[label] for label in ("TP", "FP", "FN"))
        precision, recall = counted(tp, fp, fn)
        details = {**outcome.details, "precision": precision, "recall": recall}
        return replace(outcome, value=f_beta(precision, recall, self.beta), details=details)


# ruff: noqa: RUF001 - quotation marks are what it is about


_STRAIGHT, _CURLY = "\"'`´", "“”„‟‘’"
_SPACE = re.compile(r"\s+")
_RAGAS_QUOTED = {
    "collections": re.compile(f"[{_STRAIGHT}{_CURLY}](.*?)[{_STRAIGHT}{_CURLY}]"),
    "legacy": re.compile(f"[{_STRAIGHT}](.*?)[{_STRAIGHT}]"),
}


@dataclass(frozen=True)
class RagasQuotedSpans(Metric):
    """Quoted spans as ragas 0.4.3 finds them: between any two marks, anywhere in the contexts.

    Found spans / spans of at least `words` words, in [0, 1]. A span is what stands between two
    quotation marks of a line, of whatever kind, apostrophes included, but not guillemets or corner
    brackets; words are what blanks separate. It is found if it is a part of all contexts joined by
    blanks, even within a word or across two contexts; case and runs of white space do not count.
    Undefined if nothing is quoted: in ragas 1 in ragas.metrics.collections, 0 in its function
    quoted_spans_alignment, the legacy variant, which knows no curly marks.

    Args:
        words: Shorter spans do not count.
        casefold: Whether case and white space are the same.
        variant: "collections" or "legacy": which of ragas' two.
    """

    words: int = 3
    casefold: bool = True
    variant: Literal["collections", "legacy"] = "collections"

    name = "ragas:quoted_spans"
    aliases = ("ragas:quoted_spans_alignment",)
    source = "ragas (explodinggradients/ragas), its code"
    follows = FOLLOWS_RAGAS
    needs = ("answer", "contexts")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Look every span up; nobody is asked."""
        del judge
        contexts = [self._normalized_text(context) for context in sample.contexts or ()]
        everything = self._normalized_text(" ".join(sample.contexts or ()))
        parts = []
        for text, span in self._spans(sample.answer or ""):
            plain = self._normalized_text(text)
            present = bool(plain) and plain in everything
            context_index = next(
                (i for i, c in enumerate(contexts) if present and plain in c), None
            )
            label = "found" if present else "not found"
            parts.append(
                Part("quotation", text, label, float(present), context=context_index, span=span)
            )
        if not parts:
            return Unscored("undefined", f"the answer quotes nothing of {self.words} words or more")
        return share(parts)

    def _spans(self, answer: str) -> Iterator[tuple[str, tuple[int, int]]]:
        for match in _RAGAS_QUOTED[self.variant].finditer(answer):
            text = match[1].strip()
            if len(text.split()) >= self.words:
                start = match.start(1) + len(match[1]) - len(match[1].lstrip())
                yield text, (start, start + len(text))

    def _normalized_text(self, text: str) -> str:
        return _SPACE.sub(" ", text).strip().lower() if self.casefold else text
