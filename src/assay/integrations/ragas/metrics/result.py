"""One score as ragas hands it out: a value that also tells its reason."""

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.score import Outcome, Unscored


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
        why = f", reason={self.reason!r}" if self.reason else ""
        return f"MetricResult(value={self._value}{why})"

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
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __hash__(self) -> int:
        return hash(self._value)

    def __eq__(self, other: object) -> bool:
        return bool(self._value == _bare(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self._value < _bare(other))

    def __le__(self, other: Any) -> bool:
        return bool(self._value <= _bare(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self._value > _bare(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self._value >= _bare(other))

    def __add__(self, other: Any) -> Any:
        return self._with(operator.add, other)

    def __radd__(self, other: Any) -> Any:
        return other + self._number()

    def __sub__(self, other: Any) -> Any:
        return self._with(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return other - self._number()

    def __mul__(self, other: Any) -> Any:
        return self._with(operator.mul, other)

    def __rmul__(self, other: Any) -> Any:
        return other * self._number()

    def __truediv__(self, other: Any) -> Any:
        return self._with(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / self._number()

    def _with(self, do: Callable[[Any, Any], Any], other: Any) -> Any:
        return do(self._number(), _bare(other))

    def _number(self) -> float:
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
    said = [f"{part.label}: {part.reason or part.text}" for part in outcome.parts]
    found = {"value": value, **outcome.details}
    return MetricResult(value, "\n".join(said), {"input": dict(row), "output": found})


def why(outcome: Outcome) -> str:
    """Why there is not a number; "" if there is one."""
    return outcome.reason if isinstance(outcome, Unscored) else ""


def _bare(other: Any) -> Any:
    return other.value if isinstance(other, MetricResult) else other
