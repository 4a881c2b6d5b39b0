"""Modules of the user's own that are named by their file."""

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

FILE: Final = ".py"


def module_in_file(path: Path) -> ModuleType:
    """The module that a file holds, run if it was not yet; an edited file is another module."""
    path = path.resolve(strict=True)  # else ".." would leave a folder that is not there
    # What ran before the file was edited keeps the code that it had.
    digest = hashlib.sha256(str(path).encode() + b"\0" + path.read_bytes()).hexdigest()[:8]
    name = f"{path.stem}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    loader = _FreshLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:  # pragma: no cover - not with a loader
        raise ImportError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look their module up by its name
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


class _FreshLoader(SourceFileLoader):
    """Compiles a file each time.

    Python knows the bytecode that it kept by the file's size and the second it was written in: of
    two edits within a second it would run the first.
    """

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Nothing by which bytecode could be found."""
        raise OSError(path)
