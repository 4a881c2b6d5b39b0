"""Replies to name_entities."""

from assay.tasks import name_entities


def capricious(task, rng):
    """Any valid reply."""
    words = [word for word in task.text.split() if rng.random() < 0.5]
    return name_entities.reply(words + ["Atlantis"] * (rng.random() < 0.5))


def gullible(task):
    """All is perfect."""
    return name_entities.reply(task.text.split() or ["Atlantis"])
