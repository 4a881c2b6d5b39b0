"""What do the observations say that Langfuse exports, from its page, its API or to a bucket?"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from assay.dataset.traces.span import Kind, Span, moment
from assay.dataset.traces.vocabulary import documents_in, number

_KINDS: Final[Mapping[str, Kind]] = {
    "GENERATION": "llm",
    "RETRIEVER": "retriever",
    "EMBEDDING": "embedding",
    "TOOL": "tool",
    "CHAIN": "chain",
    "AGENT": "chain",
    "SPAN": "chain",
    "EVENT": "",
    "GUARDRAIL": "",
    "EVALUATOR": "",
}


def is_observation(values: Mapping[Any, Any]) -> bool:
    """Whether a record is an observation, or a trace with its observations."""
    inside = values.get("observations")
    if isinstance(inside, list) and "id" in values:
        return "timestamp" in values and all(map(_is_typed, inside))
    return _is_typed(values) and bool(_first(values, "traceId", "trace_id")) and "id" in values


def _is_typed(values: Any) -> bool:
    return isinstance(values, Mapping) and str(values.get("type") or "").upper() in _KINDS


def spans(values: Mapping[str, Any]) -> Iterator[Span]:
    """The observation, or all those of a trace."""
    inside = values.get("observations")
    if not isinstance(inside, list):
        yield _span(values)
        return
    trace = str(values["id"])
    own = {"traceId": trace, "sessionId": values.get("sessionId")}
    # Without a parent it stands below the trace, which has an input and an output too.
    found = [_span({**own, **item}, below=trace) for item in inside if "id" in item]
    yield from found
    # The trace has no word of its own on how it ended; its last step has.
    steps = sorted((s for s in found if s.parent == trace), key=lambda span: span.start or 0)
    yield Span(
        trace,
        trace,
        name=str(values.get("name") or ""),
        kind="chain",
        start=moment(values.get("timestamp")),
        asked=_opened(values.get("input")),
        said=_opened(values.get("output")),
        session=str(values.get("sessionId") or ""),
        error=steps[-1].error if steps else "",
        metadata=_object(values.get("metadata")),
    )


def _span(values: Mapping[str, Any], below: str = "") -> Span:
    kind = _KINDS.get(str(values.get("type") or "").upper(), "")
    said = _opened(values.get("output"))
    level, message = values.get("level"), _first(values, "statusMessage", "status_message")
    return Span(
        trace=str(_first(values, "traceId", "trace_id")),
        id=str(values["id"]),
        parent=str(_first(values, "parentObservationId", "parent_observation_id") or below),
        name=str(values.get("name") or ""),
        kind=kind,
        start=moment(_first(values, "startTime", "start_time")),
        end=moment(_first(values, "endTime", "end_time")),
        asked=_opened(values.get("input")),
        said=said,
        documents=documents_in(said) if kind == "retriever" else None,
        tokens=_tokens(values),
        cost=number(_first(values, "totalCost", "total_cost", "calculatedTotalCost")),
        session=str(_first(values, "sessionId", "session_id") or ""),
        model=str(_first(values, "model", "providedModelName", "provided_model_name") or ""),
        error=str(message or "error") if level == "ERROR" else "",
        metadata=_object(values.get("metadata")),
    )


def _tokens(values: Mapping[str, Any]) -> int | None:
    usage = _object(_first(values, "usageDetails", "usage_details", "usage")) or {}
    total = number(_first(usage, "total", "totalTokens"))
    if total is None:
        parts = [number(usage.get(name)) for name in ("input", "output")]
        total = number(sum(part for part in parts if part is not None)) or None
    return None if total is None else int(total)


def _first(values: Mapping[str, Any], *keys: str) -> Any:
    return next((values[key] for key in keys if values.get(key) not in (None, "")), None)


def _opened(value: Any) -> Any:
    """The API gives input and output as objects or as JSON text, as they were sent."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _object(value: Any) -> dict[str, Any] | None:
    found = _opened(value)
    return dict(found) if isinstance(found, Mapping) else None
