"""What plain values does an object of a RAG framework stand for?

Objects are known by what they have, not by their class: no framework is imported.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from assay.data.values import describe, plain, unboxed


class Unfit(TypeError):
    """An object that stands for no plain value; says what it is and what to return instead."""


def plain_of(value: Any) -> Any:
    """Text, number, list or dict: what can be written as JSON.

    Knows the answers of LangChain (messages, dicts with documents) and LlamaIndex (responses with
    source nodes), documents of both and of Haystack, pydantic models and dataclasses.

    Raises:
        Unfit: If it is none of these: how Python shows an object is no answer.
    """
    if hasattr(value, "source_nodes") and hasattr(value, "response"):
        answer = None if value.response is None else str(value.response)
        return {"answer": answer, "source_nodes": _nested(value.source_nodes)}
    if hasattr(value, "usage_metadata") and hasattr(value, "content"):
        return _message(value)
    return _nested(value)


def _message(message: Any) -> dict[str, Any]:
    """A chat model's reply; its content may stand in blocks."""
    content = message.content
    if isinstance(content, list):
        content = "".join(map(_block, content))
    usage = message.usage_metadata
    tokens = usage.get("total_tokens") if isinstance(usage, Mapping) else None
    answer = {"answer": _nested(content)}
    return {**answer, **({} if tokens is None else {"total_tokens": tokens})}


def _block(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) else getattr(block, "text", block)
    return text if isinstance(text, str) else ""


def _nested(value: Any) -> Any:
    value = unboxed(value)
    if isinstance(value, Mapping):
        return {str(key): _part(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_part(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return plain(value)
    return _object(value)


def _part(value: Any) -> Any:
    """A value inside another: anything may stand beside the answer, in its place it is told."""
    try:
        return _nested(value)
    except Unfit:
        return {describe(value): None}


def _object(value: Any) -> Any:
    if isinstance(value, type):
        raise _unfit(value)
    if hasattr(value, "page_content"):
        known = {"page_content": value.page_content, "id": getattr(value, "id", None)}
        return plain({**known, "metadata": getattr(value, "metadata", {})})
    if hasattr(value, "node") and hasattr(value, "score"):
        node = value.node
        return plain({"text": node.get_content(), "id": node.node_id, "score": value.score})
    if hasattr(value, "model_dump"):
        return _nested(value.model_dump())
    if dataclasses.is_dataclass(value):
        return _nested({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
    # A date, a decimal or a path have a text beside the one by which Python shows them.
    if isinstance(value, BaseException) or str(value) == repr(value):
        raise _unfit(value)
    return plain(value)


def _unfit(value: Any) -> Unfit:
    if hasattr(value, "__next__") or hasattr(value, "__anext__"):
        remedy = "join its pieces into one text"
    elif isinstance(value, bytes | bytearray):
        remedy = "decode it to text"
    else:
        remedy = "return the text of the answer, or a dict with the answer"
    return Unfit(f"{describe(value)} -> {remedy}")
