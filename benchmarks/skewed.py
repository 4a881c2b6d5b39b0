"""Do comparisons and means keep their promise where few samples differ much from the rest?

1. Paired differences with a true mean of 0, of shapes that RAG metrics have: how often is B called
   better, and worse (2.5 % each is right), how often does the interval hold the 0 (95 %), and how
   often is a true gain found that Student's t finds in about 80 % if differences are normal?
   Before the arrow without rare differences (`assay.stats.rare`), after it with them.
2. Means of scores that are mostly 1.0: how often the interval holds the true one, over all draws
   and over those in which every score is 1.0.

    python -m benchmarks.skewed [--times 1000] [--means]
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from assay.bench.data import Data
from assay.stats import comparison, rare
from assay.stats.comparison import paired
from assay.stats.intervals import mean_interval
from benchmarks.data import FOLDER

Array = npt.NDArray[np.float64]
Random = np.random.Generator
SECOND = Data(Path(os.environ.get("ASSAY_DATA2", FOLDER.parent / "data2")))
NS = (10, 20, 50, 200)
DOCUMENT = 5  # samples


@dataclass(frozen=True)
class Shape:
    """Differences of B and A; `draw` gives n of them, with this true mean."""

    name: str
    draw: Callable[[Random, int, float], Array]
    grouped: bool = False


def rare_losses(gain: float, noise: float) -> Callable[[Random, int, float], Array]:
    """Nine of ten gain that much, more or less; one of ten loses nine times as much."""

    def draw(rng: Random, n: int, mean: float) -> Array:
        little = gain * (1 + noise * rng.uniform(-1, 1, n))
        return mean + np.where(rng.random(n) < 0.1, -9 * gain, little)

    return draw


def mirrored(draw: Callable[[Random, int, float], Array]) -> Callable[[Random, int, float], Array]:
    return lambda rng, n, mean: -draw(rng, n, -mean)


def ties(each_way: float, steps: int) -> Callable[[Random, int, float], Array]:
    """Most pairs are the same; others change by 1 / steps, 2 / steps ... 1."""

    def draw(rng: Random, n: int, mean: float) -> Array:
        up = each_way + mean / ((steps + 1) / (2 * steps))
        way, size = rng.random(n), rng.integers(1, steps + 1, n) / steps
        return np.where(way < up, size, np.where(way > 1 - each_way, -size, 0.0))

    return draw


def perfect(rng: Random, n: int, mean: float) -> Array:
    """Nine of ten scores are 1.0, half of the answers are made anew; B has that many more low."""
    anew = np.where(rng.random(n) < 0.9 + 4 * min(mean, 0), 1.0, rng.random(n))
    other = np.where(rng.random(n) < 0.9 - 4 * max(mean, 0), 1.0, rng.random(n))
    return np.where(rng.random(n) < 0.5, anew - other, 0.0)


def catastrophes(rng: Random, n: int, mean: float) -> Array:
    """Three of a hundred lose nearly all, three of ten a little, the rest gain a little."""
    u = rng.random(n)
    lost = np.where(u > 0.97, 0.9, np.where(u < 0.3, 0.2 * rng.random(n), 0.0))
    return mean + 0.057 - lost


def normal(spread: float) -> Callable[[Random, int, float], Array]:
    return lambda rng, n, mean: rng.normal(mean, spread, n)


def heavy(rng: Random, n: int, mean: float) -> Array:
    return np.asarray(mean + 0.15 / np.sqrt(3) * np.clip(rng.standard_t(3, n), -10, 10))


def documents(rng: Random, n: int, mean: float) -> Array:
    """Five samples a document; of one document in ten all lose."""
    own = np.repeat(rare_losses(0.05, 1.0)(rng, -(-n // DOCUMENT), mean), DOCUMENT)[:n]
    return np.asarray(own + rng.normal(0, 0.05, n))


def labelled() -> Callable[[Random, int, float], Array]:
    """Llama 2 against GPT-3.5 on QUINTD-1, by people: sentences supported, weighted to the mean.

    The first two systems by name, of data that no setting was chosen by.
    """
    by_model: dict[str, dict[str, float]] = defaultdict(dict)
    for row in SECOND.rows("records/quintd1_train.jsonl.gz"):
        said = [sentence["supported"] for sentence in row["labels"]["sentences"]]
        if said:
            by_model[row["meta"]["model"]][row["meta"]["source_id"]] = float(np.mean(said))
    a, b = by_model["gpt-3.5"], by_model["llama2"]
    moved = np.array([b[asked] - a[asked] for asked in a if asked in b])

    @cache
    def weights(mean: float) -> Array:
        low, high = -50.0, 50.0
        for _ in range(60):  # the tilt that gives the mean
            tilt = (low + high) / 2
            each = np.exp(tilt * moved) / np.exp(tilt * moved).sum()
            low, high = (tilt, high) if each @ moved < mean else (low, tilt)
        return np.asarray(each)

    return lambda rng, n, mean: rng.choice(moved, n, p=weights(mean))


def shapes() -> tuple[Shape, ...]:
    return (
        Shape("9 of 10 gain 0.05, one loses 0.45", rare_losses(0.05, 0.2)),
        Shape("the same, gains of 0 to 0.1", rare_losses(0.05, 1.0)),
        Shape("its mirror", mirrored(rare_losses(0.05, 1.0))),
        Shape("9 of 10 gain 0.1, one loses 0.9", rare_losses(0.1, 0.2)),
        Shape("3 of 100 lose 0.9", catastrophes),
        Shape("right or wrong, 80 % ties", ties(0.1, 1)),
        Shape("quarters, 70 % ties", ties(0.15, 4)),
        Shape("90 % at 1.0, half anew", perfect),
        Shape("heavy tails, sd 0.15", heavy),
        Shape("normal, sd 0.25", normal(0.25)),
        Shape("normal, sd 0.1", normal(0.1)),
        Shape("normal, sd 0.05", normal(0.05)),
        Shape("documents of 5, one of ten loses", documents, grouped=True),
        Shape("by people, QUINTD-1", labelled()),
    )


@dataclass
class Counts:
    """Of so many draws."""

    better: int = 0
    worse: int = 0
    held: int = 0
    found: int = 0


def measured(shape: Shape, n: int, times: int) -> tuple[Counts, Counts]:
    """(without rare differences, with them)."""
    rng, both = np.random.default_rng(n), (Counts(), Counts())
    levels = np.random.default_rng(n + 1)
    groups = [at // DOCUMENT for at in range(n)] if shape.grouped else None
    units = -(-n // DOCUMENT) if shape.grouped else n
    spread = float(shape.draw(np.random.default_rng(0), 100_000, 0.0).std())
    gain = 2.8 * spread / np.sqrt(units) * (1 + 1.2 / units)

    def compared(moved: Array) -> comparison.Paired:
        # Scores with these differences: 0 and 1 where all differences are 0 and 1.
        before = (moved < 0) * -moved
        if not np.isin(moved, (-1, 0, 1)).all():
            before += levels.random(len(moved)) * np.maximum(0, 1 - np.abs(moved))
        return paired(before, before + moved, groups=groups, span=1.0)

    for _ in range(times):
        moved = shape.draw(rng, n, 0.0)
        with patch.object(rare, "bounds", return_value=(np.inf, -np.inf)):
            old = comparison.difference_interval(moved, groups=groups, span=1.0)
        now, gained = compared(moved), compared(shape.draw(rng, n, gain))
        ps = (now.p_of_signs, gained.p_of_signs), (now.p, gained.p)
        for counts, ends, p in zip(both, (old, now.interval), ps, strict=True):
            counts.better += p[0] <= 0.05 and now.difference > 0
            counts.worse += p[0] <= 0.05 and now.difference < 0
            counts.held += ends is not None and ends.low <= 0 <= ends.high
            counts.found += p[1] <= 0.05 and gained.difference > 0
    return both


def differences(times: int) -> None:
    print("| differences | n | better | worse | interval holds 0 | true gain found |")
    print("|:---|---:|---:|---:|---:|---:|", flush=True)
    for shape in shapes():
        for n in NS:
            before, after = (vars(counts) for counts in measured(shape, n, times))
            shown = [f"{100 * before[k] / times:.1f} → {100 * after[k] / times:.1f}" for k in after]
            print(f"| {shape.name} | {n} | {' | '.join(shown)} |", flush=True)


def mostly_perfect() -> Iterator[tuple[str, float, Callable[[Random, tuple[int, int]], Array]]]:
    """(name, true mean, how to draw) of scores with few low ones."""
    for mean in (0.95, 0.9):
        low = {
            "else 0": (1 - mean, lambda _, s: np.zeros(s)),
            "else 0 to 1": (2 * (1 - mean), lambda rng, s: rng.random(s)),
            "else quarters": (1.6 * (1 - mean), lambda rng, s: rng.integers(0, 4, s) / 4),
        }
        for name, (share, rest) in low.items():
            yield (
                f"1.0, {name}",
                mean,
                lambda rng, s, share=share, rest=rest: np.where(
                    rng.random(s) < share, rest(rng, s), 1.0
                ),
            )
        for width in (0.01, 0.05, 0.1):
            top = 1 - width / 2
            share = (top - mean) / (top - 0.5)
            yield (
                f"{1 - width:g} to 1, else 0 to 1",
                mean,
                lambda rng, s, share=share, width=width: np.where(
                    rng.random(s) < share, rng.random(s), 1 - width * rng.random(s)
                ),
            )


def means(times: int) -> None:
    """Coverage of the interval of a mean; in brackets its mean width."""
    print("| scores | true mean | n = 10 | 20 | 50 | all 1.0: n = 10 | 20 | 50 |")
    print("|:---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for name, true, draw in mostly_perfect():
        cells, alike = [], []
        for n in NS[:3]:
            held = [[], []]  # type: ignore[var-annotated]
            width = []
            for scores in draw(np.random.default_rng(n), (times, n)):
                ends = mean_interval(scores, low=0.0, high=1.0)
                assert ends is not None
                held[int((scores == 1).all())].append(ends.low <= true <= ends.high)
                width.append(ends.high - ends.low)
            cells.append(f"{100 * np.mean(held[0] + held[1]):.1f} ({np.mean(width):.2f})")
            alike.append(f"{100 * np.mean(held[1]):.0f}" if held[1] else "-")
        print(f"| {name} | {true} | {' | '.join(cells + alike)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--means", action="store_true", help="only the second part")
    args = parser.parse_args()
    if not args.means:
        with patch.object(comparison, "DRAWS", 999):  # a tenth: p is exact enough for a count
            differences(args.times)
        print()
    means(args.times)


if __name__ == "__main__":
    main()
