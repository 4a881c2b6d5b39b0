"""Replies to prefer_answer."""

from assay.tasks import Preference, prefer_answer


def capricious(_task, rng):
    """Any valid reply."""
    return prefer_answer.reply(Preference(rng.choice(("first", "second", "tie"))))


def gullible(_task):
    """All is perfect: the answer that it sees first is the best that there is."""
    return prefer_answer.reply(Preference("first"))
