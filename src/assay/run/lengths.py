"""How long would a language model's reply be, told from what a stand-in replies in its place?"""

import json
from collections.abc import Mapping
from typing import Any

from assay.judge import Task
from assay.run.guesses import QUOTED, REASON

_LEAST: Mapping[str, Any] = {"string": "", "boolean": False, "number": 0.0, "array": []}


def as_asked(task: Task[Any], raw: str) -> str:
    """The reply in the form that a language model is asked for: no field more, none less.

    Its reasons are one sentence long, its quotes a few words.
    """
    try:
        made = json.loads(raw)
    except ValueError:
        return raw  # free text
    return json.dumps(_fitted(made, task.schema), ensure_ascii=False) if task.schema else raw


def _fitted(value: Any, schema: Mapping[str, Any], name: str = "") -> Any:
    if name == "reason":
        return REASON
    if name == "quote":
        return " ".join(str(value or "").split()[:QUOTED])
    if isinstance(value, dict) and "properties" in schema:
        return {
            key: _fitted(value.get(key, _least(inner)), inner, key)
            for key, inner in schema["properties"].items()
        }
    if isinstance(value, list) and "items" in schema:
        return [_fitted(item, schema["items"]) for item in value]
    return value


def _least(schema: Mapping[str, Any]) -> Any:
    return _LEAST.get(schema.get("type", ""))
