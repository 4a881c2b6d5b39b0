"""Replies to ask_about_facts."""

from assay.tasks import ask_about_facts


def capricious(_task, rng):
    """Any valid reply."""
    return ask_about_facts.reply([f"What {n}?" for n in range(rng.randrange(4))])


def gullible(task):
    """All is perfect: one question a sentence."""
    return ask_about_facts.reply([f"Why {n}?" for n in range(max(1, task.text.count(".")))])
