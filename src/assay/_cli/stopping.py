"""How a command that serves ends: when it is interrupted, or asked to end."""

import asyncio
import signal
from contextlib import suppress


async def until_stopped() -> None:
    """Return when the process is told to end."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: there Ctrl-C interrupts all that is awaited
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, stopped.set)
    await stopped.wait()
