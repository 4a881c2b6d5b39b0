"""Judges for tests in which they work in other processes."""

import asyncio
import os
import time

from assay.judge import Reply
from assay.judges.embedded.inference import available_cores
from support import scripts


class _Plausible:
    name = "elsewhere"

    def identity(self, kind):
        return scripts.plausible().identity(kind) and self.name

    async def reply(self, task, draw=0):
        return await scripts.plausible(self.name).reply(task, draw)


class Cores(_Plausible):
    """Says in which process it is, and how many cores it may use; nobody can read that.

    Args:
        folder: Where each process leaves its name.
        processes: How many are waited for: one that is up first would do all the work alone.
    """

    name = "cores"
    local = True

    def __init__(self, folder, processes):
        self._folder = folder
        self._processes = processes

    async def reply(self, task, draw=0):
        (self._folder / str(os.getpid())).touch()
        for _ in range(6000):
            if len(list(self._folder.iterdir())) >= self._processes:
                break
            await asyncio.sleep(0.02)
        raw = f"{os.getpid()} {available_cores()}/{draw}"
        return Reply(task.inputs(), raw, backend=self.name, kind=task.kind, draw=draw)


class Timed(_Plausible):
    """Writes down in which process each call was made, and from when to when.

    Args:
        path: The file to write to.
        local: Whether it counts as one that computes by itself.
    """

    def __init__(self, path, *, local=False):
        self._path = path
        self.local = local

    async def reply(self, task, draw=0):
        start = time.time()
        await asyncio.sleep(0.02)
        reply = await super().reply(task, draw)
        with self._path.open("a") as file:
            file.write(f"{os.getpid()} {start} {time.time()}\n")
        return reply


class Homebound(_Plausible):
    """Cannot be made anywhere but where it is."""

    local = True
    home = os.getpid()

    def __reduce__(self):
        return _at_home, (os.getpid(),)


def _at_home(home):
    raise RuntimeError(f"only at home, which is {home}")
