"""How often does the interval of a measure of agreement hold the true value, n = 20, 50, 200?

Labels and scores are drawn from distributions of which the true value is known. Printed is the
share of the intervals that hold it, in per cent (95 is right): of assay's (correlations: the
jackknife on the logit scale; AUROC and balanced accuracy: recovered from both classes; F1 and
kappa: by a prior of the table), and of the percentile bootstrap; and how often there was none.
Then the same of the abilities of item analysis.

    python -m benchmarks.coverage_agreement
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.stats import agreement, raters
from assay.stats.intervals import Interval, Statistic, ones
from assay.stats.items import rasch
from assay.stats.jackknife import jackknife_interval

TIMES = int(os.environ.get("TIMES", "1000"))
DRAWS = 200
NS = (20, 50, 200)
JACKKNIFE = ("Pearson", "Spearman")
Formula = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
Draw = Callable[[np.random.Generator, int], Statistic]


def normal_scores(distance: float, share: float) -> Draw:
    """AUROC of scores that are normal in both classes."""

    def draw(chance: np.random.Generator, n: int) -> Statistic:
        labels = chance.random(n) < share
        scores = chance.normal(size=n) + distance * labels
        made = agreement.auroc(scores, labels)
        made.rows = scores, labels  # type: ignore[attr-defined]
        return made

    return draw


def unlike_verdicts(good: float, bad: float, share: float) -> Draw:
    """AUROC of verdicts that are right with one chance on the positives, another on the others."""

    def draw(chance: np.random.Generator, n: int) -> Statistic:
        labels = chance.random(n) < share
        right = chance.random(n) < np.where(labels, good, bad)
        said = np.where(right, labels, ~labels)
        made = agreement.auroc(said, labels)
        made.rows = said, labels  # type: ignore[attr-defined]
        return made

    return draw


def verdicts(measure: Callable[..., Statistic], share: float, caught: float, passed: float) -> Draw:
    """Verdicts that catch this share of the positives and pass this one of the others."""

    def draw(chance: np.random.Generator, n: int) -> Statistic:
        labels = chance.random(n) < share
        said = chance.random(n) < np.where(labels, caught, 1 - passed)
        made = measure(said, labels)
        made.rows = said, labels  # type: ignore[attr-defined]
        return made

    return draw


def correlated(measure: Callable[..., Statistic], rho: float) -> Draw:
    """Pairs of normal variables."""

    def draw(chance: np.random.Generator, n: int) -> Statistic:
        x = chance.normal(size=n)
        return measure(x, rho * x + np.sqrt(1 - rho**2) * chance.normal(size=n))

    return draw


def of_table(formula: Formula, share: float, caught: float, passed: float) -> float:
    """The true value: of the table's cells (neither, called only, positive only, both)."""
    other = 1 - share
    shares = [other * passed, other * (1 - passed), share * (1 - caught), share * caught]
    called, positive = (np.array([0, 1, 0, 1], bool), np.array([0, 0, 1, 1], bool))
    return float(formula(called, positive, np.array(shares)))


def case(name: str, share: float, caught: float, passed: float) -> tuple[str, float, float, Draw]:
    """F1 or Cohen's kappa, of which the name says which."""
    rates = share, caught, passed
    if name.startswith("F1"):
        return name, of_table(agreement.f1_of_table, *rates), 0, verdicts(agreement.f1, *rates)
    truth = of_table(agreement.kappa_of_table, *rates)
    return name, truth, -1, verdicts(raters.cohen_kappa, *rates)


BALANCED = "balanced accuracy, 20 %"
CASES: tuple[tuple[str, float, float, Draw], ...] = (
    ("AUROC 0.80", float(norm.cdf(1.19 / np.sqrt(2))), 0, normal_scores(1.19, 0.5)),
    ("AUROC 0.92, 20 % positive", float(norm.cdf(2 / np.sqrt(2))), 0, normal_scores(2.0, 0.2)),
    ("AUROC 0.96, verdicts, 5 % bad", 0.96, 0, unlike_verdicts(0.97, 0.95, 0.95)),
    (BALANCED, 0.85, 0, verdicts(agreement.balanced, 0.2, 0.85, 0.85)),
    case("F1", 0.4, 0.85, 0.85),
    case("F1, 10 % bad, half of them found", 0.1, 0.5, 0.9),
    case("F1, 5 % bad, 3 of 10 found", 0.05, 0.3, 0.95),
    case("Cohen's kappa", 0.4, 0.85, 0.85),
    case("Cohen's kappa, 15 %", 0.15, 0.9, 0.9),
    case("Cohen's kappa, 10 % bad, half of them found", 0.1, 0.5, 0.9),
    case("Cohen's kappa, 5 % bad, 3 of 10 found", 0.05, 0.3, 0.95),
    ("Pearson 0.8", 0.8, -1, correlated(agreement.pearson, 0.8)),
    ("Spearman 0.58", 6 / np.pi * float(np.arcsin(0.3)), -1, correlated(agreement.spearman, 0.6)),
)


def percentile(statistic: Statistic, n: int, chance: np.random.Generator) -> tuple[float, float]:
    weights = chance.multinomial(n, np.full(n, 1 / n), size=DRAWS).astype(float)
    found = np.array([statistic(one) for one in weights])
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


def ours(statistic: Statistic, name: str, low: float, n: int) -> Interval | None:
    if name.startswith(JACKKNIFE):
        normal = (1.0, 3) if name.startswith("Pearson") else (1.06, 3)
        return jackknife_interval(statistic, range(n), low=low, normal=normal)
    # The rows are those that the statistic was made from.
    said, labels = statistic.rows  # type: ignore[attr-defined]
    if name.startswith(("F1", "Cohen")):
        formula = agreement.f1_of_table if name.startswith("F1") else agreement.kappa_of_table
        return agreement.verdicts_interval(formula, said, labels, range(n))
    interval = agreement.balanced_interval if name == BALANCED else agreement.auroc_interval
    return interval(said, labels, range(n))


def covered(name: str, truth: float, low: float, draw: Draw, n: int) -> tuple[float, float, float]:
    """(ours, percentile bootstrap, no interval) in per cent."""
    chance = np.random.default_rng(n)
    held = bootstrap = none = 0
    for _ in range(TIMES):
        statistic = draw(chance, n)
        found = ours(statistic, name, low, n)
        if found is None or not np.isfinite(statistic(ones(n))):
            none += 1
            continue
        held += found.low <= truth <= found.high
        ends = percentile(statistic, n, chance)
        bootstrap += ends[0] <= truth <= ends[1]
    known = max(TIMES - none, 1)
    return 100 * held / known, 100 * bootstrap / known, 100 * none / TIMES


def abilities(systems: int, n: int, size: int) -> float:
    """Share of abilities within their intervals, in per cent; questions in groups of one size."""
    truth, chance, hits = np.linspace(-0.5, 1.5, systems), np.random.default_rng(n), []
    groups = np.repeat(np.arange(n // size), size)
    for _ in range(TIMES // 4):
        own = chance.normal(0, 0.6, n) if size > 1 else np.zeros(n)
        hard = chance.normal(0, 0.8 if size > 1 else 1.0, n // size)[groups] + own
        right = chance.random((n, systems)) < 1 / (1 + np.exp(hard[:, None] - truth))
        fit = rasch(right.astype(float), groups.tolist())
        for interval, ability in zip(fit.intervals if fit else (), truth, strict=False):
            if interval is not None:
                hits.append(interval.low <= ability <= interval.high)
    return 100 * float(np.mean(hits))


def main() -> None:
    print("| measure | n | ours | percentile bootstrap | no interval |")
    print("|:---|---:|---:|---:|---:|")
    for name, truth, low, draw in CASES:
        for n in NS:
            shares = " | ".join(f"{share:.1f}" for share in covered(name, truth, low, draw, n))
            print(f"| {name} | {n} | {shares} |", flush=True)
    print("\n| systems | questions | in groups of | abilities within their intervals |")
    print("|---:|---:|---:|---:|")
    for systems, n, size in ((2, 50, 1), (3, 50, 1), (5, 50, 1), (5, 200, 1), (5, 200, 5)):
        share = abilities(systems, n, size)
        print(f"| {systems} | {n} | {size} | {share:.1f} |", flush=True)


if __name__ == "__main__":
    main()
