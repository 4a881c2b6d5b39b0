"""What judges may say to each kind of task, one file a task.

Each has `capricious(task, rng)`, a valid reply drawn at random, and `gullible(task)`, the reply
that finds everything perfect.
"""

import importlib


def of(task):
    """The replies to this kind of task."""
    return importlib.import_module(f"{__name__}.{task.kind}")
