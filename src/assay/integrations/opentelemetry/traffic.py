"""A span processor that appends a share of a running system's questions to a data set."""

import hashlib
import json
import logging
import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor

from assay.data.traces import Span
from assay.data.traces.answers import answers
from assay.data.traces.attributes import understand
from assay.data.values import plain
from assay.errors import InputError

log = logging.getLogger("assay")
_MAX_QUEUE = 10_000
_MAX_TRACES = 1_000
_MAX_SPANS = 2_000
_TICK = 0.5  # seconds


@dataclass
class _Command:
    """What the thread is told between spans; `done` is set when it is carried out."""

    last: bool
    done: threading.Event = field(default_factory=threading.Event)


class AssaySpanProcessor(SpanProcessor):
    """Appends a share of the questions that the application answers to a JSONL file.

    The application is never held up: a span that ends is put into a queue, or dropped and counted
    where that is full. A thread makes rows of whole traces, a few seconds after their outermost
    span ended. Whether a trace is taken is told by its id, so that all processes take the same.
    Several processes may share the file. Who reads it: `assay run FILE`.

    Args:
        path: The file; made if it is not there, readable by its owner only.
        share: Which share of the traces is taken, in (0, 1].
        linger: Seconds to wait for late spans of a trace.
        patience: Seconds after which a trace is written although its outermost span has not ended.

    Raises:
        InputError: If the share or the file cannot be.
    """

    def __init__(
        self, path: str | Path, *, share: float, linger: float = 5.0, patience: float = 600.0
    ) -> None:
        if not 0 < share <= 1:
            raise InputError(
                f"share is {share}", "give a number above 0 and at most 1: 0.05 for one in twenty"
            )
        target = Path(path)
        if target.is_dir() or not target.parent.is_dir():
            raise InputError(f"'{path}' cannot be written", "name a file in an existing folder")
        self._below = int(share * 2**64)
        self._buffer = TraceBuffer(target, linger, patience, _MAX_TRACES, _MAX_SPANS)
        self._full = 0
        self._closed = False
        self._start()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=partial(_restart_after_fork, weakref.ref(self)))

    @property
    def counts(self) -> "Counts":
        """What became of the traffic so far, in this process."""
        counts = self._buffer.counts
        return replace(counts, dropped_spans=counts.dropped_spans + self._full)

    def on_end(self, span: ReadableSpan) -> None:
        """Take note of a span. Returns at once."""
        context = span.context
        if self._closed or context is None or not self._takes_trace(context.trace_id):
            return
        try:
            self._queue.put_nowait(span)
        except queue.Full:
            with self._counting:
                self._full += 1

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Write all traces whose outermost span has ended; whether that was done in time."""
        return self._send_command(_Command(last=False), timeout_millis / 1000)

    def shutdown(self) -> None:
        """Write all that was taken, and stop."""
        if self._closed:
            return
        self._closed = True
        self._send_command(_Command(last=True), 30.0)
        counts = self.counts
        if counts.dropped_spans or counts.dropped_traces or counts.unwritten:
            log.warning("not all of the traffic was kept: %s", counts)

    def _takes_trace(self, trace: int) -> bool:
        # Not the bits of the id itself, by which the application's own sampler chooses.
        digest = hashlib.blake2b(trace.to_bytes(16), digest_size=8, person=b"assay")
        return int.from_bytes(digest.digest()) < self._below

    def _start(self) -> None:
        self._counting = threading.Lock()
        self._queue: queue.Queue[Any] = queue.Queue(_MAX_QUEUE)
        self._thread = threading.Thread(target=self._work, name="assay-traffic", daemon=True)
        self._thread.start()

    def restart(self) -> None:
        """In a process that was forked off: its own thread, and nothing of what the parent took."""
        if not self._closed:
            self._buffer = replace(self._buffer, counts=Counts(), open={})
            self._full = 0
            self._start()

    def _send_command(self, command: _Command, seconds: float) -> bool:
        if not self._thread.is_alive():
            return False
        try:
            self._queue.put(command, timeout=seconds)
        except queue.Full:
            return False
        return command.done.wait(seconds)

    def _work(self) -> None:
        waiting, buffer = self._queue, self._buffer
        look = time.monotonic() + _TICK
        while True:
            item = None
            with suppress(queue.Empty):
                item = waiting.get(timeout=max(0.0, look - time.monotonic()))
            if isinstance(item, _Command):
                buffer.write_due(rooted=True, every=item.last)
                item.done.set()
                if item.last:
                    return
            elif item is not None:
                buffer.take(item)
            if time.monotonic() >= look:  # to look at all open traces for each span costs too much
                buffer.write_due()
                look = time.monotonic() + _TICK


def _restart_after_fork(processor_ref: "weakref.ref[AssaySpanProcessor]") -> None:
    processor = processor_ref()
    if processor is not None:
        processor.restart()


_UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass
class Counts:
    """What became of the traffic that was taken."""

    written: int = 0  # questions answered that stand in the file
    unreadable: int = 0  # traces that hold something that nobody expected
    without_question: int = 0  # answers that say nowhere in words what was asked
    other: int = 0  # traces that answer no question
    dropped_spans: int = 0  # spans that found the queue, or their trace, full
    dropped_traces: int = 0  # traces that were given up because too many were open
    unwritten: int = 0  # rows that could not be written, because of the disk


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
class TraceBuffer:
    """Holds the spans of open traces, and appends a row for each question answered to a file."""

    path: Path  # the file
    linger: float  # seconds to wait for late spans after the outermost one ended
    patience: float  # seconds after which a trace is written whose outermost span never ends
    max_traces: int  # traces that may be open at once
    max_spans: int  # spans that are kept of one trace
    counts: Counts = field(default_factory=Counts)  # what became of them
    clock: Callable[[], float] = time.monotonic  # seconds that only go forward
    # The traces that are not written yet, by their id.
    open: dict[int, Trace] = field(default_factory=dict)

    def take(self, span: Any) -> None:
        """One span of OpenTelemetry's SDK, ended."""
        key = span.context.trace_id
        trace = self.open.get(key)
        if trace is None:
            self._make_room()
            trace = self.open[key] = Trace(self.clock() + self.patience)
        if len(trace.spans) >= self.max_spans:
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
        if len(self.open) < self.max_traces:
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
            trace_answers = answers([understood(span) for span in spans])
        except _UNEXPECTED as error:  # one odd trace must not end the gathering of all others
            log.warning("trace %032x is left out: %r", spans[0].context.trace_id, error)
            self.counts.unreadable += 1
            return []
        self.counts.other += not trace_answers
        lines = []
        for answer in trace_answers:
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
