"""How does a share of the questions that a running system answers become a data set?"""

import hashlib
import logging
import os
import queue
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.integrations.opentelemetry.gathering import Counts, Gathering

try:
    from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
except ImportError as error:
    raise InputError("this needs OpenTelemetry's SDK", "pip install 'assay[otel]'") from error

log = logging.getLogger("assay")
_LONGEST_QUEUE = 10_000
_MOST_TRACES = 1_000
_MOST_SPANS = 2_000
_TICK = 0.5  # seconds


@dataclass
class _Order:
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
        self._gathering = Gathering(target, linger, patience, _MOST_TRACES, _MOST_SPANS)
        self._full = 0
        self._closed = False
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=partial(_begin_again, weakref.ref(self)))

    @property
    def counts(self) -> Counts:
        """What became of the traffic so far, in this process."""
        counts = self._gathering.counts
        return replace(counts, dropped_spans=counts.dropped_spans + self._full)

    def on_end(self, span: ReadableSpan) -> None:
        """Take note of a span. Returns at once."""
        context = span.context
        if self._closed or context is None or not self._takes(context.trace_id):
            return
        try:
            self._queue.put_nowait(span)
        except queue.Full:
            with self._counting:
                self._full += 1

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Write all traces whose outermost span has ended; whether that was done in time."""
        return self._tell(_Order(last=False), timeout_millis / 1000)

    def shutdown(self) -> None:
        """Write all that was taken, and stop."""
        if self._closed:
            return
        self._closed = True
        self._tell(_Order(last=True), 30.0)
        counts = self.counts
        if counts.dropped_spans or counts.dropped_traces or counts.unwritten:
            log.warning("not all of the traffic was kept: %s", counts)

    def _takes(self, trace: int) -> bool:
        # Not the bits of the id itself, by which the application's own sampler chooses.
        digest = hashlib.blake2b(trace.to_bytes(16), digest_size=8, person=b"assay")
        return int.from_bytes(digest.digest()) < self._below

    def _begin(self) -> None:
        self._counting = threading.Lock()
        self._queue: queue.Queue[Any] = queue.Queue(_LONGEST_QUEUE)
        self._thread = threading.Thread(target=self._work, name="assay-traffic", daemon=True)
        self._thread.start()

    def begin_again(self) -> None:
        """In a process that was forked off: its own thread, and nothing of what the parent took."""
        if not self._closed:
            self._gathering = replace(self._gathering, counts=Counts(), open={})
            self._full = 0
            self._begin()

    def _tell(self, order: _Order, seconds: float) -> bool:
        if not self._thread.is_alive():
            return False
        try:
            self._queue.put(order, timeout=seconds)
        except queue.Full:
            return False
        return order.done.wait(seconds)

    def _work(self) -> None:
        waiting, gathering = self._queue, self._gathering
        look = time.monotonic() + _TICK
        while True:
            item = None
            with suppress(queue.Empty):
                item = waiting.get(timeout=max(0.0, look - time.monotonic()))
            if isinstance(item, _Order):
                gathering.write_due(rooted=True, every=item.last)
                item.done.set()
                if item.last:
                    return
            elif item is not None:
                gathering.take(item)
            if time.monotonic() >= look:  # to look at all open traces for each span costs too much
                gathering.write_due()
                look = time.monotonic() + _TICK


def _begin_again(held: "weakref.ref[AssaySpanProcessor]") -> None:
    processor = held()
    if processor is not None:
        processor.begin_again()
