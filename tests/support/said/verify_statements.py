"""Replies to verify_statements."""

from assay.tasks import Verdict, verify_statements


def capricious(task, rng):
    """Any valid reply."""
    return verify_statements.reply(
        [
            Verdict(
                i,
                rng.random() < 0.5,
                probability=rng.random(),
                contradicted=rng.choice((True, False, None)),
            )
            for i in task.ids
        ]
    )


def gullible(task):
    """All is perfect."""
    return verify_statements.reply(
        [Verdict(i, supported=True, contradicted=False) for i in task.ids]
    )
