"""What would the same judge say if it were asked once more?"""

from typing import Any

from assay.judge import REPEAT_STRIDE, BackendLike, Reply, Task
from assay.middleware.wrapper import Wrapper


class Again(Wrapper):
    """Asks the same backend for other draws, so that no earlier reply is taken for a new one.

    Args:
        backend: Who is asked.
        times: How often it was asked before; 0 asks as it is.
    """

    def __init__(self, backend: BackendLike, times: int) -> None:
        super().__init__(backend)
        self._times = times

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """A reply that was not given before."""
        return await self._backend.reply(task, draw + self._times * REPEAT_STRIDE)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Nothing: it asks for what is not known yet."""
        del task, draw
        return False
