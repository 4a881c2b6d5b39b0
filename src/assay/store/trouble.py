"""What can befall the file of a store, and how its user is told."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import InputError

MAGIC = b"SQLite format 3\0"  # every database of SQLite begins so
DAMAGED = "the file is damaged: use a copy of it, or name another --store"

# What can befall any SQLite file, and what its user can do; every other code would be our mistake.
TROUBLE = {
    sqlite3.SQLITE_FULL: "make room on the disk, and the same command goes on from there",
    sqlite3.SQLITE_IOERR: "the disk fails; try again, or move the file",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_READONLY: "the file cannot be written; take another --store",
    sqlite3.SQLITE_CANTOPEN: "check the folder's permissions, or take another --store",
    sqlite3.SQLITE_BUSY: "another process has held it for minutes; end that one first",
}

# A store that was opened has every table and column, unless their names were damaged.
LACKING = ("no such column", "no such table", "malformed database schema")


class StoreWarning(UserWarning):
    """The store can be used, with care."""


class StoreTrouble(InputError):
    """The file cannot be used just now, or not at all: no fault of what was asked."""


class Damaged(StoreTrouble):
    """What stands in the store is not what was written.

    Args:
        what: What is damaged, in words.
        path: The store.

    Attributes:
        what: What is damaged.
    """

    def __init__(self, what: str, path: object) -> None:
        remedy = f"`assay verify {path}` names all that is damaged and says what can be saved"
        super().__init__(f"the store '{path}' is damaged: {what}", remedy)
        self.what = what


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Tell of SQLite's errors as what they mean for the user."""
    try:
        yield
    except (UnicodeDecodeError, sqlite3.Error) as error:  # of the names of its tables, even
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_NOTADB and not _begins_as_one(path):
            what = f"'{path}' cannot be used as a store: it is another kind of file, or damaged"
            remedy = "name a store, or a run of one (`assay runs` lists them)"
            raise StoreTrouble(what, remedy) from error
        remedy = TROUBLE.get(code, DAMAGED)
        raise StoreTrouble(f"'{path}' cannot be used as a store: {error}", remedy) from error


def meant(error: BaseException, path: Path) -> BaseException:
    """What an error of SQLite's means for the user; another, or one of our making, as it is."""
    remedy = TROUBLE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if str(error).startswith(LACKING):
        remedy = DAMAGED
    if not isinstance(error, sqlite3.Error) or remedy is None:
        return error
    if remedy is DAMAGED:
        found: StoreTrouble = Damaged(str(error), path)
    else:
        found = StoreTrouble(f"'{path}' cannot be used as a store: {error}", remedy)
    found.__cause__ = error
    return found


def _begins_as_one(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC
