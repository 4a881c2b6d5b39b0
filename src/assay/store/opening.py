"""How is the file opened, and what can be known of trouble with it before anything is paid for?"""

import os
import shutil
import sqlite3
import sys
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

from assay.errors import InputError
from assay.store import checksums
from assay.store.schema import migrate
from assay.store.trouble import TROUBLE, StoreTrouble, StoreWarning, told

PATIENCE_S = 300.0  # another process may be taking in a large file
# Kept for the replies and scores that are on their way when the disk fills up: they are paid for.
ROOM_BYTES = 16 << 20
# No more is kept than a run can need: so much for each of its scores, the log of writes included.
SCORE_BYTES = 16 << 10
LOG_BYTES = 64 << 20  # the write-ahead log is cut back to this once it has been written over

# File systems that are shared between machines. SQLite's log needs memory that all who write share.
NETWORK = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "glusterfs",
        "gpfs",
        "lustre",
        "nfs",
        "nfs4",
        "orangefs",
    }
    | {"smb3", "smbfs", "fuse.ceph", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs"}
    | {"fuse.sshfs"}
)


def named(path: object) -> Path:
    """The path of a store that a user names; InputError for what is none."""
    if not isinstance(path, str | os.PathLike) or "\0" in str(path):
        raise InputError(f"the store is {path!r}, no path", "name a file, such as 'assay.db'")
    return Path(path)


def check_place(path: Path) -> None:
    """See that a store may stand there.

    Raises:
        InputError: If it is a folder, or in none that is there.
    """
    try:
        if path.is_dir():  # as "" is, which is the folder that one is in
            raise InputError(f"the store '{path}' is a folder", "name a file")
        if not path.parent.is_dir():
            raise InputError(f"there is no folder '{path.parent}' for the store")
    except OSError as error:  # a name that is too long, a folder that may not be entered
        raise InputError(f"the store cannot be opened: {error}", "name another file") from error


def connections(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """Two connections to a store of the newest schema, to read and to write.

    Raises:
        InputError: If it is not a store, or cannot be opened.
    """
    check_place(path)
    kind = file_system(path)
    if kind in NETWORK:
        warnings.warn(
            f"'{path}' lies on a network file system ({kind}): use it from one machine at a time, "
            "or name a --store on a local disk",
            StoreWarning,
            stacklevel=3,
        )
    with ExitStack() as opened, told(path):
        reading = _connect(path, opened)
        migrate(reading)
        writing = _connect(path, opened)
        opened.pop_all()  # both stay open, unless one of them failed
    return reading, writing


def check_room(path: Path, scores: int) -> None:
    """See that the disk has room left for what is on its way, while it can still be kept.

    Args:
        path: The store.
        scores: How many scores the run has.

    Raises:
        StoreTrouble: If it has not.
    """
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:  # the folder is gone, which whoever writes tells better
        return
    if free < min(ROOM_BYTES, scores * SCORE_BYTES):
        what = f"the disk of '{path}' is full: {free / 1e6:.1f} MB are left"
        raise StoreTrouble(what, TROUBLE[sqlite3.SQLITE_FULL])


def check_still_there(path: Path) -> None:
    """See that a store that is in use was not deleted or moved: what is written would be lost.

    SQLite does not notice; the next who opens the store would find none, and pay for all again.

    Raises:
        InputError: If it was.
    """
    if not path.exists():
        what = f"the store '{path}' was deleted or moved while it was in use"
        raise InputError(what, "put it back if you can, and run the same command again")


def _connect(path: Path, opened: ExitStack) -> sqlite3.Connection:
    db = sqlite3.connect(
        _address(path), timeout=PATIENCE_S, isolation_level=None, check_same_thread=False, uri=True
    )
    opened.callback(db.close)
    # Text that is no UTF-8 is damage, which its checksum tells; it does not keep a row from us.
    db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    checksums.teach(db)
    _to_wal(db)
    db.execute("PRAGMA synchronous = FULL")  # a paid reply survives a power cut too
    db.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
    return db


def _address(path: Path) -> str:
    url = f"file:{quote(str(path))}"
    locked = path.is_file() and not os.access(path.parent, os.W_OK)
    log = path.with_name(f"{path.name}-wal")
    if locked and not (log.is_file() and log.stat().st_size):
        # Not even the files that readers share can be made there, so nobody else changes it.
        return f"{url}?mode=ro&immutable=1"
    return url


def _to_wal(db: sqlite3.Connection) -> None:
    # Unlike all else, this change does not wait for its turn: two that open a new file at the same
    # moment would get in each other's way.
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return


def file_system(path: Path, table: Path = Path("/proc/self/mounts")) -> str:
    """The type of the file system that a file lies on, "" where that cannot be known."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        lines = table.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    target, best, kind = path.resolve(), -1, ""
    for line in lines:
        fields = line.split(" ")
        # Spaces in a path are written as octal codes.
        place = Path(fields[1].encode().decode("unicode_escape")) if len(fields) > 2 else None
        if place and target.is_relative_to(place) and len(place.parts) >= best:
            best, kind = len(place.parts), fields[2]
    return kind
