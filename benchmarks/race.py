"""How much does a race save, and how often is it wrong, where the truth is known?

Configurations answer questions that are hard or easy for all of them alike, right with chances that
are set; or a full grid that `assay sweep` asked stands for all questions there are, of which each
race draws as many with replacement. Each race is replayed on other questions. Printed are the share
of calls that a race saves against the full grid; the share of races in which a truly best
configuration was dropped or beaten; the share of those in which all intervals of the table held the
true differences; and how often a single winner was named, and none.

    python -m benchmarks.race            200 races of each kind: some minutes
    python -m benchmarks.race 20         so many
    python -m benchmarks.race 200 assay.db NAME METRIC    those of a sweep in a store
    python -m benchmarks.race 200 assay.db NAME METRIC 0.1

With a number at the end the best configuration of that grid is a planted winner: so many of its
answers, drawn anew for each race, count as perfect that its mean rises by the number.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay._analysis.sweeps import named_sweep
from assay._store import Store
from assay.stats.sequential import beaten, compare_raced, looks

Array = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator], Array]
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


def simulated(chances: list[float]) -> Draw:
    """Right and wrong answers with these chances: (questions, configurations)."""
    limits = thresholds(chances)

    def draw(rng: np.random.Generator) -> Array:
        hard, own = rng.random((QUESTIONS, 1)), rng.random((QUESTIONS, len(chances)))
        return ((hard + own) / 2 < limits).astype(float)

    return draw


def asked(store: str, name: str, metric: str) -> Array:
    """The scores of a sweep in a store where all configurations have one."""
    with Store(store) as opened:
        sweep = named_sweep(opened.runs(), name)
        if sweep is None:
            raise SystemExit(f"{store} holds no sweep {name!r}")
        columns = [
            {row: np.nan if value is None else value for row, value, _ in values}
            for values in (opened.values(run.id, metric) for run in sweep.runs)
        ]
    rows = sorted(set.intersection(*map(set, columns)))
    scores = np.array([[column[row] for column in columns] for row in rows])
    return scores[~np.isnan(scores).any(axis=1)]


def planted(scores: Array, lead: float) -> tuple[Draw, Array]:
    """The best configuration raised by `lead`, and the true means."""
    truth = scores.mean(axis=0)
    best = int(truth.argmax())
    if lead >= 1 - truth[best]:
        raise SystemExit(f"the best configuration has {truth[best]:.3f} as it is")
    chance = lead / (1 - truth[best])  # of an answer, to become a perfect one

    def draw(rng: np.random.Generator) -> Array:
        drawn = rng.choice(scores, len(scores))
        drawn[rng.random(len(drawn)) < chance, best] = 1
        return drawn

    raised = truth.copy()
    raised[best] += lead
    return draw, raised


def replay(right: Array, truth: Array) -> Outcome:
    """Race configurations over these scores, whose true means are known."""
    n_questions, k = right.shape
    seen, running = np.full(right.shape, np.nan), np.arange(k)
    for n in looks(n_questions):
        seen[:n, running] = right[:n, running]
        if n == n_questions:
            break
        lost = beaten(seen[:n, running], systems=k, span=1.0)
        running = running[~np.array(lost)]
        if len(running) == 1:
            break
    dropped = [column not in running for column in range(k)]
    found = compare_raced(seen[:n], dropped, ends=(0.0, 1.0))
    best = found.order[0]
    ahead = [at for at in range(k) if found.placed[at].verdict != "worse"]
    truly_best = {at for at in range(k) if truth[at] == truth.max()}
    held = all(
        one.difference_interval.low <= truth[at] - truth[best] <= one.difference_interval.high
        for at, one in enumerate(found.placed)
        if one.difference_interval
    )
    saved = float(np.isnan(seen).mean())
    return Outcome(saved, not truly_best <= set(ahead), held, len(ahead))


def show(kind: str, draw: Draw, truth: Array, times: int, seed: int) -> None:
    """One line: shares of so many races."""
    rng = np.random.default_rng(seed)
    made = [replay(draw(rng), truth) for _ in range(times)]
    shares = [
        np.mean([one.saved for one in made]),
        np.mean([one.wrong for one in made]),
        np.mean([one.held for one in made]),
        np.mean([one.ahead == 1 for one in made]),
        np.mean([one.ahead > 1 for one in made]),
    ]
    saved, *rest = (f"{100 * share:.1f}%" for share in shares)
    print(f"{kind:16} {saved:>6} {rest[0]:>6} {rest[1]:>6} {rest[2]:>7} {rest[3]:>6}", flush=True)


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{'kind':16} {'saved':>6} {'wrong':>6} {'held':>6} {'winner':>7} {'none':>6}")
    if len(sys.argv) > 2:
        scores = asked(*sys.argv[2:5])
        n, k = scores.shape
        draw, truth = planted(scores, float(sys.argv[5]) if len(sys.argv) > 5 else 0)
        second, first = np.sort(truth)[-2:]
        print(f"{times} races of {k} configurations over {n} questions, level 95 %")
        print(f"the best has {first:.3f}, the next {second:.3f}")
        show(sys.argv[3], draw, truth, times, 0)
        return
    print(f"{times} races of 24 configurations over {QUESTIONS} questions, level 95 %")
    for number, (kind, chances) in enumerate(KINDS.items()):
        show(kind, simulated(chances), np.array(chances), times, number + 1)


if __name__ == "__main__":
    main()
