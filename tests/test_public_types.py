"""Is every type that a public signature names public itself?"""

import ast
import functools
import inspect
import sys
import typing
from collections.abc import Iterator
from typing import Any

import assay
import assay.types
from assay.judges import llm

MODULES = {assay: assay.__all__, assay.types: assay.types.__all__, llm: ("LLM", "Function")}
PUBLIC = {
    name: getattr(module, name)
    for module, names in MODULES.items()
    for name in names
    if name not in ("METRICS", "Outcome", "__version__")
}


def scope(name: str) -> dict[str, Any]:
    """What a module's annotations may name: also what only type checkers import."""
    names = dict(vars(sys.modules[name]))
    for node in ast.parse(inspect.getsource(sys.modules[name])).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), name, "exec"), names)
    return names


def classes(hint: Any) -> Iterator[type]:
    """The classes of assay that an annotation is made of."""
    if isinstance(hint, list | tuple):
        for one in hint:
            yield from classes(one)
    elif (origin := typing.get_origin(hint)) is not None:
        yield from classes(origin)
        yield from classes(typing.get_args(hint) if origin is not typing.Literal else ())
    elif isinstance(hint, type) and hint.__module__.startswith("assay"):
        yield hint


def functions(public: Any) -> Iterator[Any]:
    """A function itself; of a class the public methods and properties, also inherited ones."""
    if not isinstance(public, type):
        yield public
        return
    for base in public.__mro__:
        for name, member in vars(base).items() if base.__module__.startswith("assay") else ():
            if not name.startswith("_") or name in ("__init__", "__call__"):
                inner = getattr(member, "fget", None) or getattr(member, "func", None) or member
                yield inspect.unwrap(getattr(inner, "__func__", inner))


def annotations(public: Any) -> Iterator[tuple[str, str, Any]]:
    """(whose, the module that its names are of, what is annotated) of all that is public."""
    for function in filter(inspect.isfunction, functions(public)):
        module = inspect.unwrap(function).__globals__["__name__"]
        if module in sys.modules:  # not what dataclasses write
            for name, hint in function.__annotations__.items():
                yield f"{function.__name__}({name})", module, hint
    for base in public.__mro__ if isinstance(public, type) else ():
        if base.__module__.startswith("assay"):
            for name, hint in vars(base).get("__annotations__", {}).items():
                yield name, base.__module__, hint


def test_every_type_of_a_public_signature_is_public() -> None:
    private, scopes = set(), functools.cache(scope)
    for name, public in PUBLIC.items():
        for where, module, hint in annotations(public):
            resolved = eval(hint, scopes(module)) if isinstance(hint, str) else hint
            for one in classes(resolved) if not where.startswith("_") else ():
                if one not in PUBLIC.values():
                    private.add(f"{name}.{where}: {one.__module__}.{one.__name__}")
    assert not private, "\n".join(sorted(private))
