"""Work that takes too long for a page: done once on a thread of its own, and remembered."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """Results by key; the one asked for longest ago is forgotten.

    Args:
        size: Results that are kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="assay-view")
        self._results: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, work: Callable[[], T], wait: float = 0.0) -> T | None:
        """The result, None if it is not there within so many seconds; whatever the work raises."""
        with self._lock:
            future = self._results.pop(key, None) or self._pool.submit(work)
            self._results[key] = future
            if len(self._results) > self._size:
                self._results.popitem(last=False)[1].cancel()
        try:
            result: T = future.result(timeout=wait)
        except TimeoutError:
            return None
        except BaseException:
            with self._lock, suppress(KeyError):
                del self._results[key]  # the next who asks tries again
            raise
        return result

    def close(self) -> None:
        """Begin nothing any more, and wait for what is under way."""
        self._pool.shutdown(cancel_futures=True)
