"""How often does the interval of a corrected mean hold the true mean, and how narrow is it?

Simulated: labels are drawn from a known law, and a judge that is good, fair or useless. `alone` is
the classical interval of the labels without the judge (Wilson for labels of 0 and 1).
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from assay.stats.correction import Design, correct_mean, labels_alone
from assay.stats.intervals import Interval
from assay.stats.misclassification import Checked, true_share
from assay.stats.misclassification import clustered as rogan_gladen_clusters
from assay.stats.priority_sampling import chances, priority, sizes

N = 1000
Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Law:
    """What labels and scores are drawn from."""

    name: str
    mean: float
    draw: Callable[[np.random.Generator, int], Pair]


def verdicts(share: float, sensitivity: float, specificity: float) -> Law:
    """Labels of 0 and 1, and verdicts of a judge with these error rates."""

    def draw(chance: np.random.Generator, n: int) -> Pair:
        label = chance.random(n) < share
        right = chance.random(n) < np.where(label, sensitivity, specificity)
        return label.astype(float), np.where(right, label, ~label).astype(float)

    return Law(f"share {share}, verdicts {sensitivity}/{specificity}", share, draw)


def probabilities(power: float) -> Law:
    """Labels of 0 and 1, and their probability as the judge says it, too low where power > 1."""

    def draw(chance: np.random.Generator, n: int) -> Pair:
        p = chance.beta(2, 0.5, n)
        return (chance.random(n) < p).astype(float), p**power

    return Law(f"share 0.8, probabilities, power {power:g}", 0.8, draw)


def shares(noise: float | None) -> Law:
    """Labels in 0..1, six of ten at 1, and scores with noise; None: a judge that only guesses."""

    def draw(chance: np.random.Generator, n: int) -> Pair:
        label = np.where(chance.random(n) < 0.6, 1.0, chance.beta(2, 1.5, n))
        guess = chance.random(n)
        score = guess if noise is None else np.clip(label + chance.normal(0, noise, n), 0, 1)
        return label, score

    name = "guesses" if noise is None else f"noise {noise}"
    return Law(f"skewed shares, {name}", 0.6 + 0.4 * 2 / 3.5, draw)


@dataclass(frozen=True)
class Stratum:
    """Samples, how many of them are labelled, and the share of good ones."""

    size: int
    labelled: int
    share: float


# The judge is right on nine of ten good samples and eight of ten bad ones.
UNEQUAL = (
    (Stratum(900, 5, 0.9), Stratum(100, 20, 0.3)),
    (Stratum(900, 10, 0.9), Stratum(100, 10, 0.3)),
    (Stratum(900, 25, 0.9), Stratum(100, 25, 0.3)),
    (Stratum(800, 20, 0.9), Stratum(200, 30, 0.3)),
    (Stratum(500, 5, 0.8), Stratum(500, 40, 0.5)),
    (Stratum(500, 10, 0.9), Stratum(300, 20, 0.6), Stratum(200, 30, 0.3)),
    (Stratum(500, 25, 0.9), Stratum(500, 25, 0.3)),
    tuple(Stratum(50, 2, 0.5 + 0.025 * n) for n in range(20)),
)

LAWS = (
    verdicts(0.5, 0.95, 0.95),
    verdicts(0.8, 0.9, 0.9),
    verdicts(0.9, 0.97, 0.9),
    probabilities(1),
    probabilities(3),
    shares(0.15),
    verdicts(0.8, 0.5, 0.5),
    verdicts(0.9, 0.9, 0.1),
    shares(None),
)


class Tally:
    """How often intervals held the truth, and how wide they were on average."""

    def __init__(self) -> None:
        self.held: list[bool] = []
        self.widths: list[float] = []

    def add(self, interval: Interval | None, truth: float) -> None:
        """One more interval; where there is none, it is all of 0..1."""
        self.held.append(interval is not None and interval.low <= truth <= interval.high)
        self.widths.append(interval.high - interval.low if interval else 1.0)

    def __str__(self) -> str:
        return f"{np.mean(self.held):.3f} / {np.mean(self.widths):.3f}"


def simple(law: Law, k: int, draws: int, chance: np.random.Generator) -> str:
    corrected, paper, alone = Tally(), Tally(), Tally()
    for _ in range(draws):
        label, score = law.draw(chance, N)
        known = label[:k]
        corrected.add(correct_mean(score, range(k), known).interval, law.mean)
        plain = correct_mean(score, range(k), known, small_sample=False)
        paper.add(plain.interval, law.mean)
        alone.add(labels_alone(known)[1], law.mean)
    saved = 1 - np.mean(corrected.widths) / np.mean(alone.widths)
    return f"{corrected!s:>17}{paper!s:>17}{alone!s:>17}{saved:>9.0%}"


def uncertain_first(law: Law, k: int, draws: int, chance: np.random.Generator) -> str:
    weighted, random = Tally(), Tally()
    for _ in range(draws):
        label, score = law.draw(chance, N)
        size = sizes(np.sqrt(np.clip(score * (1 - score), 0, None)))
        numbers = chance.random(N)
        taken = priority(size, numbers)[:k]
        design = Design(probabilities=chances(size, numbers, k))
        weighted.add(correct_mean(score, taken, label[taken], design=design).interval, law.mean)
        random.add(correct_mean(score, range(k), label[:k]).interval, law.mean)
    return f"{weighted!s:>17}{random!s:>17}"


def clustered(k: int, draws: int, chance: np.random.Generator) -> str:
    """Documents of five samples that share much of their label; whole documents are labelled."""
    aware, unaware = Tally(), Tally()
    groups = np.repeat(np.arange(N // 5), 5)
    for _ in range(draws):
        document = np.repeat(chance.normal(0, 0.15, N // 5), 5)
        label = 0.5 + document + chance.normal(0, 0.1, N)
        score = label + np.repeat(chance.normal(0, 0.1, N // 5), 5) + chance.normal(0, 0.05, N)
        ends = (-2.0, 3.0)
        design = Design(groups=groups.tolist())
        found = correct_mean(score, range(k), label[:k], design=design, ends=ends)
        aware.add(found.interval, 0.5)
        unaware.add(correct_mean(score, range(k), label[:k], ends=ends).interval, 0.5)
    return f"{aware!s:>17}{unaware!s:>17}"


def stratified(strata: tuple[Stratum, ...], draws: int, chance: np.random.Generator) -> str:
    """Each stratum with labels of its own number; beside it how far off the estimate is."""
    tally, errors = Tally(), []
    n = [one.size for one in strata]
    at, starts = np.repeat(np.arange(len(n)), n), np.cumsum([0, *n[:-1]])
    labelled = np.concatenate(
        [start + np.arange(one.labelled) for start, one in zip(starts, strata, strict=True)]
    )
    share = np.array([one.share for one in strata])[at]
    truth, design = float(share.mean()), Design(strata=at.tolist())
    for _ in range(draws):
        label = chance.random(len(at)) < share
        right = chance.random(len(at)) < np.where(label, 0.9, 0.8)
        score = np.where(right, label, ~label).astype(float)
        found = correct_mean(score, labelled, label[labelled], design=design)
        tally.add(found.interval, truth)
        errors.append(found.estimate - truth)
    return f"{tally!s:>17}{np.mean(errors):>+9.3f}"


def elsewhere(share: float, k: int, draws: int, chance: np.random.Generator) -> str:
    """Rogan-Gladen: error rates from k labels of another mix, verdicts on N samples."""
    tally = Tally()
    here, there = verdicts(share, 0.9, 0.85), verdicts(0.5, 0.9, 0.85)
    for _ in range(draws):
        label, score = there.draw(chance, k)
        hits, good = int((label * score).sum()), int(label.sum())
        rejections = int(((1 - label) * (1 - score)).sum())
        checked = Checked(good, hits, k - good, rejections)
        found = true_share(int(here.draw(chance, N)[1].sum()), N, checked)
        tally.add(found and found.interval, share)
    return f"{tally!s:>17}"


def elsewhere_in_groups(share: float, k: int, draws: int, chance: np.random.Generator) -> str:
    """Rogan-Gladen with documents of five: each has its own share and leniency (ICC 0.25)."""
    aware, unaware = Tally(), Tally()

    def documents(mix: float, n: int) -> tuple[list[bool], list[bool], list[int]]:
        at = np.repeat(np.arange(n // 5), 5)
        truth = chance.random(n) < chance.beta(3 * mix, 3 * (1 - mix), n // 5)[at]
        lenient = chance.random(n // 5)
        hit, alarm = beta.ppf(lenient, 2.7, 0.3), 1 - beta.ppf(1 - lenient, 2.55, 0.45)
        said = chance.random(n) < np.where(truth, hit[at], alarm[at])
        return said.tolist(), truth.tolist(), at.tolist()

    for _ in range(draws):
        said, _, at = documents(share, N)
        called, truth, checked_at = documents(0.5, k)
        pairs = list(zip(called, truth, strict=True))
        groups = rogan_gladen_clusters(said, at, pairs, checked_at)
        for tally, told in ((aware, groups), (unaware, None)):
            found = true_share(sum(said), N, Checked.of(pairs), groups=told)
            tally.add(found and found.interval, share)
    return f"{aware!s:>17}{unaware!s:>17}"


def elsewhere_by_probability(
    error: float | None, k: int, draws: int, chance: np.random.Generator
) -> str:
    """Rogan-Gladen with k labels of the other run's samples, chosen half by the judge's doubt.

    The judge errs this often whatever it says of its doubt; None: as often as it says.
    """
    aware, unaware = Tally(), Tally()
    estimates: list[float] = []

    def judged(share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        doubt = np.minimum(chance.beta(0.3, 2.2, N), 0.5)
        truth = chance.random(N) < share
        wrong = chance.random(N) < (doubt if error is None else error)
        return truth, truth ^ wrong, np.sqrt(doubt * (1 - doubt))

    for _ in range(draws):
        truth, verdict, doubt = judged(0.6)
        size, numbers = sizes(doubt), chance.random(N)
        taken = priority(size, numbers)[:k]
        pairs = list(zip(verdict[taken].tolist(), truth[taken].tolist(), strict=True))
        weights = 1 / chances(size, numbers, k)
        called = int(judged(0.8)[1].sum())
        for tally, counted in ((aware, weights), (unaware, None)):
            found = true_share(called, N, Checked.of(pairs, counted))
            tally.add(found and found.interval, 0.8)
            estimates.append(found.estimate if found else float("nan"))
    means = np.nanmean(np.array(estimates).reshape(-1, 2), axis=0)
    return f"{aware!s:>17}{unaware!s:>17}{means[0]:>10.3f}{means[1]:>9.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    draws = parser.parse_args().draws
    chance = np.random.default_rng(0)
    print(f"coverage / mean width of 95 % intervals; {N:,} judged samples, {draws:,} draws each")
    heads = ("corrected", "paper's", "labels alone", "narrower")
    print(
        f"{'labels and judge':<32}{'k':>5}{heads[0]:>17}{heads[1]:>17}{heads[2]:>17}{heads[3]:>9}"
    )
    for law in LAWS:
        for k in (20, 50, 100, 200):
            print(f"{law.name:<32}{k:>5}{simple(law, k, draws, chance)}", flush=True)
    print(f"\n{'chosen half by uncertainty':<32}{'k':>5}{'weighted':>17}{'random labels':>17}")
    for law in (probabilities(1), probabilities(3), shares(0.15)):
        for k in (50, 200):
            print(f"{law.name:<32}{k:>5}{uncertain_first(law, k, draws, chance)}", flush=True)
    print(f"\n{'documents of five':<32}{'k':>5}{'with groups':>17}{'without':>17}")
    for k in (50, 100, 200):
        print(f"{'shared errors':<32}{k:>5}{clustered(k, draws, chance)}", flush=True)
    print_elsewhere(draws, chance)
    print_stratified(draws, np.random.default_rng(0))


def print_stratified(draws: int, chance: np.random.Generator) -> None:
    """The table of strata, most of them labelled at unequal rates."""
    print(f"\n{'strata: labels of samples':<49}{'corrected':>17}{'bias':>9}")
    for strata in UNEQUAL:
        counts = [f"{one.labelled} of {one.size}" for one in strata]
        alike = len(counts) > 3
        name = f"{len(counts)} times {counts[0]}" if alike else ", ".join(counts)
        print(f"{name:<49}{stratified(strata, draws, chance)}", flush=True)


def print_elsewhere(draws: int, chance: np.random.Generator) -> None:
    """The tables of Rogan and Gladen's correction."""
    print(f"\n{'Rogan-Gladen, judge 0.9/0.85':<32}{'k':>5}{'Lang-Reiczigel':>17}")
    for share in (0.2, 0.8, 0.95):
        for k in (50, 100, 200):
            print(f"{f'share {share}':<32}{k:>5}{elsewhere(share, k, draws, chance)}", flush=True)
    print(f"\n{'the same, documents of five':<32}{'k':>5}{'with groups':>17}{'without':>17}")
    for share in (0.2, 0.8):
        for k in (50, 100, 200):
            line = elsewhere_in_groups(share, k, draws, chance)
            print(f"{f'share {share}':<32}{k:>5}{line}", flush=True)
    print(
        f"\n{'the same, chosen half by doubt':<32}{'k':>5}{'weighted':>17}{'not weighted':>17}"
        f"{'estimates of 0.8':>19}"
    )
    for error, name in ((None, "errs where it doubts"), (0.1, "errs anywhere")):
        for k in (50, 100, 200):
            line = elsewhere_by_probability(error, k, draws, chance)
            print(f"{name:<32}{k:>5}{line}", flush=True)


if __name__ == "__main__":
    main()
