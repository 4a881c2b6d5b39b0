"""A candidate judge beside the one that ships: measurements, coefficients by labels, figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from assay._text import sentences
from assay.bench import benchmark
from assay.errors import Unavailable
from assay.experiments.judge_cases import Case, Kind
from assay.judges.embedded import relevance, verification
from assay.judges.embedded.embedding import Encoder
from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.surface import plain_question, plain_sentences, vocabulary
from assay.judges.embedded.verification import Fitted
from assay.stats.agreement import auroc, auroc_lead
from assay.stats.calibration import folds
from assay.stats.comparison import Paired, paired
from assay.stats.intervals import Floats, Interval, ones

COEFFICIENTS: Final[Mapping[Kind, tuple[str, tuple[str, ...]]]] = {
    "faithfulness": ("support.json", verification.FEATURES),
    "context_relevance": ("passage.json", relevance.PASSAGE_FEATURES),
    "answer_relevance": ("answering.json", relevance.ANSWER_FEATURES),
}
_SHARED_WORDS: Final = {"faithfulness": verification.FEATURES.index("recall_all")}
# Of intercept, slope and the share of shared words: expectation and sureness.
_PRIOR: Final = (0.0, 1.0, 0.0), (0.1, 4.0, 1.0)


class Both(NamedTuple):
    """A figure of the judge that ships and of a candidate."""

    base: float
    candidate: float


@dataclass(frozen=True, slots=True)
class Compared:
    """A candidate beside the judge that ships, on cases that it has not learnt from.

    Attributes:
        kind: What is asked.
        cases: Whose they are: "people" or "synthetic".
        candidate: "shipped" or "trained" network, "refitted" if coefficients are fitted to labels.
        good: How many cases are right.
        bad: How many are wrong.
        missed: Share of the wrong ones that pass (probability of at least a half).
        alarms: Share of the right ones that do not.
        auroc: Chance that a right one scores above a wrong one.
        lead: Interval of the difference of these; None if there are too few sources.
        brier: Mean squared error of the probability, compared case by case, clustered by source.
        floors: AUROC of rules that know nothing.
    """

    kind: Kind
    cases: str
    candidate: str
    good: int
    bad: int
    missed: Both
    alarms: Both
    auroc: Both
    lead: Interval | None
    brier: Paired
    floors: Mapping[str, float]

    @property
    def verdict(self) -> str:
        """Better if errors shrink or the order improves, and neither gets worse.

        Nor may the two error rates together rise: nearly the same probability for every case would
        shrink the squared error of a judge that is sure and wrong.
        """
        error, lead = self.brier.interval, self.lead
        rates = [missed + alarms for missed, alarms in zip(self.missed, self.alarms, strict=True)]
        if (error and error.low > 0) or (lead and lead.high < 0):
            return "worse"
        gains = (error and error.high < 0) or (lead and lead.low > 0)
        if gains and rates[1] <= rates[0]:
            return "better"
        return "no gain shown"


class Measured(NamedTuple):
    """A case, its measurements, and the probability that coefficients make of them."""

    case: Case
    features: tuple[float, ...]
    probability: Callable[[Fitted], float]


def _measure(case: Case, reader: Reader, encoder: Encoder) -> Measured | None:
    """As the judge reads it; None if it cannot say anything of it."""
    try:
        if case.kind == "faithfulness":
            evidence = prepare(case.contexts)
            if not evidence.pieces:
                return None
            (judged,) = verification.measure([case.text], evidence, reader)
            return Measured(
                case, judged.features, lambda weights: verification.decide(judged, weights)
            )
        if case.kind == "context_relevance":
            split = [sentences.sentences(context) for context in case.contexts]
            question = plain_question(case.question, vocabulary(case.contexts))
            rows = iter(relevance.read(question, split, encoder, reader))
            helps = [[relevance.probability(next(rows)) for _ in pieces] for pieces in split]
            features = max(map(relevance.passage_features, filter(None, helps)))
        else:
            parts_of_text = sentences.sentences(case.text)
            question = plain_question(case.question, vocabulary(parts_of_text))
            stated = plain_sentences(parts_of_text, vocabulary([question]))
            features, _ = relevance.measure_answer(question, stated, encoder, reader)
    except (Unavailable, ValueError):  # nothing to read
        return None
    return Measured(case, features, lambda weights: weights.probability(features))


def measure_all(reader: Reader, cases: Sequence[Case], kind: Kind) -> list[Measured]:
    """The cases of a kind that the judge can read, as it reads them."""
    encoder = Encoder(reader.threads)
    measured = (_measure(case, reader, encoder) for case in cases if case.kind == kind)
    return [row for row in measured if row is not None]


def beside(
    rows: Sequence[Measured],
    before: Floats,
    after: Floats,
    names: tuple[str, str],
    level: float,
) -> Compared:
    """A candidate's probabilities beside the base's.

    Args:
        rows: The cases.
        before: What the base says of each, shape (n,).
        after: What the candidate says, shape (n,).
        names: Whose cases they are, and the candidate.
        level: Nominal coverage of the intervals.
    """
    good = np.array([row.case.good for row in rows])
    groups = [row.case.group for row in rows]
    weights = ones(len(rows))

    def order(scores: Floats) -> float:
        return float(auroc(scores, good)(weights))

    pairs = [(row.case.text or row.case.question, row.case) for row in rows]
    words = [benchmark.shared_words(text, " ".join(_texts_beside(case))) for text, case in pairs]
    lengths = [float(len(case.text or " ".join(case.contexts))) for _, case in pairs]
    scores = (before, after)
    return Compared(
        kind=rows[0].case.kind,
        cases=names[0],
        candidate=names[1],
        good=int(good.sum()),
        bad=int((~good).sum()),
        missed=Both(*(float((probabilities[~good] >= 0.5).mean()) for probabilities in scores)),
        alarms=Both(*(float((probabilities[good] < 0.5).mean()) for probabilities in scores)),
        auroc=Both(*map(order, scores)),
        lead=auroc_lead(after, before, good, groups, level=level),
        brier=paired(
            np.square(before - good), np.square(after - good), groups=groups, span=1.0, level=level
        ),
        floors={
            "shared words": order(np.array(words)),
            "shorter text": order(-np.array(lengths)),
        },
    )


def _texts_beside(case: Case) -> Sequence[str]:
    return [case.question] if case.kind == "answer_relevance" else case.contexts


def out_of_fold(rows: Sequence[Measured], kind: Kind) -> Floats:
    """The probability of each case by coefficients that were fitted to other sources."""
    probabilities = np.zeros(len(rows))
    for held_out in folds([row.case.group for row in rows]):
        weights = refit(
            [row for row, is_out in zip(rows, held_out, strict=True) if not is_out], kind
        )
        for index in np.flatnonzero(held_out).tolist():
            probabilities[index] = rows[index].probability(weights)
    return probabilities


def refit(rows: Sequence[Measured], kind: Kind) -> Fitted:
    """Intercept, slope and weight of shared words by labels, drawn to what ships."""
    base = Fitted.load(*COEFFICIENTS[kind])
    if not rows:
        return base
    features = np.array([row.features for row in rows])
    good = np.array([row.case.good for row in rows], float)
    columns = [np.ones(len(rows)), features @ np.array(base.coefficients) + base.intercept]
    column = _SHARED_WORDS.get(kind)
    if column is not None:
        # Not by its spread: where nearly all words stand in the contexts, a few rows would decide.
        columns.append(features[:, column])
    x = np.stack(columns, axis=1)
    expected, sureness = (np.array(values)[: x.shape[1]] for values in _PRIOR)
    solution = expected.copy()
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(x @ solution, -30, 30)))
        slope = x.T @ (good - chance) - sureness * (solution - expected)
        curve = (x * (chance * (1 - chance))[:, None]).T @ x + np.diag(sureness)
        solution = solution + np.linalg.solve(curve, slope)
        solution[1] = max(0.05, solution[1])  # never turns the judge round
    coefficients = solution[1] * np.array(base.coefficients)
    intercept = float(solution[0] + solution[1] * base.intercept)
    if column is not None:
        coefficients[column] += solution[2]
    return replace(base, coefficients=tuple(coefficients.tolist()), intercept=intercept)
