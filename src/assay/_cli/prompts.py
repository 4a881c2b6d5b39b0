"""Prompts as a user reads and replaces them: with placeholders for the texts."""

import dataclasses
import typing
from typing import Any

from assay._runner import config_files
from assay.errors import InputError, Problem
from assay.judge import Task
from assay.prompt import Template
from assay.tasks import TASKS

_SEVERAL = 2


def read_prompts(path: str | None) -> dict[str, Template]:
    """The prompts of a file, seen to show the judge what it is to judge."""
    templates = config_files.read_prompts(path) if path else {}
    problems = [p for kind, t in templates.items() if t.verbatim for p in _problems(kind, t)]
    if problems:
        raise InputError(problems)
    return templates


def _problems(kind: str, template: Template) -> list[Problem]:
    places = [f"[{item.name}]" for item in example_task(TASKS[kind]).material()]
    if any(place in template.instruction for place in places):
        return []
    what = f"[{kind}] is verbatim, but shows the judge nothing to judge"
    return [Problem(what, f"put {' and '.join(places)} into the instruction")]


def full_prompt(kind: type[Task[Any]], template: Template) -> str:
    """The whole prompt as an LLM reads it, with placeholders for the texts."""
    return "".join(example_task(kind).pieces(template))


def example_task(kind: type[Task[Any]]) -> Task[Any]:
    """A task whose every text is its name in braces: ``{question}``, ``{context 1}``."""
    hints = typing.get_type_hints(kind)
    arguments = {
        field.name: _value(field.name, hints[field.name])
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]  # tasks are dataclasses
        if field.default is dataclasses.MISSING
    }
    return kind(**arguments)


def _value(name: str, hint: Any, number: int | None = None) -> Any:
    if hint is str:
        return f"s{number}" if name == "id" else f"{{{name}{f' {number}' if number else ''}}}"
    if hint in (int, float):
        return hint(number or 1)
    if typing.get_origin(hint) is tuple:
        item, *others = typing.get_args(hint)
        if others != [...]:  # a pair, of a text and its name, say
            return tuple(_value(name, one, number) for one in (item, *others))
        singular = name.removesuffix("s")
        return tuple(_value(singular, item, n) for n in range(1, _SEVERAL + 1))
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint)
        needed = [f for f in dataclasses.fields(hint) if f.default is dataclasses.MISSING]
        arguments = {
            f.name: _value("id" if f.name == "id" else name, hints[f.name], number) for f in needed
        }
        return hint(**arguments)
    raise TypeError(f"no placeholder for {name}: {hint}")  # a new task with a field of a new type
