"""Misspelt names: which of the known ones was meant, and the question that says so."""

import re
from collections.abc import Iterable


def normal(name: str) -> str:
    """The name without case, spaces, "-", "_" and other separators."""
    return re.sub(r"[\W_]+", "", name).lower()


def near(name: str, known: Iterable[str], *, n: int = 1, cutoff: float = 0.7) -> list[str]:
    """The known names that a misspelt one was probably meant to be, the likeliest first.

    Args:
        name: What was written.
        known: What could have been meant.
        n: How many are given at most.
        cutoff: How alike the two have to be, from 0 to 1; case and separators do not count.
    """
    import difflib

    keys = {normal(name): name for name in known}
    return [keys[key] for key in difflib.get_close_matches(normal(name), keys, n, cutoff)]


def ask(names: Iterable[str]) -> str:
    """The question whether one of the names was meant; "" if there is none."""
    quoted = " or ".join(f"'{name}'" for name in names)
    return f"did you mean {quoted}?" if quoted else ""


def did_you_mean(name: str, known: Iterable[str], *, cutoff: float = 0.7) -> str:
    """The question whether the nearest of the known names was meant; "" if none is near."""
    return ask(near(name, known, cutoff=cutoff))
