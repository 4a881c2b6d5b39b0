"""Replies to match_topics."""

from assay.tasks import TopicMatch, match_topics


def capricious(task, rng):
    """Any valid reply."""
    places = [None, *range(len(task.reference_topics))]
    return match_topics.reply([TopicMatch(i, rng.choice(places)) for i in task.ids])


def gullible(task):
    """All is perfect."""
    return match_topics.reply([TopicMatch(i, 0) for i in task.ids])
