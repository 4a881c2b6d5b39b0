"""Tool calls, latency and cost, as the data records them: nobody is asked."""

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, ClassVar

from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.conversation import as_json, call
from assay.metrics.correctness import f_beta
from assay.sample import Sample, ToolCall
from assay.score import Outcome, Part, Score, Unscored

NOTHING = Unscored("undefined", "no tool was called, and none should have been")
_TIE = 1e-9  # less than any argument counts


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that was made, and in which turn (counted from 1)."""

    call: ToolCall
    turn: int


def assistant_calls(sample: Sample) -> list[_Call]:
    """The calls of all turns of the assistant, in order."""
    return [
        _Call(tool_call, number)
        for number, turn in enumerate(sample.turns or (), start=1)
        if turn.role == "assistant"
        for tool_call in turn.tool_calls
    ]


def canonical(value: Any) -> str:
    """Equal for equal values: 2 is 2.0 but neither "2" nor True; the order of keys is no matter."""
    return json.dumps(_normal(value), sort_keys=True, default=str)


def _normal(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _normal(item) for key, item in value.items()}
    return [_normal(item) for item in value] if isinstance(value, list | tuple) else value


def matched(actual: Mapping[str, Any], expected: Mapping[str, Any]) -> tuple[float, str]:
    """Share of the expected arguments that have the same value, and what differs."""
    faults = []
    for name, value in expected.items():
        if name not in actual:
            faults.append(f"{name}: not given instead of {as_json(value)}")
        elif canonical(actual[name]) != canonical(value):
            faults.append(f"{name}: {as_json(actual[name])} instead of {as_json(value)}")
    surplus = [name for name in actual if name not in expected]
    share = (len(expected) - len(faults)) / len(expected) if expected else float(not surplus)
    counted = "" if not expected else " (not counted)"
    faults += [f"{name}: {as_json(actual[name])} was not asked for{counted}" for name in surplus]
    return share, "; ".join(faults)


@dataclass(frozen=True)
class ToolCallAccuracy(Metric):
    """Share of the arguments of the expected tool calls that were right, if the right tools ran.

    Mean over the expected calls of (arguments with the same value / arguments expected), and 0 if
    the names of the tools called are not those expected, in the same order; in [0, 1] (RAGAS,
    ToolCallAccuracy). Unexpected arguments count only if no argument was expected. Values are
    compared as values: 2 is 2.0 but not "2", and objects have no order. If the order is free, the
    calls of a tool are paired with the expected ones so that the mean is maximal. Undefined if no
    tool was expected and none was called; 0 if only one of the two.

    Args:
        strict_order: Whether the order of the calls counts.
    """

    strict_order: bool = True

    name = "tool_call_accuracy"
    source = RAGAS_DOCS
    needs = ("turns", "reference_tool_calls")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Compare names first, then arguments; nobody is asked."""
        del judge
        calls, expected_calls = assistant_calls(sample), sample.reference_tool_calls or ()
        if not calls and not expected_calls:
            return NOTHING
        names, expected = [m.call.name for m in calls], [call.name for call in expected_calls]
        aligned = names == expected
        in_order = self.strict_order and aligned
        if not self.strict_order:
            aligned = Counter(names) == Counter(expected)
        pairing = list(range(len(expected_calls))) if in_order else pairs(calls, expected_calls)
        parts = _call_parts(calls, expected_calls, pairing, aligned=aligned)
        shares = [part.value or 0.0 for part in parts[: len(expected_calls)]]
        value = sum(shares) / len(shares) if aligned else 0.0
        tools = "as expected" if aligned else f"{', '.join(names)} for {', '.join(expected)}"
        return Score(value, tuple(parts), details={"tools": tools})


def pairs(calls: Sequence[_Call], expected: Sequence[ToolCall]) -> list[int | None]:
    """For each expected call the place of a call of that tool, so that all together fit best."""
    from scipy.optimize import linear_sum_assignment

    pairing: list[int | None] = [None] * len(expected)
    for name in dict.fromkeys(reference_call.name for reference_call in expected):
        expected_indices = [
            index for index, reference_call in enumerate(expected) if reference_call.name == name
        ]
        places_called = [
            index for index, made_call in enumerate(calls) if made_call.call.name == name
        ]
        # Where two ways fit alike, calls stay in their places.
        fit = [
            [
                matched(calls[call_index].call.args, expected[expected_index].args)[0]
                + _TIE * (call_index == expected_index)
                for call_index in places_called
            ]
            for expected_index in expected_indices
        ]
        if places_called:
            for row, column in zip(*linear_sum_assignment(fit, maximize=True), strict=True):
                pairing[expected_indices[row]] = places_called[column]
    return pairing


def _call_parts(
    calls: Sequence[_Call],
    expected_calls: Sequence[ToolCall],
    pairing: Sequence[int | None],
    *,
    aligned: bool,
) -> list[Part]:
    """One part for each expected call, then one for each that nobody asked for."""
    parts = []
    for expected, call_index in zip(expected_calls, pairing, strict=True):
        if call_index is None:
            parts.append(Part("tool call", call(expected), "missing", 0.0))
            continue
        share, faults = matched(calls[call_index].call.args, expected.args)
        label = "matched" if share == 1 else "partly matched" if share else "wrong arguments"
        description = f"turn {calls[call_index].turn}: {call(calls[call_index].call)}"
        reason = f"{description}; {faults}" if faults else description
        parts.append(Part("tool call", call(expected), label, share * aligned, reason))
    for call_index, made_call in enumerate(calls):
        if call_index not in pairing:
            reason = f"turn {made_call.turn}: not among the expected calls"
            parts.append(Part("other tool call", call(made_call.call), "unexpected", reason=reason))
    return parts


@dataclass(frozen=True)
class ToolCallF1(Metric):
    """F1 of the tool calls made against those expected, compared in full: tool and all arguments.

    F1 = 2 TP / (2 TP + FP + FN) over the distinct calls, in any order; in [0, 1] (RAGAS,
    ToolCallF1). Values are compared as values: 2 is 2.0 but not "2", and objects have no order.
    Undefined if no tool was expected and none was called.

    Args:
        repeats: Whether a call that is made or expected twice counts twice; in RAGAS it does not.
    """

    repeats: bool = False

    name = "tool_call_f1"
    source = RAGAS_DOCS
    needs = ("turns", "reference_tool_calls")

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Count the calls; nobody is asked."""
        del judge
        calls = self._count_calls([m.call for m in assistant_calls(sample)])
        expected = self._count_calls(sample.reference_tool_calls or ())
        if not calls and not expected:
            return NOTHING
        matched_count = (calls & expected).total()
        precision = matched_count / calls.total() if calls else 0.0
        recall = matched_count / expected.total() if expected else 0.0
        counts = {
            "TP": matched_count,
            "FP": calls.total() - matched_count,
            "FN": expected.total() - matched_count,
        }
        details = {"precision": precision, "recall": recall, **counts}
        return Score(
            f_beta(precision, recall), self._tool_call_parts(sample, calls, expected), "", details
        )

    def _count_calls(self, calls: Sequence[ToolCall]) -> Counter[tuple[str, str]]:
        counts = Counter(_identity(call) for call in calls)
        return counts if self.repeats else Counter(dict.fromkeys(counts, 1))

    def _tool_call_parts(
        self,
        sample: Sample,
        calls: Counter[tuple[str, str]],
        expected_counts: Counter[tuple[str, str]],
    ) -> tuple[Part, ...]:
        hits, free, left = calls & expected_counts, calls - expected_counts, expected_counts.copy()
        parts = []
        for expected in sample.reference_tool_calls or ():
            if not left[_identity(expected)]:
                continue  # counted once
            matched = hits[_identity(expected)] > 0
            left[_identity(expected)] -= 1
            hits[_identity(expected)] -= 1
            label = "matched" if matched else "missing"
            parts.append(Part("tool call", call(expected), label, float(matched)))
        for made_call in assistant_calls(sample):
            if free[_identity(made_call.call)] > 0:
                free[_identity(made_call.call)] -= 1
                turn = f"turn {made_call.turn}"
                parts.append(Part("other tool call", call(made_call.call), "unexpected", 0.0, turn))
        return tuple(parts)


def _identity(tool_call: ToolCall) -> tuple[str, str]:
    return tool_call.name, canonical(tool_call.args)


SOURCE = "operations of the RAG system, as its data records them"


@dataclass(frozen=True)
class Recorded(Metric):
    """Base of the metrics that are read off the sample. There is no upper end to them."""

    source = SOURCE
    range = (0.0, inf)
    higher_is_better = False
    counts: ClassVar[str]

    @abstractmethod
    def recorded(self, sample: Sample) -> float | None:
        """What the sample says."""

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The value itself."""
        del judge
        value = self.recorded(sample)
        if value is None:
            return Unscored("undefined", f"no {self.needs[0]} is recorded")
        if not isfinite(value) or value < 0:
            return Unscored("undefined", f"{self.needs[0]} is {value}, which is impossible")
        return Score(float(value), (Part("operation", f"{self.needs[0]} {value:g}", self.counts),))


@dataclass(frozen=True)
class Latency(Recorded):
    """Time that the RAG system took for the answer, in milliseconds.

    `latency_ms` of the sample; 0 or more, lower is better. The mean says little about the slowest
    answers, so the summary also shows the 50th, 95th and 99th percentile. Undefined if the sample
    has none.
    """

    name = "latency"
    needs = ("latency_ms",)
    counts = "milliseconds"
    unit = "ms"

    def recorded(self, sample: Sample) -> float | None:
        """Its latency."""
        return sample.latency_ms


@dataclass(frozen=True)
class CostPerQuery(Recorded):
    """Money that the RAG system spent on the answer, in the currency of the data.

    `cost` of the sample; 0 or more, lower is better. The run reports the cost of the evaluation
    itself separately. Undefined if the sample has none.
    """

    name = "cost_per_query"
    needs = ("cost",)
    counts = "cost"

    def recorded(self, sample: Sample) -> float | None:
        """Its cost."""
        return sample.cost


@dataclass(frozen=True)
class TokensPerQuery(Recorded):
    """Tokens that the RAG system spent on the answer.

    `tokens` of the sample; 0 or more, lower is better. Undefined if the sample has none.
    """

    name = "tokens_per_query"
    needs = ("tokens",)
    counts = "tokens"

    def recorded(self, sample: Sample) -> float | None:
        """Its tokens."""
        return sample.tokens
