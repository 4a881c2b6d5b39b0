"""The meaning of the texts of options, and what is the user's own: modules and prompts."""

import dataclasses
import json
import os
import re
import sys
import sysconfig
import typing
from collections.abc import Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

import click
from click.core import ParameterSource

from assay._cli.errors import say
from assay._middleware.budget import Price
from assay._runner import config_files
from assay._store.runs import Value, parameter
from assay.errors import InputError, Problem
from assay.judge import Task
from assay.metrics.registry import pieces
from assay.prompt import Template
from assay.tasks import TASKS

_COUNT = re.compile(r"([\d_,]*\d(?:\.\d+)?)\s*([kM]?)\s*(tok(?:ens?)?|calls?)", re.IGNORECASE)
_SHOWN = 3  # files that are not read
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def tell_unread(folders: Iterable[Path]) -> None:
    """Tell which files of folders may be documents and are not read."""
    from assay.testset.documents import unread

    if names := unread(folders):
        more = f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN)
        remedy = "convert them to text; a table is read where it is named itself"
        say(f"not read: {', '.join(names[:_SHOWN])}{more} ({remedy})")


def refuse_among(folders: Iterable[str], option: str, *files: str | None) -> None:
    """See that no file that is written is one of the documents that are read, or becomes one."""
    from assay.testset.documents import is_document

    for file in filter(None, files):
        path = Path(os.path.realpath(file))
        for folder in folders if is_document(path) else ():
            if path.is_relative_to(os.path.realpath(folder)):
                fault = f"{option} {file} lies among the documents in '{folder}'"
                raise InputError(fault, "name a file outside of them")


def reject_options(why: str, remedy: str, *names: str) -> None:
    """See that none of these options, which do nothing here, stands on the command line.

    Args:
        why: What is wrong with giving them: "is for --counterfactual".
        remedy: What to do.
        names: Parameters of the command.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for option in context.command.params:
        if option.name not in names:
            continue
        if context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise InputError(f"{max(option.opts, key=len)} {why}", remedy)


def metric_specs(texts: Iterable[str]) -> list[str]:
    """Metrics, one by one or separated by commas outside parentheses and quotes."""
    all_specs = []
    for text in texts:
        specs = [spec for spec in _split(text) if spec]
        if not specs:  # as of a variable that is not set: to compute all others were no answer
            raise InputError(f"-m '{text}' names no metric", "name one, or leave it out")
        all_specs += specs
    return all_specs


def _split(text: str) -> list[str]:
    try:
        return pieces(text)
    except ValueError as error:
        remedy = """quote it: 'name(parameter="a, b")'"""
        raise _wrong_option("metric", text, str(error), remedy) from error


def mapping(texts: Iterable[str]) -> dict[str, str]:
    """``field=column`` pairs."""
    columns: dict[str, str] = {}
    for text, field, column in _pairs("map", texts, "field=column", "answer=model_output"):
        if columns.setdefault(field, column) != column:
            raise _wrong_option("map", text, "names that field a second time", "keep one of them")
    return columns


def params(texts: Iterable[str]) -> dict[str, Value]:
    """``key=value`` pairs; a value that is written as a number is one."""
    parameters: dict[str, Value] = {}
    for text, key, value_text in _pairs("param", texts, "KEY=VALUE", "k=5"):
        value = parameter(value_text.strip())
        if parameters.setdefault(key, value) != value:
            raise _wrong_option("param", text, "gives that key a second value", "keep one of them")
    return parameters


def grid(
    texts: Iterable[str], *, option: str = "set", example: str = "k=3,5"
) -> dict[str, list[Value]]:
    """``key=value,value`` pairs, or ``key=[...]`` in JSON for values with commas."""
    values: dict[str, list[Value]] = {}
    for text, key, values_text in _pairs(option, texts, "KEY=VALUE,VALUE", example):
        if key in values:
            raise _wrong_option(
                option, text, "gives that key values again", "name all its values in one"
            )
        text_of_values = values_text.strip()
        if text_of_values.startswith("["):
            values[key] = _json_values(text, text_of_values)
            continue
        items = [item.strip() for item in text_of_values.split(",")]
        if not all(items):
            raise _wrong_option(option, text, "has an empty value", f"such as --{option} {example}")
        values[key] = [parameter(item) for item in items]
    return values


def _json_values(text: str, values_text: str) -> list[Value]:
    try:
        values = json.loads(values_text)
    except ValueError as error:
        raise _wrong_option(
            "set", text, f"is no JSON: {error}", """such as 'k=["a, b", "c"]'"""
        ) from error
    if not all(isinstance(value, str | int | float) for value in values):
        remedy = "give texts, numbers, true or false"
        raise _wrong_option("set", text, "has a value that is a list, an object or null", remedy)
    return list(values)


def _pairs(
    option: str, texts: Iterable[str], shape: str, example: str
) -> Iterator[tuple[str, str, str]]:
    """Each text, with what stands before and after its first "="."""
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise _wrong_option(option, text, f"is not {shape}", f"such as --{option} {example}")
        yield text, key.strip(), value


def contexts(text: str) -> str:
    r"""What becomes of contexts that are one text; line ends and tabs may be written \n and \t."""
    return text.replace("\\n", "\n").replace("\\t", "\t")


def by_metric(option: str, texts: Iterable[str], example: str) -> Iterator[tuple[str, float]]:
    """``metric=number`` pairs, the metric "" where there is a number alone."""
    for text in texts:
        # The metric's own parameters may hold "=" too, so the last one counts.
        metric, _, number = text.rpartition("=")
        try:
            yield metric.strip(), float(number)
        except ValueError:
            raise _wrong_option(
                option, text, "ends in no number", f"such as --{option} {example}"
            ) from None


def prices(text: str) -> dict[str, Price]:
    """Prices by the judge that stands before ``=``, "" where none does."""
    by_judge: dict[str, Price] = {}
    for price_text in text.split(","):
        judge, _, amounts = price_text.rpartition("=")
        sides = [amount for side in amounts.split("/") if (amount := _amount(side)) is not None]
        if not 2 <= len(sides) <= 4 or len(sides) <= amounts.count("/"):
            remedy = "prices per million tokens: --price 0.15/0.60, or JUDGE=0.15/0.60,..."
            raise _wrong_option(
                "price", price_text, "is not IN/OUT[/CACHED[/CACHE-WRITTEN]]", remedy
            )
        if judge.strip() in by_judge:
            raise _wrong_option("price", text, "prices one judge twice", "keep one")
        cached, cache_written = (*sides[2:], None, None)[:2]
        by_judge[judge.strip()] = Price(sides[0], sides[1], "", cached, cache_written)
    return by_judge


def budget(text: str) -> tuple[float | None, int | None, int | None]:
    """(money, tokens, calls), two of them None."""
    if match := _COUNT.fullmatch(text.strip()):
        number = int(float(re.sub("[_,]", "", match[1])) * _FACTORS[match[2].lower()])
        return (None, None, number) if match[3][0] in "cC" else (None, number, None)
    money = _amount(text)
    if money is None:
        remedy = "--budget 2.50 in money, 200000tok or 500calls"
        raise _wrong_option("budget", text, "is no budget", remedy)
    return money, None, None


def _amount(text: str) -> float | None:
    try:
        amount = float(text.strip().lstrip("$\N{EURO SIGN}"))
    except ValueError:
        return None
    return amount if 0 <= amount < float("inf") else None


def _wrong_option(option: str, text: str, fault: str, remedy: str) -> InputError:
    return InputError(f"--{option} '{text}' {fault}", remedy)


# What imports the judges, metrics and targets that a user names.
_IMPORTS_WHAT_IS_NAMED: Final = frozenset(("assay.judges.specs", "assay.metrics.custom"))
_IMPORT_SYSTEM: Final = ("importlib", "_frozen_importlib")


def look_here() -> None:
    """Let judges and metrics of the user's own, and what they import, be found where they work.

    Any file there could have the name of a library that is not installed, so that nothing else
    looks for modules there: neither assay for `mcp` nor pandas for `numexpr`. Installed modules
    come first.
    """
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if not isinstance(finder, _WorkingFolder)
    ]
    sys.meta_path.append(_WorkingFolder(Path.cwd()))


class _WorkingFolder:
    """Finds the modules of a folder for those who may import them."""

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
    placeholders = [f"[{item.name}]" for item in example_task(TASKS[kind]).input_texts()]
    if any(placeholder in template.instruction for placeholder in placeholders):
        return []
    fault = f"[{kind}] is verbatim, but shows the judge nothing to judge"
    return [Problem(fault, f"put {' and '.join(placeholders)} into the instruction")]


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
        item, *more_types = typing.get_args(hint)
        if more_types != [...]:  # a pair, of a text and its name, say
            return tuple(_value(name, item_type, number) for item_type in (item, *more_types))
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
