"""What is asked in a batch, what is a batch that was handed in, and how is its file written?"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assay.backends.batch.provider import Line
from assay.store.judges import Batch


@dataclass(frozen=True, slots=True)
class Habits:
    """When a desk does what.

    Attributes:
        quiet: Seconds without a new request after which those that wait are handed in.
        poll: Longest time between two looks at a batch, in seconds.
        most: Requests in a batch, at most.
        most_bytes: Bytes of a batch's file, at most.
    """

    quiet: float = 5.0
    poll: float = 60.0
    most: int = 50_000
    most_bytes: int = 200_000_000


@dataclass(eq=False, slots=True)
class Request:
    """Something asked, and who waits for it.

    Attributes:
        key: What it is called in the batch.
        line: Makes its line of the batch's file.
        answer: What came of it.
    """

    key: str
    line: Callable[[], bytes]
    answer: asyncio.Future[Line]

    def settle(self, line: Line) -> None:
        """Hand over what came."""
        if not self.answer.done():
            self.answer.set_result(line)

    def refuse(self, error: BaseException) -> None:
        """Say why nothing will come."""
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(eq=False, slots=True)
class Submitted:
    """A batch that was handed in, now or by an earlier start.

    Attributes:
        number: Its number in this process, 0 while nobody waits for it.
        kept: What the store knows of it.
        waiting: Requests that wait for it.
        arrived: Replies that nobody asked for yet.
        done: How many requests the provider has dealt with.
        following: What looks at it until it has ended.
    """

    kept: Batch
    number: int = 0
    waiting: dict[str, Request] = field(default_factory=dict)
    arrived: dict[str, Line] = field(default_factory=dict)
    done: int = 0
    following: asyncio.Task[None] | None = None


def write(path: Path, rest: deque[Request], most: int, most_bytes: int) -> list[Request]:
    """Write as many requests as fit into one batch, at least one; they leave the queue."""
    taken: list[Request] = []
    with path.open("wb") as file:
        while rest and len(taken) < most:
            line = rest[0].line() + b"\n"
            if taken and file.tell() + len(line) > most_bytes:
                break
            file.write(line)
            taken.append(rest.popleft())
    return taken
