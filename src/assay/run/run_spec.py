"""Which run does an argument name: one of the store, or one of another store?"""

from pathlib import Path

from assay.run.result import Result


def open_run(spec: str, store: str) -> Result:
    """The run that is meant.

    Args:
        spec: The beginning of an id or "last", of `store`; FILE:ID of another store; or FILE alone
            for the last run of that store.
        store: The store where no file is named.

    Raises:
        InputError: If there is no such run.
    """
    # A file's name may hold a colon, and an id never does.
    if Path(spec).is_file():
        return Result(spec)
    file, colon, run = spec.rpartition(":")
    if colon:
        return Result(file, run or "last")
    # No id has a suffix or stands in a folder: a file is meant, which is not there.
    named = Path(spec).suffix or Path(spec).parent.name
    return Result(spec) if named else Result(store, spec)
