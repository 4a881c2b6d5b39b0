"""How many questions place a new system: all, those of a shorter exam, adaptive ones, any?

Questions and systems are drawn from the model of `assay items`, so the truth is known. Some systems
answer every question and place them; then a new system answers n of them. Printed is how far its
ability is off (root mean square, in logits), and of the shorter exam how many questions it keeps.

    python -m benchmarks.exam [--times 200]
"""

import argparse
from collections.abc import Mapping

import numpy as np

from assay.stats.intervals import Floats
from assay.stats.items import fewest, rasch, standing

QUESTIONS, SPREAD = 200, 2.0
NS = (10, 20, 40)
WAYS = ("by chance", "shorter exam", "adaptive")


def right_or_wrong(hard: Floats, abilities: Floats, chance: np.random.Generator) -> Floats:
    """Answers drawn from the model, shape (n, systems)."""
    shares = 1 / (1 + np.exp(hard[:, None] - abilities))
    answers: Floats = (chance.random(shares.shape) < shares).astype(np.float64)
    return answers


def answered(
    way: str,
    n: int,
    known: tuple[Floats, Floats, list[int]],
    right: Floats,
    chance: np.random.Generator,
) -> Mapping[int, bool]:
    """The questions that a new system is asked, with its answers."""
    hard, sds, exam = known
    if way == "by chance":
        places = chance.choice(len(hard), n, replace=False).tolist()
    elif way == "shorter exam":
        places = exam[:n]
    else:
        answers: dict[int, bool] = {}
        for _ in range(n):
            at = standing(hard, sds, answers)[2][0]
            answers[at] = bool(right[at])
        return answers
    return {at: bool(right[at]) for at in places}


def once(systems: int, chance: np.random.Generator) -> tuple[dict[tuple[str, int], float], int]:
    """How far off the ability of a new system is by way and n; questions kept with 90 %."""
    hard = chance.normal(0, SPREAD, QUESTIONS)
    placing = chance.normal(0, 1.5, systems)
    fit = rasch(right_or_wrong(hard, placing, chance))
    if fit is None:
        return {}, 0
    abilities = [one for one in fit.abilities if one is not None]
    exam, _ = fewest(fit.difficulties, fit.difficulty_sds, abilities, 0.9)
    full, _ = fewest(fit.difficulties, fit.difficulty_sds, abilities, 1.0)
    new = chance.normal(0, 1.5)
    right = right_or_wrong(hard, np.array([new]), chance)[:, 0]
    known = (fit.difficulties, fit.difficulty_sds, full)
    off = {}
    for way in WAYS:
        for n in NS:
            answers = answered(way, n, known, right, chance)
            off[way, n] = standing(fit.difficulties, fit.difficulty_sds, answers)[0] - new
    every = {at: bool(good) for at, good in enumerate(right)}
    off["all", QUESTIONS] = standing(fit.difficulties, fit.difficulty_sds, every)[0] - new
    return off, len(exam)


def main() -> None:
    """The table, for few and for many systems that place the questions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    times = parser.parse_args().times
    print(
        "| systems that place | kept for 90 % | "
        + " | ".join([f"{way}, {n}" for n in NS for way in WAYS] + [f"all {QUESTIONS}"])
        + " |"
    )
    print("|" + "---:|" * (3 + len(NS) * len(WAYS)))
    for systems in (4, 16):
        chance = np.random.default_rng(systems)
        found = [one for _ in range(times) if (one := once(systems, chance))[0]]
        cells = [f"{np.mean([kept for _, kept in found]):.0f} of {QUESTIONS}"]
        keys = [*((way, n) for n in NS for way in WAYS), ("all", QUESTIONS)]
        cells += [f"{np.sqrt(np.mean([off[key] ** 2 for off, _ in found])):.2f}" for key in keys]
        print(f"| {systems} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
