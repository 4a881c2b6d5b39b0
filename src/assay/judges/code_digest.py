"""Digests of a user's own code and of the values that it uses, for the identity of its replies."""

import contextlib
import dataclasses
import enum
import hashlib
import logging
import os
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

from assay.judges import data_digest

# What is held under such a name is no part of a digest: another key is no other judge.
_SECRET = re.compile(
    r"(?:^|_)(?:api_?key|access_token|auth_token|secret|password|credentials?)$", re.IGNORECASE
)
# What says all of itself, the same in every process.
_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, PurePath, re.Pattern)
# What is code, decides nothing, or is another one in every shell.
_EXCLUDED_TYPES = (type, ModuleType, FunctionType, logging.Logger, type(os.environ))
_MAX_ITEMS = 1000  # items of a list that is told one by one: a longer one is data, with a digest
# Objects within objects are looked into so deep; what is further inside is not known.
_MAX_DEPTH = 4
_MAX_OBJECTS = 20_000  # that are looked into within others
# How something is sent or held together decides nothing of what is said.
_TRANSPORT_MODULES = frozenset(
    {
        *("_asyncio", "_queue", "_socket", "_ssl", "_thread", "_weakref", "aiohttp", "asyncio"),
        *("concurrent", "contextvars", "httpcore", "httpx", "queue", "requests", "selectors"),
        *("socket", "ssl", "threading", "urllib3", "weakref"),
    }
)


def code_digest(code: CodeType) -> str:
    """Eight hex digits that change whenever the code does, wherever it stands in its file."""
    instructions = repr((code.co_code, code.co_names, [_constant(c) for c in code.co_consts]))
    return text_digest(instructions)


def function_digest(function: FunctionType) -> str:
    """As `code_digest`, and whenever a value does that it closes over or has by default.

    A function stays what it was when it was first looked at: what it counts or notes down as it
    works makes no other of it.
    """
    return _first(function, _function, _Walk())[0]


def callable_digest(call: object) -> tuple[str, tuple[str, ...]]:
    """What a callable goes by, and what of that cannot be told.

    Its values are those that it had when it was first looked at, as for `function_digest`.

    Returns:
        Eight hex digits that change whenever its code does, or a value that it closes over, has by
        default, was bound to or has as an attribute, or a function or value of its module that it
        uses, however much data they are; "" of what is not written in Python. And the values whose
        content cannot be told, because an extension keeps it to itself or it is too deep inside:
        nothing but their class is
        in these digits: "index (faiss:Index)".
    """
    values = _Values(_Walk())
    description = values.called(call)
    return text_digest(description) if description else "", tuple(dict.fromkeys(values.unreadable))


def class_digest(cls: type) -> str:
    """Eight hex digits that change whenever a function that the class itself defines does.

    So do the functions, classes and plain constants of the same module that these go by.
    """
    digests: dict[str, str] = {}
    for name, function in _methods(cls):
        digests[f"{cls.__qualname__}.{name}"] = function_digest(function)
        _add_helpers(function, digests)
    return text_digest(repr(sorted(digests.items())))


def text_digest(text: str) -> str:
    """Eight hex digits of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def place_of(value: object) -> str:
    """``module:qualname`` of a function or class, or of the class of anything else.

    Of assay's own, the module is left out: one may move, and a store knows replies by these names.
    Two metrics may have one class name, and are told apart by their own.
    """
    owner: Any = value if hasattr(value, "__qualname__") else type(value)
    if not str(owner.__module__).startswith("assay."):
        return f"{owner.__module__}:{owner.__qualname__}"
    own_name = vars(owner).get("name") if isinstance(owner, type) else None
    return f"assay:{owner.__qualname__}" + (f" {own_name}" if isinstance(own_name, str) else "")


# A digest, and what it does not tell.
Digest: TypeAlias = tuple[str, tuple[str, ...]]
Digester: TypeAlias = Callable[[Any, "_Walk"], Digest]
# What was found of functions and objects when they were first looked at, by what was looked for and
# their place in memory.
_FIRST: dict[tuple[Digester, int], tuple[weakref.ref[Any], Digest]] = {}


def name_of(call: Callable[..., Any]) -> str:
    """Module and name of a callable, and the digest of its code and of the values it holds."""
    inner: Any = call
    while isinstance(inner, partial):
        inner = inner.func
    digest, _ = callable_digest(call)
    return f"{place_of(inner)}@{digest}" if digest else place_of(inner)


@dataclasses.dataclass
class _Walk:
    """A look at all that a callable goes by."""

    # What is being told at present: it may hold itself.
    inside: set[int] = dataclasses.field(default_factory=set)
    left: int = _MAX_OBJECTS  # how many objects within others may still be looked into


def _first(subject: Any, find: Digester, walk: _Walk) -> Digest:
    """What was found of it when it was first looked at: now, if this is the first time."""
    key = find, id(subject)
    earlier = _FIRST.get(key)
    if earlier is not None and earlier[0]() is subject:
        return earlier[1]
    result = find(subject, walk)

    def forget(_: object) -> None:
        _FIRST.pop(key, None)

    with contextlib.suppress(TypeError):  # no weak reference can be had of a few: as it is now
        _FIRST[key] = weakref.ref(subject, forget), result
    return result


def _function(function: FunctionType, walk: _Walk) -> Digest:
    digest, values = code_digest(function.__code__), _Values(walk, function.__module__)
    bound = {
        **{f"default {n}": value for n, value in enumerate(function.__defaults__ or ())},
        **(function.__kwdefaults__ or {}),
        **_closed_over(function),
    }
    if bound:
        digest = text_digest(repr((digest, values.describe(bound, ""))))
    return digest, tuple(values.unreadable)


def _module_state(function: FunctionType, walk: _Walk) -> Digest:
    """What it uses of its module that is neither code nor a plain constant; "" if nothing."""
    module = function.__module__
    values, used = _Values(walk, module), _names_used(function, {})
    values_used = {n: v for n, v in used.items() if _is_state(v, module)}
    for name, cls in used.items():
        if isinstance(cls, type) and cls.__module__ == module:
            values_used |= {f"{name}.{n}": v for base in _of_module(cls) for n, v in _data_of(base)}
    return values.describe(values_used, "") if values_used else "", tuple(values.unreadable)


def _is_state(value: Any, module: str) -> bool:
    if isinstance(value, _EXCLUDED_TYPES) or _is_plain_value(value):
        return False
    if isinstance(value, MethodType | BuiltinFunctionType):
        return not isinstance(value.__self__, ModuleType)
    # What is wrapped, by functools.cache for instance, is code of the module it was written in.
    return not hasattr(value, "__qualname__") or value.__module__ == module


def _owner_digest(owner: object, walk: _Walk) -> Digest:
    cls = type(owner)
    values = _Values(walk, cls.__module__)
    of_class = {n: v for n, v in vars(cls).items() if _is_plain_value(v) and not n.startswith("__")}
    bases = _of_module(cls)[1:]
    of_class |= {f"{base.__qualname__}.{n}": v for base in bases for n, v in _data_of(base)}
    of_class |= dict(_data_of(cls))
    digests = (
        class_digest(cls),
        values.describe(of_class, ""),
        values.describe(owner, "self", deep=2),
    )
    return text_digest(repr((*digests, *map(class_digest, bases)))), tuple(values.unreadable)


def _of_module(cls: type) -> list[type]:
    """A class, and those that it is derived from and that stand in the same module."""
    return [base for base in cls.__mro__ if base.__module__ == cls.__module__]


def _data_of(cls: type) -> Iterator[tuple[str, Any]]:
    """What a class holds that is neither code nor a plain constant."""
    for name, value in vars(cls).items():
        is_code = callable(value) or hasattr(type(value), "__get__")
        if not (is_code or name.startswith(("__", "_abc_")) or _is_plain_value(value)):
            yield name, value


def _closed_over(function: FunctionType) -> dict[str, Any]:
    cell_values = {}
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        with contextlib.suppress(ValueError):  # not filled yet
            cell_values[name] = cell.cell_contents
    return cell_values


class _Values:
    """Tells values in words that are the same in every process.

    Args:
        walk: What is being looked at.
        module: Where the code stands that goes by them: classes of it are code of the user's.

    Attributes:
        unreadable: Where stands, and of which class is, what it could tell no more of.
    """

    def __init__(self, walk: _Walk, module: str = "") -> None:
        self.unreadable: list[str] = []
        self._walk, self._module = walk, module

    def called(self, call: object) -> str:
        """What is called, with all that it goes by; "" if it is not written in Python."""
        if isinstance(call, partial):
            inner = self.called(call.func) or place_of(call.func)
            return repr(
                (inner, self.describe(call.args, "an argument"), self.describe(call.keywords, ""))
            )
        if isinstance(call, MethodType):
            bound = call.__self__
            owner = (
                place_of(bound) if isinstance(bound, type) else self._digest(bound, _owner_digest)
            )
            return repr((self.called(call.__func__), owner))
        if isinstance(call, FunctionType):
            helpers: dict[str, str] = {}
            _add_helpers(call, helpers)
            module_values = self._digest(call, _module_state)
            digests = self._digest(call, _function), sorted(helpers.items())
            return repr((*digests, module_values) if module_values else digests)
        if isinstance(call, BuiltinFunctionType):
            bound = call.__self__
            return "" if isinstance(bound, ModuleType) else self.describe(bound, "self")
        if wrapped := getattr(call, "__wrapped__", None):  # as functools.cache leaves it
            return self.called(wrapped)
        is_python = isinstance(getattr(type(call), "__call__", None), FunctionType)  # noqa: B004
        return self._digest(call, _owner_digest) if is_python else ""

    def _digest(self, subject: object, find: Digester) -> str:
        digest, unreadable = _first(subject, find, self._walk)
        self.unreadable += unreadable
        return digest

    def describe(self, value: Any, place: str, deep: int = 1) -> str:
        """The value; of an object its class and its attributes, where these are plain.

        Args:
            value: The value.
            place: What it is called where it is held.
            deep: How many objects within one another are looked into.
        """
        if isinstance(value, enum.Enum):
            return f"{place_of(value)}.{value.name}"
        if isinstance(value, _PLAIN):
            return repr(value)
        if id(value) in self._walk.inside:
            return "itself"
        self._walk.inside.add(id(value))
        try:
            return self._describe(value, place, deep)
        finally:
            self._walk.inside.discard(id(value))

    def _describe(self, value: Any, path: str, deep: int) -> str:
        if isinstance(value, dict | list | tuple | set | frozenset) and len(value) > _MAX_ITEMS:
            text = data_digest.container_digest(value, lambda item: self.describe(item, path, deep))
        elif isinstance(value, list | tuple):
            text = repr([self.describe(item, path, deep) for item in value])
        elif isinstance(value, set | frozenset):
            text = repr(sorted(self.describe(item, path, deep) for item in value))
        elif isinstance(value, dict):
            text = self._mapping(value, deep)
        elif isinstance(value, partial | MethodType | FunctionType | BuiltinFunctionType):
            text = f"{place_of(value)} {self.called(value)}"
        elif isinstance(value, type):
            text = place_of(value)
        elif isinstance(value, ModuleType):
            text = value.__name__
        else:
            text = self._object(value, path, deep)
        return text

    def _mapping(self, values: dict[Any, Any], deep: int) -> str:
        pairs = [
            (self.describe(name, "a key", deep), self.describe(value, str(name), deep))
            for name, value in values.items()
            if not _SECRET.search(str(name))
        ]
        return repr(sorted(pairs))

    def _object(self, value: Any, path: str, deep: int) -> str:
        kind = type(value)
        data = data_digest.data_digest(value, lambda item: self.describe(item, path, deep))
        if data is not None:
            return f"{place_of(kind)} {data}"
        if kind.__module__.partition(".")[0] in _TRANSPORT_MODULES:
            return f"{place_of(kind)} {value}" if kind.__name__ == "URL" else place_of(kind)
        attributes = _attributes(value)
        if attributes is None:
            data = data_digest.pickle_digest(value)
            return self._class_only(value, path) if data is None else f"{place_of(kind)} {data}"
        return self._object_digest(value, attributes, path, deep)

    def _object_digest(self, value: Any, attributes: dict[str, Any], path: str, deep: int) -> str:
        if deep <= 0:
            self._walk.left -= 1
            if deep <= -_MAX_DEPTH or self._walk.left < 0:
                return self._class_only(value, path)
        kind = type(value)
        own_code = _of_module(kind) if kind.__module__ == self._module else []
        attributes = attributes | {
            f"{base.__qualname__}.{n}": v for base in own_code for n, v in _data_of(base)
        }
        inner = _Values(self._walk, self._module)
        text = inner.describe(attributes, path, deep - 1)
        if path == "self":
            self._add_unreadable(inner.unreadable)
        elif inner.unreadable and not _is_client(attributes):
            self._class_only(value, path)
        # The name of a module that was loaded from a file changes with whatever is edited there.
        code = " ".join(map(_class_code, own_code))
        return f"{kind.__qualname__} {text} {code}" if own_code else f"{place_of(kind)} {text}"

    def _class_only(self, value: object, path: str) -> str:
        kind = place_of(type(value))
        self._add_unreadable([f"{path} ({kind})"])
        return kind

    def _add_unreadable(self, paths: Iterable[str]) -> None:
        self.unreadable += [path for path in paths if path not in self.unreadable]


def _attributes(value: Any) -> dict[str, Any] | None:
    """What an object holds, by name; None if it is kept where Python does not see it."""
    attributes = dict(getattr(value, "__dict__", {}))
    names = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    excluded = ("__dict__", "__weakref__")
    attributes |= {name: getattr(value, name, None) for name in names if name not in excluded}
    return attributes if attributes or hasattr(value, "__dict__") else None


def _is_client(attributes: Mapping[str, Any]) -> bool:
    """Whether it asks a server: who that is says what it goes by, as of a system with a URL."""
    urls = (str(attributes.get(name)) for name in ("base_url", "_base_url"))
    return any(url.startswith(("http://", "https://")) for url in urls)


def _class_code(cls: type) -> str:
    """A digest of what a class itself defines, without what that goes by."""
    members = [(name, function_digest(function)) for name, function in _methods(cls)]
    members += [(name, _constant(v)) for name, v in vars(cls).items() if _is_constant(name, v)]
    return text_digest(repr(sorted(members)))


def _is_constant(name: str, value: object) -> bool:
    return _is_plain_value(value) and not name.startswith("__")


def _methods(cls: type) -> Iterator[tuple[str, FunctionType]]:
    for name, value in sorted(vars(cls).items()):
        if name.startswith("__annotate"):  # since Python 3.14: annotations decide nothing
            continue
        for n, function in enumerate(_functions(value)):
            yield f"{name}{n or ''}", function


def _functions(value: object) -> list[FunctionType]:
    """What is called where this stands in a class: a method of whatever kind, a property."""
    if isinstance(value, (staticmethod, classmethod)):
        candidates: list[Any] = [value.__func__]
    elif isinstance(value, property):
        candidates = [value.fget, value.fset]
    else:
        candidates = [value.func if isinstance(value, cached_property) else value]
    return [function for function in candidates if isinstance(function, FunctionType)]


def _add_helpers(function: FunctionType, digests: dict[str, str]) -> None:
    for name, used in _names_used(function, {}).items():
        if isinstance(used, FunctionType) and used.__module__ == function.__module__:
            digests[name] = function_digest(used)
        elif isinstance(used, type) and used.__module__ == function.__module__:
            digests[name] = repr([_class_code(base) for base in _of_module(used)])
        elif _is_plain_value(used):
            digests[name] = _constant(used)


def _names_used(function: FunctionType, globals_used: dict[str, Any]) -> dict[str, Any]:
    """What it names of its module, and what functions and classes of it do that it names."""
    for name in _names(function.__code__):
        used = function.__globals__.get(name)
        if name in globals_used or used is None:
            continue
        globals_used[name] = used
        for code in _code_of(used, function.__module__):
            _names_used(code, globals_used)
    return globals_used


def _code_of(used: object, module: str) -> list[FunctionType]:
    """The functions that are a function or class of a module; none of what is of another."""
    if isinstance(used, FunctionType):
        return [used] if used.__module__ == module else []
    cls = used if isinstance(used, type) else type(used)
    if cls.__module__ != module:
        return []
    return [function for base in _of_module(cls) for _, function in _methods(base)]


def _is_plain_value(value: object) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return all(map(_is_plain_value, value))
    return isinstance(value, (bool, int, float, str))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


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
