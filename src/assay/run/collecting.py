"""How is the garbage collector kept from looking at the same objects again and again?"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# New objects after which it looks. A run makes many that are gone without its help, and few that
# refer to each other in circles.
OFTEN_ENOUGH = 10_000
# Python 3.12 begins with some hundred frozen objects of its own; someone who freezes has thousands.
FROZEN_BY_PYTHON = 1_000


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Let it pass over what is there already, and look at what is new less often.

    It took a sixth of a run's processor time, and held the event loop up for as long as it takes to
    look at every module. Afterwards all is as it was. Someone who has settings of their own keeps
    them, another run of this process among them.
    """
    before = gc.get_threshold()
    frozen = gc.get_freeze_count() > FROZEN_BY_PYTHON
    if frozen or not gc.isenabled() or before[0] >= OFTEN_ENOUGH:
        yield
        return
    gc.freeze()
    gc.set_threshold(OFTEN_ENOUGH, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
