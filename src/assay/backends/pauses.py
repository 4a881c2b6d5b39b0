"""How long is nobody to ask a server that refuses everybody, and says not for how long?"""

import math

# A pause that brought nothing is followed by one so many times as long. With the usual limits
# (half a second at first, five times again) they are a minute together, and so are most limits.
GROWTH = 3.0
LONGEST_S = 60.0


class Pauses:
    """Pauses that all calls make, each longer than the one before while nobody is served.

    All times are of one clock.

    Args:
        first: Seconds of the first.
        most: How many in a row.
        lost: Refusals in a row without a pause after that, before all begins anew.
    """

    def __init__(self, first: float, most: int, lost: int) -> None:
        self._first, self._most, self._lost = first, most, lost
        self._row: list[float] = []

    @property
    def in_vain(self) -> int:
        """Refusals in a row; those of calls that were on their way together count once."""
        return len(self._row)

    @property
    def since(self) -> float:
        """When the first of them came."""
        return self._row[0] if self._row else math.inf

    @property
    def until(self) -> float:
        """When the pause ends that the last of them began."""
        if not 0 < self.in_vain <= self._most:
            return -math.inf
        return self._row[-1] + min(LONGEST_S, self._first * GROWTH ** (self.in_vain - 1))

    def refused(self, sent: float, now: float) -> None:
        """Take note of a refusal of a call that was sent at `sent`."""
        if self._row and sent < self._row[-1]:
            return
        if self.in_vain >= self._most + self._lost:
            self._row.clear()
        self._row.append(now)

    def replied(self, sent: float) -> None:
        """Take note of a reply to a call that was sent at `sent`."""
        self._row = [at for at in self._row if at > sent]
