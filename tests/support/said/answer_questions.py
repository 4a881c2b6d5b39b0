"""Replies to answer_questions."""

from assay.tasks import ShortAnswer, answer_questions


def capricious(task, rng):
    """Any valid reply."""
    return answer_questions.reply(
        [ShortAnswer(i, rng.choice((None, "In May", "In June 1932"))) for i in task.ids]
    )


def gullible(task):
    """All is perfect."""
    return answer_questions.reply([ShortAnswer(i, "In May") for i in task.ids])
