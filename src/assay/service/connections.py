"""Which connections bring no request? They are closed, so that they take no place from others."""

import asyncio
import time
from collections.abc import Callable

from aiohttp import web

_LOOK_S = 1.0


class Connections:
    """Closes connections that bring no whole request, and keeps their number bounded.

    aiohttp waits for a request for ever: clients that send a byte a second, or nothing, would
    hold every connection that the machine can have.

    Args:
        patience: Seconds that a connection may take to bring its request, or the next one.
        most: Connections at the same time; of more, those that brought nothing longest go.
        clock: Tells the time, in seconds.
    """

    def __init__(
        self, patience: float, most: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._patience, self._most, self._clock = patience, most, clock
        # Since when each one has brought nothing; None while its request is answered.
        self._idle: dict[web.RequestHandler, float | None] = {}

    def busy(self, connection: web.RequestHandler) -> None:
        """A request came whole, or its head did."""
        self._idle[connection] = None

    def free(self, connection: web.RequestHandler) -> None:
        """It is answered."""
        self._idle[connection] = self._clock()

    async def watch(self, server: web.Server) -> None:
        """Look at the connections of a server once a second, until cancelled."""
        while True:
            self.close_idle(server)
            await asyncio.sleep(_LOOK_S)

    def close_idle(self, server: web.Server) -> None:
        """Close those that have brought nothing for too long, and those that are too many."""
        now, there = self._clock(), server.connections
        self._idle = {one: self._idle.get(one, now) for one in there}
        held = ((self._idle[one], n) for n, one in enumerate(there))
        waiting = sorted((since, n) for since, n in held if since is not None)
        surplus = len(there) - self._most
        for place, (since, n) in enumerate(waiting):
            if place < surplus or now - since > self._patience:
                there[n].force_close()
