"""assay within other libraries and tools; each module needs its own only when it is used."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import InputError


def optional_names(package: str, homes: Mapping[str, tuple[str, str]]) -> Callable[[str], Any]:
    """A module's `__getattr__` that imports what needs another library when it is asked for.

    Args:
        package: The module.
        homes: Name -> (the module below it that has the name, what pip has to install for it).
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module, extra = homes[name]
        try:
            return getattr(importlib.import_module(f"{package}.{module}"), name)
        except ModuleNotFoundError as error:
            if (error.name or "assay").startswith("assay"):
                raise
            fault = f"{package}.{name} needs {error.name}, which is not installed"
            raise InputError(fault, f"pip install '{extra}'") from error

    return find
