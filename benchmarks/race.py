"""How much does a race save, and how often is it wrong, where the truth is known?

Configurations answer questions that are hard or easy for all of them alike, right with chances that
are set. Each race is replayed on other questions. Printed are the share of calls that a race saves
against the full grid; the share of races in which a truly best configuration was dropped or beaten;
the share of those in which all intervals of the table held the true differences; and how often a
single winner was named, and none.

    python -m benchmarks.race            200 races of each kind: some minutes
    python -m benchmarks.race 20         so many
"""

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.stats.sequential import beaten, compare_raced, looks

Array = npt.NDArray[np.float64]
QUESTIONS = 500
KINDS = {
    "planted winner": [0.9, *[0.7] * 11, *[0.5] * 12],
    "evenly spread": np.linspace(0.4, 0.86, 24).tolist(),
    "two tied ahead": [0.85, 0.85, *[0.6] * 22],
    "all alike": [0.7] * 24,
}
DRAWS = 200_000


@dataclass(frozen=True)
class Outcome:
    """One race: calls saved, a best one lost, all intervals true, how many are left ahead."""

    saved: float
    wrong: bool
    held: bool
    ahead: int


def thresholds(chances: list[float]) -> Array:
    """Below which values of `draw` an answer is right, for these chances."""
    pool = np.random.default_rng(0).random((DRAWS, 2)).mean(axis=1)
    return np.quantile(pool, chances)


def replay(chances: list[float], limits: Array, rng: np.random.Generator) -> Outcome:
    """Race configurations with these chances of a right answer over new questions."""
    k = len(chances)
    hard, own = rng.random((QUESTIONS, 1)), rng.random((QUESTIONS, k))
    right = ((hard + own) / 2 < limits).astype(float)
    seen, running = np.full(right.shape, np.nan), np.arange(k)
    for n in looks(QUESTIONS):
        seen[:n, running] = right[:n, running]
        if n == QUESTIONS:
            break
        lost = beaten(seen[:n, running], systems=k, span=1.0)
        running = running[~np.array(lost)]
        if len(running) == 1:
            break
    dropped = [column not in running for column in range(k)]
    found = compare_raced(seen[:n], dropped, ends=(0.0, 1.0))
    best = found.order[0]
    ahead = [at for at in range(k) if found.placed[at].verdict != "worse"]
    truly_best = {at for at in range(k) if chances[at] == max(chances)}
    held = all(
        one.difference_interval.low <= chances[at] - chances[best] <= one.difference_interval.high
        for at, one in enumerate(found.placed)
        if one.difference_interval
    )
    saved = float(np.isnan(seen).mean())
    return Outcome(saved, not truly_best <= set(ahead), held, len(ahead))


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{times} races of 24 configurations over {QUESTIONS} questions, level 95 %")
    print(f"{'kind':16} {'saved':>6} {'wrong':>6} {'held':>6} {'winner':>7} {'none':>6}")
    for number, (kind, chances) in enumerate(KINDS.items()):
        rng, limits = np.random.default_rng(number + 1), thresholds(chances)
        made = [replay(chances, limits, rng) for _ in range(times)]
        shares = [
            np.mean([one.saved for one in made]),
            np.mean([one.wrong for one in made]),
            np.mean([one.held for one in made]),
            np.mean([one.ahead == 1 for one in made]),
            np.mean([one.ahead > 1 for one in made]),
        ]
        saved, *rest = (f"{100 * share:.1f}%" for share in shares)
        print(
            f"{kind:16} {saved:>6} {rest[0]:>6} {rest[1]:>6} {rest[2]:>7} {rest[3]:>6}", flush=True
        )


if __name__ == "__main__":
    main()
