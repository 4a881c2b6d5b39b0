"""How does a judge that is asked in batches answer task by task?

The first request of every kind of task goes out at once and by itself: a wrong key or model, or an
option that the model does not take, shows in a second instead of after a day.
"""

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from assay.backends.batch.desk import Desk
from assay.backends.spending import Purse
from assay.errors import Denied, Unavailable
from assay.judge import Backend, Reply, Task
from assay.middleware.wrapper import Wrapper
from assay.store.keys import reply_key

if TYPE_CHECKING:
    from assay.backends.openai_batch import OpenAIBatch

# Batches that a request is put into, while what became of it may be better another time.
TRIES = 3


class Batched(Wrapper):
    """A back end that hands requests in at a desk.

    Args:
        model: Makes requests and reads replies.
        at_once: The same model, asked call by call.
        desk: Where batches are handed in.
        purse: What may be spent.
    """

    def __init__(self, model: "OpenAIBatch", at_once: Backend, desk: Desk, purse: Purse) -> None:
        super().__init__(model)
        self._model = model
        self._at_once = at_once
        self._desk = desk
        self._purse = purse
        self._tried: set[str] = set()
        self._trying: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._refused: Denied | None = None

    def under_way(self) -> str:
        """What is waited for, in words; "" if nothing is."""
        return self._desk.under_way()

    async def aclose(self) -> None:
        """Stop looking at batches; they go on."""
        await self._desk.aclose()

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The reply, when its batch has ended.

        Raises:
            OverBudget: If the request could exceed the budget.
            Denied: If the provider refuses.
            Unavailable: If no batch brought a reply to this request.
        """
        key = reply_key(self.identity(type(task)) or "", task, draw)
        if not self._desk.knows(key):
            first = await self._first(task, draw)
            if first is not None:
                return first
        hold = await self._purse.room(task)
        try:
            reply = await self._in_batches(key, task, draw)
        finally:
            self._purse.release(hold)
        self._purse.count(reply)
        return reply

    async def _first(self, task: Task[Any], draw: int) -> Reply | None:
        """The reply to the first request of its kind; None to all others."""
        if task.kind in self._tried:
            return None
        async with self._trying[task.kind]:
            if task.kind in self._tried:
                return None
            if self._refused is not None:
                raise self._refused
            try:
                reply = await self._at_once.reply(task, draw)
            except Denied as error:
                self._refused = error
                raise
            except Unavailable as error:
                if error.permanent:
                    raise
                what = f"no batch was submitted, since a single request brought nothing: {error}"
                self._refused = Denied(f"{what} -> the same command goes on from there")
                raise self._refused from error
            self._tried.add(task.kind)
            return reply

    async def _in_batches(self, key: str, task: Task[Any], draw: int) -> Reply:
        attempt = 1
        while True:
            line = await self._desk.ask(key, lambda: self._model.line(key, task, draw))
            try:
                return self._model.read(line, task, draw)
            except Unavailable as error:
                await self._purse.lose((self.identity(type(task)) or "", task, draw), error)
                if error.permanent or attempt == TRIES:
                    raise
            attempt += 1
            self._purse.usage.retries += 1
