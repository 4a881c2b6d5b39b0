"""Replies to paper_question."""


def capricious(_task, rng):
    """Any valid reply."""
    return f"Why {rng.random()}?"


def gullible(_task):
    """All is perfect."""
    return "What?"
