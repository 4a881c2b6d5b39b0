"""How is the garbage collector kept from looking at the same objects again and again?"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# New objects after which it looks. A run makes many that are gone without its help, and few that
# refer to each other in circles.
OFTEN_ENOUGH = 10_000
# Python 3.12 begins with hundreds of frozen objects of its own; someone who freezes has thousands.
FROZEN_BY_PYTHON = 1_000
# All is looked at again once so many times as much is there, as Python itself does it. Blocks of
# memory are counted, not frozen objects: to count these Python walks through all of them, which in
# a process that holds millions took longer than a small run.
GROWN = 1.25


@dataclass
class _Last:
    """What was there after all of it was last looked at."""

    blocks: float = float("inf")


_last = _Last()


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Let it pass over what is there already, and look at what is new less often.

    It took a sixth of a run's processor time, and held the event loop up for as long as it takes to
    look at every module. Afterwards all is as it was. Someone who has settings of their own keeps
    them, another run of this process among them.
    """
    before = gc.get_threshold()
    own = not gc.isenabled() or before[0] >= OFTEN_ENOUGH
    if own or gc.get_freeze_count() > FROZEN_BY_PYTHON:
        yield
        return
    _freeze()
    gc.set_threshold(OFTEN_ENOUGH, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _freeze() -> None:
    """Let the collector pass over what is there, after a look at it where it has grown a lot.

    It comes back as old without ever having been counted as new, so that Python never looks at it:
    what refers to itself would stay, with its threads, for as long as the process lives.
    """
    if sys.getallocatedblocks() > GROWN * _last.blocks:
        gc.collect()
        _last.blocks = sys.getallocatedblocks()
    _last.blocks = min(_last.blocks, sys.getallocatedblocks())
    gc.freeze()
