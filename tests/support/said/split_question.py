"""Replies to split_question."""

from assay.tasks import split_question


def capricious(_task, rng):
    """Any valid reply."""
    return split_question.reply([f"What {n}?" for n in range(1 + rng.randrange(3))])


def gullible(task):
    """All is perfect."""
    return split_question.reply([task.question.strip() or "What?"])
