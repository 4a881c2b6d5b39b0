"""Conversations: messages and tool calls as the usual libraries write them down."""

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias, get_args, get_type_hints

from assay.data.documents import documents, list_in_text
from assay.data.values import FieldError, Form, describe, plain, text, unboxed
from assay.sample import ToolCall, Turn

Object: TypeAlias = Mapping[str, Any]
ROLES: Final = get_args(get_type_hints(Turn)["role"])
# How OpenAI, Anthropic, Gemini, LangChain, ragas and ShareGPT name the speakers. What ends in
# "Message" or "MessageChunk" is written here without that ending.
_SPEAKERS: Final = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "agent": "assistant",
    "gpt": "assistant",
    "function": "tool",
    "developer": "system",
    "function_call": "assistant",
    "function_call_output": "tool",
}
_SPEAKER_KEYS: Final = ("role", "from", "speaker", "type")
_TEXT_KEYS: Final = ("text", "content", "value", "parts", "blocks", "output")
_CONTEXT_KEYS: Final = ("contexts", "retrieved_contexts", "retrieval_context", "context")
_CALL_KEYS: Final = ("tool_calls", "tools_called", "function_call")
_ARGUMENT_KEYS: Final = (
    *("args", "arguments", "input_parameters", "inputParameters", "input", "parameters"),
)
# Columns of the tools that were called on the way to an answer, as `normal` writes their names.
CALLS: Final = ("toolscalled", "toolcalls")
_PART_CALLS: Final = ("functionCall", "function_call", "tool_call")
_PART_RESULTS: Final = ("functionResponse", "tool_call_result", "tool_result")
_BEDROCK: Final = "reasoningContent"
# Parts in which a model thinks to itself: they are no part of what it says.
_THOUGHTS: Final = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")
_LIST_KEYS: Final = ("messages", "turns", "conversation", "conversations")
_AS_MESSAGE: Final = 'write each as {"role": "user", "content": "..."}'
_AS_CALL: Final = 'write it as {"name": "...", "args": {...}}'


def turns(value: Any, form: Form) -> tuple[Turn, ...]:
    """The messages of a conversation, first message first."""
    value = unboxed(value)
    if isinstance(value, Mapping) and (inside := _first(value, _LIST_KEYS)) is not None:
        value = inside
    numbered = enumerate(items(value, "messages", _AS_MESSAGE), 1)
    # Of OpenAI's responses, thoughts are items beside the messages.
    messages = [(n, item) for n, item in numbered if not is_thought(as_object(item))]
    return tuple(_turn(item, f"turn {n}", form) for n, item in messages)


def tool_calls(value: Any, form: Form) -> tuple[ToolCall, ...]:
    """Tools with their arguments, in order."""
    calls = items(value, "tool calls", _AS_CALL)
    return tuple(_call(item, f"call {n}", form) for n, item in enumerate(calls, 1))


def question(value: Any, form: Form) -> str | tuple[Turn, ...]:
    """A question; a list of messages in its place is a conversation (ragas' `user_input`)."""
    if not isinstance(value, str):
        return turns(value, form) if are_messages(value) else text(value)
    if form == "table" and value.lstrip()[:1] == "[":
        with suppress(FieldError):  # a question may begin with a bracket
            messages = list_in_text(value)
            if are_messages(messages):
                return turns(messages, form)
    return text(value)


def are_messages(value: Any) -> bool:
    """Whether this is a conversation rather than a list of anything else."""
    value = unboxed(value)
    if isinstance(value, Mapping):
        return are_messages(_first(value, _LIST_KEYS))
    if not isinstance(value, list | tuple) or not value:
        return False
    first = _message(value[0])
    return first is not None and _speaker(first) in ROLES


def items(value: Any, items_of: str, remedy: str) -> Sequence[Any]:
    """The items of a list, which may stand as text in a cell."""
    value = unboxed(value)
    if isinstance(value, str):
        values = list_in_text(value)
        value = value if values is None else values
    if not isinstance(value, list | tuple):
        raise FieldError(f"is {describe(value)}, but must be a list of {items_of}", remedy)
    return value


def without_gaps(value: Any, form: Form) -> Any:
    """Plain data; keys without a value are left out of what Arrow gives.

    A struct of Arrow has all keys that any row has, so that null there says "not given".
    """
    if isinstance(value, Mapping):
        fields = {str(key): without_gaps(item, form) for key, item in value.items()}
        gap = form == "arrow"
        return {plain(key): item for key, item in fields.items() if not (gap and item is None)}
    if isinstance(value, list | tuple):
        return [without_gaps(item, form) for item in value]
    return plain(value)


def is_thought(part: Object | None) -> bool:
    """Whether a part of a message is what a model thought before it answered."""
    if part is None:
        return False
    return part.get("type") in _THOUGHTS or part.get("thought") is True or _BEDROCK in part


def pairs(value: Any) -> Object | None:
    """A mapping, also where Arrow gives it as a list of pairs; None if it is none."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list | tuple) and value:
        items = [unboxed(item) for item in value]
        if all(isinstance(item, list | tuple) and len(item) == 2 for item in items):
            return {str(key): item for key, item in items}
    return None


def _turn(item: Any, location: str, form: Form) -> Turn:
    message = _message(item)
    if message is None:
        raise FieldError(f"{location} is {describe(item)}, but must be a message", _AS_MESSAGE)
    role: Any = _speaker(message)
    if role not in ROLES:
        fault = f"{location} has the role '{role}'" if role else f"{location} names no role"
        raise FieldError(f"{fault}; roles are {', '.join(ROLES)}", _AS_MESSAGE)
    try:
        return _read_message(role, message, form)
    except FieldError as error:
        raise FieldError(f"{location}: {error.what}", error.remedy) from None


def _read_message(role: Any, message: Object, form: Form) -> Turn:
    content = _first(message, _TEXT_KEYS)
    calls = _calls_of(message, content)
    if content is None and not calls and not any(key in message for key in _TEXT_KEYS):
        raise FieldError("holds no text", _AS_MESSAGE)
    contexts = _first(message, _CONTEXT_KEYS)
    return Turn(
        "tool" if _is_result(content) else role,
        text(_content_text(content, as_json=role == "tool")),
        None if contexts is None else documents(contexts).texts,
        tool_calls(calls, form),
    )


def _message(item: Any) -> Object | None:
    """A message as an object, whatever library it comes from; None if it is none."""
    pair = isinstance(item, list | tuple) and len(item) == 2
    if pair and all(isinstance(item, str) for item in item):
        return {"role": item[0], "content": item[1]}
    message = as_object(item)
    if message is None:
        return None
    # LangChain's two ways to write a message down.
    names = message.get("id")
    if isinstance(message.get("kwargs"), Mapping) and isinstance(names, list) and names:
        return {"type": str(names[-1]), **message["kwargs"]}
    if isinstance(message.get("data"), Mapping):
        return {**message, **message["data"]}
    return message


def as_object(item: Any) -> Object | None:
    """A mapping, or what a library's object stands for."""
    if isinstance(item, Mapping):
        return item
    if isinstance(item, type):
        return None
    for method in ("model_dump", "to_dict"):
        if hasattr(item, method):
            fields = getattr(item, method)()
            return fields if isinstance(fields, Mapping) else None
    if dataclasses.is_dataclass(item):
        return {f.name: getattr(item, f.name) for f in dataclasses.fields(item)}
    return None


def _speaker(message: Object) -> str:
    speaker = _first(message, _SPEAKER_KEYS)
    speaker = getattr(speaker, "value", speaker)  # an enum
    name = str(speaker or "").strip().lower().removesuffix("chunk").removesuffix("message")
    return _SPEAKERS.get(name, name)


def _first(fields: Object, keys: Iterable[str]) -> Any:
    """The value under the first key that has one. In a struct of Arrow all keys are there."""
    return next((value for key in keys if (value := unboxed(fields.get(key))) is not None), None)


def _calls_of(message: Object, content: Any) -> list[Any]:
    """The calls of a message: beside its text, among its parts, or itself one."""
    if message.get("type") == "function_call":
        return [message]
    extra_fields = message.get("additional_kwargs")
    for fields in (message, extra_fields if isinstance(extra_fields, Mapping) else {}):
        calls = _first(fields, _CALL_KEYS)
        if calls:
            return [calls] if isinstance(calls, Mapping) else list(items(calls, "calls", _AS_CALL))
    in_parts = []
    for block in _blocks(content):
        if block.get("type") == "tool_use":
            in_parts.append(block)
        elif (call := _first(block, _PART_CALLS)) is not None:
            in_parts.append(call)
    return in_parts


def _blocks(content: Any) -> list[Object]:
    if not isinstance(content, list | tuple):
        return []
    return [block for block in map(as_object, content) if block is not None]


def _is_result(content: Any) -> bool:
    """Whether a message of a user holds nothing but what tools returned."""
    blocks = _blocks(content)
    return bool(blocks) and all(
        block.get("type") == "tool_result" or _first(block, _PART_RESULTS) is not None
        for block in blocks
    )


def _content_text(content: Any, *, as_json: bool) -> str:
    """The text of a content.

    Args:
        content: Text, a list of parts, or what a tool returned.
        as_json: Whether what is no text is written as JSON, as the results of tools are.
    """
    if content is None or isinstance(content, str):
        return str(unboxed(content or ""))
    blocks = [
        as_object(block) if not isinstance(block, str) else block for block in _as_parts(content)
    ]
    if as_json and not all(isinstance(block, str) or _is_part(block) for block in blocks):
        return json.dumps(plain(content), ensure_ascii=False)
    texts = [block if isinstance(block, str) else _part_text(block) for block in blocks]
    return "\n".join(filter(None, texts))


def _as_parts(content: Any) -> Sequence[Any]:
    if isinstance(content, Mapping) and isinstance(content.get("parts"), list):
        content = content["parts"]
    return content if isinstance(content, list | tuple) else [content]


def _is_part(block: Object | None) -> bool:
    return block is not None and any(
        key in block for key in ("text", "type", "refusal", _BEDROCK, *_PART_CALLS, *_PART_RESULTS)
    )


def _part_text(block: Object | None) -> str:
    """The text of one part; what holds none (an image) is named by its type."""
    if block is None or not _is_part(block):
        raise FieldError("holds a part that is not text", 'write it as {"type": "text", ...}')
    result = _first(block, _PART_RESULTS)
    if result is not None or block.get("type") == "tool_result":
        inside = result if isinstance(result, Mapping) else block
        return _content_text(_first(inside, ("result", "response", "content")), as_json=True)
    is_call = block.get("type") == "tool_use" or _first(block, _PART_CALLS) is not None
    if is_call or is_thought(block):
        return ""
    # "content" is how OpenTelemetry's conventions name the text of a part.
    words = _first(
        block, ("text", "refusal", *(("content",) if block.get("type") == "text" else ()))
    )
    if isinstance(words, Mapping):
        words = words.get("value")
    return words if isinstance(words, str) else f"[{block.get('type')}]"


def _call(item: Any, location: str, form: Form) -> ToolCall:
    call = as_object(item)
    if call is None:
        raise FieldError(f"{location} is {describe(item)}, but must be a tool call", _AS_CALL)
    function = as_object(call.get("function"))  # as OpenAI writes it
    call = call if function is None else function
    name = _first(call, ("name", "tool_name", "function"))  # Inspect's "function" is the name
    if not isinstance(name, str) or not name.strip():
        raise FieldError(f"{location} has no name", _AS_CALL)
    return ToolCall(text(name, f"the name of {location}"), _arguments(call, location, form))


def _arguments(call: Object, location: str, form: Form) -> dict[str, Any]:
    arguments = _first(call, _ARGUMENT_KEYS)
    if arguments is None or arguments == "":
        return {}
    if isinstance(arguments, str):
        form = "json"
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    fields = pairs(arguments)
    if fields is None and arguments != []:
        fault = f"{location} has arguments that are not an object: {describe(arguments)}"
        raise FieldError(fault, 'write them as a JSON object: {"city": "Rome"}')
    plain_arguments: dict[str, Any] = without_gaps(fields or {}, form)
    return plain_arguments


def add_exchange(fields: dict[str, Any], calls: Any, form: Form) -> None:
    """Make an exchange of question and answer in which tools were called (DeepEval's test cases).

    Nothing is added where the row has messages, an answer is missing, no tool was called or
    expected, or the calls cannot be read as such.
    """
    question, answer = fields.get("question"), fields.get("answer")
    if fields.get("turns") is not None or not isinstance(question, str) or answer is None:
        return
    with suppress(FieldError):
        made = tool_calls(calls, form)
        if made or fields.get("reference_tool_calls"):
            asked = Turn("user", question)
            fields["turns"] = (asked, Turn("assistant", answer, fields.get("contexts"), made))


def fill_from_conversation(fields: dict[str, Any]) -> None:
    """Fill what is absent from the last exchange of the conversation.

    The answer is the last message of the assistant that says something, the question the last
    message of the user before it, the contexts those recorded with that answer. What is given is
    never changed.
    """
    turns: tuple[Turn, ...] = fields.get("turns") or ()
    if turns and turns[-1].role == "user" and fields.get("question") == turns[-1].text:
        return  # asked last, and not answered yet
    answered = _last_place(turns, "assistant")
    if answered is not None and fields.get("answer") in (None, turns[answered].text):
        fields["answer"] = turns[answered].text
        if fields.get("contexts") is None and _has_id_each(
            turns[answered].contexts, fields.get("context_ids")
        ):
            fields["contexts"] = turns[answered].contexts
        turns = turns[:answered]
    question_at = _last_place(turns, "user")
    if question_at is not None and fields.get("question") is None:
        fields["question"] = turns[question_at].text


def _has_id_each(contexts: tuple[str, ...] | None, ids: tuple[str, ...] | None) -> bool:
    return contexts is not None and (ids is None or len(ids) == len(contexts))


def _last_place(turns: tuple[Turn, ...], role: str) -> int | None:
    indices = [n for n, turn in enumerate(turns) if turn.role == role and turn.text.strip()]
    return indices[-1] if indices else None
