"""What did a check find?"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        level: "ok"; "note" if nothing is wrong but it is worth knowing; "FAIL" if it is wrong.
        what: What was found.
        remedy: What to do about it.
    """

    level: Literal["ok", "note", "FAIL"]
    what: str
    remedy: str = ""
