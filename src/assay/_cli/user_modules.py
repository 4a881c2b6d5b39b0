"""Modules of the user's own, found in the folder that they work in."""

import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final

# What imports the judges, metrics and targets that a user names.
_IMPORTS_WHAT_IS_NAMED: Final = frozenset(("assay.judges.specs", "assay.metrics.custom"))
_IMPORT_SYSTEM: Final = ("importlib", "_frozen_importlib")


def look_here() -> None:
    """Let judges and metrics of the user's own, and what they import, be found where they work.

    Any file there could have the name of a library that is not installed, so that nothing else
    looks for modules there: neither assay for `mcp` nor pandas for `numexpr`. Installed modules
    come first.
    """
    sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, _WorkingFolder)]
    sys.meta_path.append(_WorkingFolder(Path.cwd()))


class _WorkingFolder:
    """Finds the modules of a folder for those who may import them.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is; None if it is not in the folder, or not looked for by user's code."""
        if path is not None or not _is_for_the_user():
            return None
        return PathFinder.find_spec(name, [str(self._folder)], target)

    def invalidate_caches(self) -> None:
        """Nothing is kept but by Python's own finder."""


def _is_for_the_user() -> bool:
    """Whether what is imported was named by the user, or is imported by code of theirs."""
    asking: FrameType | None = sys._getframe(2)  # noqa: SLF001 - nothing else tells who imports
    while asking is not None:
        module = str(asking.f_globals.get("__name__", ""))
        if module.partition(".")[0] not in _IMPORT_SYSTEM:
            file = asking.f_code.co_filename
            return module in _IMPORTS_WHAT_IS_NAMED or not file.startswith(_INSTALLED)
        asking = asking.f_back
    return False


_INSTALLED: Final = (
    str(Path(__file__).parents[1]),
    *{sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")},
    "<frozen ",
)
