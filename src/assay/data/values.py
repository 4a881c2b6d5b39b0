"""Values of fields: whether they are what a field needs, and how they are kept as plain data."""

import ast
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, Literal
from uuid import UUID

# How a source writes values down: see `Record`.
Form = Literal["json", "table", "arrow", "sample"]

_PLAIN: Final = (str, int, list, dict, tuple, type(None))
# What Excel writes in a cell whose value or formula it could not make out.
_LOST: Final = {"#N/A", "#NAME?", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NULL!"}
# What a spreadsheet computes, so begun; some leave out blanks and signs without width before it.
_FORMULA: Final = re.compile(
    r"(?:'|[^\S\t\r]|[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u2060-\u2064\ufeff])*"
    "[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b]"
)
_DIGITS: Final = 40  # a whole number with more is kept as a float


class FieldError(ValueError):
    """The value of one field cannot be used.

    Attributes:
        what: What is wrong, in words.
        remedy: What the user can do about it.
        sent: The same where the data were sent to a service.
    """

    def __init__(
        self, what: str, remedy: str = "correct it or remove it", *, sent: str = ""
    ) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.sent = sent or remedy


def unboxed(value: Any) -> Any:
    """The value without numpy around it; None for every way to write "absent" (NaN, NA, NaT).

    A text of a subclass (numpy's, a template's, an enum's) becomes the text itself.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if not isinstance(value, _PLAIN):
        if type(value).__name__ in {"NAType", "NaTType"}:
            return None
        if isinstance(value, Decimal):
            return None if value.is_nan() else value
        if hasattr(value, "tolist"):
            value = value.tolist()
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def of_decimal(value: Any) -> Any:
    """The value; a decimal number, as databases give it, as int or float. A whole one is exact."""
    if not isinstance(value, Decimal):
        return value
    is_whole = (
        value.is_finite() and value.adjusted() < _DIGITS and value == value.to_integral_value()
    )
    return int(value) if is_whole else float(value)


def plain(value: Any) -> Any:
    """The value as None, bool, int, float, str, list and dict, as JSON holds it.

    NaN becomes None, an infinite number and an unknown object their text, half of a character its
    escape.
    """
    value = unboxed(value)
    if isinstance(value, int | None) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return plain(str(value))


def describe(value: Any) -> str:
    """What a value is, in words that a user understands."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"the number {_short(value)}"
    if isinstance(value, str):
        return f"the text {_short(value)}" if value.strip() else "an empty text"
    if isinstance(value, Mapping):
        keys = ", ".join(_short(key) for key in list(value)[:4])
        return f"an object with {keys}" if keys else "an empty object"
    if isinstance(value, list | tuple):
        kinds = {type(item).__name__ for item in value}
        return f"a list of {len(value)} ({', '.join(sorted(kinds))})" if value else "an empty list"
    return f"a Python {type(value).__name__}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]}...{text[-1]}"


def text(value: Any, part: str = "") -> str:
    """The value, which must be text that can be stored and sent.

    Args:
        value: What stands there.
        part: Which part of the field it is ("item 2"), "" for the whole.
    """
    subject = f"{part} " if part else ""
    if not isinstance(value, str):
        remedy = sent = "write it as text"
        if isinstance(value, list | tuple | Mapping):
            remedy, sent = "give one text, or name another column with --map", "give one text"
        raise FieldError(f"{subject}is {describe(value)}, but must be text", remedy, sent=sent)
    if "\0" in value:
        position = value.index("\0") + 1
        raise FieldError(f"{subject}holds a NUL character at position {position}", "remove it")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            code = f"U+{ord(value[error.start]):04X}"
            raise FieldError(
                f"{subject}holds half of a character ({code}) at position {error.start + 1}",
                "repair the text where it was cut or wrongly decoded",
            ) from None
    return value


def refuse_lost(cells: Iterable[Any]) -> None:
    """Raise FieldError for a cell that holds nothing but an error of the spreadsheet."""
    lost_cell = next((cell for cell in cells if isinstance(cell, str) and cell in _LOST), None)
    if lost_cell is not None:
        remedy = "restore its text and save the file again; if it is meant, give the row as JSONL"
        raise FieldError(f"is '{lost_cell}': the spreadsheet lost this cell", remedy)


def is_invisible(text: str) -> bool:
    """Whether nothing of the text can be seen: white space, marks of width 0, soft hyphens."""
    # The first character that can be seen ends it, mostly the very first.
    return all(mark.isspace() or unicodedata.category(mark) == "Cf" for mark in text)


def identifier(value: Any, part: str = "") -> str:
    """The value as an id: text as it is, a whole number as its digits."""
    value = of_decimal(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # pandas turns whole numbers into floats where one is absent
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(str(value) if isinstance(value, UUID) else value, part)


def number(value: Any, *, from_text: bool) -> float:
    """The value, which must be a finite number that is not negative."""
    value = of_decimal(value)
    if from_text and isinstance(value, str) and "_" not in value:
        with suppress(ValueError):
            value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldError(f"is {describe(value)}, but must be a number")
    if not is_finite(value) or value < 0:
        raise FieldError(f"is {_short(value)}, but must be a finite number that is not negative")
    return float(value)


def is_finite(value: float) -> bool:
    """Whether a number is finite as a float; JSON may hold whole numbers that are too large."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def count(value: Any, *, from_text: bool) -> int:
    """The value, which must be a whole number that is not negative."""
    checked = number(value, from_text=from_text)
    if not checked.is_integer():
        raise FieldError(f"is {checked}, but must be a whole number")
    return int(checked)


def spelled(cell: str) -> Any:
    """The object that a cell spells out as JSON or as Python prints it, else the cell."""
    if cell.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.loads(cell)
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return ast.literal_eval(cell.strip())
    return cell


def as_text(cell: str) -> str:
    """A cell that a spreadsheet takes for text, never for a formula: it may be anybody's."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def read_back(cell: str) -> str:
    """What `as_text` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


# What exports write where a value is missing; it may be a short answer as well.
_ABSENT: Final = frozenset({"nan", "none", "null", "n/a", "<na>", "nat", "undefined"})
_LONGEST: Final = max(map(len, _ABSENT)) + 2


def absent_word(value: Any) -> str:
    """The word in a field that may stand for nothing at all, "" if there is none."""
    texts: Iterable[Any] = value if isinstance(value, tuple) else (value,)
    for text in texts:
        if isinstance(text, str) and len(text) <= _LONGEST and text.strip().lower() in _ABSENT:
            return text.strip()
    return ""


_ERROR: Final = re.compile(
    r"\W*(?:error:|traceback \(most recent call last\)|[\w.]+(?:error|exception): "
    r"|(?:http (?:error )?)?[45]\d\d:? (?:bad|gateway|internal|service|too many|forbidden)\b"
    r"|(?:internal server|http|connection) error\b"
    r"|(?:request|connection) (?:timed out|refused|reset)"
    r"|rate limit (?:reached|exceeded))",
    re.IGNORECASE,
)
_MESSAGE: Final = 60  # characters of one that are shown


def error_message(text: Any) -> str:
    """How a text begins that a program rather than a model wrote: "Error: 504"; else ""."""
    match = isinstance(text, str) and _ERROR.match(text)
    return " ".join(text.split())[:_MESSAGE] if match else ""


def is_number(cell: Any) -> bool:
    """Whether a cell holds a number, or a text that is one."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True
