"""Replies to paper_verdicts."""


def capricious(task, rng):
    """Any valid reply."""
    return "Final verdict: " + " ".join(rng.choice(("Yes.", "No.")) for _ in task.statements)


def gullible(_task):
    """All is perfect."""
    return "Final verdict: Yes."
