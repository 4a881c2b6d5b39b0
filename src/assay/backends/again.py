"""What would the same judge say if it were asked once more?"""

from dataclasses import dataclass
from typing import Any

from assay.judge import REPEAT_STRIDE, Backend, Reply, Task


@dataclass(frozen=True)
class Again:
    """Asks the same back end for other draws, so that no reply of before is taken for a new one.

    Attributes:
        backend: Who is asked.
        times: How often it was asked before; 0 asks as it is.
    """

    backend: Backend
    times: int

    @property
    def name(self) -> str:
        """The name of the back end behind it."""
        return self.backend.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The identity of the back end behind it."""
        return self.backend.identity(kind)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """A reply that was not heard before."""
        return await self.backend.reply(task, draw + self.times * REPEAT_STRIDE)
