"""What a call says of its run, kept beside what was said before."""

import warnings

from assay.store import Run, Store
from assay.store.runs import Description, written


class SameRunWarning(UserWarning):
    """What is a run of its own to its user is the same run: nothing that is scored differs."""


def describe(run: Run, said: Description, store: Store) -> None:
    """Keep what is said of a run; warn where it takes the place of what was said before."""
    if not said:
        return
    before = run.description
    store.describe(run.id, before.updated(said))
    if replaced := _replaced(before, said):
        warnings.warn(
            f"run {run.short} is known already: same data, metrics and judge. "
            f"What was said of it is replaced: {', '.join(replaced)}",
            SameRunWarning,
            stacklevel=2,
        )


def _replaced(before: Description, said: Description) -> list[str]:
    """``name k5 by k10``: what stood otherwise before."""
    found = [("name", before.name, said.name)]
    found += [
        (key, written(before.params[key]), written(value))
        for key, value in said.params.items()
        if key in before.params
    ]
    return [f"{key} '{old}' by '{new}'" for key, old, new in found if old and new and old != new]
