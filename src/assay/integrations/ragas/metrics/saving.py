"""Files of metrics in a user's own words, in the form in which ragas 0.4 writes them."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import InputError

_VERSION = "1.0"


def place(path: str | Path | None, name: str) -> Path:
    """Where a metric of this name is kept: a file, a file in a folder, or ``./NAME.json``."""
    found = Path(path) if path is not None else Path(f"{name}.json")
    if found.is_dir():
        return found / f"{name}.json"
    return found if found.suffix else found.with_suffix(".json")


def write(path: Path, kind: str, metric: Any) -> None:
    """Write a metric; ``.gz`` compresses.

    Raises:
        InputError: If the file cannot be written.
    """
    allowed = metric.allowed_values
    data = {
        "format_version": _VERSION,
        "metric_type": kind,
        "name": metric.name,
        "prompt": {"type": "string", "instruction": metric.prompt},
        "config": {"allowed_values": _listed(allowed)},
        "response_model_info": None,
    }
    text = json.dumps(data, indent=2, ensure_ascii=False).encode()
    try:
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}", "give another path") from error


def _listed(allowed: Any) -> Any:
    if isinstance(allowed, range):
        return {"start": allowed.start, "stop": allowed.stop, "step": allowed.step}
    return list(allowed) if isinstance(allowed, tuple) else allowed


def read(path: str | Path, kind: str) -> dict[str, Any]:
    """Name, prompt and allowed values of a metric that assay or ragas wrote.

    Raises:
        InputError: If the file cannot be read, or holds a metric of another kind.
    """
    file = Path(path)
    try:
        raw = file.read_bytes()
        data = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
        found, prompt = data["metric_type"], data["prompt"]
        given = {"name": data["name"], "prompt": prompt["instruction"]}
        allowed = data.get("config", {}).get("allowed_values")
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        what = f"'{path}' cannot be read as a metric: {error or type(error).__name__}"
        raise InputError(what, "give a file that a metric's save() wrote") from error
    if found != kind:
        raise InputError(f"'{path}' holds a {found}", f"load it by {found}.load")
    if prompt.get("examples"):
        what = f"assay's ragas has no prompts with examples, and '{path}' holds one"
        raise InputError(what, "write the examples into the prompt")
    if allowed is not None:
        given["allowed_values"] = _allowed(allowed, kind)
    return given


def _allowed(allowed: Any, kind: str) -> Any:
    if isinstance(allowed, Mapping):
        return range(allowed["start"], allowed["stop"], allowed["step"])
    # JSON has no tuples: the two ends of numbers come back as they were.
    return tuple(allowed) if kind == "NumericMetric" and isinstance(allowed, list) else allowed
