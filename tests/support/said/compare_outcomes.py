"""Replies to compare_outcomes."""

from assay.tasks import Comparison, compare_outcomes


def capricious(_task, rng):
    """Any valid reply."""
    return compare_outcomes.reply(Comparison(rng.random() < 0.5))


def gullible(_task):
    """All is perfect."""
    return compare_outcomes.reply(Comparison(reached=True))
