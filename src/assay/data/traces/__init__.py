"""Traces of running systems, and the questions and answers that they hold.

Spans of OpenInference, of OpenTelemetry's GenAI conventions, of Langfuse and of TruLens are
understood, as OTLP JSON, as the SDK's JSON, as these export them, and as rows of a table or Parquet
file.
"""

import base64
import binascii
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from assay.data.columns import recognised
from assay.data.rows import Record
from assay.data.traces.answers import assemble
from assay.data.traces.attributes import (
    Kind,
    Span,
    documents_in,
    first_filled,
    json_object,
    nanoseconds,
    number,
    parse_json,
    understand,
)
from assay.data.values import plain, unboxed
from assay.errors import Problem

_NESTS: Final = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "batches", "spans")
_CERTAIN: Final = _NESTS[:4]
_TIMES: Final = {
    "start": ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"),
    "end": ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"),
}
_PARENTS: Final = (
    *("parentSpanId", "parent_span_id", "parent_id", "parentId", "parent.span_id"),
    "context.parent_id",
)
_EVENT: Final = ("record", "record_attributes")
_BASE64_IDS: Final = {24: 32, 12: 16}
_INT64_DIGITS: Final = 20
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


def is_trace(values: Mapping[Any, Any]) -> bool:
    """Whether a record holds spans rather than a row of a data set."""
    inside = _nest(values)
    if inside is not None:
        certain = any(key in values for key in _CERTAIN)
        return certain or any(isinstance(item, Mapping) and is_trace(item) for item in inside[:1])
    return is_observation(values) or _is_event(values) or _is_span(values)


def spans(values: Mapping[Any, Any]) -> Iterator[Span]:
    """The spans of one record; none if it holds none."""
    inside = _nest(values)
    if inside is not None:
        for item in inside:
            if isinstance(item, Mapping):
                yield from spans(item)
    elif is_observation(values):
        yield from _langfuse_spans(plain(values))  # Arrow and pandas give arrays, dates and NaN
    elif _is_event(values):
        yield _span(_event_span(plain(values)))
    elif all(_ids(values)):
        yield _span(plain(values))


def _nest(values: Mapping[Any, Any]) -> list[Any] | None:
    lists = (unboxed(values[key]) for key in _NESTS if key in values)
    return next((entry for entry in lists if isinstance(entry, list)), None)


def _is_span(values: Mapping[Any, Any]) -> bool:
    """Whether it is a span itself; a row may name the span that it was made of."""
    if not all(_ids(values)) or {"question", "answer"} & {*recognised(map(str, values)).values()}:
        return False
    timed = any(values.get(key) is not None for names in _TIMES.values() for key in names)
    return timed or any(str(key).partition(".")[0] == "attributes" for key in values)


def _is_event(values: Mapping[Any, Any]) -> bool:
    """Whether it is a row of the events that TruLens keeps."""
    return "record_attributes" in values and "trace_id" in (json_object(values.get("trace")) or ())


def _event_span(values: Mapping[str, Any]) -> dict[str, Any]:
    """An event of TruLens as a span of the SDK."""
    record, attributes = (json_object(values.get(key)) or {} for key in _EVENT)
    message = attributes.get("ai.observability.record_root.error")
    return {
        **(json_object(values["trace"]) or {}),
        "name": record.get("name"),
        "start_time": _in_nanoseconds(values.get("start_timestamp")),
        "end_time": _in_nanoseconds(values.get("timestamp")),
        "attributes": attributes,
        "status": {"code": record.get("status"), "message": message},
    }


def _in_nanoseconds(time: Any) -> Any:
    """A time that pandas wrote to JSON, in milliseconds; any other as it is."""
    return time * 10**6 if isinstance(time, int) else time


def _ids(values: Mapping[Any, Any]) -> tuple[str, str]:
    context = values.get("context")
    mappings = [values, context] if isinstance(context, Mapping) else [values]
    ids = []
    for name, camel in (("trace_id", "traceId"), ("span_id", "spanId")):
        keys = (name, camel, f"context.{name}")
        candidates = (mapping.get(key) for mapping in mappings for key in keys)
        ids.append(next((_hex_id(value) for value in candidates if value), ""))
    return ids[0], ids[1]


def _hex_id(value: Any) -> str:
    """An id as hexadecimal digits; some write it with 0x, some the bytes in base64."""
    text = str(value or "").removeprefix("0x")
    if len(text) in _BASE64_IDS:
        with suppress(binascii.Error, ValueError):
            digits = base64.b64decode(text, validate=True).hex()
            return digits if len(digits) == _BASE64_IDS[len(text)] else text
    return text


def _span(values: Mapping[str, Any]) -> Span:
    trace, span_id = _ids(values)
    attributes = _attributes(values)
    times = {
        name: next((nanoseconds(values[key]) for key in keys if values.get(key) is not None), None)
        for name, keys in _TIMES.items()
    }
    return Span(
        trace=trace,
        id=span_id,
        parent=next((_hex_id(values[key]) for key in _PARENTS if values.get(key)), ""),
        name=str(values.get("name") or ""),
        start=times["start"],
        end=times["end"],
        error=_error(values),
        **understand(attributes, str(values.get("span_kind") or "")),
    )


def _attributes(values: Mapping[str, Any]) -> dict[str, Any]:
    recorded = values.get("attributes")
    if isinstance(recorded, str):
        with suppress(ValueError, RecursionError):
            recorded = json.loads(recorded)
    if isinstance(recorded, list):
        recorded = {item["key"]: _value(item.get("value")) for item in recorded if _is_pair(item)}
    attributes = dict(recorded) if isinstance(recorded, Mapping) else {}
    # A table has a column for each attribute.
    attributes |= {
        key.removeprefix("attributes."): value
        for key, value in values.items()
        if key.startswith("attributes.") and value is not None
    }
    return attributes


def _is_pair(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("key"), str)


def _value(value: Any) -> Any:
    """A value as OTLP writes it: under the name of its type."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, content),) = value.items()
    name = str(kind).replace("_", "").lower()
    items = content.get("values") if isinstance(content, Mapping) else None
    items = items if isinstance(items, list) else []
    if name == "intvalue":
        short = isinstance(content, str) and len(content) < _INT64_DIGITS
        return int(content) if short and content.isdecimal() else content
    if name == "arrayvalue":
        return [_value(item) for item in items]
    if name == "kvlistvalue":
        return {item["key"]: _value(item.get("value")) for item in items if _is_pair(item)}
    return content


def _error(values: Mapping[str, Any]) -> str:
    """What the status says where it says that the step failed."""
    status = values.get("status")
    details = status if isinstance(status, Mapping) else {}
    code = details.get("code", details.get("status_code", values.get("status_code")))
    if str(code).upper() not in {"2", "ERROR", "STATUS_CODE_ERROR"}:
        return ""
    messages = (details.get("message"), details.get("description"), values.get("status_message"))
    return next((str(text) for text in messages if text), "error")


def is_observation(values: Mapping[Any, Any]) -> bool:
    """Whether a record is an observation, or a trace with its observations."""
    inside = values.get("observations")
    if isinstance(inside, list) and "id" in values:
        return "timestamp" in values and all(map(_is_typed, inside))
    return _is_typed(values) and bool(_first(values, "traceId", "trace_id")) and "id" in values


def _is_typed(values: Any) -> bool:
    return isinstance(values, Mapping) and str(values.get("type") or "").upper() in _KINDS


def _langfuse_spans(values: Mapping[str, Any]) -> Iterator[Span]:
    observations = values.get("observations")
    if not isinstance(observations, list):
        yield _langfuse_span(values)
        return
    trace = str(values["id"])
    shared = {"traceId": trace, "sessionId": values.get("sessionId")}
    # Without a parent it stands below the trace, which has an input and an output too.
    spans = [
        _langfuse_span({**shared, **item}, below=trace) for item in observations if "id" in item
    ]
    yield from spans
    # The trace has no word of its own on how it ended; its last step has.
    steps = sorted((s for s in spans if s.parent == trace), key=lambda span: span.start or 0)
    yield Span(
        trace,
        trace,
        name=str(values.get("name") or ""),
        kind="chain",
        start=nanoseconds(values.get("timestamp")),
        input=_parse_sent(values.get("input")),
        output=_parse_sent(values.get("output")),
        session=str(values.get("sessionId") or ""),
        error=steps[-1].error if steps else "",
        metadata=json_object(values.get("metadata")),
    )


def _langfuse_span(values: Mapping[str, Any], below: str = "") -> Span:
    kind = _KINDS.get(str(values.get("type") or "").upper(), "")
    output = _parse_sent(values.get("output"))
    level, message = values.get("level"), _first(values, "statusMessage", "status_message")
    return Span(
        trace=str(_first(values, "traceId", "trace_id")),
        id=str(values["id"]),
        parent=str(_first(values, "parentObservationId", "parent_observation_id") or below),
        name=str(values.get("name") or ""),
        kind=kind,
        start=nanoseconds(_first(values, "startTime", "start_time")),
        end=nanoseconds(_first(values, "endTime", "end_time")),
        input=_parse_sent(values.get("input")),
        output=output,
        documents=documents_in(output) if kind == "retriever" else None,
        tokens=_tokens(values),
        cost=number(_first(values, "totalCost", "total_cost", "calculatedTotalCost")),
        session=str(_first(values, "sessionId", "session_id") or ""),
        model=str(_first(values, "model", "providedModelName", "provided_model_name") or ""),
        error=str(message or "error") if level == "ERROR" else "",
        metadata=json_object(values.get("metadata")),
    )


def _tokens(values: Mapping[str, Any]) -> int | None:
    usage = json_object(_first(values, "usageDetails", "usage_details", "usage")) or {}
    total = number(_first(usage, "total", "totalTokens"))
    if total is None:
        counts = [number(usage.get(name)) for name in ("input", "output")]
        total = number(sum(count for count in counts if count is not None)) or None
    return None if total is None else int(total)


def _first(values: Mapping[str, Any], *keys: str) -> Any:
    return first_filled(*(values.get(key) for key in keys))


def _parse_sent(value: Any) -> Any:
    """The API gives input and output as objects or as JSON text, as they were sent."""
    return parse_json(value, ("{", "[", '"'))


__all__ = ["Span", "is_trace", "trace_rows"]


def trace_rows(
    records: Iterable[Record], mapping: Mapping[str, str] | None = None
) -> Iterator[Record]:
    """The records as they are; where they are spans, one record for each question answered.

    Args:
        records: As they were read.
        mapping: Field -> column: rows that hold the question or the answer where it says are none.
    """
    waiting = iter(records)
    head = []
    for record in waiting:
        head.append(record)
        if record.values is not None:
            break
    rows = itertools.chain(head, waiting)
    values = head[-1].values if head else None
    if values is None or not is_trace(values) or _is_mapped(values, mapping or {}):
        return rows
    return assemble(_spans(rows))


def _is_mapped(values: Mapping[Any, Any], mapping: Mapping[str, str]) -> bool:
    return any(mapping.get(field) in values for field in ("question", "answer"))


def _spans(records: Iterable[Record]) -> Iterator[Span | Record]:
    """All spans; a record that holds none stays what it is, with its problem."""
    for record in records:
        if record.values is None:
            yield record
            continue
        try:
            spans_found = list(spans(record.values))
        except RecursionError:
            problem = Problem("is nested too deeply", "flatten it", row=record.number)
            yield Record(record.number, None, problem=problem, text=record.text)
            continue
        if not spans_found and _is_row(record.values):
            remedy = "put rows and spans in separate files"
            problem = Problem("is not a span but appears among spans", remedy, row=record.number)
            yield Record(record.number, None, problem=problem, text=record.raw)
        yield from spans_found


def _is_row(values: Mapping[Any, Any]) -> bool:
    """Whether it has a question and what was made of it; Langfuse's traces have a time too."""
    fields = {*recognised(map(str, values)).values()}
    return {"question", "answer"} <= fields and "timestamp" not in values
