"""How a reply's JSON is found and read strictly, and how its schema is told to a server."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from assay.errors import Unreadable

F = TypeVar("F")

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPEN_THINKING = re.compile(r"^.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder()


def decode(raw: str, form: type[F]) -> F:
    """The one JSON object of that form in a reply.

    Code fences, ``<think>`` blocks and prose around it are passed over; the object itself is
    decoded strictly. Two different objects that both fit are ambiguous, so neither is taken.

    Raises:
        Unreadable: If no object fits, or two that differ.
    """
    text = _OPEN_THINKING.sub("", _THINKING.sub("", raw), count=1)
    fitting: list[F] = []
    problem = "no JSON object in the reply"
    for found in _objects(text):
        try:
            value = msgspec.convert(found, form)
        except msgspec.ValidationError as error:
            problem = str(error)
        else:
            if value not in fitting:
                fitting.append(value)
    if len(fitting) == 1:
        return fitting[0]
    raise Unreadable("two different answers in one reply" if fitting else problem, raw=raw)


def _objects(text: str) -> Iterator[Any]:
    # A search for "{" and a decode from there copes with fences and prose of every kind.
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


class HasId(Protocol):
    """An item of a reply that says which id it is about."""

    @property
    def id(self) -> str:
        """The id as the judge wrote it."""


Item = TypeVar("Item", bound=HasId)


def by_id(items: Iterable[Item], known: Iterable[str], raw: str) -> dict[str, Item]:
    """The items by id. None is guessed: an unknown id or two answers for one id spoil the reply.

    Raises:
        Unreadable: For an id that was not asked about, or one answered twice in different ways.
    """
    wanted = set(known)
    found: dict[str, Item] = {}
    for item in items:
        if item.id not in wanted:
            raise Unreadable(f"a verdict for '{item.id}', which was not asked about", raw=raw)
        if found.setdefault(item.id, item) != item:
            raise Unreadable(f"two different verdicts for '{item.id}'", raw=raw)
    return found


def schema(form: type[Any]) -> Mapping[str, Any]:
    """JSON schema of a reply form, in the strict dialect that structured-output servers take.

    References are inlined, every property is required, and nothing else is allowed.
    """
    (root,), definitions = msgspec.json.schema_components([form], ref_template="{name}")

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return inline(definitions[node["$ref"]])
        # Titles and defaults cost tokens and are refused by some servers.
        kept = {k: inline(v) for k, v in node.items() if k not in ("title", "default")}
        if kept.get("type") == "object" and isinstance(kept.get("properties"), dict):
            kept["required"] = list(kept["properties"])
            kept["additionalProperties"] = False
        return kept

    inlined = inline(root)
    assert isinstance(inlined, dict)  # noqa: S101 - a form is a struct, so its schema an object
    return inlined


def listed(items: Iterable[tuple[str, str]]) -> str:
    """Items as JSON, one a line: a text with line breaks cannot pose as a further item."""
    return "\n".join(json.dumps({"id": i, "text": t}, ensure_ascii=False) for i, t in items)
