"""How does any value become plain data that JSON can hold, so that metadata is never lost?"""

from collections.abc import Mapping
from datetime import date, datetime, time
from math import isfinite
from typing import Any

from assay.dataset.values import unboxed


def plain(value: Any) -> Any:
    """The value as None, bool, int, float, str, list and dict.

    NaN becomes None, an infinite number and an unknown object their text, half of a character its
    escape.
    """
    value = unboxed(value)
    if value is None or isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
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
