"""Is every usual way to write a conversation down understood, and every wrong one named?"""

import json
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
from data_help import load, one, problem
from pyarrow import parquet

from assay.sample import Sample, ToolCall, Turn
from support.over import over

CALL = ToolCall("weather", {"city": "Rome", "days": 2})
TURNS = (
    Turn("user", "What is the weather in Rome?"),
    Turn("assistant", "", tool_calls=(CALL,)),
    Turn("tool", '{"sky": "clear"}'),
    Turn("assistant", "The sky over Rome is clear."),
)
ARGUMENTS = '{"city": "Rome", "days": 2}'
OPENAI = [
    {"role": "user", "content": [{"type": "text", "text": "What is the weather in Rome?"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "weather", "arguments": ARGUMENTS},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '{"sky": "clear"}'},
    {"role": "assistant", "content": "The sky over Rome is clear."},
]
LANGCHAIN = [
    {"type": "human", "content": "What is the weather in Rome?", "additional_kwargs": {}},
    {
        "type": "ai",
        "content": "",
        "additional_kwargs": {"tool_calls": [{"function": OPENAI[1]["tool_calls"][0]["function"]}]},
        "tool_calls": [],
    },
    {"type": "tool", "content": {"sky": "clear"}, "tool_call_id": "call_1"},
    {"type": "AIMessageChunk", "content": ["The sky over Rome is clear."]},
]
SERIALISED = [
    {"type": m["type"], "data": {k: v for k, v in m.items() if k != "type"}}  # type: ignore[attr-defined]
    for m in LANGCHAIN
]
CONSTRUCTED = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", name],
        "kwargs": {k: v for k, v in message.items() if k != "type"},  # type: ignore[attr-defined]
    }
    for name, message in zip(
        ["HumanMessage", "AIMessage", "ToolMessage", "AIMessage"], LANGCHAIN, strict=True
    )
]
RAGAS = [
    {"content": "What is the weather in Rome?", "metadata": None, "type": "human"},
    {
        "content": "",
        "metadata": None,
        "type": "ai",
        "tool_calls": [{"name": "weather", "args": {"city": "Rome", "days": 2}}],
    },
    {"content": '{"sky": "clear"}', "metadata": None, "type": "tool"},
    {"content": "The sky over Rome is clear.", "type": "ai", "tool_calls": None},
]
ANTHROPIC = [
    {"role": "user", "content": "What is the weather in Rome?"},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Rome", "days": 2}}
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "1", "content": '{"sky": "clear"}'}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "The sky over Rome is clear."}]},
]
GEMINI = [
    {"role": "user", "parts": [{"text": "What is the weather in Rome?"}]},
    {
        "role": "model",
        "parts": [{"functionCall": {"name": "weather", "args": {"city": "Rome", "days": 2}}}],
    },
    {
        "role": "user",
        "parts": [{"functionResponse": {"name": "weather", "response": {"sky": "clear"}}}],
    },
    {"role": "model", "parts": [{"text": "The sky over Rome is clear."}]},
]
RESPONSES = [
    {"type": "message", "role": "user", "content": "What is the weather in Rome?"},
    {"type": "function_call", "call_id": "1", "name": "weather", "arguments": ARGUMENTS},
    {"type": "function_call_output", "call_id": "1", "output": '{"sky": "clear"}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": None}]},
]
RESPONSES[3]["content"][0]["text"] = "The sky over Rome is clear."
DEEPEVAL = [
    {"role": "user", "content": "What is the weather in Rome?"},
    {
        "role": "assistant",
        "content": "",
        "tools_called": [{"name": "weather", "input_parameters": {"city": "Rome", "days": 2}}],
    },
    {"role": "tool", "content": '{"sky": "clear"}'},
    {"role": "assistant", "content": "The sky over Rome is clear."},
]
WAYS = {
    "openai": OPENAI,
    "langchain": LANGCHAIN,
    "langchain serialised": SERIALISED,
    "langchain constructed": CONSTRUCTED,
    "ragas": RAGAS,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "openai responses": RESPONSES,
    "deepeval": DEEPEVAL,
    "turns": list(TURNS),
}


@over("messages", WAYS.values())
@over("column", ["turns", "messages", "user_input"])
def test_messages_of_every_usual_library_are_the_same_turns(messages, column):
    assert one({column: messages}).turns == TURNS


@over("messages", WAYS.values())
def test_messages_may_be_objects_of_a_library(messages):
    class Model(SimpleNamespace):
        def model_dump(self):
            return dict(self.__dict__)

    if messages != list(TURNS):
        assert one({"messages": [Model(**message) for message in messages]}).turns == TURNS


def test_messages_may_be_dataclasses_and_pairs():
    @dataclass
    class Message:
        role: str
        content: str
        tool_calls: list = field(default_factory=list)

    expected = (Turn("user", "Hello."), Turn("assistant", "Hi."))
    written = [Message("user", "Hello."), Message("assistant", "Hi.")]
    assert one({"turns": written}).turns == expected
    assert one({"turns": [("human", "Hello."), ["ai", "Hi."]]}).turns == expected
    shared = [{"from": "human", "value": "Hello."}, {"from": "gpt", "value": "Hi."}]
    assert one({"conversations": shared}).turns == expected
    assert one({"input": {"messages": shared}}).turns == expected


@over("write", [json.dumps, repr])
@over("column", ["turns", "user_input"])
def test_messages_stand_in_a_cell(tmp_path, write, column):
    cell = write(RAGAS).replace('"', '""')
    (tmp_path / "x.csv").write_text(f'id,{column}\n1,"{cell}"\n')
    (sample,) = load(tmp_path / "x.csv")
    assert sample.turns == TURNS


@over("text", ["[1] Who wrote it?", '["one", "two"]', "[{broken", "[]"])
def test_a_question_that_begins_with_a_bracket_stays_a_question(tmp_path, text):
    assert one({"question": text}).question == text
    cell = text.replace('"', '""')
    (tmp_path / "x.csv").write_text(f'id,question\n1,"{cell}"\n')
    assert load(tmp_path / "x.csv")[0].question == text


def test_instructions_to_the_assistant_are_kept_and_are_nobodys_question():
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Hello."},
    ]
    sample = one({"messages": messages})
    assert sample.turns == (Turn("system", "Be brief."), Turn("user", "Hello."))
    assert sample.question == "Hello."


def test_contexts_of_a_turn_are_texts_or_documents():
    documents = [{"page_content": "Rome lies on the Tiber.", "metadata": {}}]
    messages = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": "On the Tiber.", "retrieval_context": documents},
    ]
    assert one({"turns": messages}).turns[1].contexts == ("Rome lies on the Tiber.",)
    empty = [messages[0], {**messages[1], "retrieval_context": []}]
    assert one({"turns": empty}).turns[1].contexts == ()


def test_a_part_without_text_is_named_and_not_dropped():
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
        {"type": "refusal", "refusal": "No."},
    ]
    (turn,) = one({"messages": [{"role": "user", "content": parts}]}).turns
    assert turn.text == "What is this?\n[image_url]\nNo."


class TestLastExchange:
    def test_a_conversation_is_asked_and_answered_by_its_last_exchange(self):
        sample = one({"turns": OPENAI})
        assert sample.question == "What is the weather in Rome?"
        assert sample.answer == "The sky over Rome is clear."
        assert sample.contexts is None

    def test_contexts_are_those_of_the_answer(self):
        turns = (
            Turn("user", "a?"),
            Turn("assistant", "a.", ("A is a.",)),
            Turn("user", "b?"),
            Turn("assistant", "b.", ("B is b.",)),
            Turn("user", "And c?"),
        )
        sample = one({"turns": turns})
        assert (sample.question, sample.answer) == ("b?", "b.")
        assert sample.contexts == ("B is b.",)

    def test_what_is_given_is_never_changed(self):
        row = {"turns": TURNS, "question": "q", "answer": "a", "contexts": ["c"]}
        sample = one(row)
        assert (sample.question, sample.answer, sample.contexts) == ("q", "a", ("c",))

    def test_a_given_answer_belongs_to_the_last_question(self):
        turns = (Turn("user", "a?"), Turn("assistant", "a.", ("A.",)), Turn("user", "b?"))
        sample = one({"turns": turns, "answer": "b."})
        assert (sample.question, sample.answer, sample.contexts) == ("b?", "b.", None)

    def test_contexts_of_a_turn_do_not_fill_beside_other_ids(self):
        turns = (Turn("user", "a?"), Turn("assistant", "a.", ("A.", "B.")))
        assert one({"turns": turns, "context_ids": ["1"]}).contexts is None
        assert one({"turns": turns, "context_ids": ["1", "2"]}).contexts == ("A.", "B.")

    def test_a_conversation_without_an_answer_has_none(self):
        assert one({"turns": [Turn("user", "a?")]}).answer is None
        assert one({"turns": []}) == Sample(id="row-1", turns=())

    def test_metrics_of_single_answers_take_conversations(self):
        needs = {"answer_relevancy": ("question", "answer")}
        assert len(load([{"turns": OPENAI}], needs=needs)) == 1


TOLD = [
    ({"turns": "Hello"}, "must be a list of messages"),
    ({"turns": 3}, "is the number 3"),
    ({"turns": ["Hello"]}, "turn 1 is the text 'Hello'"),
    ({"turns": [{"content": "x"}]}, "turn 1 names no role"),
    ({"turns": [TURNS[0], {"role": "narrator", "content": "x"}]}, "turn 2 has the role 'narrator'"),
    ({"turns": [{"role": "user", "msg": "x"}]}, "turn 1: holds no text"),
    ({"turns": [{"role": "user", "content": "a\0b"}]}, "turn 1: holds a NUL character"),
    ({"turns": [{"role": "user", "content": 7}]}, "turn 1: holds a part that is not text"),
    ({"turns": [{"role": "user", "content": [{"x": 1}]}]}, "turn 1: holds a part that is not text"),
    (
        {"turns": [{"role": "assistant", "content": "x", "contexts": ["a", 7]}]},
        "turn 1: item 2 is the number 7",
    ),
    (
        {"turns": [{"role": "assistant", "content": "x", "tool_calls": [{"args": {}}]}]},
        "turn 1: call 1 has no name",
    ),
    (
        {"turns": [{"role": "ai", "content": "", "tool_calls": [{"name": "f", "args": "{bro"}]}]},
        "turn 1: call 1 has arguments that are not an object: the text '{bro'",
    ),
    ({"turns": [Turn("narrator", "x")]}, "turn 1 has the role 'narrator'"),
    ({"turns": '[{"role": "user", "cont'}, "cut off?"),
    ({"question": [{"who": "x"}]}, "must be text"),
    ({"turns": [TURNS[0]], "user_input": list(TURNS)}, "holds different messages from 'turns'"),
    ({"reference_tool_calls": "weather"}, "must be a list of tool calls"),
    ({"reference_tool_calls": ["weather"]}, "call 1 is the text 'weather'"),
    ({"reference_tool_calls": [{"name": "f", "args": [1]}]}, "call 1 has arguments"),
]


@over(("row", "told"), TOLD)
def test_what_is_wrong_is_told_once_with_row_field_and_remedy(row, told):
    found = problem([row])
    assert told in found
    assert "row 1, field '" in found
    assert " -> " in found


def test_a_column_that_only_sounds_like_a_conversation_can_be_left_out():
    told = problem([{"question": "q", "turns": 3}])
    assert "--map turns= leaves the field out" in told
    sample = one({"question": "q", "turns": 3}, mapping={"turns": ""})
    assert (sample.turns, sample.metadata) == (None, {"turns": 3})


@over(
    "calls",
    [
        [{"name": "weather", "args": {"city": "Rome", "days": 2}}],
        [{"name": "weather", "arguments": ARGUMENTS}],
        [{"type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}}],
        [{"name": "weather", "input_parameters": {"city": "Rome", "days": 2}, "output": None}],
        [{"tool_name": "weather", "arguments": {"city": "Rome", "days": 2}}],
        [{"type": "function", "function": "weather", "arguments": {"city": "Rome", "days": 2}}],
        [{"name": "weather", "args": [("city", "Rome"), ("days", 2)]}],
        [CALL],
        json.dumps([{"name": "weather", "args": {"city": "Rome", "days": 2}}]),
    ],
)
def test_tool_calls_that_should_be_made_are_written_in_many_ways(calls):
    assert one({"reference_tool_calls": calls}).reference_tool_calls == (CALL,)


def test_a_tool_without_arguments():
    for call in ({"name": "now"}, {"name": "now", "args": {}}, {"name": "now", "arguments": ""}):
        assert one({"expected_tools": [call]}).reference_tool_calls == (ToolCall("now"),)


def test_arguments_become_plain_values():
    call = ToolCall("f", {"x": np.int64(3), 4: (1, {"y": float("nan")})})
    (found,) = one({"reference_tool_calls": [call]}).reference_tool_calls
    assert found.args == {"x": 3, "4": [1, {"y": None}]}


def test_one_conversation_is_a_row_and_not_a_column(tmp_path):
    row = {"messages": OPENAI, "reference_topics": ["weather"]}
    (tmp_path / "x.json").write_text(json.dumps(row, indent=1))
    (sample,) = load(tmp_path / "x.json")
    assert (sample.turns, sample.reference_topics) == (TURNS, ("weather",))
    (by_column,) = load({"messages": [OPENAI], "reference_topics": [["weather"]]})
    assert by_column.turns == TURNS
    assert "[row]" in problem(row)


def test_arrow_gives_null_for_what_is_not_there(tmp_path):
    rows = [
        {"messages": OPENAI[:1], "reference_tool_calls": [{"name": "f", "args": {"x": 1}}]},
        {"messages": RAGAS, "reference_tool_calls": [{"name": "g", "args": {"y": {"z": "1"}}}]},
    ]
    rows[0]["messages"] = [{"role": "user", "content": "Hello."}]
    table = pa.Table.from_pylist(rows)
    parquet.write_table(table, tmp_path / "x.parquet")
    for data in (tmp_path / "x.parquet", table):
        first, second = load(data)
        assert first.turns == (Turn("user", "Hello."),)
        assert second.turns == TURNS
        assert first.reference_tool_calls == (ToolCall("f", {"x": 1}),)
        assert second.reference_tool_calls == (ToolCall("g", {"y": {"z": "1"}}),)


def test_arguments_may_be_a_map_of_arrow(tmp_path):
    call = pa.struct([("name", pa.string()), ("args", pa.map_(pa.string(), pa.int64()))])
    rows = {
        "reference_tool_calls": [[{"name": "f", "args": [("x", 1)]}, {"name": "g", "args": []}]]
    }
    table = pa.table(rows, schema=pa.schema([("reference_tool_calls", pa.list_(call))]))
    (sample,) = load(table)
    assert sample.reference_tool_calls == (ToolCall("f", {"x": 1}), ToolCall("g"))


@over(
    "parts",
    [
        [{"type": "thinking", "thinking": "43?"}, {"type": "text", "text": "42."}],
        [{"type": "thinking", "thinking": [{"text": "43?"}]}, {"type": "text", "text": "42."}],
        [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "42."}],
        [{"type": "reasoning", "reasoning": "43?"}, {"type": "text", "text": "42."}],
        [{"type": "reasoning", "content": "43?"}, {"type": "text", "content": "42."}],
        [{"reasoningContent": {"reasoningText": {"text": "43?"}}}, {"text": "42."}],
        [{"text": "43?", "thought": True}, {"text": "42."}],
    ],
)
def test_what_a_model_thought_is_no_part_of_what_it_said(parts):
    said = {"role": "assistant", "content": parts}
    sample = one({"messages": [{"role": "user", "content": "6 * 7?"}, said]})
    assert sample.answer == sample.turns[-1].text == "42."


def test_thoughts_that_stand_beside_the_messages_are_passed_over():
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "43?"}]}
    asked, said = {"role": "user", "content": "6 * 7?"}, {"role": "assistant", "content": "42."}
    assert len(one({"messages": [asked, thought, said]}).turns) == 2


def test_an_agent_that_speaks_is_the_assistant():
    messages = [{"speaker": "user", "text": "6 * 7?"}, {"speaker": "agent", "text": "42."}]
    assert one({"input": messages}).answer == "42."
