"""Has the user's own code changed? A digest of it stands in the identity of what it makes."""

import hashlib
from collections.abc import Iterator
from types import CodeType, FunctionType


def code_digest(code: CodeType) -> str:
    """Eight hex digits that change whenever the code does, wherever it stands in its file."""
    seen = repr((code.co_code, code.co_names, [_constant(c) for c in code.co_consts]))
    return text_digest(seen)


def class_digest(cls: type) -> str:
    """Eight hex digits that change whenever a function that the class itself defines does.

    So do the functions and plain constants of the same module that these go by.
    """
    found: dict[str, str] = {}
    for name, value in sorted(vars(cls).items()):
        if isinstance(value, FunctionType):
            found[f"{cls.__qualname__}.{name}"] = code_digest(value.__code__)
            _add_helpers(value, found)
    return text_digest(repr(sorted(found.items())))


def _add_helpers(function: FunctionType, found: dict[str, str]) -> None:
    for name in _names(function.__code__):
        used = function.__globals__.get(name)
        if name in found or used is None:
            continue
        if isinstance(used, FunctionType) and used.__module__ == function.__module__:
            found[name] = code_digest(used.__code__)
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
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)
