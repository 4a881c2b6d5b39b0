"""What is the user's own: modules in the folder that they work in, and prompts in a file."""

import dataclasses
import sys
import sysconfig
import typing
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

from assay._runner import config_files
from assay.errors import InputError, Problem
from assay.judge import Task
from assay.prompt import Template
from assay.tasks import TASKS

# What imports the judges, metrics and targets that a user names.
_IMPORTS_WHAT_IS_NAMED: Final = frozenset(("assay.judges.specs", "assay.metrics.custom"))
_IMPORT_SYSTEM: Final = ("importlib", "_frozen_importlib")


def look_here() -> None:
    """Let judges and metrics of the user's own, and what they import, be found where they work.

    Any file there could have the name of a library that is not installed, so that nothing else
    looks for modules there: neither assay for `mcp` nor pandas for `numexpr`. Installed modules
    come first.
    """
    sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, _WorkingFolder)]
    sys.meta_path.append(_WorkingFolder(Path.cwd()))


class _WorkingFolder:
    """Finds the modules of a folder for those who may import them.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is; None if it is not in the folder, or not looked for by user's code."""
        if path is not None or not _is_for_the_user():
            return None
        return PathFinder.find_spec(name, [str(self._folder)], target)

    def invalidate_caches(self) -> None:
        """Nothing is kept but by Python's own finder."""


def _is_for_the_user() -> bool:
    """Whether what is imported was named by the user, or is imported by code of theirs."""
    asking: FrameType | None = sys._getframe(2)  # noqa: SLF001 - nothing else tells who imports
    while asking is not None:
        module = str(asking.f_globals.get("__name__", ""))
        if module.partition(".")[0] not in _IMPORT_SYSTEM:
            file = asking.f_code.co_filename
            return module in _IMPORTS_WHAT_IS_NAMED or not file.startswith(_INSTALLED)
        asking = asking.f_back
    return False


_INSTALLED: Final = (
    str(Path(__file__).parents[1]),
    *{sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")},
    "<frozen ",
)


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
