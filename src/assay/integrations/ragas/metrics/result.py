"""The value of a metric with its reason, and metrics made of functions (ragas 0.4)."""

import inspect
import math
import operator
import types
import typing
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import update_wrapper
from typing import Any

from assay._middleware.concurrency import settled
from assay.integrations.ragas.advice import completed
from assay.score import Outcome, Unscored


def _compared(do: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    return lambda result, operand: bool(do(result.value, _bare(operand)))


def _counted(do: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda result, operand: do(result.number, _bare(operand))


def _counted_from_right(do: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda result, operand: do(operand, result.number)


class MetricResult:
    """A value that counts, compares and reads like the bare value, with the reason beside it.

    Args:
        value: A number, a label or a list; None or NaN where there is none.
        reason: Why, in the judge's words.
        traces: What was given ("input") and found ("output").

    Raises:
        ValueError: If traces have any other key.
    """

    def __init__(
        self, value: Any, reason: str | None = None, traces: Mapping[str, Any] | None = None
    ) -> None:
        wrong = sorted(set(traces or ()) - {"input", "output"})
        if wrong:
            raise ValueError(f"Invalid keys in traces: {wrong}; there are 'input' and 'output'")
        self._value, self.reason, self.traces = value, reason, traces

    @property
    def value(self) -> Any:
        """The bare value."""
        return self._value

    def to_dict(self) -> dict[str, Any]:
        """Value and reason."""
        return {"result": self._value, "reason": self.reason}

    def __repr__(self) -> str:
        reason = f", reason={self.reason!r}" if self.reason else ""
        return f"MetricResult(value={self._value}{reason})"

    def __getattr__(self, name: str) -> Any:
        # Looked for only where the result itself has no such attribute: methods of the value.
        if name.startswith("_"):
            raise AttributeError(f"MetricResult has no attribute '{name}'")
        return getattr(self._value, name)

    def __getitem__(self, key: Any) -> Any:
        return self._value[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._value)

    def __len__(self) -> int:
        return len(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __float__(self) -> float:
        return float(self.number)

    def __int__(self) -> int:
        return int(self.number)

    def __hash__(self) -> int:
        return hash(self._value)

    __eq__, __lt__, __le__ = map(_compared, (operator.eq, operator.lt, operator.le))
    __gt__, __ge__ = map(_compared, (operator.gt, operator.ge))
    __add__, __sub__ = map(_counted, (operator.add, operator.sub))
    __mul__, __truediv__ = map(_counted, (operator.mul, operator.truediv))
    __radd__, __rsub__ = map(_counted_from_right, (operator.add, operator.sub))
    __rmul__, __rtruediv__ = map(_counted_from_right, (operator.mul, operator.truediv))

    @property
    def number(self) -> float:
        """The value where it is a number.

        Raises:
            TypeError: If it is none.
        """
        if not isinstance(self._value, int | float):
            raise TypeError(f"{type(self._value).__name__} is not a number")
        return self._value

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """How pydantic takes it: a bare value becomes a result; JSON holds value and reason."""
        from pydantic_core import core_schema

        def made(value: Any) -> MetricResult:
            return value if isinstance(value, cls) else cls(value)

        def written(result: MetricResult, info: Any) -> Any:
            if info.mode != "json":
                return result
            return {"value": result.value, "reason": result.reason}

        return core_schema.no_info_plain_validator_function(
            made,
            serialization=core_schema.plain_serializer_function_ser_schema(written, info_arg=True),
        )


def result_of(outcome: Outcome, value: Any, row: Mapping[str, Any]) -> MetricResult:
    """An outcome as ragas would hand it out: NaN, with the reason, where there is not a number.

    Args:
        outcome: What was found.
        value: What ragas calls its value.
        row: What it was found for.
    """
    if isinstance(outcome, Unscored):
        return MetricResult(math.nan, why(outcome), {"input": dict(row), "output": {}})
    reasons = [f"{part.label}: {part.reason or part.text}" for part in outcome.parts]
    output = {"value": value, **outcome.details}
    return MetricResult(value, "\n".join(reasons), {"input": dict(row), "output": output})


def why(outcome: Outcome) -> str:
    """Why there is not a number; "" if there is one."""
    return outcome.reason if isinstance(outcome, Unscored) else ""


def _bare(operand: Any) -> Any:
    return operand.value if isinstance(operand, MetricResult) else operand


class FunctionMetric:
    """A function whose values are checked and come with a reason.

    Called like the function it gives what the function gives; `score` and `ascore` take keywords
    and give a `MetricResult`. An error of the function, or a value that is not allowed, is a
    result without a value that says so, as in ragas.

    Args:
        function: The function, plain or async.
        name: What its scores are called.
        allowed_values: A list of labels, the two ends of numbers, a range, or the length of a
            list.
        options: Whatever else was given; kept as attributes.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        allowed_values: Any,
        options: Mapping[str, Any],
    ) -> None:
        update_wrapper(self, function)
        self.function, self.name, self.allowed_values = function, name, allowed_values
        self.__name__ = name
        self.options = dict(options)
        self._signature = inspect.signature(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function itself gives."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        kinds = {list: "DiscreteMetric", int: "RankingMetric"}
        kind = kinds.get(type(self.allowed_values), "NumericMetric")
        names = ", ".join(self._signature.parameters)
        return f"{self.name}({names}) -> {kind}[{self.allowed_values!r}]"

    def score(self, *args: Any, **inputs: Any) -> MetricResult:
        """`ascore` run to completion."""
        return completed(self.ascore(*args, **inputs))

    async def ascore(self, *args: Any, **inputs: Any) -> MetricResult:
        """What the function says of the inputs, checked.

        Raises:
            TypeError: If inputs are positional, missing, or of another type than is annotated.
        """
        arguments = self._checked(args, inputs)
        try:
            result = await settled(self.function(**arguments))
        except (
            ArithmeticError,
            LookupError,
            TypeError,
            ValueError,
            RuntimeError,
            OSError,
        ) as error:
            return MetricResult(None, f"Error executing metric {self.name}: {error}")
        result = result if isinstance(result, MetricResult) else MetricResult(result)
        problem = unwanted(result.value, self.allowed_values)
        return MetricResult(None, f"Metric {self.name} {problem}") if problem else result

    async def abatch_score(self, inputs: list[dict[str, Any]]) -> list[MetricResult]:
        """`ascore` of each."""
        return [await self.ascore(**inputs_of_one) for inputs_of_one in inputs]

    def batch_score(self, inputs: list[dict[str, Any]]) -> list[MetricResult]:
        """`abatch_score` run to completion."""
        return completed(self.abatch_score(inputs))

    def _checked(self, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> dict[str, Any]:
        from pydantic import ConfigDict, ValidationError, create_model

        if args:
            raise TypeError(self._positional(args))
        unknown = sorted(set(inputs) - set(self._signature.parameters))
        if unknown:
            known = ", ".join(sorted(self._signature.parameters))
            message = (
                f"{self.name} received unknown arguments: {', '.join(unknown)}; it takes {known}"
            )
            warnings.warn(message, UserWarning, stacklevel=3)
        form = create_model(
            f"{self.name}_inputs",
            __config__=ConfigDict(arbitrary_types_allowed=True),
            **self._fields(),
        )
        try:
            model = form(**{k: v for k, v in inputs.items() if k not in unknown})
        except ValidationError as error:
            lines = [f"  - {e['loc'][0]}: {e['msg']} (got: {e['input']!r})" for e in error.errors()]
            head = f"Type validation errors for {self.name}:"
            raise TypeError("\n".join([head, *lines])) from None
        return {name: getattr(model, name) for name in self._signature.parameters}

    def _fields(self) -> dict[str, Any]:
        try:
            hints = typing.get_type_hints(self.function)
        except NameError:  # an annotation that only a type checker can see
            hints = {}
        return {
            name: (_hint(parameter, hints.get(name, Any)), _default(parameter, hints.get(name)))
            for name, parameter in self._signature.parameters.items()
        }

    def _positional(self, args: tuple[Any, ...]) -> str:
        names = list(self._signature.parameters)
        arguments_shown = [
            f"{name}={args[index]!r}" if index < len(args) else f"{name}=..."
            for index, name in enumerate(names)
        ]
        shown_args = ", ".join(map(repr, args))
        return (
            f"{self.name}.score() requires keyword arguments, not positional.\n"
            f"You provided: score({shown_args})\nCorrect usage: score({', '.join(arguments_shown)})"
        )


def _hint(parameter: inspect.Parameter, hint: Any) -> Any:
    untyped = parameter.annotation is inspect.Parameter.empty
    has_default = parameter.default not in (inspect.Parameter.empty, None)
    return type(parameter.default) if untyped and has_default else hint


def _default(parameter: inspect.Parameter, hint: Any) -> Any:
    if parameter.default is not inspect.Parameter.empty:
        return parameter.default
    either = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return None if either and type(None) in typing.get_args(hint) else ...


def unwanted(value: Any, allowed: Any) -> str:
    """What is wrong with a value of a metric; "" if it is allowed."""
    returned = f"returned '{value}' but expected"
    if isinstance(allowed, list):
        return "" if value in allowed else f"{returned} one of {allowed}"
    if isinstance(allowed, int):
        if not isinstance(value, list):
            return f"{returned} a list"
        right = len(value) == allowed
        return "" if right else f"returned list of length {len(value)} but expected {allowed} items"
    if not isinstance(value, int | float):
        return f"{returned} a numeric value"
    inside = value in allowed if isinstance(allowed, range) else allowed[0] <= value <= allowed[1]
    return "" if inside else f"returned {value} but expected value in range {allowed}"


Decorated = Callable[[Callable[..., Any]], FunctionMetric]


def discrete_metric(
    *, name: str | None = None, allowed_values: list[str] | None = None, **options: Any
) -> Decorated:
    """A function whose values are labels, by default "pass" and "fail"."""
    return _metric_made(name, allowed_values or ["pass", "fail"], options)


def numeric_metric(
    *, name: str | None = None, allowed_values: Any = (0.0, 1.0), **options: Any
) -> Decorated:
    """A function whose values are numbers between two ends, or of a range."""
    return _metric_made(name, allowed_values, options)


def ranking_metric(
    *, name: str | None = None, allowed_values: int = 2, **options: Any
) -> Decorated:
    """A function whose values are lists of a length."""
    return _metric_made(name, allowed_values, options)


def _metric_made(name: str | None, allowed: Any, options: Mapping[str, Any]) -> Decorated:
    def made(function: Callable[..., Any]) -> FunctionMetric:
        metric_name = name or str(getattr(function, "__name__", "metric"))
        return FunctionMetric(function, metric_name, allowed, options)

    return made
