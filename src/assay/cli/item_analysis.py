"""What happens when `assay items` runs?"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.analysis import items as analysis
from assay.cli import screen
from assay.cli.edge import OK
from assay.cli.run_spec import open_run
from assay.errors import InputError
from assay.report import console_items, markdown_items

_FORMS = (".md", ".json")


def items(given: Mapping[str, Any]) -> int:
    """Show or write what the options ask for; the exit code."""
    for out in given["outs"]:
        _check(Path(out))
    results = [open_run(spec, given["store"]) for spec in given["runs"]]
    found = analysis.items(
        results, given["metric"], threshold=given["threshold"], force=given["force"]
    )
    data = msgspec.to_builtins(found)
    for out in given["outs"]:
        _write(data, Path(out), given["most"])
    if given["as_json"]:
        screen.write_json(data)
    else:
        screen.out().print(console_items.overview(data, most=given["most"]))
    return OK


def _check(path: Path) -> None:
    """See first that a file can be written.

    Raises:
        InputError: If it is not so.
    """
    if path.suffix.lower() not in _FORMS:
        raise InputError(f"--out {path}: item analysis is written as {', '.join(_FORMS)}")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"--out {path} cannot be written", "name a file in an existing folder")


def _write(data: dict[str, Any], path: Path, most: int) -> None:
    if path.suffix.lower() == ".md":
        text = markdown_items.render(data, most=most)
    else:
        text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--out {path} cannot be written: {error.strerror or error}") from error
