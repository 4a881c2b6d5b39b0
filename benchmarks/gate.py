"""How often does the no-regression rule pass, fail or stay undecided? Simulated pairs of runs.

A system is scored on n samples (shares of one to five statements, most of them supported), then
again with half of its answers made anew: by the same system, or by one that supports fewer
statements. The first run is the baseline, the margin 0.05. Then losses that few samples show: one
of ten loses everything, the others move by about 0.01.
"""

from collections import Counter

import numpy as np

from assay._analysis.gate import FEWEST, side
from assay.stats.comparison import difference_interval, paired

RUNS = 400
MARGIN = 0.05
ANEW = 0.5


def verdicts(n: int, drop: float, seed: int = 0) -> Counter[str]:
    chance = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for _ in range(RUNS):
        statements = chance.integers(1, 6, n)
        share = chance.beta(4, 1, n)
        before = chance.binomial(statements, share) / statements
        worse = np.clip(share - drop / ANEW, 0, 1)
        again = chance.binomial(statements, worse) / statements
        after = np.where(chance.random(n) < ANEW, again, before)
        ends = paired(before, after, span=1.0).interval
        assert ends is not None
        found[side((ends.low, ends.high), lambda gain: gain >= -MARGIN)] += 1
    return found


def rare(n: int, draws: int = 2000) -> tuple[float, float]:
    """How often the interval holds the true loss of 0.1, and how often it passes all the same."""
    chance = np.random.default_rng(1)
    held = passed = 0
    for _ in range(draws):
        differences = np.where(chance.random(n) < 0.1, -1.0, chance.normal(0, 0.01, n))
        ends = difference_interval(differences, span=1.0)
        assert ends is not None
        held += ends.low <= -0.1 <= ends.high
        passed += n >= FEWEST and ends.low >= -MARGIN
    return 100 * held / draws, 100 * passed / draws


def main() -> None:
    print("| samples | the mean falls by | pass | undecided | fail |\n|---:|---:|---:|---:|---:|")
    for n in (50, 100, 200, 500):
        for drop in (0.0, 0.05, 0.1, 0.2):
            found = verdicts(n, drop)
            cells = (f"{100 * found[name] / RUNS:.0f} %" for name in ("pass", "undecided", "fail"))
            print(f"| {n} | {drop:g} | {' | '.join(cells)} |")
    print("\n| samples, one of ten loses 1 | interval holds the loss | pass |\n|---:|---:|---:|")
    for n in (2, 5, 10, 20, 50, 100):
        print("| {} | {:.0f} % | {:.0f} % |".format(n, *rare(n)))


if __name__ == "__main__":
    main()
