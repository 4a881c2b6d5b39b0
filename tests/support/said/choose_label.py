"""Replies to choose_label."""

from assay.tasks import Label, choose_label


def capricious(task, rng):
    """Any valid reply."""
    return choose_label.reply(Label(rng.choice(task.labels)[0]))


def gullible(task):
    """All is perfect: the last label is the best by custom."""
    return choose_label.reply(Label(task.labels[-1][0]))
