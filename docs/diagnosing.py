"""The tables of the diagnosis page: every cause with what tells it, every pattern."""  # noqa: INP001

from assay._analysis.diagnosis import CAUSES, PATTERNS, REMEDIES


def causes() -> str:
    """One row a cause, in the order in which the main one is chosen."""
    rows = ["| cause | what was found | what tells it |", "|:---|:---|:---|"]
    rows += [f"| {c.title} | {c.means} | {c.needs} |" for c in CAUSES.values()]
    tries = ["", "| what to try | touches |", "|:---|:---|"]
    for remedy in REMEDIES:
        touched = ", ".join(CAUSES[cause].title for cause in remedy.causes)
        tries.append(f"| {remedy.advice} | {touched} |")
    return "\n".join([*rows, *tries])


def patterns() -> str:
    """One row a pattern."""
    rows = ["| pattern | what it is a sign of | what to try |", "|:---|:---|:---|"]
    rows += [f"| {p.title} | {p.means} | {p.advice} |" for p in PATTERNS]
    return "\n".join(rows)
