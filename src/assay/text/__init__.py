"""Reading natural language by rules: words, sentences, statements, numbers, records, refusals."""

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Any, TypeVar

Given = TypeVar("Given", bound=Hashable)
Result = TypeVar("Result")

# Metrics ask about the same sample one after the other: of what is long the last ones will do.
_LONG_ONES = 2


def memoized(
    most: int, longest: int, size: Callable[[Any], int] = len
) -> Callable[[Callable[[Given], Result]], Callable[[Given], Result]]:
    """A decorator that remembers the last results of a function of one argument.

    `functools.lru_cache` bounds how many are remembered, not how much: a few thousand long texts
    would take gigabytes.

    Args:
        most: How many results are remembered.
        longest: Of arguments larger than this, only the last two results are.
        size: How large an argument is.
    """

    def decorate(function: Callable[[Given], Result]) -> Callable[[Given], Result]:
        short = lru_cache(maxsize=most)(function)
        long = lru_cache(maxsize=_LONG_ONES)(function)

        @wraps(function)
        def call(given: Given) -> Result:
            return short(given) if size(given) <= longest else long(given)

        return call

    return decorate
