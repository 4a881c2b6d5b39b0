"""How often does `assay watch` tell of drift where there is none, and how late where there is some?

Three metrics are watched, one look a day: two whose scores are 0 or 1 (means .8 and .9), one that
is the share of five statements (mean .8). Printed are, without drift, in how many years of 365
looks at least one of the three was told to drift, beside a t test against the baseline after every
look; and with a drop planted in one metric after 60 quiet days, in how many days and samples it was
told (median and ninth decile), beside the confidence sequences of baseline and later samples, each
by itself, that no longer overlap. The same is printed of a small segment whose scores drop within
its first 200 samples.

    python -m benchmarks.watch            400 years, 100 drops of each kind: about half an hour
    python -m benchmarks.watch 20         so many
"""

import sys
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.stats import ttest_ind

from assay.stats.sequential import ALPHA, YEAR, find_change, mean_intervals

Array = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, float], Array]
BASELINE, QUIET, METRICS = 200, 60, 3
DAILY, DROPS = (50, 200), (0.05, 0.1, 0.2)
LONGEST = 200  # days after a drop
EARLY = ((20, 5, 0.3), (50, 3, 0.3))  # samples a day, quiet days, drop


def right_or_wrong(rng: np.random.Generator, n: int, mean: float) -> Array:
    return (rng.random(n) < mean).astype(float)


def five_statements(rng: np.random.Generator, n: int, mean: float) -> Array:
    chances = rng.beta(3 * mean, 3 * (1 - mean), n)
    return rng.binomial(5, chances).astype(float) / 5


STREAMS: tuple[tuple[str, Draw, float], ...] = (
    ("0 or 1, .8", right_or_wrong, 0.8),
    ("0 or 1, .9", right_or_wrong, 0.9),
    ("statements, .8", five_statements, 0.8),
)


def told(looks: list[Array]) -> bool:
    return find_change(looks, range(1, len(looks)), alpha=ALPHA / METRICS) is not None


def apart(looks: list[Array]) -> bool:
    """Whether two confidence sequences, which share the error, no longer overlap."""
    values = np.concatenate(looks)
    if len(looks) % 10:  # it is slow, and looked at less often
        return False
    level = 1 - ALPHA / METRICS / 2
    parts = (values[:BASELINE], values[BASELINE:])
    (a,), (b,) = (mean_intervals(p[:, None], low=0, high=1, level=level) for p in parts)
    assert a
    assert b
    return a.low > b.high or b.low > a.high


def tested(looks: list[Array]) -> bool:
    values = np.concatenate(looks[:-1])[:BASELINE]
    return bool(ttest_ind(values, looks[-1], equal_var=False).pvalue < ALPHA / METRICS)


def years(daily: int, rng: np.random.Generator) -> tuple[bool, bool]:
    """One year without drift: whether it is told by us, and by a t test after every look."""
    ours = theirs = False
    for _, draw, mean in STREAMS:
        looks: list[Array] = []
        for _day in range(YEAR):
            looks.append(draw(rng, daily, mean))
            ours = ours or told(looks)
            if sum(map(len, looks[:-1])) >= BASELINE:
                theirs = theirs or tested(looks)
    return ours, theirs


def delays(
    draw: Draw,
    mean: float,
    daily: int,
    drop: float,
    find: Callable[[list[Array]], bool],
    quiet: int = QUIET,
) -> Iterator[float]:
    """Days until a drop is told, without end for one that is not."""
    rng = np.random.default_rng(1)
    while True:
        looks = [draw(rng, daily, mean) for _ in range(quiet)]
        for day in range(1, LONGEST + 1):
            looks.append(draw(rng, daily, mean - drop))
            if find(looks):
                yield day
                break
        else:
            yield np.inf


def shown(days: list[float], daily: int) -> str:
    cells = []
    for share in (0.5, 0.9):
        day = float(np.quantile(days, share, method="higher"))
        cells.append(f"{day:6.0f} {day * daily:8,.0f}" if np.isfinite(day) else f"{'never':>15}")
    return "  ".join(cells)


def main() -> None:
    warnings.filterwarnings("ignore", "Precision loss")  # by the t test, of scores all alike
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    drops = max(1, times // 4)
    print(f"{drops} drops of each kind after {QUIET} quiet days, one of {METRICS} metrics")
    print(
        f"{'scores':15} {'drop':>5} {'a day':>6} {'median days, samples':>21} {'ninth decile':>16}"
    )
    for name, draw, mean in STREAMS:
        for drop in DROPS:
            for daily in DAILY:
                seeded = delays(draw, mean, daily, drop, told)
                days = [next(seeded) for _ in range(drops)]
                row = f"{name:15} {drop:5.2f} {daily:6}"
                print(f"{row}       {shown(days, daily)}", flush=True)
    name, draw, mean = STREAMS[0]
    for daily, quiet, drop in EARLY:
        seeded = delays(draw, mean, daily, drop, told, quiet)
        days = [next(seeded) for _ in range(drops)]
        row = f"{name:15} {drop:5.2f} {daily:6}"
        print(f"{row}       {shown(days, daily)}  after {quiet} days", flush=True)
    for drop in DROPS:
        seeded = delays(draw, mean, DAILY[1], drop, apart)
        days = [next(seeded) for _ in range(max(1, drops // 25))]
        row = f"{name:15} {drop:5.2f} {DAILY[1]:6}"
        print(f"{row}       {shown(days, DAILY[1])}  two sequences", flush=True)
    for daily in DAILY:
        rng = np.random.default_rng(daily)
        n = times if daily == DAILY[0] else drops
        made = [years(daily, rng) for _ in range(n)]
        ours, theirs = (sum(each) for each in zip(*made, strict=True))
        print(f"{daily} a day, false alarms: {ours} of {n} years, by t tests {theirs}", flush=True)


if __name__ == "__main__":
    main()
