"""Judges that answer every kind of task: at random, or delighted with everything."""

import random

from assay.judges.scripted import Scripted
from assay.tasks import TASKS
from support import said


def capricious(seed, *, faults=0.0):
    """A judge of random verdicts, always the same for a seed; some replies are spoilt."""

    def say(task):
        raw = said.capricious(task, random.Random(f"{seed}{task!r}"))
        spoil = random.Random(f"{seed}fault{task!r}")
        return raw[: len(raw) // 2] if spoil.random() < faults else raw

    return Scripted(dict.fromkeys(TASKS, say))


def gullible():
    """A judge that finds everything perfect, even what is not there."""
    return Scripted(dict.fromkeys(TASKS, said.gullible))
