"""What runs and judges are called where people read."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from assay._store import Run
from assay._store.runs import written

_EMBEDDED = re.compile(r"embedded:v([\d.]+)(?:\+[\w.-]+:[0-9a-f]+)*")


def called(run: Run) -> str:
    """``k5 (1a2b3c4d)``, or ``questions.jsonl, 24 Nov 14:03 (1a2b3c4d)``."""
    return beside(run.title, run.id)


def beside(title: str, id_: str) -> str:
    """A run's title with its short id."""
    return f"{title} ({id_[:8]})" if title else id_[:8]


def said(run: Run) -> dict[str, Any]:
    """What people say of a run, as plain values, and what it is called where they say nothing."""
    description: dict[str, Any] = msgspec.to_builtins(run.description)
    return {"title": run.title, **description}


def remarks(run: Mapping[str, Any]) -> str:
    """Its tags, parameters and note in a line: ``k=5, model=small; nightly``; "" without any."""
    params = ", ".join(f"{key}={written(value)}" for key, value in run["params"].items())
    return "; ".join(filter(None, [params, ", ".join(run["tags"]), run["note"]]))


def judge_in_words(name: str) -> str:
    """A judge's name as people say it: of the embedded one the version, without its models."""
    return _EMBEDDED.sub(r"embedded \1", name)
