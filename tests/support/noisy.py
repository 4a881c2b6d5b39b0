"""A judge that changes its mind now and then when it is asked again."""

import dataclasses
import random

from assay.tasks import Verdict, VerifyStatements
from support.scripts import plausible


class Noisy:
    """Plausible verdicts, each turned round at random with every draw; the same for the same draw.

    Args:
        share: Share of verdicts on statements that are turned round.
        seed: Another seed, other verdicts.
        name: Its name.
    """

    drifts = False

    def __init__(self, share=0.0, seed=0, name="noisy"):
        self.name = name
        self.share = share
        self.seed = seed
        self.asked = []
        self._calm = plausible(name)

    def identity(self, kind):
        return self._calm.identity(kind)

    async def reply(self, task, draw=0):
        self.asked.append((task, draw))
        reply = await self._calm.reply(task, draw)
        if task.kind != "verify_statements":
            return reply
        verdicts = [self._turned(v, task, draw) for v in task.read_some(reply.raw).values()]
        return dataclasses.replace(reply, raw=VerifyStatements.reply(verdicts))

    def _turned(self, verdict, task, draw):
        luck = random.Random(f"{self.seed} {task!r} {draw} {verdict.id}")
        if luck.random() >= self.share:
            return verdict
        return Verdict(verdict.id, not verdict.supported, verdict.reason, contradicted=False)
