"""When is a trace whole, and what is written of it? The half of the work that may take time."""

import json
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.data.traces import Span
from assay.data.traces.answers import answers
from assay.data.traces.attributes import understand
from assay.data.values import plain

log = logging.getLogger("assay")
_UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass
class Counts:
    """What became of the traffic that was taken.

    Attributes:
        written: Questions answered that stand in the file.
        unreadable: Traces that hold something that nobody expected.
        without_question: Answers that say nowhere in words what was asked.
        other: Traces that answer no question.
        dropped_spans: Spans that found the queue, or their trace, full.
        dropped_traces: Traces that were given up because too many were open.
        unwritten: Rows that could not be written, because of the disk.
    """

    written: int = 0
    unreadable: int = 0
    without_question: int = 0
    other: int = 0
    dropped_spans: int = 0
    dropped_traces: int = 0
    unwritten: int = 0


@dataclass
class Trace:
    """A trace while it is gathered.

    Attributes:
        due: When it is written, in seconds of the monotonic clock.
        spans: What has ended so far.
        rooted: Whether its outermost span here has ended.
    """

    due: float
    spans: list[Any] = field(default_factory=list)
    rooted: bool = False


@dataclass
class Gathering:
    """Holds the spans of open traces, and appends a row for each question answered to a file.

    Attributes:
        path: The file.
        linger: Seconds to wait for late spans after the outermost one ended.
        patience: Seconds after which a trace is written whose outermost span never ends.
        most_traces: Traces that may be open at once.
        most_spans: Spans that are kept of one trace.
        counts: What became of them.
        clock: Seconds that only go forward.
        open: The traces that are not written yet, by their id.
    """

    path: Path
    linger: float
    patience: float
    most_traces: int
    most_spans: int
    counts: Counts = field(default_factory=Counts)
    clock: Callable[[], float] = time.monotonic
    open: dict[int, Trace] = field(default_factory=dict)

    def take(self, span: Any) -> None:
        """One span of OpenTelemetry's SDK, ended."""
        key = span.context.trace_id
        trace = self.open.get(key)
        if trace is None:
            self._make_room()
            trace = self.open[key] = Trace(self.clock() + self.patience)
        if len(trace.spans) >= self.most_spans:
            self.counts.dropped_spans += 1
        else:
            trace.spans.append(span)
        if span.parent is None or span.parent.is_remote:
            trace.rooted = True
        trace.due = self.clock() + (self.linger if trace.rooted else self.patience)

    def write_due(self, *, rooted: bool = False, every: bool = False) -> None:
        """Write the traces that are due; with `rooted` all whose outermost span ended."""
        now = self.clock()
        ready = [
            key
            for key, trace in self.open.items()
            if every or trace.due <= now or (rooted and trace.rooted)
        ]
        self._write(ready)

    def _make_room(self) -> None:
        """Write the oldest trace now if its outermost span ended, else give it up."""
        if len(self.open) < self.most_traces:
            return
        oldest = next(iter(self.open))
        if self.open[oldest].rooted:
            self._write([oldest])
        else:
            del self.open[oldest]
            self.counts.dropped_traces += 1

    def _write(self, keys: Sequence[int]) -> None:
        lines = [line for key in keys for line in self._lines(self.open.pop(key).spans)]
        if lines:
            self._append(lines)

    def _lines(self, spans: Sequence[Any]) -> list[str]:
        try:
            found = answers([understood(span) for span in spans])
        except _UNEXPECTED as error:  # one odd trace must not end the gathering of all others
            log.warning("trace %032x is left out: %r", spans[0].context.trace_id, error)
            self.counts.unreadable += 1
            return []
        self.counts.other += not found
        lines = []
        for answer in found:
            values = answer.values()
            if "question" not in values:
                self.counts.without_question += 1
                continue
            # One trace may be written in parts, so its id is not enough.
            values["id"] = f"{answer.tops[0].trace}:{answer.tops[0].id}"
            lines.append(json.dumps(plain(values), ensure_ascii=False) + "\n")
        return lines

    def _append(self, lines: Sequence[str]) -> None:
        """In one write, so that processes may share the file; for the owner's eyes only."""
        try:
            file = os.open(self.path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
            try:
                os.write(file, "".join(lines).encode())
            finally:
                os.close(file)
        except OSError as error:
            if not self.counts.unwritten:
                log.warning("traffic cannot be written to %s: %s", self.path, error)
            self.counts.unwritten += len(lines)
        else:
            self.counts.written += len(lines)


def understood(span: Any) -> Span:
    """A span of OpenTelemetry's SDK, understood."""
    status = span.status
    failed = status.status_code.name == "ERROR"
    return Span(
        trace=f"{span.context.trace_id:032x}",
        id=f"{span.context.span_id:016x}",
        parent=f"{span.parent.span_id:016x}" if span.parent else "",
        name=span.name,
        start=span.start_time,
        end=span.end_time,
        error=(status.description or "error") if failed else "",
        **understand(plain(span.attributes or {})),
    )
