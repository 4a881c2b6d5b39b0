"""Does a comparison find differences where there are none, and those that are there?

1. Size: how often the p-value of two draws of one system falls below 0.05 (5 % is right, less is
   cautious: ties and few pairs make p-values coarse).
2. Coverage: how often the interval of a paired difference holds the true one (95 % is right),
   beside two that were not taken.
3. A/A: one simulated system is run twice, 200 times over, through the whole of assay; how often is
   any of four metrics called worse? Beside it what rules without statistics say of the same runs.
4. Power: the same with a system that is worse by what a comparison says that it would have seen.

    python benchmarks/aa.py             all of it: some minutes
    python benchmarks/aa.py --quick     a tenth of the drawings
"""

import argparse
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

import assay
from assay._analysis.comparison import compare
from assay._runner.result import Result
from assay.stats.comparison import difference_interval, paired
from assay.stats.intervals import mean_interval, proportion_interval
from assay.stats.rare import spread_of

Array = npt.NDArray[np.float64]
Pairs = tuple[Array, Array]
Draw = Callable[[np.random.Generator, int], Pairs]
NS = (20, 50, 200)
N, TRIALS = 60, 200


# How two systems score the same samples. Each sample has a difficulty that both share.


def shares(shift: float) -> Draw:
    """Shares of four statements; the second system is worse on three of ten samples."""

    def draw(rng: np.random.Generator, n: int) -> Pairs:
        p = rng.beta(6, 1.2, n)
        q = np.clip(p - shift * (rng.random(n) < 0.3), 0, 1)
        return rng.binomial(4, p) / 4, rng.binomial(4, q) / 4

    return draw


def mostly_same(shift: float) -> Draw:
    """The same, but three answers of four did not change at all."""

    def draw(rng: np.random.Generator, n: int) -> Pairs:
        a, b = shares(shift)(rng, n)
        return a, np.where(rng.random(n) < 0.75, a, b)

    return draw


def rare_losses(rng: np.random.Generator, n: int) -> Pairs:
    """Perfect before; one sample of ten loses half of its score and more."""
    return np.ones(n), np.where(rng.random(n) < 0.1, rng.random(n) / 2, 1.0)


def catastrophes(rng: np.random.Generator, n: int) -> Pairs:
    """Three samples of ten lose a little, three of a hundred nearly everything: a hard case."""
    u = rng.random(n)
    return np.ones(n), 1 - np.where(u > 0.97, 0.9, np.where(u < 0.3, 0.2 * rng.random(n), 0))


def small_losses(rng: np.random.Generator, n: int) -> Pairs:
    """One sample of four loses a little, always the same."""
    return np.full(n, 0.5), 0.5 - 0.22 * (rng.random(n) < 0.25)


def binary(shift: float) -> Draw:
    """Right or wrong."""

    def draw(rng: np.random.Generator, n: int) -> Pairs:
        p = rng.beta(2, 1, n)
        q = np.clip(p - shift, 0, 1)
        return (rng.random(n) < p) * 1.0, (rng.random(n) < q) * 1.0

    return draw


def latency(factor: float) -> Draw:
    """Milliseconds, log-normal: no upper end."""

    def draw(rng: np.random.Generator, n: int) -> Pairs:
        base = 200 * rng.lognormal(0, 1, n)
        return base * rng.lognormal(0, 0.3, n), base * factor * rng.lognormal(0, 0.3, n)

    return draw


def clustered(rng: np.random.Generator, n: int) -> Pairs:
    """Five samples a document; a document may suit one of the two systems better."""
    suits = np.repeat(rng.normal(0, 0.15, n // 5), 5)
    a, b = 0.6 + rng.normal(0, 0.2, n), 0.6 + suits + rng.normal(0, 0.2, n)
    return np.clip(a, 0, 1), np.clip(b, 0, 1)


NULL: dict[str, tuple[Draw, float | None]] = {
    "shares of 4 statements": (shares(0), 1),
    "three of four the same": (mostly_same(0), 1),
    "right or wrong": (binary(0), 1),
    "latency": (latency(1), None),
    "documents of 5, clustered": (clustered, 1),
}
SHIFTED: dict[str, tuple[Draw, float | None]] = {
    **NULL,
    "shares, worse": (shares(0.3), 1),
    "three of four the same, worse": (mostly_same(0.3), 1),
    "rare large losses": (rare_losses, 1),
    "small losses": (small_losses, 1),
    "small losses, catastrophes": (catastrophes, 1),
    "right or wrong, worse": (binary(0.3), 1),
    "latency, 10 % slower": (latency(1.1), None),
}


def groups(name: str, n: int) -> list[int] | None:
    return [i // 5 for i in range(n)] if "clustered" in name else None


def sizes(times: int) -> None:
    print(f"Size: p < 0.05 for two draws of one system, per cent of {times:,} drawings,")
    print(f"{times // 2:,} for n = 200")
    print(f"{'differences':32}" + "".join(f"{f'n = {n}':>10}" for n in NS))
    for name, (draw, span) in NULL.items():
        cells = []
        for n in NS:
            rng, drawn = np.random.default_rng(n), times if n < 200 else times // 2
            found = (paired(*draw(rng, n), groups=groups(name, n), span=span) for _ in range(drawn))
            cells.append(100 * sum(one.p < 0.05 for one in found) / drawn)
        print(f"{name:32}" + "".join(f"{cell:10.1f}" for cell in cells), flush=True)


def t_interval(values: Array) -> tuple[float, float]:
    away = stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / math.sqrt(len(values))
    return values.mean() - away, values.mean() + away


def coverage(times: int) -> None:
    print(f"\nCoverage of 95 % intervals of the difference, per cent of {times:,} drawings")
    print(f"{'':32}{'ours':^27}{'t':^27}{'skewness-corrected t':^27}")
    print(f"{'differences':32}" + 3 * "".join(f"{n:9}" for n in NS))
    for name, (draw, span) in SHIFTED.items():
        a, b = draw(np.random.default_rng(0), 2_000_000)
        true = float((b - a).mean())
        held = np.zeros((3, len(NS)))
        for column, n in enumerate(NS):
            rng = np.random.default_rng(n)
            for _ in range(times):
                pairs = draw(rng, n)
                moved = pairs[1] - pairs[0]
                ours = difference_interval(
                    moved, groups=groups(name, n), span=span, spread=spread_of(*pairs)
                )
                plain, hall = t_interval(moved), mean_interval(moved)
                ends = (
                    (ours.low, ours.high) if ours else (0, 0),
                    plain,
                    (hall.low, hall.high) if hall else (0, 0),
                )
                held[:, column] += [low <= true <= high for low, high in ends]
        print(f"{name:32}" + "".join(f"{cell:9.1f}" for cell in 100 * held.ravel() / times))


# Runs of a system that is a function of chance, through the whole of assay.


def read(name: str) -> assay.Metric:
    """A metric that reads its score from the answer, where the simulation put it."""

    def score(sample: assay.Sample) -> float:
        """A simulated score."""
        return float(dict(part.split("=") for part in (sample.answer or "").split())[name])

    return assay.metric(name=name, needs=("answer",))(score)


METRICS = [read(name) for name in ("share", "right", "cosine", "mostly")]


def simulated(rng: np.random.Generator, shift: float) -> list[dict[str, str]]:
    """One run: the questions are always the same, the answers are drawn anew."""
    hard = np.random.default_rng(99)  # the difficulty of each question
    p, base = hard.beta(6, 1.2, N), hard.beta(4, 3, N)
    fixed = hard.random(N)
    worse = np.clip(p - shift, 0, 1)
    share = rng.binomial(4, worse) / 4
    right = (rng.random(N) < worse) * 1
    cosine = np.clip(base - shift + rng.normal(0, 0.1, N), 0, 1)
    mostly = np.where(rng.random(N) < 0.8, np.where(fixed < 0.5, 0.5, 1.0), share)
    columns = {"share": share, "right": right, "cosine": cosine, "mostly": mostly}
    answers = (" ".join(f"{k}={v[i]:.6f}" for k, v in columns.items()) for i in range(N))
    return [
        {"id": f"q{i}", "question": f"Question {i}?", "answer": answer}
        for i, answer in enumerate(answers)
    ]


def scored(store: Path, rng: np.random.Generator, shift: float = 0.0) -> Result:
    return assay.evaluate(simulated(rng, shift), METRICS, assay.Scripted({}), store=store)


def share_of(count: int, trials: int) -> str:
    ends = proportion_interval(count, trials)
    return f"{count:4} of {trials} ({100 * ends.low:.1f} to {100 * ends.high:.1f} %)"


def whole(trials: int) -> int:
    rng = np.random.default_rng(1)
    worse = either = by_p = lower = 0
    reached: list[float] = []
    for _ in range(trials):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder, "aa.db")
            found = compare(scored(store, rng), scored(store, rng), most=0).metrics
        worse += any(one.verdict == "worse" for one in found)
        either += any(one.verdict in ("better", "worse") for one in found)
        numbers = [one.paired for one in found if one.paired]
        by_p += any(one.p < 0.05 and one.difference < 0 for one in numbers)
        lower += any(one.difference < -0.02 for one in numbers)
        reached += [one.detectable for one in found if one.metric == "cosine" and one.detectable]
    print(f"\nA/A: {trials} pairs of runs of one system, {N} samples, four metrics")
    print(f"  a metric is called worse               {share_of(worse, trials)}")
    print(f"  a metric is called worse or better     {share_of(either, trials)}")
    print(f"  worse without Holm's adjustment        {share_of(by_p, trials)}")
    print(f"  rule: a mean fell by more than 0.02    {share_of(lower, trials)}")
    least = float(np.median(reached))
    found_it = 0
    for _ in range(trials):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder, "power.db")
            runs = scored(store, rng), scored(store, rng, shift=least)
            cosine = compare(*runs, most=0).metrics[2]
        found_it += cosine.verdict == "worse"
    print(f"Power: cosine worse by {least:.3f}, which was said to be seen in 80 of 100")
    print(f"  it is called worse                     {share_of(found_it, trials)}")
    return 0 if worse <= trials / 20 else 1


def main() -> int:
    given = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    given.add_argument("--quick", action="store_true", help="a tenth of the drawings")
    less = 10 if given.parse_args().quick else 1
    sizes(2000 // less)
    coverage(2000 // less)
    return whole(TRIALS // less)


if __name__ == "__main__":
    sys.exit(main())
