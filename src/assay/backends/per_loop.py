"""What belongs to one event loop, for objects that several loops use in turn?

A connection pool or a lock serves the loop it was made in. Notebooks, web servers and repeated
`asyncio.run` bring several loops, so such things are made once for each.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """One object a loop, made when it is first asked for.

    Args:
        make: Makes one.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[asyncio.AbstractEventLoop, T] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process, which has loops of its own."""
        return {"_make": self._make, "_made": {}}

    def get(self) -> T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        found = self._made.get(loop)
        if found is None:
            for old in [kept for kept in list(self._made) if kept.is_closed()]:
                self._made.pop(old, None)
            found = self._made[loop] = self._make()
        return found

    def pop(self) -> T | None:
        """The running loop's own, forgotten from now on; None if there is none."""
        return self._made.pop(asyncio.get_running_loop(), None)
