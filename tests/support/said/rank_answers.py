"""Replies to rank_answers."""

from assay.tasks import Ranking, rank_answers


def capricious(task, rng):
    """Any valid reply."""
    order = list(range(len(task.answers)))
    rng.shuffle(order)
    return rank_answers.reply(Ranking(tuple(order)))


def gullible(task):
    """All is perfect, the first one most of all."""
    return rank_answers.reply(Ranking(tuple(range(len(task.answers)))))
