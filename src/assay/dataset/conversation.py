"""Which question, answer and contexts does a conversation come down to, where none are given?"""

from typing import Any

from assay.sample import Turn


def fill(fields: dict[str, Any]) -> None:
    """Fill what is absent from the last exchange of the conversation.

    The answer is the last message of the assistant that says something, the question the last
    message of the user before it, the contexts those recorded with that answer. What is given is
    never changed.
    """
    turns: tuple[Turn, ...] = fields.get("turns") or ()
    at = _last(turns, "assistant")
    if at is not None and fields.get("answer") in (None, turns[at].text):
        fields["answer"] = turns[at].text
        if fields.get("contexts") is None and _fits(turns[at].contexts, fields.get("context_ids")):
            fields["contexts"] = turns[at].contexts
        turns = turns[:at]
    asked = _last(turns, "user")
    if asked is not None and fields.get("question") is None:
        fields["question"] = turns[asked].text


def _fits(contexts: tuple[str, ...] | None, ids: tuple[str, ...] | None) -> bool:
    return contexts is not None and (ids is None or len(ids) == len(contexts))


def _last(turns: tuple[Turn, ...], role: str) -> int | None:
    places = [n for n, turn in enumerate(turns) if turn.role == role and turn.text.strip()]
    return places[-1] if places else None
