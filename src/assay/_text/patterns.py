"""Regular expressions that are compiled when they are first used, not when they are imported."""

import re
from collections.abc import Iterator
from functools import cached_property


class LazyPattern:
    """A large pattern: compiling it takes longer than most commands, which never use it.

    Args:
        pattern: As for `re.compile`.
        flags: As for `re.compile`.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern, self._flags = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match, None without one."""
        return self._compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """The match at the beginning, None without one."""
        return self._compiled.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """The matches, one after the other."""
        return self._compiled.finditer(text)
