"""How are rows read from text with one JSON object a line?"""

import json
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

from assay.dataset.record import Record
from assay.errors import InputError, Problem

# A longer row is a broken file, and reading it could fill the memory.
LONGEST_ROW: Final = 64 * 2**20
_ONE_A_LINE: Final = "each line must be one whole JSON object"


class RepeatedKeyError(ValueError):
    """An object names one key twice: the parser would silently drop a value."""


def line_records(opened: Callable[[], IO[bytes]]) -> Iterator[Record]:
    """Records of the lines that are not blank; a broken one carries its problem."""
    with opened() as stream:
        for number, line in enumerate(lines(stream), 1):
            if line.strip():
                if number == 1 and line.strip() == b"{":
                    what = "the file spreads one JSON object over several lines"
                    raise InputError(what, "put each on one line: jq -c . OLD > NEW")
                yield line_record(number, line)


def lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines of the stream without a byte order mark; of one that is too long only its beginning."""
    line = stream.readline(LONGEST_ROW + 1).removeprefix(b"\xef\xbb\xbf")
    while line:
        yield line
        rest = line
        while len(rest) > LONGEST_ROW and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_ROW + 1)
        line = stream.readline(LONGEST_ROW + 1)


def line_record(number: int, line: bytes) -> Record:
    """The record of one line."""
    if len(line) > LONGEST_ROW:
        text = line[:200].decode(errors="backslashreplace")
        what = f"is longer than {LONGEST_ROW // 2**20} MiB"
        return broken(number, text, what, "split it, or correct the line ends")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        what = f"byte 0x{line[error.start]:02X} at position {error.start + 1} is not UTF-8"
        text = line.decode(errors="backslashreplace").strip()
        return broken(number, text, what, "save the file as UTF-8")
    return object_record(number, text.strip())


def object_record(number: int, text: str) -> Record:
    """The record that one JSON object makes."""
    try:
        values = DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg} at position {error.pos + 1}"
        return broken(number, text, what, _ONE_A_LINE)
    except RepeatedKeyError as error:
        return broken(number, text, str(error), "keep one of them")
    except (ValueError, RecursionError) as error:
        return broken(number, text, f"cannot be read as JSON: {error}", "correct or remove it")
    if not isinstance(values, dict):
        return broken(number, text, f"is a JSON {_kind(values)}, not an object", _ONE_A_LINE)
    return Record(number, values, text=text)


def broken(number: int, text: str, what: str, remedy: str) -> Record:
    """The record of something that is no row."""
    return Record(number, None, problem=Problem(what, remedy, row=number), text=text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RepeatedKeyError(f"names '{twice}' more than once")
    return found


DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique)


def _kind(value: Any) -> str:
    kinds = {list: "list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "number")
