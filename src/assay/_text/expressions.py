"""Regular expressions that are compiled when they are first used.

The rules for text have some six hundred of them, and compiling all took a fifth of the time that
a command needs to start, also where it reads no text.
"""

import re
from typing import Any, cast

_MEMBERS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` returns, but compiled at its first use.

    Only its members may be used: it is no argument for functions of `re`.
    """
    return cast("re.Pattern[str]", _Uncompiled(pattern, flags))


class _Uncompiled:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # only for what is not set yet
        compiled = re.compile(self.pattern, self._flags)
        for member in _MEMBERS:
            setattr(self, member, getattr(compiled, member))
        return getattr(compiled, name)
