"""Reading natural language by rules: words, sentences, statements, numbers, records, refusals."""

import re
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache, wraps
from typing import Any, TypeVar

Argument = TypeVar("Argument", bound=Hashable)
Result = TypeVar("Result")

# Metrics ask about the same sample one after the other: of what is long the last ones will do.
_LONG_ONES = 2


def memoized(
    max_results: int, longest: int, size: Callable[[Any], int] = len
) -> Callable[[Callable[[Argument], Result]], Callable[[Argument], Result]]:
    """A decorator that remembers the last results of a function of one argument.

    `functools.lru_cache` bounds how many are remembered, not how much: a few thousand long texts
    would take gigabytes.

    Args:
        max_results: How many results are remembered.
        longest: Of arguments larger than this, only the last two results are.
        size: How large an argument is.
    """

    def decorate(function: Callable[[Argument], Result]) -> Callable[[Argument], Result]:
        short = lru_cache(maxsize=max_results)(function)
        long = lru_cache(maxsize=_LONG_ONES)(function)

        @wraps(function)
        def call(argument: Argument) -> Result:
            return short(argument) if size(argument) <= longest else long(argument)

        return call

    return decorate


def alternatives(words: Iterable[str]) -> str:
    """A pattern of some words, the earlier ones first, that tells most others by an initial.

    Where none of them stands, a pattern of many alternatives has to try each.
    """
    by_initial: dict[str, list[str]] = {}
    for word in words:
        by_initial.setdefault(re.escape(word[0]), []).append(re.escape(word[1:]))
    return "|".join(f"{initial}(?:{'|'.join(ends)})" for initial, ends in by_initial.items())
