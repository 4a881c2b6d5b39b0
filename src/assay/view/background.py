"""Work that takes too long for a page: done once on a thread of its own, and remembered."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Event, Lock
from typing import Any, Final, TypeVar

T = TypeVar("T")
LARGE: Final = 5000  # what is worked out of so many samples takes seconds
_LATER_S: Final = 0.7


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
        self._closed = Event()

    def get(
        self, key: Hashable, work: Callable[[], T], wait: float = 0.0, *, large: bool = False
    ) -> T | None:
        """The result, None if it is not there within so many seconds; whatever the work raises.

        Args:
            key: What names the result.
            work: Makes it.
            wait: How long to wait for it.
            large: Whether it takes seconds: then the page that asks is made first.
        """
        with self._lock:
            task = partial(self._after, work) if large else work
            future = self._results.pop(key, None) or self._pool.submit(task)
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

    def _after(self, work: Callable[[], T]) -> T:
        self._closed.wait(_LATER_S)
        return work()

    def close(self) -> None:
        """Begin nothing any more, and wait for what is under way."""
        self._closed.set()
        self._pool.shutdown(cancel_futures=True)
