"""A judge behind a name whose provider says which model answered."""

import dataclasses
import itertools

from assay.judge import AttributeBackend
from support.scripts import plausible


class Served(AttributeBackend):
    """A judge behind a name, whose replies are of these models by turns."""

    def __init__(self, *models, name="openai:gpt-4o"):
        self._name, self._said, self._models = name, plausible(), itertools.cycle(models)

    @property
    def name(self):
        return self._name

    def identity(self, kind):
        return self._said.identity(kind) and f"{self._name}#{kind.kind}"

    async def reply(self, task, draw=0):
        reply = await self._said.reply(task, draw)
        return dataclasses.replace(
            reply, backend=self.identity(type(task)), model=next(self._models)
        )
