"""Replies to split_statements."""

from assay.tasks import split_statements
from support import scripts


def capricious(_task, rng):
    """Any valid reply."""
    return scripts.split(*(f"Claim {n}." for n in range(rng.randrange(5))))


def gullible(_task):
    """All is perfect."""
    return split_statements.reply([("All is well.", "")])
