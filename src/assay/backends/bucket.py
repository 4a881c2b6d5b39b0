"""How long until so much may be used, if there is a bound a minute?"""

import math


class Bucket:
    """A token bucket that gives out reservations: first come, first served, without a queue.

    No minute sees more than `per_minute` (save for a single larger reservation): what may come
    at once and what flows in during that minute add up to it.

    Args:
        per_minute: How much a minute.
        now: The time, in seconds of a monotonic clock.
    """

    def __init__(self, per_minute: float, now: float = -math.inf) -> None:
        self._size = max(1.0, per_minute / 20)
        self._rate = (per_minute - self._size + 1) / 60 if per_minute > 1 else per_minute / 60
        self._level = self._size
        self._at = now

    def reserve(self, amount: float, now: float) -> float:
        """Seconds to wait before this amount may be used; a negative amount is given back."""
        self._level = min(self._size, self._level + (now - self._at) * self._rate) - amount
        self._at = now
        return max(0.0, -self._level / self._rate)
