"""A judge that other processes can name, and that writes every call into a file.

`ASSAY_TEST_CALLS` names the file.
"""

import asyncio
import os
from pathlib import Path

from support import scripts


def note(kind):
    """Write one call down."""
    with Path(os.environ["ASSAY_TEST_CALLS"]).open("a") as file:
        file.write(f"{kind}\n")


class Counted:
    """Answers plausibly after a moment and notes each call: one line each."""

    name = "counted"

    def __init__(self):
        self._judge = scripts.plausible("counted")

    def identity(self, kind):
        return self._judge.identity(kind)

    async def reply(self, task, draw=0):
        note(task.kind)
        await asyncio.sleep(0.01)
        return await self._judge.reply(task, draw)


judge = Counted()


def say(prompt):
    """A plain function from prompt to text."""
    from support.answers import answer

    return answer(prompt)


nothing = None
