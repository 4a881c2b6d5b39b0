"""An event loop whose clock is turned by hand: waiting takes no time, and shows how long it was."""

import asyncio
import selectors


class _Selector(selectors.DefaultSelector):
    loop = None

    def select(self, timeout=None):
        found = super().select(0)
        if not found and timeout:
            self.loop.passed += timeout  # type: ignore[attr-defined]
        return found


class Clock(asyncio.SelectorEventLoop):
    """Where every task sleeps, time leaps to the moment when the first of them wakes."""

    def __init__(self):
        selector = _Selector()
        selector.loop = self
        self.passed = 0.0
        super().__init__(selector)

    def time(self):
        return self.passed


def run(work):
    """The result of a coroutine, and the seconds that it would have taken."""
    clock = Clock()
    with asyncio.Runner(loop_factory=lambda: clock) as runner:
        return runner.run(work), clock.passed
