"""Where in the inputs and outputs of another library do question, contexts and answer stand?

These are the objects themselves, in which a text is a text. What was written down of them, where a
text may be JSON, is read by `assay.data.traces`.
"""

from collections.abc import Mapping
from typing import Any

from assay.data.columns import recognised
from assay.integrations.naming import fields_of, text_of


def picked(values: Any, field: str) -> Any:
    """The value of the key that is recognised as the field, as columns of data sets are.

    A text by itself is what is looked for. None if there is nothing of the kind.
    """
    if not isinstance(values, Mapping):
        return values if isinstance(values, str) and values else None
    columns = [name for name, of in recognised(map(str, values)).items() if of == field]
    return next((values[name] for name in columns if values[name] not in (None, "")), None)


def question_of(values: Any) -> str | None:
    """The question among inputs: a text, one under a known name, or the last message of a user."""
    found = picked(values, "question")
    if found is None and isinstance(values, Mapping):
        found = values.get("messages") or _only_text(values)
    return said(values if found is None else found) or None


def answer_of(values: Any) -> str | None:
    """The answer among outputs: a text, one under a known name, the only text, or a message.

    Outputs may be a mapping, a model of pydantic or a dataclass, and so may the answer in them.
    """
    given = opened(values)
    if not isinstance(given, Mapping):
        return _spoken(given) or None
    found = picked(given, "answer")
    if found is None:
        places = (given.get(place) for place in ("structured_response", "result", "messages"))
        told = next(filter(None, map(answer_of, places)), None)
        # A message is no mapping with one text: its role may be the only one that is no list.
        return told or _spoken(given) or _only_text(given)
    inner = opened(found)
    return answer_of(inner) if isinstance(inner, Mapping) else _spoken(found) or None


def opened(value: Any) -> Any:
    """The fields of a model of pydantic or a dataclass; any other value, and a message, as is."""
    if isinstance(value, Mapping) or hasattr(value, "content"):
        return value
    return value if (found := fields_of(value)) is None else found


def said(value: Any) -> str:
    """The text of a text, a message, or the last one of several messages; "" if it is none."""
    if isinstance(value, list | tuple):
        return said(value[-1]) if value else ""
    if isinstance(value, Mapping):
        return text_of(value.get("content"))
    content = getattr(value, "content", None)
    return text_of(value if content is None else content)


def _spoken(value: Any) -> str:
    """What `said` gives, but for the words of a user, which answer nothing."""
    last = value[-1] if isinstance(value, list | tuple) and value else value
    speaker = getattr(last, "type", None)
    if isinstance(last, Mapping):
        speaker = last.get("role", last.get("type"))
    return "" if speaker in ("human", "user") else said(last)


def _only_text(values: Mapping[Any, Any]) -> str | None:
    texts = [value for value in values.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else None


def document(found: Any, score: float | None = None) -> dict[str, Any]:
    """A retrieved document as a context that `assay.evaluate` reads: text, id, score, the rest."""
    about = dict(getattr(found, "metadata", None) or {})
    for name in ("relevance_score", "score", "_score", "similarity"):
        told = about.get(name)
        if score is None and isinstance(told, int | float):
            score = float(told)
    names = ("id", "doc_id", "chunk_id", "_id", "source_id")
    own = getattr(found, "id", None) or next((about[n] for n in names if about.get(n)), None)
    kept = {"text": str(found.page_content), "id": own, "score": score, "metadata": about or None}
    return {name: value for name, value in kept.items() if value is not None}
