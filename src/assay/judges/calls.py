"""Whether a function of the user's own can be called as it will be."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from assay.errors import InputError
from assay.judges.code_digest import place_of


def check_call(
    function: Callable[..., Any],
    arguments: Sequence[str],
    named: Sequence[str] = (),
    *,
    remedy: str,
    wrapped: bool = False,
) -> None:
    """Make sure that a function can be called as it will be, before anything is paid for.

    Args:
        function: The function.
        arguments: What it is given, in order.
        named: What it is given by name.
        remedy: How it is to be written.
        wrapped: Whether what a decorator wraps decides, which may be called with more than it is.

    Raises:
        InputError: If it takes other arguments.
    """
    try:
        signature = inspect.signature(function, follow_wrapped=wrapped)
    except (TypeError, ValueError):  # built in: it says nothing of itself
        return
    try:
        signature.bind(*arguments, **dict.fromkeys(named))
    except TypeError as error:
        by_name = inspect.Parameter.KEYWORD_ONLY
        names = (f"{p}{' by name' * (p.kind is by_name)}" for p in signature.parameters.values())
        takes = ", ".join(names) or "no argument"
        call_arguments = ", ".join([*arguments, *named])
        location = place_of(function.func if isinstance(function, partial) else function)
        raise InputError(
            f"{location} takes {takes}; it is called with: {call_arguments}", remedy
        ) from error
