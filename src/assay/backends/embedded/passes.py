"""How do texts come through a model: several at a time, and equal ones once?

Metrics ask about the same texts in other ways, mostly at the same time. A pass that is known or on
its way is not made again; the last ones are remembered. A pass depends on nothing but its own text,
so nobody can tell.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Generic, TypeVar

Text = TypeVar("Text", bound=Hashable)
Result = TypeVar("Result")


class Passes(Generic[Text, Result]):
    """The passes of one model, and the results of the last ones; safe to use from many threads.

    Args:
        run: One pass; what it returns is shared and must not be changed.
        size: What makes a text long.
        most: How many results are remembered.
    """

    def __init__(
        self, run: Callable[[Text], Result], size: Callable[[Text], int], most: int
    ) -> None:
        self._run = run
        self._size = size
        self._most = most
        self._known: OrderedDict[Text, Future[Result]] = OrderedDict()
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __call__(self, texts: Sequence[Text], threads: int) -> list[Result]:
        """The result for every text, in order, at most so many passes at a time in this process."""
        # The longest first, so that no thread is left alone with a long one at the end.
        longest_first = sorted(set(texts), key=self._size, reverse=True)
        passes = {text: self._pass(text, threads) for text in longest_first}
        return [passes[text].result() for text in texts]

    def forget(self) -> None:
        """Remember nothing."""
        with self._lock:
            self._known.clear()

    def _pass(self, text: Text, threads: int) -> "Future[Result]":
        if self._process != os.getpid():  # forked: what was on its way will never arrive here
            self._lock, self._known, self._process = threading.Lock(), OrderedDict(), os.getpid()
        with self._lock:
            found = self._known.pop(text, None)
            if found is None or (found.done() and found.exception()):
                found = _pool(threads, self._process).submit(self._run, text)
            self._known[text] = found  # behind the others, as the last one that was asked for
            if len(self._known) > self._most:
                self._known.popitem(last=False)
            return found


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a key
    # One for all tasks, so that no more models run at once than there are cores, however many tasks
    # wait; of a forked process its own, as threads do not survive a fork.
    return ThreadPoolExecutor(threads, thread_name_prefix="assay-model")
