"""Names of a package that are imported from its modules when they are first used."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose modules are not loaded with it.

    Args:
        package: Its name.
        names: Module -> the names in it that the package offers, separated by spaces.
    """
    homes = {name: module for module, several in names.items() for name in several.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
