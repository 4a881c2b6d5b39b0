"""Has the user's own code changed? A digest of it stands in the identity of what it makes."""

import hashlib
from types import CodeType, FunctionType


def code_digest(code: CodeType) -> str:
    """Eight hex digits that change whenever the code does, wherever it stands in its file."""
    seen = repr((code.co_code, code.co_names, [_constant(c) for c in code.co_consts]))
    return text_digest(seen)


def class_digest(cls: type) -> str:
    """Eight hex digits that change whenever a function that the class itself defines does."""
    functions = (v for _, v in sorted(vars(cls).items()) if isinstance(v, FunctionType))
    return text_digest("".join(code_digest(function.__code__) for function in functions))


def text_digest(text: str) -> str:
    """Eight hex digits of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _constant(value: object) -> str:
    if isinstance(value, CodeType):  # its repr holds a memory address
        return code_digest(value)
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)
