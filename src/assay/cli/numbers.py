"""Which numbers may an option have? Finite ones: to Python, "nan" is a number above any limit."""

import math
from typing import Any

import click


class Number(click.types.FloatParamType):
    """Any finite number."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text is."""
        return _finite(self, super().convert(value, param, ctx), param, ctx)


class NumberRange(click.FloatRange):
    """A finite number between two ends."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text is."""
        return _finite(self, super().convert(value, param, ctx), param, ctx)


def _finite(
    kind: Number | NumberRange,
    number: float,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> float:
    if not math.isfinite(number):
        kind.fail(f"{number} is not a finite number.", param, ctx)
    return number


NUMBER = Number()
POSITIVE = NumberRange(min=0, min_open=True)
