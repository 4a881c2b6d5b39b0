"""Which run does an argument name: one of the store, or one of another store?"""

from collections.abc import Iterator
from pathlib import Path

from assay.errors import InputError
from assay.run.result import Result


def open_run(spec: str, store: str) -> Result:
    """The run that is meant.

    Args:
        spec: A run of `store`: its name, "last", "last~1" or the beginning of its id; FILE:RUN of
            another store; or FILE alone for the last run of that store.
        store: The store where no file is named.

    Raises:
        InputError: If there is no such run.
    """
    if Path(spec).is_file():
        return Result(spec)
    # A file's name may hold a colon, and so may a run's.
    for file, run in _split(spec):
        if Path(file).is_file():
            return Result(file, run or "last")
    try:
        return Result(store, spec)
    except InputError:
        for file, run in _split(spec):
            if _may_be_file(file):  # which is not there
                return Result(file, run or "last")
        if _may_be_file(spec) and ":" not in spec:
            return Result(spec)
        raise


def _split(spec: str) -> Iterator[tuple[str, str]]:
    """(file, run) for every colon, the last one first."""
    file, colon, run = spec.rpartition(":")
    while colon:
        yield file, run
        file, colon, rest = file.rpartition(":")
        run = f"{rest}:{run}"


def _may_be_file(text: str) -> bool:
    """Whether it has a suffix (a version, such as v1.2, has none) or stands in a folder."""
    return bool(Path(text).suffix[1:2].isalpha() or Path(text).parent.name)
