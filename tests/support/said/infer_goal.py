"""Replies to infer_goal."""

from assay.tasks import Goal, infer_goal


def capricious(_task, rng):
    """Any valid reply."""
    return infer_goal.reply(Goal(f"Goal {rng.randrange(9)}.", f"Outcome {rng.randrange(9)}."))


def gullible(_task):
    """All is perfect."""
    return infer_goal.reply(Goal("All is well.", "All is well."))
