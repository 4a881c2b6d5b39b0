"""How much of the meaning is shared, token by token or by entailment?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Literal, get_args

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.evidence import BY_VERDICTS, blank, split, told, verdict_parts, verify
from assay.metrics.factual_correctness import unplaced
from assay.metrics.grading import override
from assay.metrics.wording import one_of
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    EmbedTokens,
    SplitStatements,
    TokenVectors,
    Verdict,
    VerifyStatements,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Mode = Literal["f1", "precision", "recall"]
Direction = Literal["both", "answer", "reference"]
BLOCK = 500


@dataclass(frozen=True)
class BertScore(Metric):
    """How similar the tokens of answer and reference are, each matched with its closest one.

    Precision = mean over the answer's tokens of the largest cosine to a token of the reference;
    recall = the same over the reference's tokens; F1 = their harmonic mean, 0 if either is not
    above 0; in [-1, 1] (Zhang et al. 2020, BERTScore, section 3, without weights by rarity). The
    vectors are those of the current embedder, with each token read in its sentence: numbers of two
    embedders cannot be compared. The cosine is not an absolute scale either: with the embedded
    encoder unrelated English texts score about 0.2 (0.13 for phrases, 0.23 for long answers, 95 %
    of all below 0.4), so ``baseline=0.2`` puts them near 0. If several references are accepted, the
    closest one counts. Undefined if either text is blank or the reference has no token. Embedders
    behind an API return no token vectors: use the embedded judge for them
    (``--judge embed_tokens=embedded``).

    Args:
        mode: "f1", "precision" or "recall".
        baseline: The score of unrelated texts; b > 0 turns a score x into (x - b) / (1 - b).
    """

    mode: Mode = "f1"
    baseline: float = 0.0

    name = "bert_score"
    source = "Zhang et al. 2020, BERTScore (arXiv 1904.09675)"
    needs = ("answer", "reference")
    tasks = (EmbedTokens,)
    range = (-1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.name, "mode", self.mode, get_args(Mode))
        if not 0 <= self.baseline < 1:
            what = f"{self.name}: baseline must be 0 or more and below 1, not {self.baseline}"
            raise InputError(what)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Embed all tokens and match them."""
        answer = sample.answer or ""
        references = [r for r in (sample.reference or "", *sample.accepted) if not blank(r)]
        if blank(answer) or not references:
            return Unscored("undefined", "the answer or the reference is empty")
        mine, *others = await judge.each([EmbedTokens(text) for text in (answer, *references)])
        if not mine.tokens or not any(other.tokens for other in others):
            return Unscored("undefined", "the answer or the reference has no token")
        found = [self._matched(mine, other) for other in others if other.tokens]
        return max(found, key=float)

    def _matched(self, mine: TokenVectors, theirs: TokenVectors) -> Score:
        said = _closest(mine, theirs, "token")
        wanted = _closest(theirs, mine, "reference token")
        precision, recall = _mean(said), _mean(wanted)
        above = min(precision, recall) > 0
        f1 = 2 * precision * recall / (precision + recall) if above else 0.0
        values = {"precision": precision, "recall": recall, "f1": f1}
        scaled = {name: self._scaled(value) for name, value in values.items()}
        return Score(scaled[self.mode], (*said, *wanted), details=scaled)

    def _scaled(self, value: float) -> float:
        return max(-1.0, min(1.0, (value - self.baseline) / (1 - self.baseline)))


def _closest(mine: TokenVectors, theirs: TokenVectors, kind: str) -> list[Part]:
    """A part for each of my tokens: the cosine to the closest of theirs, and which it is."""
    a, b = _directions(mine), _directions(theirs)
    parts = []
    # Some at a time: the cosines of all pairs of tokens of two long texts fill the memory.
    for start in range(0, len(a), BLOCK):
        cosines = a[start : start + BLOCK] @ b.T
        for token, row, at in zip(
            mine.tokens[start:], cosines, cosines.argmax(axis=1), strict=False
        ):
            reason = f"closest: {theirs.tokens[at]}"
            parts.append(Part(kind, token, "cosine", min(1.0, float(row[at])), reason))
    return parts


def _directions(found: TokenVectors) -> "npt.NDArray[np.float64]":
    import numpy as np

    numbers = np.frombuffer(b"".join(found.vectors), dtype=np.int8).astype(float)
    rows = numbers.reshape(len(found.tokens), -1)
    unit: npt.NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


@dataclass(frozen=True)
class NliScore(Metric):
    """How surely answer and reference entail each other, statement by statement.

    For each statement of one text e - c: the probability e that the other text entails it, less the
    probability c that it contradicts it (1 - e where the judge says that it does, else 0). The mean
    over the answer's statements against the reference and the mean over the reference's against the
    answer are averaged; in [-1, 1], without c in [0, 1] (Chen and Eger 2023, MENLI, section 3, the
    score e - c of both directions; MENLI compares whole texts, which no model reads well if they
    are long). If the judge gives no probabilities, 0 and 1 are used, and the score says so. A text
    without a statement entails nothing: 0. Undefined if neither makes one. Statements and verdicts
    are those of factual_correctness.

    Args:
        direction: "both", "answer" (its statements against the reference) or "reference".
        contradiction: Whether to subtract c.
    """

    direction: Direction = "both"
    contradiction: bool = True

    name = "nli_score"
    aliases = ("menli",)
    source = "Chen and Eger 2023, MENLI (arXiv 2208.07316)"
    needs = ("question", "answer", "reference")
    tasks = (SplitStatements, VerifyStatements)
    range = (-1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.name, "direction", self.direction, get_args(Direction))
        override(self, range=(-1.0 if self.contradiction else 0.0, 1.0))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split both texts and verify each against the other."""
        answer, reference = sample.answer or "", sample.reference or ""
        mine, theirs = await split(sample.question or "", [answer, reference], judge)
        if not (mine or theirs):
            return Unscored("undefined", "neither answer nor reference makes a statement")
        asked = [(mine, (told(theirs, reference),)), (theirs, (told(mine, answer),))]
        found, covered = map(unplaced, await verify(asked, judge))
        parts = (
            *self._valued(verdict_parts(mine, found, answer), found),
            *self._valued(
                verdict_parts(theirs, covered, reference, kind="reference statement"), covered
            ),
        )
        sides = {
            "answer": _mean([p for p in parts if p.kind == "statement"]),
            "reference": _mean([p for p in parts if p.kind == "reference statement"]),
        }
        value = fmean(sides.values()) if self.direction == "both" else sides[self.direction]
        given = [  # by the judge: of a blank text nothing is asked
            verdict.probability
            for (_, contexts), verdicts in zip(asked, (found, covered), strict=True)
            for verdict in verdicts
            if not blank(*contexts)
        ]
        return Score(value, parts, BY_VERDICTS if None in given else "", sides)

    def _valued(self, parts: Sequence[Part], verdicts: Sequence[Verdict]) -> list[Part]:
        return [
            replace(part, value=self._value(verdict))
            for part, verdict in zip(parts, verdicts, strict=True)
        ]

    def _value(self, verdict: Verdict) -> float:
        against = 1 - verdict.support if self.contradiction and verdict.contradicted else 0.0
        return verdict.support - against


def _mean(parts: Sequence[Part]) -> float:
    return fmean(part.value or 0.0 for part in parts) if parts else 0.0


METRICS: tuple[type[Metric], ...] = (BertScore, NliScore)
