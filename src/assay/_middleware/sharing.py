"""What runs at the same time share: limits of their backends, a budget, and calls on their way."""

import asyncio
from collections.abc import Callable, Hashable
from typing import Any

from assay._middleware.budget import Spending, Usage
from assay._middleware.limiter import ServerState


class SharedLimits:
    """Limits and budget that runs of one event loop keep to together.

    Args:
        spent: What has been spent before, which counts too; None for nothing.

    Attributes:
        spending: What judges have spent.
        embedding: What embedders have, which no budget is about.
        in_flight: By key the replies that one of the runs computes in this process.
    """

    def __init__(self, spent: Usage | None = None) -> None:
        self.spending = Spending(spent or Usage())
        self.embedding = Spending()
        self.in_flight: dict[str, asyncio.Task[Any]] = {}
        self._servers: dict[Hashable, ServerState] = {}

    def server(self, of: Hashable, make: Callable[[], ServerState]) -> ServerState:
        """The state of a server that several backends may stand for, made for the first of them."""
        if of not in self._servers:
            self._servers[of] = make()
        return self._servers[of]
