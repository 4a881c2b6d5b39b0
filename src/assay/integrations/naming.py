"""What could change the replies of another library's object? It has to stand in the name."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from assay.judges.code_digest import class_digest, text_digest

# What changes no reply, or must not be seen: keys, and how requests are made.
_NOT = re.compile(
    r"key|secret|password|credential|headers|_token$|^token|organi[sz]ation|proxy|client|cache|"
    r"callback|verbose|^tags$|^metadata$|retries|timeout|rate_limiter|stream|batch|workers|"
    r"disable_|show_|^name$",
    re.IGNORECASE,
)
_DEEP = 4
_ABSENT = object()


def object_name(library: str, obj: Any, model: str, further: object = None) -> str:
    """``LIBRARY:CLASS:MODEL@DIGEST``: the digest is one of its settings, and never of a key.

    The code of a class that is not the library's own is part of it.

    Args:
        library: The library's short name.
        obj: The object.
        model: The model's name, "" if it is not known.
        further: What else could change a reply.
    """
    kind = type(obj)
    settings = {"settings": plain_settings(obj), "further": further}
    if not kind.__module__.startswith(_own(library)):
        settings["code"] = class_digest(kind)
    digest = text_digest(msgspec.json.encode(settings, order="deterministic").decode())
    named = f"{library}:{kind.__qualname__}"
    return f"{named}{':' if model else ''}{model}@{digest}"


def _own(library: str) -> tuple[str, ...]:
    return (library.replace("-", "_"),)


def plain_settings(obj: Any) -> dict[str, Any]:
    """The fields of an object that are numbers, texts, or objects and lists of these."""
    found = _plain(obj, 0)
    return found if isinstance(found, dict) else {}


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > _DEEP:
        return _ABSENT
    if isinstance(value, list | tuple):
        return [kept for item in value if (kept := _plain(item, depth + 1)) is not _ABSENT]
    pairs = dict(value) if isinstance(value, Mapping) else fields_of(value)
    if pairs is None:
        return _ABSENT
    kept = {
        str(name): plain
        for name, item in pairs.items()
        if not _NOT.search(str(name)) and (plain := _plain(item, depth + 1)) is not _ABSENT
    }
    return kept if isinstance(value, Mapping) else {"class": type(value).__qualname__, **kept}


def fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of a pydantic model or dataclass; None for anything else."""
    names = getattr(type(value), "model_fields", None)
    if isinstance(names, Mapping):
        return {name: getattr(value, name, None) for name in names}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
    return None


def text_of(content: Any) -> str:
    """The text of a message whose content is text or a list of parts, reasoning among them."""
    if isinstance(content, list):
        parts = [part if isinstance(part, Mapping) else {"text": part} for part in content]
        texts = [part.get("text") for part in parts if part.get("type", "text") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
