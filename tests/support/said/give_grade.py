"""Replies to give_grade."""

from assay.tasks import Grade, give_grade


def capricious(task, rng):
    """Any valid reply."""
    grades = [grade for grade, _ in task.grades]
    weights = [rng.random() + 0.01 for _ in grades]
    shares = tuple((g, w / sum(weights)) for g, w in zip(grades, weights, strict=True))
    return give_grade.reply(Grade(rng.choice(grades), "", shares if rng.random() < 0.3 else None))


def gullible(task):
    """All is perfect."""
    return give_grade.reply(Grade(max(grade for grade, _ in task.grades)))
