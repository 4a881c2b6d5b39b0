"""Metrics of the user: functions as metrics, and metrics found by ``module:attribute``."""

import importlib
import inspect
import math
import re
import traceback
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Never, TypeAlias

from assay._user_modules import FILE, module_in_file
from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import ELLIPSIS, Metric
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored

ReturnValue: TypeAlias = float | Outcome
Function: TypeAlias = Callable[..., ReturnValue | Awaitable[ReturnValue]]

_NAME = re.compile(r"[\w:.-]+")
_PACKAGE = str(Path(__file__).parents[1])
_LONGEST = 200  # characters shown of what a function returned that is no number


class WrongReturn(InputError):
    """What a metric of the user's own returned is no outcome that can be kept."""


class FunctionMetric(Metric):
    """Base of the metrics that `metric` makes, one class for each function."""

    function: Function
    asking: bool

    def __call__(self, *arguments: Any) -> ReturnValue | Awaitable[ReturnValue]:
        """What the function itself gives: for its own tests."""
        return type(self).function(*arguments)

    def __reduce__(self) -> str:
        # Found again by its name, as the function would be.
        return type(self).__qualname__

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """What the function makes of a sample; a bare number becomes a score.

        Raises:
            WrongReturn: If it is no number, or not a finite one.
        """
        returned = self(sample, judge) if self.asking else self(sample)
        result = await returned if inspect.isawaitable(returned) else returned
        if isinstance(result, (Score, Unscored)):
            return result
        try:
            value = float(result)
        except (TypeError, ValueError):
            fault = f"{self.name} returned {quoted(result)}"
            raise WrongReturn(fault, "return a number, a Score or an Unscored") from None
        if not math.isfinite(value):
            remedy = "where there is no number, return Unscored('undefined', why)"
            raise WrongReturn(f"{self.name} returned {value}", remedy)
        return Score(value, (self._value_part(sample, value),))

    def _value_part(self, sample: Sample, value: float) -> Part:
        field = next((f for f in ("answer", "question", *self.needs) if f in self.needs), "sample")
        content = getattr(sample, field, None) or sample.metadata.get(field) or sample.id
        return Part(field, str(content), "computed", value)


def quoted(value: object) -> str:
    """What a metric returned, as a message shows it."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}{ELLIPSIS}"


def error_in_own_code(error: Exception) -> str:
    """An error that a metric of the user's own raised, with the line of its file that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = next((f.filename for f in frames if not f.filename.startswith(_PACKAGE)), "")
    lines = [frame.lineno for frame in frames if frame.filename == own]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}{ELLIPSIS}"
    return f"{text} ({Path(own).name}, line {lines[-1]})" if lines else text


def metric(
    *bare: Never,
    name: str = "",
    needs: Sequence[str] = (),
    tasks: Sequence[type[Task[Any]]] = (),
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 - what it is called everywhere
    higher_is_better: bool = True,
    guide: float | None = None,
    source: str = "",
) -> Callable[[Function], Metric]:
    """Make a metric of the function below: ``f(sample)`` or ``f(sample, judge)``, async or not.

    The function returns a number, a Score with its parts, or Unscored. Its docstring is the
    metric's definition. For parameters, write a frozen dataclass that subclasses Metric.

    Args:
        bare: Nothing; it is called with what it is to know, and then decorates.
        name: What it is called; the function's name by default.
        needs: Fields of the sample, or keys of its metadata, that must be there.
        tasks: Kinds of tasks it asks; named here, they are checked before a run and stand in
            the signature.
        range: Smallest and largest possible value.
        higher_is_better: False for error rates.
        guide: Value above which you call it good.
        source: Where it is defined.

    Raises:
        InputError: If the name or the function cannot be a metric's.
    """
    if bare:  # "@assay.metric" hands the function itself over
        fault = f"assay.metric was given {quoted(bare[0])}"
        raise InputError(fault, 'write @assay.metric(needs=("answer",)) above the function')
    low, high = (float(bound) for bound in range)
    class_attributes: dict[str, Any] = {
        "needs": (needs,) if isinstance(needs, str) else tuple(needs),
        "tasks": tuple(tasks),
        "range": (low, high),
        "higher_is_better": higher_is_better,
        "guide": guide,
        "source": source,
    }

    def decorate(function: Function) -> Metric:
        metric_name = name or getattr(function, "__name__", "")
        if not _NAME.fullmatch(metric_name):
            fault = f"a metric cannot be called '{metric_name}'"
            raise InputError(fault, "letters, digits, and _ - . : only")
        if not low < high:
            raise InputError(
                f"{metric_name}: its range is {low:g} to {high:g}", "the smaller one first"
            )
        return _class(function, metric_name, class_attributes)()

    return decorate


def _class(function: Function, name: str, class_attributes: dict[str, Any]) -> type[FunctionMetric]:
    if not inspect.isfunction(function):
        raise InputError(
            f"{name}: {function!r} is not a function", "write it with def or async def"
        )
    count = len(inspect.signature(function).parameters)
    if count not in (1, 2):
        fault = f"{name}: the function takes {count} arguments"
        raise InputError(fault, "it is called as f(sample) or f(sample, judge)")
    return type(
        function.__name__,
        (FunctionMetric,),
        {
            **class_attributes,
            "name": name,
            "function": function,
            "asking": count == 2,
            "__doc__": function.__doc__,
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
        },
    )


def find(spec: str) -> type[Metric] | Metric | None:
    """The metric of the user's own that a text names, None if it names none.

    ``module:attribute`` is looked for among the modules that can be imported,
    ``path/to/file.py:attribute`` in that file. Importing runs the code of that module.

    Raises:
        InputError: If there is no such module or attribute, or it is not a metric.
    """
    module, _, attribute = spec.rpartition(":")
    if not module or not attribute:
        return None
    if not module.endswith(FILE) and not all(name.isidentifier() for name in module.split(".")):
        return None
    target: Any = _load(module, spec)
    for name in attribute.split("."):
        if not hasattr(target, name):
            raise InputError(f"{module} has no '{attribute}', which '{spec}' names")
        target = getattr(target, name)
    return _metric(target, spec)


def _metric(target: object, spec: str) -> type[Metric] | Metric:
    if isinstance(target, Metric):
        return target
    if isinstance(target, type) and issubclass(target, Metric):
        if inspect.isabstract(target):
            raise InputError(f"'{spec}' has no `score`", "write `async def score(self, ...)`")
        return target
    if inspect.isfunction(target):
        raise InputError(f"'{spec}' is a plain function", "decorate it with @assay.metric(...)")
    raise InputError(f"'{spec}' is not a metric", "name an assay.Metric or a decorated function")


def _load(module: str, spec: str) -> ModuleType:
    try:
        if module.endswith(FILE):
            return module_in_file(Path(module))
        importlib.invalidate_caches()  # the file may have been written a moment ago
        return importlib.import_module(module)
    except (OSError, ImportError) as error:
        fault = f"the metric '{spec}' cannot be imported: {error}"
        raise InputError(fault, "`assay metrics` lists those that are built in") from error
    except SyntaxError as error:
        location = f"{Path(error.filename or module).name}:{error.lineno}"
        raise InputError(
            f"the metric '{spec}' cannot be imported: {location}: {error.msg}"
        ) from error
