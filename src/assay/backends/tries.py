"""When is a call that brought nothing not to be made once more?"""

from dataclasses import dataclass
from typing import TypeGuard

from assay.errors import TimedOut, Unavailable

# A call that timed out was maybe paid for, and most likely hangs again.
TIMEOUT_RETRIES = 1
# ... of a call that waited behind others: each time half as many are on their way.
CROWDED_RETRIES = 8
# A call that is refused while others are served is made again this many times as often as usual.
UNLUCKY = 10


@dataclass
class Tried:
    """The tries of a call that brought nothing.

    Attributes:
        counted: Those that count against the retries.
        timeouts: Those that took too long.
        crowded: Those that took too long as they waited behind others.
        refused: Those of which nobody else was served either.
    """

    counted: int = 0
    timeouts: int = 0
    crowded: int = 0
    refused: int = 0

    @property
    def late(self) -> int:
        """All that took too long."""
        return self.timeouts + self.crowded

    def note(self, error: Unavailable, *, down: bool) -> None:
        """Take note of one; `down` says whether nobody is served for now."""
        behind = False
        if down:
            self.refused += 1
        elif isinstance(error, TimedOut):
            behind = error.crowded and self.crowded < CROWDED_RETRIES
            self.timeouts += not behind
            self.crowded += behind
        self.counted += not (down or behind)

    def enough(self, retries: int) -> bool:
        """Whether no further one is to be made."""
        late = self.timeouts > TIMEOUT_RETRIES
        return late or self.counted > retries or self.refused > UNLUCKY * retries


def hung(error: Unavailable) -> TypeGuard[TimedOut]:
    """Whether it took too long to answer, and not to be reached."""
    return isinstance(error, TimedOut) and not error.unreached
