"""Replies to select_sentences."""

from assay.tasks import Choice, select_sentences


def capricious(task, rng):
    """Any valid reply."""
    return select_sentences.reply([Choice(s.id) for s in task.sentences if rng.random() < 0.5])


def gullible(task):
    """All is perfect."""
    return select_sentences.reply([Choice(s.id) for s in task.sentences])
