"""The configurations of a sweep: a full grid, or a random part of it."""

import math
import random
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TypeAlias

from assay._store.runs import Value, written
from assay.errors import InputError

Grid: TypeAlias = Mapping[str, Sequence[Value]]
MAX_CONFIGURATIONS = 64


def configurations_of(
    grid: Grid, most: int = MAX_CONFIGURATIONS, *, drawn: int | None = None, seed: int = 0
) -> list[dict[str, Value]]:
    """Every combination of values, the last parameter changing first; or some drawn at random.

    Args:
        grid: The values of every parameter.
        most: More configurations are refused.
        drawn: How many are drawn, each combination with the same chance and none twice; None for
            all. They stand in the order of the grid, and the first n of a seed are among its first
            n + 1.
        seed: Another seed draws others.

    Raises:
        InputError: If there is none, a value is given twice, or there are more than `most`.
    """
    _check(grid)
    size = math.prod(map(len, grid.values()))
    if drawn is not None and not 1 <= drawn <= size:
        what = f"{drawn} configurations are to be drawn from a grid of {size:,}"
        raise InputError(what, f"draw 1 to {size:,}, or leave --random (random) out for all")
    if (drawn or size) > most:
        counts = " x ".join(f"{len(values)} {name}" for name, values in grid.items())
        what = f"the grid has {size:,} configurations ({counts}), more than {most}"
        if drawn:
            what = f"{drawn:,} configurations are to be drawn, more than {most}"
        remedy = "leave values out, draw some at random (--random N), or allow more: "
        raise InputError(what, f"{remedy}--max-configurations (max_configurations)")
    if drawn is None:
        return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [_at(grid, place) for place in sorted(_draw(size, drawn, seed))]


def _check(grid: Grid) -> None:
    if not grid:
        raise InputError("the grid is empty", 'give a parameter and its values: {"k": [3, 5]}')
    for name, values in grid.items():
        if isinstance(values, str) or not values:
            what = f"the parameter '{name}' has no values"
            raise InputError(what, f'give a list: {{"{name}": [3, 5]}}')
        texts = [written(value) for value in values]
        if twice := sorted({text for text in texts if texts.count(text) > 1}):
            raise InputError(f"'{name}' has the value {twice[0]} twice", "name each value once")


def _draw(size: int, n: int, seed: int) -> set[int]:
    """Numbers below `size`, each with the same chance: fewer of one seed are among more of it."""
    chance, chosen = random.Random(seed), set[int]()  # noqa: S311 - it guards nothing
    while len(chosen) < n:
        chosen.add(chance.randrange(size))
    return chosen


def _at(grid: Grid, place: int) -> dict[str, Value]:
    """The combination with this number in the order of the grid."""
    values: dict[str, Value] = {}
    for name in reversed(list(grid)):
        place, at = divmod(place, len(grid[name]))
        values[name] = grid[name][at]
    return {name: values[name] for name in grid}
