"""Is a system's reply read as what it means, and refused where it means nothing?"""

import dataclasses
import datetime as dt
import decimal
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, Unreadable
from assay.target import Asking
from assay.target.reply import MADE, Reported, plain_of, read
from support.over import over


class Node:
    node_id = "n1"

    def get_content(self):
        return "Water is wet."


@dataclasses.dataclass
class HaystackDocument:
    id: str
    content: str
    score: float


class Message:
    def __init__(self, content, usage=None):
        self.content, self.usage_metadata = content, usage


def read_object(value, mapping=None):
    return read(json.dumps(plain_of(value)), mapping or {})


LLAMA_INDEX = SimpleNamespace(
    response="It is.", source_nodes=[SimpleNamespace(node=Node(), score=0.5)]
)
LANGCHAIN = {
    "input": "Is it?",
    "context": [SimpleNamespace(page_content="Water is wet.", id="n1", metadata={})],
    "answer": "It is.",
}
HAYSTACK = {
    "llm": {"replies": ["It is."]},
    "retriever": {"documents": [HaystackDocument("n1", "Water is wet.", 0.5)]},
}
HAYSTACK_PATHS = {"answer": "llm.replies", "contexts": "retriever.documents"}


class TestFrameworks:
    @over(
        ("value", "mapping"),
        [(LLAMA_INDEX, {}), (LANGCHAIN, {}), (HAYSTACK, HAYSTACK_PATHS)],
    )
    def test_answer_contexts_and_ids_are_found(self, value, mapping):
        found = read_object(value, mapping)
        assert found["answer"] == "It is."
        assert (found["contexts"], found["context_ids"]) == (("Water is wet.",), ("n1",))

    def test_a_message_in_blocks_with_its_tokens(self):
        blocks = [{"type": "text", "text": "It "}, {"type": "text", "text": "is."}]
        found = read_object(Message(blocks, {"total_tokens": 7}))
        assert found == {"answer": "It is.", "tokens": 7}

    @pytest.mark.parametrize("block", [{"type": "image", "text": None}, SimpleNamespace(text=None)])
    def test_a_block_without_text_adds_none(self, block):
        message = Message([block, {"type": "text", "text": "It is."}, SimpleNamespace(text=" So.")])
        assert read_object(message) == {"answer": "It is. So."}

    @pytest.mark.parametrize(
        "value", [Message(None), SimpleNamespace(response=None, source_nodes=[])]
    )
    def test_none_is_no_answer(self, value):
        with pytest.raises(Unreadable, match="is empty"):
            read_object(value)

    def test_what_stands_beside_the_answer_may_be_anything(self):
        value = {"answer": "It is.", "memory": object(), "at": dt.date(2026, 1, 1)}
        assert read_object(value) == {"answer": "It is."}
        assert read_object({"answer": decimal.Decimal("3.5")}) == {"answer": "3.5"}

    def test_a_chat_completion(self):
        reply = {
            "choices": [{"message": {"role": "assistant", "content": "It is."}}],
            "usage": {"total_tokens": 7},
        }
        assert read_object(reply) == {"answer": "It is.", "tokens": 7}

    @pytest.mark.parametrize(
        "content",
        [
            [{"type": "text", "text": "It is."}],
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Maybe not."}]},
                {"type": "text", "text": "It "},
                {"type": "text", "text": "is."},
            ],
        ],
    )
    def test_a_chat_completion_in_parts(self, content):
        assert read_object({"choices": [{"message": {"content": content}}]}) == {"answer": "It is."}

    @over("content", [[{"type": "image"}], [{"type": "text"}], [3], []])
    def test_parts_without_text_are_no_answer(self, content):
        with pytest.raises(Unreadable):
            read_object({"choices": [{"message": {"content": content}}]})

    @over(
        "raw",
        [
            "It is.",
            "\ufeffIt is.",
            '\ufeff"It is."',
            '"It is."',
            '{"result": "It is."}',
            '{"response": "It is."}',
        ],
    )
    def test_bare_text_and_other_names(self, raw):
        assert read(raw, {}) == {"answer": "It is."}

    @over("raw", ["1889", "3.50", "-2", "1e3"])
    def test_a_number_by_itself_is_a_text(self, raw):
        assert read(raw, {}) == {"answer": raw}

    def test_turns_alone_hold_the_answer(self):
        turns = [{"role": "user", "content": "Is it?"}, {"role": "assistant", "content": "It is."}]
        assert read_object({"turns": turns, "status": "ok"})["answer"] == "It is."

    def test_tokens_that_are_named_go_before_those_of_the_usage(self):
        usage = {"total_tokens": 9}
        assert read_object({"answer": "It is.", "usage": usage})["tokens"] == 9
        both = {"answer": "It is.", "tokens": 5, "usage": usage}
        assert read_object(both)["tokens"] == 5
        deep = {"answer": "It is.", "n": {"all": 7}, "usage": usage}
        assert read(json.dumps(deep), {"tokens": "n.all"})["tokens"] == 7


class TestPaths:
    def test_they_reach_into_lists_and_objects(self):
        raw = '{"data": {"text": "It is.", "hits": [{"body": "a"}, {"body": "b"}]}, "answer": 5}'
        found = read(raw, {"answer": "data.text", "contexts": "data.hits.body"})
        assert found == {"answer": "It is.", "contexts": ("a", "b")}

    def test_a_path_that_leads_nowhere_is_told_with_what_there_is(self):
        with pytest.raises(Unreadable, match=r"no 'data\.text'; it has reply, docs"):
            read('{"reply": "x", "docs": []}', {"answer": "data.text"})

    def test_only_what_a_system_makes_can_be_mapped(self):
        with pytest.raises(InputError, match="no 'reference'"):
            Asking(reply={"reference": "x"})


@over(
    ("raw", "said"),
    [
        ("[]", "neither text nor"),
        ("null", "neither text nor"),
        ("true", "neither text nor"),
        ("", "is empty"),
        ('{"answer": " "}', "is empty"),
        ('{"answer": ["a", "b"]}', "must be text"),
        ('{"status": "ok"}', "it has status -> say where it is: --target-reply answer=PATH"),
        ('{"answer": "x", "contexts": 5}', "contexts is the number 5"),
        ('{"answer": "x", "cost": -1}', "cost is -1"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(raw, said):
    with pytest.raises(Unreadable, match=said):
        read(raw, {})


@over(
    ("raw", "said"),
    [
        ('{"error": "no index"}', "no index"),
        ('{"error": {"message": "no index", "code": 7}}', "an answer: no index -> "),
        ('{"error": true, "message": "no index"}', "no index"),
        ('{"error": "NotFound", "message": "no index"}', "NotFound: no index"),
        ('{"errors": [{"message": "no index"}], "data": null}', "no index"),
        ('{"errorMessage": "no index", "errorType": "X"}', "no index"),
        ('{"status": "error", "message": "no index"}', "no index"),
        ('{"status": 500, "message": "no index"}', "no index"),
        ('{"success": false, "message": "no index"}', "no index"),
        ('{"ok": false}', '"ok": false'),
        ('{"detail": "no index"}', "no index"),
        ('{"answer": "", "error": "no index"}', "no index"),
        ('{"answer": null, "error": "no\\n\\u001b[2J index"}', r"no \?\[2J index"),
    ],
)
def test_a_reported_error_is_no_answer(raw, said):
    with pytest.raises(Reported, match=f"instead of .*{said}.*answer=PATH"):
        read(raw, {})
    with pytest.raises(Reported, match=said):
        read(raw, {"contexts": "docs"})


@over(
    ("raw", "mapping"),
    [
        ('{"answer": "It is.", "error": "the reranker timed out"}', {}),
        ('{"message": "It is.", "error": null, "errors": [], "success": true}', {}),
        ('{"message": "It is.", "status": "ok", "code": 0}', {}),
        ('{"message": "It is.", "status": 200}', {}),
        ('{"text": "It is.", "detail": {"model": "m"}}', {}),
        ('{"detail": "It is."}', {"answer": "detail"}),
        ('{"error": true, "message": "It is."}', {"answer": "message"}),
    ],
)
def test_an_answer_beside_what_sounds_like_an_error_is_read(raw, mapping):
    assert read(raw, mapping)["answer"] == "It is."


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["answer", "result", "contexts", "turns", "cost", "usage", "choices", "error", "status"]),
        inner, max_size=4),
)  # fmt: skip


@given(JSON)
def test_any_reply_gives_an_answer_or_a_reason(value):
    try:
        found = read(json.dumps(value), {})
    except Unreadable:
        pass
    else:
        assert found["answer"].strip()
        assert set(found) <= set(MADE)
