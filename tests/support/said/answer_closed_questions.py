"""Replies to answer_closed_questions."""

from assay.tasks import ClosedAnswer, answer_closed_questions


def capricious(task, rng):
    """Any valid reply."""
    return answer_closed_questions.reply([ClosedAnswer(i, rng.random() < 0.5) for i in task.ids])


def gullible(task):
    """All is perfect."""
    return answer_closed_questions.reply([ClosedAnswer(i, yes=True) for i in task.ids])
