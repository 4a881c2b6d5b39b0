"""The store: replies, runs, samples and scores in one SQLite file, the single truth."""

import os
import threading
import time
from pathlib import Path
from typing import Final

from assay._store.judges import Batches, Judges
from assay._store.labels import HumanLabels
from assay._store.runs import Run, Runs, Spent
from assay._store.scores import Alerts, Scores

try:
    import fcntl
except ImportError:  # Windows: there a process knows only of its own claims
    fcntl = None  # type: ignore[assignment]

# What is added to the name of the store.
SUFFIX: Final = "-claims"
# Byte 0 tells who has the file open; the others stand for keys.
_OPEN: Final = 0
_DIGITS: Final = 15  # of a key: as many bytes as a file may have


class _LockFile:
    """The file of one store in this process, which the system asks only once for its locks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.users = 0
        self.held: set[str] = set()
        self.lock = threading.Lock()
        self._file: int | None = None if fcntl is None else self._open_lock()

    def _open_lock(self) -> int:
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
            try:
                fcntl.lockf(file, fcntl.LOCK_SH, 1, _OPEN)
                if self.path.stat().st_ino == os.fstat(file).st_ino:
                    return file
            except FileNotFoundError:
                pass
            os.close(file)  # whoever had it last has just removed it
            time.sleep(0.001)

    def claim(self, key: str) -> bool:
        with self.lock:
            if key in self.held:
                return False
            if self._file is not None:
                try:
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte_of(key))
                except OSError:  # another process has it
                    return False
            self.held.add(key)
            return True

    def release(self, key: str) -> None:
        with self.lock:
            if self._file is not None:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte_of(key))
            self.held.discard(key)

    def close(self) -> None:
        """Give everything back; the last of all processes removes the file."""
        if self._file is None:
            return
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _OPEN)
            self.path.unlink(missing_ok=True)
        except OSError:  # others have it open
            pass
        os.close(self._file)


def _byte_of(key: str) -> int:
    return _OPEN + 1 + int(key[:_DIGITS], 16)


# By process and store: the system takes all locks of a process back when it closes the file once.
_files: dict[tuple[int, Path], _LockFile] = {}
_lock = threading.Lock()


class Claims:
    """Who asks for which reply, among all processes that use a store.

    Args:
        store: The file of the store; beside it one is made with the first claim.
    """

    def __init__(self, store: Path) -> None:
        # Whatever it is reached by: within a process locks of one file do not exclude each other.
        resolved = store.resolve()
        self._path = resolved.with_name(resolved.name + SUFFIX)
        self._file: _LockFile | None = None
        self._closed = False

    def claim(self, key: str) -> bool:
        """Whether nobody else asks for the reply under a key: then it is claimed.

        Where no claims can be made, everybody may ask, as often as they like; on Windows they hold
        within the process.
        """
        file = self._open_lock()
        return file is None or file.claim(key)

    def release(self, key: str) -> None:
        """Let others ask, who look first whether it is there."""
        if self._file is not None:
            self._file.release(key)

    def close(self) -> None:
        """Give back what is claimed."""
        file, self._file, self._closed = self._file, None, True
        if file is None:
            return
        with _lock:
            file.users -= 1
            if not file.users:
                del _files[os.getpid(), self._path]
                file.close()

    def _open_lock(self) -> _LockFile | None:
        if self._file is None and not self._closed:
            with _lock:
                file_key = os.getpid(), self._path
                try:
                    file = _files.get(file_key) or _LockFile(self._path)
                except OSError:  # a folder that may not be written to, a system without locks
                    self._closed = True
                    return None
                _files[file_key] = self._file = file
                file.users += 1
        return self._file


class Store(Runs, Scores):
    """One SQLite file (WAL). Several processes may use it at once.

    Args:
        path: The file; made if it is not there.

    Attributes:
        judges: What is known of the judges themselves.
        batches: What providers were asked in batches and still owe.
        labels: What people said of its samples.
        alerts: What watches have told.
        claims: Which replies are being asked for, by whichever process.

    Raises:
        InputError: If it is not a store, or cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.judges = Judges(self, self._writer)
        self.batches = Batches(self, self._writer)
        self.labels = HumanLabels(self)
        self.alerts = Alerts(self)
        self.claims = Claims(self.path)

    def close(self) -> None:
        """Commit what is queued and close the file."""
        self.claims.close()
        super().close()


__all__ = ["Run", "Spent", "Store"]
