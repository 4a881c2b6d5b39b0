"""Replies to generate_questions."""

from support import scripts


def capricious(task, rng):
    """Any valid reply."""
    return scripts.questions(*(f"Why {n}?" for n in range(task.n)), noncommittal=rng.random() < 0.5)


def gullible(task):
    """All is perfect."""
    return scripts.questions(*["What?"] * task.n)
