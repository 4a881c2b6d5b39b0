"""Digests of data by their content: long containers, arrays, data frames, files of weights."""

import array
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

Describe: TypeAlias = Callable[[Any], str]

# Items that are encoded at once: memory stays small, however long the container is.
_BATCH = 10_000
_PLAIN = frozenset({str, int, float, bool, type(None), list, tuple, dict})
# What encoders raise for what they cannot tell. An array on a graphics card is a TypeError.
_ENCODE_ERRORS = (
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
    AttributeError,
    RuntimeError,
)
_PICKLING_ERRORS = (*_ENCODE_ERRORS, pickle.PicklingError, OSError, LookupError, ImportError)


def container_digest(values: Any, describe: Describe) -> str:
    """Of a dict, list, tuple or set, whatever its length; the order counts in lists and tuples."""
    digest = hashlib.sha256()
    for batch in _batches(_in_order(values)):
        digest.update(_encoded(batch, describe))
    return f"{len(values)} items {digest.hexdigest()[:16]}"


def data_digest(value: Any, describe: Describe) -> str | None:
    """Of an array, a data frame, or what converts to an array; None of anything else."""
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if isinstance(value, bytearray | memoryview | array.array):
        return _bytes_digest(bytes(value))
    try:
        # What was not imported yet can be nowhere among the values.
        if hasattr(pandas, "DataFrame") and _is_frame(value, pandas):
            return _frame_digest(value, pandas, describe)
        if hasattr(numpy, "ndarray") and callable(getattr(type(value), "__array__", None)):
            return _array_digest(value, numpy, describe)
    except _ENCODE_ERRORS:
        return None
    # A data set of Hugging Face says itself what it holds, which may be more than fits in memory.
    fingerprint = getattr(value, "_fingerprint", None)
    return fingerprint if isinstance(fingerprint, str) else None


def pickle_digest(value: object) -> str | None:
    """Of an object of an extension that keeps no attributes where Python could see them."""
    digest = _Digest()
    try:
        pickle.Pickler(digest, protocol=4).dump(value)
    except _PICKLING_ERRORS:
        return None
    return digest.hex()


class _Digest:
    """A file that keeps no more than the digest of what is written."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def write(self, data: Any) -> int:
        self._sum.update(data)
        return len(data)

    def hex(self) -> str:
        return self._sum.hexdigest()[:16]


def _in_order(values: Any) -> Iterable[Any]:
    if isinstance(values, list | tuple):
        return values
    try:
        names = sorted(values)
    except TypeError:  # names of several kinds
        names = sorted(values, key=lambda name: (type(name).__name__, repr(name)))
    return ((name, values[name]) for name in names) if isinstance(values, dict) else names


def _batches(values: Iterable[Any]) -> Iterator[list[Any]]:
    remaining = iter(values)
    while batch := list(islice(remaining, _BATCH)):
        yield batch


def _encoded(batch: list[Any], describe: Describe) -> bytes:
    if _is_plain_batch(batch):
        try:
            return msgspec.json.encode(batch, order="sorted")
        except _ENCODE_ERRORS:
            pass  # an integer that is too long, half a surrogate pair, an object further inside
    return "\0".join(map(describe, batch)).encode("utf-8", "surrogatepass")


def _is_plain_batch(batch: list[Any]) -> bool:
    kinds = set(map(type, batch))
    if kinds == {tuple}:  # pairs of a dict, among others
        kinds |= {type(item) for pair in batch for item in pair}
    return kinds <= _PLAIN


def _bytes_digest(data: Any) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _is_frame(value: object, pandas: Any) -> bool:
    return isinstance(value, (pandas.DataFrame, pandas.Series, pandas.Index))


def _frame_digest(frame: Any, pandas: Any, describe: Describe) -> str:
    is_table = isinstance(frame, pandas.DataFrame)
    columns = [column for _, column in frame.items()] if is_table else [frame]
    head = describe([[str(column.name), str(column.dtype)] for column in columns])
    try:
        rows = _bytes_digest(pandas.util.hash_pandas_object(frame).to_numpy().tobytes())
    except TypeError:  # its cells hold lists
        rows = describe(
            [list(getattr(frame, "index", ())), *(column.tolist() for column in columns)]
        )
    return f"{head} {rows}"


def _array_digest(value: Any, numpy: Any, describe: Describe) -> str:
    for name in ("detach", "cpu"):  # a tensor that learns, or is on a graphics card
        value = getattr(value, name, lambda value=value: value)()
    array = numpy.asarray(value)
    head = describe([str(array.dtype), list(array.shape), *map(str, getattr(value, "columns", ()))])
    if array.dtype.hasobject:
        return f"{head} {describe(array.tolist())}"
    return f"{head} {_bytes_digest(numpy.ascontiguousarray(array).view(numpy.uint8))}"


# Weights are gigabytes. Size, both ends (metadata and vocabulary stand at the beginning) and a
# thousand blocks between them tell two models apart, a fine-tuned one from its base included:
# a layer is far longer than the gap between two blocks.
ENDS = 1 << 20
BLOCKS, BLOCK = 1024, 1 << 12


def digest(path: Path) -> str:
    """Eight hex digits that change with the weights; computed once for each state of the file."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


def whole_digest(path: Path) -> str:
    """The same of every byte, for files where one small layer may be all that was trained.

    A classifier on a frozen encoder is a few kilobytes among hundreds of megabytes.
    """
    state = path.stat()
    return _whole_digest(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _whole_digest(path: Path, size: int, changed: int) -> str:
    if size <= BLOCKS * BLOCK:  # every block is among those that are read
        return _digest(path, size, changed)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:8]


@lru_cache(maxsize=64)
def _digest(path: Path, size: int, _changed: int) -> str:
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(ENDS))
        for number in range(BLOCKS):
            file.seek(size * number // BLOCKS)
            digest.update(file.read(BLOCK))
        file.seek(max(0, size - ENDS))
        digest.update(file.read(ENDS))
    return digest.hexdigest()[:8]
