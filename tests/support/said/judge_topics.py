"""Replies to judge_topics."""

from assay.tasks import TopicAnswer, judge_topics


def capricious(task, rng):
    """Any valid reply."""
    return judge_topics.reply([TopicAnswer(i, rng.random() < 0.5) for i in task.ids])


def gullible(task):
    """All is perfect."""
    return judge_topics.reply([TopicAnswer(i, answered=True) for i in task.ids])
