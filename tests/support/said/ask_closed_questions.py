"""Replies to ask_closed_questions."""

from assay.tasks import ClosedQuestion, ask_closed_questions


def capricious(_task, rng):
    """Any valid reply."""
    return ask_closed_questions.reply(
        [ClosedQuestion(f"{n}", f"Is it {n}?") for n in range(rng.randrange(4))]
    )


def gullible(_task):
    """All is perfect."""
    return ask_closed_questions.reply([ClosedQuestion("all", "Is all well?")])
