"""Is this data a record of a running system, and which questions and answers does it hold?

Spans of OpenInference, of OpenTelemetry's GenAI conventions and of Langfuse are understood, as OTLP
JSON, as the SDK's JSON, as Phoenix or Langfuse export them, and as rows of a table or Parquet file.
"""

import itertools
from collections.abc import Iterable, Iterator

from assay.dataset.record import Record
from assay.dataset.traces.assemble import assembled
from assay.dataset.traces.forms import is_trace, spans
from assay.dataset.traces.span import Span
from assay.errors import Problem

__all__ = ["Span", "assembled", "is_trace", "spans", "understood"]


def understood(records: Iterable[Record]) -> Iterator[Record]:
    """The records as they are; where they are spans, one record for each question answered."""
    waiting = iter(records)
    seen = []
    for record in waiting:
        seen.append(record)
        if record.values is not None:
            break
    rows = itertools.chain(seen, waiting)
    found = seen[-1].values if seen else None
    return assembled(_spans(rows)) if found is not None and is_trace(found) else rows


def _spans(records: Iterable[Record]) -> Iterator[Span | Record]:
    """All spans; a record that holds none stays what it is, with its problem."""
    for record in records:
        if record.values is None:
            yield record
            continue
        try:
            found = list(spans(record.values))
        except RecursionError:
            problem = Problem("is nested too deeply", "flatten it", row=record.number)
            yield Record(record.number, None, problem=problem, text=record.text)
        else:
            yield from found
