"""How is a file in an object store read and written? By its URI: s3://, gs://, abfs://, hdfs://."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from assay.errors import InputError

BUFFER = 1 << 20  # bytes fetched at a time: a request takes long, whatever it brings
_URI = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
# What stands between user and host. A secret of AWS may hold a slash, and what follows a host that
# is no user is a port.
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):(?!\d+/)[^@]*@")


def is_uri(data: object) -> bool:
    """Whether a text names a file by scheme and place rather than by a path of this machine."""
    return isinstance(data, str) and _URI.match(data) is not None


def located(data: str | PathLike[str]) -> "Path | Remote":
    """The file that a path or URI names; of a URI it is not known yet whether it is there.

    Raises:
        InputError: If the URI's scheme is unknown, or pyarrow is not installed.
    """
    return Remote(str(data)) if is_uri(data) else Path(data)


class Remote:
    """A file in an object store: as much of a `Path` as reading needs.

    Credentials are the usual ones of each store: environment, configuration files, the machine's
    role.

    Args:
        uri: ``s3://bucket/rows.parquet``, ``gs://...``, ``abfs://...``, ``hdfs://...``, and
            ``file:///...`` for a disk that all machines share.

    Raises:
        InputError: If the scheme is unknown, or pyarrow is not installed.

    Attributes:
        path: Its place within the store.
    """

    def __init__(self, uri: str) -> None:
        try:
            from pyarrow import ArrowException
            from pyarrow.fs import FileSystem
        except ImportError as error:
            remedy = "pip install 'assay[parquet]'"
            raise InputError(f"'{shown_uri(uri)}' needs pyarrow", remedy) from error
        try:
            self._files, path = FileSystem.from_uri(uri)
        except (ArrowException, ValueError, OSError) as error:
            remedy = "give a path, or s3://, gs://, abfs://, hdfs:// or file:///"
            said = str(error).partition("\n")[0].replace(uri, shown_uri(uri))
            raise InputError(f"'{shown_uri(uri)}' names no file: {said}", remedy) from error
        self._shown = shown_uri(uri)
        self.path = PurePosixPath(path)

    def __str__(self) -> str:
        return self._shown

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.name

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return self._kind() == "Directory"

    def exists(self) -> bool:
        """Whether it is there."""
        return self._kind() != "NotFound"

    def open(self, mode: str = "rb") -> IO[bytes]:
        """A stream of its bytes, to read ("rb", may be searched) or to write ("wb")."""
        files: Any = self._files
        if mode == "wb":
            return cast("IO[bytes]", files.open_output_stream(str(self.path)))
        return cast("IO[bytes]", BufferedReader(files.open_input_file(str(self.path)), BUFFER))

    def _kind(self) -> str:
        return str(self._files.get_file_info(str(self.path)).type.name)


def shown_uri(uri: str) -> str:
    """A URI as messages show it: neither with a password nor with a query, which may be a key."""
    return _PASSWORD.sub(r"\1@", uri.partition("?")[0])


@contextmanager
def landing(target: str | PathLike[str]) -> Iterator[Path]:
    """Where to write what is to be at a path or URI: the path itself, or a file sent there after.

    Raises:
        OSError: If it cannot be sent.
    """
    place = located(target)
    if isinstance(place, Path):
        yield place
        return
    with tempfile.TemporaryDirectory() as folder:
        local = Path(folder) / place.name
        yield local
        with local.open("rb") as written, place.open("wb") as sent:
            shutil.copyfileobj(written, sent)
