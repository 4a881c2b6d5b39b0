"""What plain values does an object of a RAG framework stand for?

Objects are known by what they have, not by their class: no framework is imported.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from assay.dataset.values import plain


def plain_of(value: Any) -> Any:
    """Text, number, list or dict: what can be written as JSON.

    Knows the answers of LangChain (messages, dicts with documents) and LlamaIndex (responses with
    source nodes), documents of both and of Haystack, pydantic models and dataclasses.
    """
    if hasattr(value, "source_nodes") and hasattr(value, "response"):
        return {"answer": str(value.response), "source_nodes": plain_of(value.source_nodes)}
    if hasattr(value, "usage_metadata") and hasattr(value, "content"):
        return _message(value)
    return _nested(value)


def _message(message: Any) -> dict[str, Any]:
    """A chat model's reply; its content may stand in blocks."""
    content = message.content
    if isinstance(content, list):
        texts = [b if isinstance(b, str) else b.get("text", "") for b in content]
        content = "".join(texts)
    usage = message.usage_metadata or {}
    tokens = usage.get("total_tokens")
    return {"answer": str(content), **({} if tokens is None else {"total_tokens": tokens})}


def _nested(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _nested(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_nested(item) for item in value]
    if value is None or isinstance(value, (type, str, int, float)):
        return plain(value)
    return _object(value)


def _object(value: Any) -> Any:
    if hasattr(value, "page_content"):
        known = {"page_content": value.page_content, "id": getattr(value, "id", None)}
        return plain({**known, "metadata": getattr(value, "metadata", {})})
    if hasattr(value, "node") and hasattr(value, "score"):
        node = value.node
        return plain({"text": node.get_content(), "id": node.node_id, "score": value.score})
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    if dataclasses.is_dataclass(value):
        return _nested({f.name: getattr(value, f.name) for f in dataclasses.fields(value)})
    return plain(value)
