"""Traces of running systems, and the questions and answers that they hold.

Spans of OpenInference, of OpenTelemetry's GenAI conventions and of Langfuse are understood, as OTLP
JSON, as the SDK's JSON, as Phoenix or Langfuse export them, and as rows of a table or Parquet file.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.data.columns import recognised
from assay.data.rows import Record
from assay.data.traces.answers import assemble
from assay.data.traces.attributes import Span
from assay.data.traces.formats import is_trace, spans
from assay.errors import Problem

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
    seen = []
    for record in waiting:
        seen.append(record)
        if record.values is not None:
            break
    rows = itertools.chain(seen, waiting)
    values = seen[-1].values if seen else None
    if values is None or not is_trace(values) or _is_named(values, mapping or {}):
        return rows
    return assemble(_spans(rows))


def _is_named(values: Mapping[Any, Any], mapping: Mapping[str, str]) -> bool:
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
