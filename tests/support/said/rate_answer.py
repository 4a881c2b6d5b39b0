"""Replies to rate_answer."""

from assay.tasks import Rating, rate_answer


def capricious(_task, rng):
    """Any valid reply."""
    return rate_answer.reply(Rating(rng.random(), rng.random() < 0.5))


def gullible(_task):
    """All is perfect."""
    return rate_answer.reply(Rating(1.0, noncommittal=False))
