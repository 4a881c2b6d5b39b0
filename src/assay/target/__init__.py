"""The system under test: asked like any backend, its answers become samples.

It answers one task, the request it is sent, so the same cache keeps its answers and the same
limits hold.
"""

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from assay._store.runs import Value, written
from assay._user_modules import FILE
from assay.errors import InputError
from assay.judges.code_digest import place_of
from assay.target.ask import Answers, Asking, aask, ask
from assay.target.process import PREFIX, ProcessSystem, environment
from assay.target.system import (
    AskSystem,
    Body,
    FunctionSystem,
    HttpSystem,
    System,
    named,
    no_system,
    placeholders,
    system,
)

_QUESTION = {"question": "{question}"}


@dataclass(frozen=True, kw_only=True)
class Configurable:
    """What a system is made of, once its parameters are known.

    Attributes:
        target: A URL, ``module:function``, ``file.py:function`` or a function.
        version: Which version of it; another one is asked anew.
        body: What is sent to a URL; the parameters are added to its fields.
        headers: Sent with every request to a URL. They are neither shown nor kept.
    """

    target: object
    version: str = ""
    body: Body | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def systems(self, configurations: Sequence[Mapping[str, Value]]) -> list[System]:
        """A system for each configuration, whose identity tells its values.

        A function takes them as keyword arguments; a URL as fields of the JSON that it is sent, or
        of its query where nothing is sent. Those called ``env:NAME`` are variables of the
        environment of a process that calls the function.

        Raises:
            InputError: If the target cannot be used, or does not take such parameters.
        """
        target = self.target
        if isinstance(target, str) and target.startswith(("http://", "https://")):
            return [self._http(target, params) for params in configurations]
        if self.body or self.headers:
            raise InputError("body and headers are for a target with a URL", "leave them out")
        calls = [environment(params) for params in configurations]
        file = target.rpartition(":")[0] if isinstance(target, str) else ""
        function = named(target) if isinstance(target, str) else target
        if not callable(function):
            raise no_system(target)
        file = file if file.endswith(FILE) else ""
        shown_name = target if isinstance(target, str) else place_of(function)
        bound = [_bound(function, shown_name, params) for params, _ in calls]
        functions = _functions(bound, self.version, file)
        if not any(variables for _, variables in calls):
            return [*functions]
        if not isinstance(target, str):
            what = f"'{PREFIX}' is the environment of a process, {shown_name} an object of this one"
            raise InputError(what, "name it as MODULE:FUNCTION or FILE.py:FUNCTION")
        return [
            ProcessSystem(one, target, *call) for one, call in zip(functions, calls, strict=True)
        ]

    def _http(self, url: str, params: Mapping[str, Value]) -> System:
        for name, value in params.items():
            if name.startswith(PREFIX):
                what = f"'{name}' is a variable of the environment of whoever serves {url}"
                variable = name.removeprefix(PREFIX)
                one = f"assay run --target URL --param {variable}={written(value)}"
                raise InputError(what, f"start it with each value by turns, and `{one}`")
            if isinstance(value, str) and placeholders(value):
                what = f"the value '{value}' of '{name}' would be filled in from the sample"
                raise InputError(what, "give a value without {NAME} in it")
        if self.body is None and placeholders(url):
            url = _with_query(url, params)
            return system(url, version=self.version, headers=self.headers)
        template: Any = self.body.template if self.body else _QUESTION
        if not isinstance(template, Mapping):
            what = "parameters are fields of the request, and its body is no JSON object"
            raise InputError(what, """such as '{"query": "{question}"}'""")
        body = Body({**template, **params})
        return HttpSystem(url, body=body, headers=self.headers, version=self.version)


def _functions(
    bound: Sequence[Callable[..., Any]], version: str, file: str
) -> list[FunctionSystem]:
    systems: list[FunctionSystem] = []
    for function in bound:
        with warnings.catch_warnings():
            if systems:  # of what cannot be told of the code, the first one has warned
                warnings.simplefilter("ignore", UserWarning)
            systems.append(FunctionSystem(function, version=version, file=file))
    return systems


def _with_query(url: str, params: Mapping[str, Value]) -> str:
    """The URL with the parameters in its query."""
    parts = urlsplit(url)
    present = {pair.partition("=")[0] for pair in parts.query.split("&")}
    if twice := present & set(params):
        what = f"the URL has '{min(twice)}' already"
        raise InputError(what, "leave it out of the URL: it is set by the configuration")
    added = urlencode({name: written(value) for name, value in sorted(params.items())})
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))


def _bound(
    function: Callable[..., Any], shown_name: str, params: Mapping[str, Value]
) -> Callable[..., Any]:
    """The function with keyword arguments: they become part of its identity."""
    try:
        taken = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:  # built in: it says nothing of itself
        what = f"{shown_name} does not say which arguments it takes"
        raise InputError(what, "wrap it in a function of your own") from error
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    any_name = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken.values())
    asked = {*list(taken)[:1], "question", "sample"}
    free = [name for name, one in taken.items() if one.kind in kinds and name not in asked]
    for name in params:
        if name in asked:
            what = f"'{name}' of {shown_name} is what it is asked, and no parameter"
            raise InputError(what, "let the question come first, and set what comes after it")
        if name not in free and not any_name:
            what = f"{shown_name} takes no argument '{name}'"
            others = f"it takes {', '.join(free)}" if free else "it takes nothing else"
            raise InputError(what, f"beside the question {others}")
    _check_rest(taken, shown_name, asked, params)
    # In whichever order they were named, it is the same system.
    return functools.partial(function, **dict(sorted(params.items())))


def _check_rest(
    taken: Mapping[str, inspect.Parameter],
    shown_name: str,
    asked: AbstractSet[str],
    params: Mapping[str, Value],
) -> None:
    """See that the function can be called with the question and these parameters alone."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    set_before = ""
    for name, one in taken.items():
        if name in params:
            set_before = set_before or name
        elif name in asked:
            if set_before:  # the question is given by its place
                what = f"'{name}' of {shown_name} comes after '{set_before}', which is set"
                raise InputError(what, "let what it is asked come first")
        elif one.default is inspect.Parameter.empty and one.kind not in variable:
            what = f"{shown_name} needs '{name}' too, and nothing sets it"
            raise InputError(what, f"set it as well: --set {name}=VALUE, or give it a default")


__all__ = [
    "Answers",
    "AskSystem",
    "Asking",
    "Configurable",
    "FunctionSystem",
    "HttpSystem",
    "aask",
    "ask",
    "system",
]
