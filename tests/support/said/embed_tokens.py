"""Replies to embed_tokens."""

from assay.tasks import embed_tokens


def capricious(task, rng):
    """Any valid reply."""
    tokens = task.text.split()
    return embed_tokens.reply(tokens, [[rng.uniform(-1, 1) for _ in range(3)] for _ in tokens])


def gullible(task):
    """All is perfect."""
    tokens = task.text.split()
    return embed_tokens.reply(tokens, [(1, 0) for _ in tokens])
