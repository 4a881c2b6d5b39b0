"""How often does the interval of a mean hold the true mean, and how often would others have?

Samples are drawn from distributions of a known mean, as metrics have them. Printed is the share of
the intervals that hold it, in per cent (95 is right), and how wide they are in the middle. Of 4,000
drawings a share of 95 is uncertain by 0.7 points; bootstraps have the first 2,000 of them.

    python -m benchmarks.coverage             all of it: some minutes
    python -m benchmarks.coverage --ours      without the bootstraps: a minute
    python -m benchmarks.coverage --near      values that are nearly the same, taken as such or not
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from scipy.stats import bootstrap
from scipy.stats import t as student

from assay.stats import intervals
from assay.stats.intervals import mean_interval
from benchmarks.data import Record, load

Array = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
Ends = tuple[Array, Array]

TIMES = 4000
RESAMPLES = 999
NS = (20, 50, 200)
FEW = (5, 10, *NS)
LEVEL = 0.95


@dataclass(frozen=True)
class Case:
    """A distribution: its mean, its range, and how to draw from it."""

    name: str
    mean: float
    draw: Draw
    low: float | None = 0.0
    high: float | None = 1.0


def binary(share: float) -> Case:
    return Case(f"binary {share}", share, lambda rng, shape: (rng.random(shape) < share) * 1.0)


def beta(a: float, b: float) -> Case:
    return Case(f"beta({a}, {b})", a / (a + b), lambda rng, shape: rng.beta(a, b, shape))


def perfect(share: float, a: float, b: float) -> Case:
    """Many scores of 1, the rest beta."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.where(rng.random(shape) < share, 1.0, rng.beta(a, b, shape))

    return Case(f"{share:.0%} at 1, else beta({a}, {b})", share + (1 - share) * a / (a + b), draw)


def near(share: float, width: float, top: float = 1.0) -> Case:
    """Many scores within `width` below `top`, the rest anything."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        alike = top - width * rng.random(shape)
        return np.where(rng.random(shape) < share, alike, rng.random(shape))

    mean = share * (top - width / 2) + (1 - share) / 2
    return Case(f"{share:.0%} within {width:g} below {top:g}, else uniform", mean, draw)


def quarters(*chances: float) -> Case:
    """Scores of 0, 1/4, 1/2, 3/4 and 1."""
    values = np.linspace(0, 1, 5)
    mean = float(values @ chances)
    return Case(f"quarters, mean {mean:g}", mean, lambda rng, s: rng.choice(values, s, p=chances))


def bell(mean: float, spread: float) -> Case:
    draw: Draw = lambda rng, shape: rng.normal(mean, spread, shape)  # noqa: E731
    return Case(f"normal, {mean} with sd {spread}", mean, draw)


def supported(a: float, b: float) -> Case:
    """Shares of one to six statements."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        n = rng.integers(1, 7, shape)
        return np.asarray(rng.binomial(n, rng.beta(a, b, shape)) / n)

    return Case(f"k of 1..6 statements, mean {a / (a + b)}", a / (a + b), draw)


def skewed(sigma: float) -> Case:
    mean = float(np.exp(sigma**2 / 2))
    draw: Draw = lambda rng, shape: np.exp(sigma * rng.normal(size=shape))  # noqa: E731
    return Case(f"log-normal, sigma {sigma}", mean, draw, high=None)


CASES = (
    binary(0.5),
    binary(0.8),
    binary(0.95),
    perfect(0.97, 1, 1),
    perfect(0.9, 1, 1),
    perfect(0.8, 1, 1),
    perfect(0.6, 4, 2),
    perfect(0.9, 8, 1),
    supported(4.5, 0.5),
    supported(1, 1),
    beta(0.5, 0.1),
    beta(5, 1),
    beta(20, 1),
    beta(2, 5),
    beta(40, 10),
    Case("exponential", 1.0, lambda rng, shape: rng.exponential(size=shape), high=None),
    skewed(0.5),
    skewed(1.0),
    Case("normal", 0.0, lambda rng, shape: rng.normal(size=shape), low=None, high=None),
)

NEAR = (
    binary(0.8),
    binary(0.95),
    quarters(0.05, 0.1, 0.2, 0.25, 0.4),
    quarters(0, 0.01, 0.02, 0.02, 0.95),
    beta(2, 5),
    beta(5, 1),
    beta(20, 1),
    beta(40, 10),
    bell(0.85, 0.03),
    bell(0.85, 0.015),
    beta(0.5, 0.1),
    near(0.95, 0.0),
    near(0.95, 1e-4),
    near(0.95, 1e-3),
    near(0.95, 1e-2),
    near(0.95, 2e-2),
    near(0.95, 3e-2),
    near(0.8, 1e-4),
    near(0.8, 1e-2),
    near(0.95, 1e-2, 0.6),
)


@dataclass(frozen=True)
class Clusters:
    """Groups of 1 to 9 samples that share a tendency; `n` of them."""

    name: str
    mean: float
    tendency: Draw
    draw: Callable[[np.random.Generator, Array], Array]


UNLIKE = {
    "60, 30, 20 ... 3": 60 // np.arange(1, 21),
    "60, 30, 20 ... 1": 60 // np.arange(1, 51),
    "122 and 49 of 5": np.array([122, *[5] * 49]),
}


def _share(rng: np.random.Generator, p: Array) -> Array:
    return np.asarray((rng.random(p.shape) < p) * 1.0)


def _perfect(rng: np.random.Generator, p: Array) -> Array:
    return np.where(rng.random(p.shape) < p, 1.0, rng.random(p.shape))


def _nearly_perfect(rng: np.random.Generator, p: Array) -> Array:
    alike = 1 - 1e-4 * rng.random(p.shape)
    return np.where(rng.random(p.shape) < p, alike, rng.random(p.shape))


def _graded(rng: np.random.Generator, p: Array) -> Array:
    return np.asarray(rng.beta(8 * p, 8 * (1 - p)))


CLUSTERED = (
    Clusters("binary 0.8, ICC 0.1", 0.8, lambda r, s: r.beta(7.2, 1.8, s), _share),
    Clusters("binary 0.8, ICC 0.4", 0.8, lambda r, s: r.beta(1.2, 0.3, s), _share),
    Clusters("binary 0.95, ICC 0.2", 0.95, lambda r, s: r.beta(3.8, 0.2, s), _share),
    Clusters("80% at 1, else uniform, ICC 0.2", 0.9, lambda r, s: r.beta(3.2, 0.8, s), _perfect),
    Clusters("beta, ICC 0.45", 0.64, lambda r, s: 0.02 + 0.93 * r.beta(6, 3, s), _graded),
    NEARLY := Clusters(
        "95% within 0.0001 of 1, else uniform, ICC 0.2",
        0.95 * (1 - 5e-5) + 0.025,
        lambda r, s: r.beta(3.8, 0.2, s),
        _nearly_perfect,
    ),
)


def ours(x: Array, case: Case) -> Ends:
    found = [mean_interval(row, low=case.low, high=case.high) for row in x]
    return _ends((f.low, f.high) if f else (np.nan, np.nan) for f in found)


def t(x: Array, _: Case) -> Ends:
    n, mean = x.shape[1], x.mean(1)
    away = student.ppf((1 + LEVEL) / 2, n - 1) * x.std(1, ddof=1) / np.sqrt(n)
    return mean - away, mean + away


def bca(x: Array, _: Case) -> Ends:
    x = x[: TIMES // 2]
    rng, parts = np.random.default_rng(1), []
    for some in np.array_split(x, max(1, x.size // 20_000)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # all values the same: no interval
            found = bootstrap(
                (some,), np.mean, axis=-1, n_resamples=RESAMPLES, method="BCa", rng=rng
            ).confidence_interval
        parts.append((found.low, found.high))
    lows, highs = zip(*parts, strict=True)
    return np.concatenate(lows), np.concatenate(highs)


def bootstrap_t(x: Array, _: Case) -> Ends:
    x = x[: TIMES // 2]
    rng, n, ends = np.random.default_rng(1), x.shape[1], []
    for row in x:
        mean, error = row.mean(), row.std(ddof=1) / np.sqrt(n)
        drawn = row[rng.integers(0, n, (RESAMPLES, n))]
        errors = drawn.std(1, ddof=1) / np.sqrt(n)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = (drawn.mean(1) - mean) / errors
        low, high = np.quantile(ratios[np.isfinite(ratios)], [0.025, 0.975]) if error else (0, 0)
        ends.append((mean - high * error, mean - low * error))
    return _ends(iter(ends))


def _ends(pairs: Iterator[tuple[float, float]]) -> Ends:
    both = np.array(list(pairs))
    return both[:, 0], both[:, 1]


def shown(ends: Ends, mean: float, width: Callable[[Array], float] = np.nanmedian) -> str:
    low, high = ends
    # No interval holds nothing.
    holds = float(np.mean((low <= mean + 1e-12) & (mean - 1e-12 <= high)))
    return f"{100 * holds:.1f} ({width(high - low):.2f})"


def independent(methods: dict[str, Callable[[Array, Case], Ends]]) -> None:
    print("| distribution | n | " + " | ".join(methods) + " |")
    print("|:---|---:|" + "---:|" * len(methods))
    for number, case in enumerate(CASES):
        for n in NS:
            x = case.draw(np.random.default_rng([number, n]), (TIMES, n))
            cells = [shown(method(x, case), case.mean) for method in methods.values()]
            print(f"| {case.name} | {n} | {' | '.join(cells)} |", flush=True)


def clustered() -> None:
    print("| distribution | groups | ours | as if independent |")
    print("|:---|---:|---:|---:|")
    for case in CLUSTERED:
        for n in NS:
            cells = [
                shown(_of_clusters(case, n, grouped=grouped), case.mean)
                for grouped in (True, False)
            ]
            print(f"| {case.name} | {n} | {' | '.join(cells)} |", flush=True)
    print("\n| distribution | groups, of unlike size | ours |\n|:---|:---|---:|")
    for case in CLUSTERED:
        for name, sizes in UNLIKE.items():
            cell = shown(_of_clusters(case, len(sizes), grouped=True, sizes=sizes), case.mean)
            print(f"| {case.name} | {name} | {cell} |", flush=True)


def _of_clusters(case: Clusters, n: int, *, grouped: bool, sizes: Array | None = None) -> Ends:
    rng = np.random.default_rng([CLUSTERED.index(case), n])
    pairs = []
    for _ in range(TIMES // 2):
        groups = np.repeat(np.arange(n), rng.integers(1, 10, n) if sizes is None else sizes)
        values = case.draw(rng, case.tendency(rng, (n,))[groups])
        key = groups.tolist() if grouped else None
        found = mean_interval(values, groups=key, low=0, high=1)
        pairs.append((found.low, found.high) if found else (np.nan, np.nan))
    return _ends(iter(pairs))


def nearly_the_same() -> None:
    """Where only equal values count as the same, and where those do that are nearly so.

    In brackets the mean width.
    """
    print(f"| distribution | | {' | '.join(f'n = {n}' for n in FEW)} |")
    print("|:---|:---|" + "---:|" * len(FEW))
    for number, case in enumerate(NEAR):
        drawn = [case.draw(np.random.default_rng([number, n]), (TIMES // 2, n)) for n in FEW]
        _near_or_not(case.name, lambda at: shown(ours(drawn[at], case), case.mean, np.nanmean))  # noqa: B023
    _near_or_not(
        f"groups: {NEARLY.name}",
        lambda at: shown(_of_clusters(NEARLY, FEW[at], grouped=True), NEARLY.mean, np.nanmean),
    )


def _near_or_not(name: str, cell: Callable[[int], str]) -> None:
    for said, closeness in (("equal only", 0.0), ("nearly equal", intervals.NEAR)):
        with patch.object(intervals, "NEAR", closeness):
            print(f"| {name} | {said} | {' | '.join(map(cell, range(len(FEW))))} |", flush=True)


def binary_average() -> None:
    """Of yes and no, coverage jumps with the true share: its mean over shares, and its worst."""
    print("| binary, share 0.50 to 0.99 | n | mean of ours | lowest | highest |")
    print("|:---|---:|---:|---:|---:|")
    for n in NS:
        found = [mean_interval([1.0] * k + [0.0] * (n - k), low=0, high=1) for k in range(n + 1)]
        held = []
        for share in np.arange(0.5, 0.9901, 0.005):
            chances = _chances(n, float(share))
            held.append(sum(c for c, f in zip(chances, found, strict=True)
                            if f and f.low <= share <= f.high))  # fmt: skip
        low, mean, high = 100 * min(held), 100 * np.mean(held), 100 * max(held)
        print(f"| exact | {n} | {mean:.1f} | {low:.1f} | {high:.1f} |")


def _chances(n: int, share: float) -> list[float]:
    from scipy.stats import binom

    return [float(chance) for chance in binom.pmf(range(n + 1), n, share)]


def of_people() -> None:
    """The same of scores by human labels, drawn anew from those that there are."""
    populations = {
        "QAGS, sentences supported": _shares(load("faithfulness/qags.jsonl.gz")),
        "RAGTruth test, sentences supported": _shares(load("ragtruth/ragtruth_test.jsonl.gz")),
    }
    print("| scores by human labels | at 1 | n | ours | t |")
    print("|:---|---:|---:|---:|---:|")
    for name, scores in populations.items():
        case = Case(name, float(scores.mean()), lambda rng, shape, s=scores: rng.choice(s, shape))
        for n in NS:
            x = case.draw(np.random.default_rng(n), (TIMES, n))
            cells = [shown(method(x, case), case.mean) for method in (ours, t)]
            print(f"| {name} | {np.mean(scores == 1):.0%} | {n} | {' | '.join(cells)} |")


def _shares(rows: list[Record]) -> Array:
    found = [[said["supported"] for said in row["labels"]["sentences"]] for row in rows]
    return np.array([np.mean(said) for said in found if said])


def main() -> None:
    if "--near" in sys.argv:
        nearly_the_same()
        return
    bootstraps = {} if "--ours" in sys.argv else {"BCa": bca, "bootstrap-t": bootstrap_t}
    independent({"ours": ours, "t": t, **bootstraps})
    print()
    clustered()
    print()
    binary_average()
    print()
    of_people()


if __name__ == "__main__":
    main()
