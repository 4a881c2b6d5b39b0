"""Which back ends do several runs use at the same time? The first to end must not close them.

A closed connection breaks the calls of the others, which are then made, and paid for, again.
"""

import asyncio
import threading
import weakref

from assay.judge import Backend

# By event loop and back end (a back end holds the connections of each loop apart): the runs.
_users: dict[tuple[int, int], set[int]] = {}
# Of a copy, by its id, the back end that it is a copy of.
_originals: dict[int, Backend] = {}
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
    _originals[id(reworded)] = original
    weakref.finalize(reworded, _originals.pop, id(reworded), None)


def _place(backend: Backend) -> tuple[int, int]:
    shared = _originals.get(id(backend), backend)
    return id(asyncio.get_running_loop()), id(shared)
