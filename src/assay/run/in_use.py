"""Which back ends do several runs use at the same time? The first to end must not close them.

A closed connection breaks the calls of the others, which are then made, and paid for, again.
"""

import asyncio
import threading

from assay.judge import Backend

# By event loop and back end (a back end holds the connections of each loop apart): the runs.
_users: dict[tuple[int, int], set[int]] = {}
_lock = threading.Lock()  # runs may be in several threads, each with a loop of its own


def enter(backend: Backend, run: object) -> None:
    """Say that a run uses a back end in the running loop."""
    with _lock:
        _users.setdefault(_place(backend), set()).add(id(run))


def leave(backend: Backend, run: object) -> bool:
    """Say that a run does so no more; whether nobody else does and it can be closed."""
    with _lock:
        users = _users.get(place := _place(backend), set())
        users.discard(id(run))
        if not users:
            _users.pop(place, None)
        return not users


def reworded_from(reworded: Backend, original: Backend) -> None:
    """Say that one is a copy of the other and shares its connections."""
    vars(reworded)["_shares_with"] = original


def _place(backend: Backend) -> tuple[int, int]:
    shared = getattr(backend, "_shares_with", backend)
    return id(asyncio.get_running_loop()), id(shared)
