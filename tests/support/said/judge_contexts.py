"""Replies to judge_contexts."""

from assay.tasks import Usefulness, judge_contexts


def capricious(task, rng):
    """Any valid reply."""
    return judge_contexts.reply([Usefulness(i, rng.random() < 0.5) for i in task.ids])


def gullible(task):
    """All is perfect."""
    return judge_contexts.reply([Usefulness(i, useful=True) for i in task.ids])
