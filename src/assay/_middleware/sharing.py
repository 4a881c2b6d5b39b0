"""What runs at the same time share: limits of their backends, a budget, and calls on their way."""

import asyncio
from collections.abc import Hashable, Sequence
from typing import Any

from assay._middleware.budget import BudgetTracker
from assay._middleware.limiter import Limiter


class SharedLimits:
    """Limits and budget that runs of one event loop keep to together.

    Attributes:
        in_flight: By key the replies that one of the runs computes in this process.
    """

    def __init__(self) -> None:
        self._budgets: Sequence[BudgetTracker] = ()
        self._limiters: dict[Hashable, Limiter] = {}
        self.in_flight: dict[str, asyncio.Task[Any]] = {}

    def share_budgets(self, *own: BudgetTracker) -> None:
        """Have the trackers of a run count together with those of the others, one by one."""
        for one, first in zip(own, self._budgets, strict=False):
            one.join(first)
        self._budgets = self._budgets or own

    def share_limits(self, limiter: Limiter, of: Hashable) -> None:
        """Have a limiter keep to its limits together with the others of the same backend."""
        first = self._limiters.setdefault(of, limiter)
        if first is not limiter:
            limiter.join(first)
