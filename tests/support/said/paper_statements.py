"""Replies to paper_statements."""


def capricious(_task, rng):
    """Any valid reply."""
    return "\n".join(f"Claim {n}." for n in range(1, 1 + rng.randrange(4)))


def gullible(_task):
    """All is perfect."""
    return "All is well."
