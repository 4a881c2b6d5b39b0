"""Replies to plan_evaluation."""

from assay.tasks import plan_evaluation


def capricious(_task, rng):
    """Any valid reply."""
    return plan_evaluation.reply([f"Step {n}." for n in range(1 + rng.randrange(4))])


def gullible(_task):
    """All is perfect."""
    return plan_evaluation.reply(["Find it perfect."])
