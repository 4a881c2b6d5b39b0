"""Replies to paper_extraction."""


def capricious(task, rng):
    """Any valid reply."""
    return (
        "Insufficient Information"
        if rng.random() < 0.5
        else "\n".join(line for line in task.context.splitlines() if rng.random() < 0.5)
    )


def gullible(task):
    """All is perfect."""
    return task.context or "All."
