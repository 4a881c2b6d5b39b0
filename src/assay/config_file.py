"""What does the user's configuration say? `assay.toml`, or `[tool.assay]` of `pyproject.toml`."""

import tomllib
from pathlib import Path
from typing import Any

from assay.errors import InputError

# Where configuration may stand, and under which tables; the first file that has a section counts.
FILES = {"assay.toml": (), "pyproject.toml": ("tool", "assay")}
SECTIONS = ("run", "gate")


def section(folder: Path, name: str) -> tuple[dict[str, Any], str]:
    """A section of the configuration in a folder, and the file that it stands in.

    Args:
        folder: Where the files are looked for.
        name: One of `SECTIONS`.

    Returns:
        What it says, {} if there is none; the name of the file, "" if there is none.

    Raises:
        InputError: If a file cannot be read, or holds what is no configuration.
    """
    for file, tables in FILES.items():
        path = folder / file
        found: Any = _parsed(path) if path.is_file() else {}
        for table in tables:
            found = found.get(table, {}) if isinstance(found, dict) else {}
        if not isinstance(found, dict):
            raise InputError(f"the configuration in '{file}' is no table", "write [tool.assay.run]")
        if unknown := sorted(set(found) - set(SECTIONS)):
            what = f"'{file}' has the unknown section '{unknown[0]}'"
            raise InputError(what, f"there are {', '.join(SECTIONS)}")
        if name in found:
            if not isinstance(found[name], dict):
                raise InputError(f"'{name}' in '{file}' is no table", f"write [{name}]")
            return found[name], file
    return {}, ""


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"'{path.name}' cannot be read: {error}") from error
