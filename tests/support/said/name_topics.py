"""Replies to name_topics."""

from assay.tasks import name_topics


def capricious(_task, rng):
    """Any valid reply."""
    return name_topics.reply([f"Topic {n}" for n in range(rng.randrange(4))])


def gullible(_task):
    """All is perfect."""
    return name_topics.reply(["All"])
