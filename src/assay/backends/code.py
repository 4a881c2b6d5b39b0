"""Has the user's own code changed? A digest of it stands in the identity of what it makes."""

import hashlib
from collections.abc import Iterator
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any


def code_digest(code: CodeType) -> str:
    """Eight hex digits that change whenever the code does, wherever it stands in its file."""
    seen = repr((code.co_code, code.co_names, [_constant(c) for c in code.co_consts]))
    return text_digest(seen)


def function_digest(function: FunctionType) -> str:
    """As `code_digest`, and whenever a plain default of one of its arguments does."""
    given = [*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())]
    plain = [_constant(value) for value in given if _plain(value)]
    code = code_digest(function.__code__)
    return text_digest(repr((code, plain))) if plain else code


def class_digest(cls: type) -> str:
    """Eight hex digits that change whenever a function that the class itself defines does.

    So do the functions and plain constants of the same module that these go by.
    """
    found: dict[str, str] = {}
    for name, value in sorted(vars(cls).items()):
        for n, function in enumerate(_functions(value)):
            found[f"{cls.__qualname__}.{name}{n or ''}"] = function_digest(function)
            _add_helpers(function, found)
    return text_digest(repr(sorted(found.items())))


def _functions(value: object) -> list[FunctionType]:
    """What is called where this stands in a class: a method of whatever kind, a property."""
    if isinstance(value, (staticmethod, classmethod)):
        made: list[Any] = [value.__func__]
    elif isinstance(value, property):
        made = [value.fget, value.fset]
    else:
        made = [value.func if isinstance(value, cached_property) else value]
    return [function for function in made if isinstance(function, FunctionType)]


def _add_helpers(function: FunctionType, found: dict[str, str]) -> None:
    for name in _names(function.__code__):
        used = function.__globals__.get(name)
        if name in found or used is None:
            continue
        if isinstance(used, FunctionType) and used.__module__ == function.__module__:
            found[name] = function_digest(used)
            _add_helpers(used, found)
        elif _plain(used):
            found[name] = _constant(used)


def _plain(value: object) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return all(map(_plain, value))
    return isinstance(value, (bool, int, float, str))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def text_digest(text: str) -> str:
    """Eight hex digits of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _constant(value: object) -> str:
    if isinstance(value, CodeType):  # its repr holds a memory address
        return code_digest(value)
    if isinstance(value, frozenset):
        return repr(sorted(map(_constant, value)))
    if isinstance(value, tuple) and _holds_a_set(value):
        return repr([_constant(item) for item in value])
    return repr(value)


def _holds_a_set(value: object) -> bool:
    """Whether its repr depends on the order of a set, which is another one in every process."""
    inside = isinstance(value, tuple) and any(map(_holds_a_set, value))
    return isinstance(value, frozenset) or inside
