"""Replies to embed."""

from assay.tasks import embed


def capricious(_task, rng):
    """Any valid reply."""
    return embed.reply([rng.uniform(-1, 1) for _ in range(3)])


def gullible(_task):
    """All is perfect."""
    return embed.reply((1, 0))
