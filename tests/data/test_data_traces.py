"""Does every record of a running system become the question, documents and answer that it holds?"""

import base64
import contextlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data_help import load, refused
from hypothesis import given
from hypothesis import strategies as st

from assay import evaluate
from assay.errors import InputError
from assay.sample import ToolCall, Turn
from support.over import over

TRACES = Path(__file__).parent.parent / "support" / "traces"
QUESTION = "Where are scores kept, and what if a run is killed?"
ANSWER = "They are kept in assay.db, and a run that was killed goes on."
TEXTS = (
    "All replies and scores are kept in one SQLite file, assay.db.",
    "A run that was killed goes on where it was; no reply is paid for twice.",
)
SECOND = 10**9
TALK = (
    Turn("user", "asked"),
    Turn("assistant", "", tool_calls=(ToolCall("look", {"at": "Rome"}),)),
    Turn("tool", '{"rain": true}'),
    Turn("assistant", "said"),
)


def span(name, attributes, *, own="b1", parent=None, at=0, trace="a" * 32, **more):
    """A span as the SDK writes it, a second long."""
    return {
        "name": name,
        "context": {"trace_id": f"0x{trace}", "span_id": f"0x{own:0>16}"},
        "parent_id": parent and f"0x{parent:0>16}",
        "start_time": f"2026-01-01T00:00:{at:02}.000000Z",
        "end_time": f"2026-01-01T00:00:{at + 1:02}.000000Z",
        "attributes": attributes,
        **more,
    }


def chain(asked, said, **more):
    kind = {"openinference.span.kind": "CHAIN"}
    return span("chain", {**kind, "input.value": asked, "output.value": said}, **more)


def retriever(*documents, **more):
    found = {"openinference.span.kind": "RETRIEVER", "input.value": "rewritten"}
    for place, document in enumerate(documents):
        for name, value in document.items():
            found[f"retrieval.documents.{place}.document.{name}"] = value
    return span("retriever", found, **more)


def llm(asked, said, **more):
    found = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "small",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": asked,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": said,
        "llm.token_count.prompt": 70,
        "llm.token_count.completion": 30,
        "llm.token_count.prompt_details.cache_read": 5,
        "llm.cost.total": 0.25,
    }
    return span("llm", found, **more)


def one(*spans):
    (sample,) = load(list(spans))
    return sample


class TestWhatInstrumentationRecorded:
    """The files are recordings of openinference-instrumentation-* (see support/traces/record.py)."""

    @over("form", ["otlp.json", "sdk.jsonl"])
    @over("system", ["langchain", "llama_index"])
    def test_each_question_is_a_sample(self, system, form):
        found, nothing = load(TRACES / f"{system}.{form}")
        assert (found.question, found.answer) == (QUESTION, ANSWER)
        assert (found.contexts, found.context_ids) == (TEXTS, ("store", "resume"))
        assert nothing.question == "Who wrote the first program?"
        assert nothing.contexts == ()
        assert 0 < found.latency_ms < 60_000

    def test_scores_of_documents_are_kept(self):
        found, _ = load(TRACES / "llama_index.otlp.json")
        assert [kept["score"] for kept in found.metadata["contexts"]] == [0.9, 0.8]

    @pytest.mark.parametrize("system", ["langchain", "llama_index"])
    def test_the_tools_that_an_agent_called_are_a_conversation(self, system):
        (found,) = load(TRACES / f"{system}_agent.sdk.jsonl")
        asked, called, returned, said = found.turns
        assert (asked.role, asked.text) == ("user", "Does it rain in Rome?")
        assert called.tool_calls == (ToolCall("weather", {"city": "Rome", "days": 2}),)
        assert (returned.role, returned.text) == ("tool", "Rome: rain for 2 days")
        assert said.text.endswith("It rains in Rome.")
        assert found.question == asked.text
        assert found.answer == said.text

    def test_every_form_gives_the_same_samples(self, tmp_path):
        lines = (TRACES / "llama_index.sdk.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        wanted = load(TRACES / "llama_index.sdk.jsonl")
        for data in (rows, phoenix(rows), in_parquet(tmp_path, rows), in_base64(tmp_path)):
            found = load(data)
            assert [s.contexts for s in found] == [s.contexts for s in wanted]
            assert [s.id for s in found] == [s.id for s in wanted]
            assert [s.answer for s in found] == [s.answer for s in wanted]
            assert found[0].latency_ms == pytest.approx(wanted[0].latency_ms, abs=0.01)


def phoenix(rows):
    """Rows with a column for each attribute, as Phoenix gives a data frame of spans."""
    return [
        {
            "name": row["name"],
            "span_kind": row["attributes"]["openinference.span.kind"],
            "parent_id": row["parent_id"] and row["parent_id"][2:],
            "start_time": row["start_time"],
            "end_time": row["end_time"],
            "status_code": "OK",
            "context.trace_id": row["context"]["trace_id"][2:],
            "context.span_id": row["context"]["span_id"][2:],
            **{f"attributes.{key}": value for key, value in row["attributes"].items()},
        }
        for row in rows
    ]


def in_parquet(tmp_path, rows):
    columns = [{**row, "attributes": json.dumps(row["attributes"])} for row in rows]
    kept = ("name", "context", "parent_id", "start_time", "end_time", "attributes")
    table = pa.Table.from_pylist([{name: row[name] for name in kept} for row in columns])
    pq.write_table(table, tmp_path / "spans.parquet")
    return tmp_path / "spans.parquet"


def in_base64(tmp_path):
    """OTLP as protobuf's own JSON writes it, a request a line."""
    document = json.loads((TRACES / "llama_index.otlp.json").read_text())
    for name in ("traceId", "spanId", "parentSpanId"):
        for each in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
            if name in each:
                each[name] = base64.b64encode(bytes.fromhex(each[name])).decode()
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps({"resourceSpans": document["resourceSpans"]}) + "\n")
    return path


def test_a_data_frame_as_phoenix_makes_it_is_read():
    """Lists of attributes are arrays of objects there, times timestamps, gaps NaN."""
    documents = [{"document.content": "text", "document.id": "d1", "document.score": 0.5}]
    messages = [{"message.role": "assistant", "message.content": "said"}]
    ids = {"context.trace_id": "a" * 32, "start_time": pd.Timestamp("2026-01-01", tz="UTC")}
    times = {**ids, "end_time": pd.Timestamp("2026-01-01 00:00:01.5", tz="UTC")}
    chain = {"context.span_id": "1" * 16, "span_kind": "CHAIN", "parent_id": None}
    below = {"parent_id": "1" * 16}
    frame = pd.DataFrame(
        [
            {**times, **chain, "attributes.input.value": "asked"},
            {
                **times,
                **below,
                "context.span_id": "2" * 16,
                "span_kind": "RETRIEVER",
                "attributes.retrieval.documents": np.array(documents, dtype=object),
            },
            {
                **times,
                **below,
                "context.span_id": "3" * 16,
                "span_kind": "LLM",
                "attributes.llm.output_messages": np.array(messages, dtype=object),
                "attributes.llm.token_count.total": 12.0,
            },
        ]
    )
    for shown in (frame, frame.set_index("context.span_id")):
        (found,) = load(shown)
        assert (found.question, found.answer, found.contexts) == ("asked", "said", ("text",))
        assert (found.context_ids, found.tokens, found.latency_ms) == (("d1",), 12, 1500)


class TestOpenInference:
    def test_the_question_is_what_the_user_asked_not_what_was_searched(self):
        found = one(
            chain("asked", "said", own="b1"),
            retriever({"content": "text", "id": "d1", "score": 0.5}, own="b2", parent="b1"),
            llm("prompt", "said", own="b3", parent="b1", at=1),
        )
        assert (found.question, found.answer) == ("asked", "said")
        assert (found.contexts, found.context_ids) == (("text",), ("d1",))
        assert (found.tokens, found.cost, found.latency_ms) == (100, 0.25, 1000)
        assert found.metadata["models"] == ["small"]
        assert found.metadata["span_id"] == "b1".zfill(16)

    def test_of_objects_and_messages_the_question_and_the_answer_are_taken(self):
        asked = json.dumps({"input": "asked", "chat_history": []})
        said = json.dumps({"input": "asked", "context": [], "answer": "said"})
        assert (one(chain(asked, said)).question, one(chain(asked, said)).answer) == (
            "asked",
            "said",
        )
        messages = [
            {"role": "user", "content": "before"},
            {"role": "assistant", "content": "yes"},
            {"role": "user", "content": "asked"},
        ]
        answer = [*messages, {"type": "ai", "content": [{"type": "text", "text": "said"}]}]
        found = one(chain(json.dumps({"messages": messages}), json.dumps({"messages": answer})))
        assert (found.question, found.answer) == ("asked", "said")

    @over(
        ("said", "answer"),
        [
            ('{"city": "Rome", "country": "Italy"}', '{"city": "Rome", "country": "Italy"}'),
            ('{"answer": "Rome", "sure": true}', "Rome"),
            ("__REDACTED__", None),
        ],
    )
    def test_a_structured_answer_is_its_answer_or_the_whole_of_it(self, said, answer):
        assert (
            one(chain("asked", said), llm("prompt", said, own="b2", parent="b1")).answer == answer
        )

    def test_without_a_retriever_the_documents_of_the_output_are_the_contexts(self):
        said = {"answer": "said", "context": [{"page_content": "text", "metadata": {"page": 2}}]}
        found = one(chain("asked", json.dumps(said)))
        assert found.contexts == ("text",)
        assert one(chain("asked", "said")).contexts is None

    def test_what_was_reranked_is_what_counts(self):
        reranked = {
            "openinference.span.kind": "RERANKER",
            "reranker.output_documents.0.document.content": "second",
        }
        found = one(
            chain("asked", "said", own="b1"),
            retriever({"content": "first"}, {"content": "second"}, own="b2", parent="b1"),
            span("rerank", reranked, own="b3", parent="b1", at=1),
        )
        assert found.contexts == ("second",)

    def test_several_searches_are_put_together_each_document_once(self):
        found = one(
            chain("asked", "said", own="b1"),
            retriever({"content": "one"}, {"content": "two"}, own="b2", parent="b1"),
            retriever({"content": "two"}, {"content": "three"}, own="b3", parent="b1", at=1),
            retriever({"content": "inner"}, own="b4", parent="b3", at=1),
        )
        assert found.contexts == ("one", "two", "three")
        assert found.metadata["steps"] == [
            {"step": "retriever", "contexts": [0, 1]},
            {"step": "retriever", "contexts": [1, 2]},
        ]

    def test_parts_of_a_document_that_share_its_id_are_kept(self):
        parts = [{"content": text, "id": "tower.pdf"} for text in ("tall", "old", "tall")]
        found = one(
            chain("asked", "said", own="b1"),
            retriever(*parts, own="b2", parent="b1"),
            retriever(parts[1], {"id": "tower.pdf"}, own="b3", parent="b1", at=1),
        )
        assert (found.contexts, found.context_ids) == (("tall", "old"), ("tower.pdf",) * 2)

    def test_a_call_told_by_two_instrumentations_counts_once(self):
        found = one(
            chain("asked", "said", own="b1"),
            llm("prompt", "said", own="b2", parent="b1"),
            llm("prompt", "said", own="b3", parent="b2"),
            llm("prompt", "said", own="b4", parent="b1", at=1),
        )
        assert (found.tokens, found.cost) == (200, 0.5)

    def test_the_session_is_the_group(self):
        spans = [chain("asked", "said"), chain("again", "said", trace="c" * 32)]
        for each in spans:
            each["attributes"]["session.id"] = "s1"
        assert [sample.group for sample in load(spans)] == ["s1", "s1"]

    def test_hidden_texts_are_not_recorded_rather_than_not_found(self):
        hidden = retriever({"content": "__REDACTED__"}, own="b2", parent="b1")
        assert one(chain("asked", "said", own="b1"), hidden).contexts is None
        named = retriever({"content": "__REDACTED__", "id": "d1"}, own="b2", parent="b1")
        found = one(chain("asked", "said", own="b1"), named)
        assert (found.contexts, found.context_ids) == (None, ("d1",))

    def test_an_answer_that_failed_is_absent_and_says_why(self):
        status = {"status_code": "ERROR", "description": "timeout"}
        found = one(chain("asked", None, status=status))
        assert (found.answer, found.metadata["error"]) == (None, "timeout")
        assert found.failure == "timeout"


class TestGenAI:
    def test_steps_below_a_web_server_are_one_answer(self):
        retrieval = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.query.text": "asked",
            "gen_ai.retrieval.documents": json.dumps([{"id": "d1", "score": 0.9}, {"id": "d2"}]),
        }
        chat = {
            "gen_ai.operation.name": "chat",
            "gen_ai.response.model": "small",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
            "gen_ai.conversation.id": "talk",
            "gen_ai.input.messages": json.dumps(
                [{"role": "user", "parts": [{"type": "text", "content": "prompt"}]}]
            ),
            "gen_ai.output.messages": json.dumps(
                [{"role": "assistant", "parts": [{"type": "text", "content": "said"}]}]
            ),
        }
        found = one(
            span("POST /ask", {"http.request.method": "POST"}, own="b1"),
            span("retrieval", retrieval, own="b2", parent="b1"),
            span("chat small", chat, own="b3", parent="b1", at=2),
        )
        assert (found.question, found.answer, found.group) == ("asked", "said", "talk")
        # The conventions record no texts of documents.
        assert (found.contexts, found.context_ids) == (None, ("d1", "d2"))
        assert (found.tokens, found.latency_ms) == (15, 3000)

    def test_prompts_of_the_earlier_form_are_read(self):
        chat = {
            "gen_ai.operation.name": "chat",
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "asked",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "said",
        }
        found = one(span("chat", chat))
        assert (found.question, found.answer, found.turns) == ("asked", "said", None)

    @pytest.mark.parametrize("earlier", [False, True])
    def test_calls_and_results_of_tools_are_a_conversation(self, earlier):
        if earlier:
            messages = {
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": "asked",
                "gen_ai.prompt.1.role": "assistant",
                "gen_ai.prompt.1.tool_calls.0.name": "look",
                "gen_ai.prompt.1.tool_calls.0.arguments": '{"at": "Rome"}',
                "gen_ai.prompt.2.role": "tool",
                "gen_ai.prompt.2.content": '{"rain": true}',
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": "said",
            }
        else:
            call = {"type": "tool_call", "id": "c", "name": "look", "arguments": {"at": "Rome"}}
            result = {"type": "tool_call_response", "id": "c", "response": {"rain": True}}
            asked = [
                {"role": "user", "parts": [{"type": "text", "content": "asked"}]},
                {"role": "assistant", "parts": [call]},
                {"role": "tool", "parts": [result]},
            ]
            said = [{"role": "assistant", "parts": [{"type": "text", "content": "said"}]}]
            messages = {
                "gen_ai.input.messages": json.dumps(asked),
                "gen_ai.output.messages": json.dumps(said),
            }
        found = one(span("chat", {"gen_ai.operation.name": "chat", **messages}))
        assert (found.question, found.answer) == ("asked", "said")
        assert found.turns == TALK

    def test_tools_that_ran_tell_the_calls_that_no_message_tells(self):
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "look",
            "gen_ai.tool.call.arguments": '{"at": "Rome"}',
            "gen_ai.tool.call.result": '{"rain": true}',
        }
        found = one(chain("asked", "said"), span("look", tool, own="b2", parent="b1"))
        assert found.turns == TALK


def observation(kind, *, own, parent=None, at=0, **more):
    return {
        "id": own,
        "traceId": "t1",
        "type": kind,
        "name": own,
        "parentObservationId": parent,
        "startTime": f"2026-01-01T00:00:{at:02}.000Z",
        "endTime": f"2026-01-01T00:00:{at + 1:02}.500Z",
        **more,
    }


OBSERVATIONS = [
    observation("SPAN", own="o1", input={"question": "asked"}, output="said", sessionId="s1"),
    observation(
        "RETRIEVER",
        own="o2",
        parent="o1",
        input="asked",
        output=[{"page_content": "text", "id": "d1"}],
    ),
    observation(
        "GENERATION",
        own="o3",
        parent="o1",
        at=1,
        input=[{"role": "user", "content": "prompt"}],
        output={"role": "assistant", "content": "said"},
        model="small",
        usageDetails={"input": 10, "output": 5, "total": 15},
        totalCost=0.5,
    ),
]


class TestLangfuse:
    @pytest.mark.parametrize("as_text", [False, True])
    def test_observations_of_a_trace_are_a_sample(self, as_text):
        rows = OBSERVATIONS
        if as_text:  # its API gives input and output as JSON text
            shown = {
                name: [json.dumps(r[name]) if name in r else None for r in rows]
                for name in ("input", "output")
            }
            rows = [
                {**row, "input": asked, "output": said}
                for row, asked, said in zip(rows, *shown.values(), strict=True)
            ]
        found = one(*rows)
        assert (found.id, found.question, found.answer) == ("t1", "asked", "said")
        assert (found.contexts, found.context_ids) == (("text",), ("d1",))
        assert (found.tokens, found.cost, found.latency_ms) == (15, 0.5, 1500)
        assert (found.group, found.metadata["models"]) == ("s1", ["small"])

    @pytest.mark.parametrize("told", [True, False])
    def test_calls_of_tools_are_a_conversation(self, told):
        call = {"type": "function", "function": {"name": "look", "arguments": '{"at": "Rome"}'}}
        called = {"role": "assistant", "content": None, "tool_calls": [call]}
        asked = [{"role": "user", "content": "asked"}, called]
        asked.append({"role": "tool", "content": '{"rain": true}'})
        tool = {"input": {"at": "Rome"}, "output": {"rain": True}, "name": "look"}
        found = one(
            observation("AGENT", own="o1", input="asked", output="said"),
            {**observation("TOOL", own="o2", parent="o1"), **tool},
            observation("GENERATION", own="o3", parent="o1", input=asked * told, output="said"),
        )
        assert found.turns == TALK

    def test_a_bucket_has_names_of_its_own(self):
        names = {
            "traceId": "trace_id",
            "startTime": "start_time",
            "endTime": "end_time",
            "parentObservationId": "parent_observation_id",
            "usageDetails": "usage_details",
            "totalCost": "total_cost",
            "sessionId": "session_id",
        }
        rows = [{names.get(k, k): v for k, v in row.items()} for row in OBSERVATIONS]
        assert one(*rows) == one(*OBSERVATIONS)

    @pytest.mark.parametrize("several", [False, True])
    def test_a_trace_with_its_observations_is_a_sample(self, tmp_path, several):
        inside = [{k: v for k, v in o.items() if k != "traceId"} for o in OBSERVATIONS]
        times = {"timestamp": "2026-01-01T00:00:00.000Z"}
        inside[0] = {**inside[0], "input": None, "output": None}  # the trace alone says it
        trace = {"id": "t1", "sessionId": "s1", **times, "observations": inside}
        trace |= {"input": "asked", "output": "said", "scores": [{"name": "liked", "value": 1}]}
        path = tmp_path / "traces.json"
        path.write_text(json.dumps([trace] if several else trace))
        (found,) = load(path)
        assert (found.id, found.question, found.answer) == ("t1", "asked", "said")
        assert (found.contexts, found.cost, found.latency_ms) == (("text",), 0.5, 2500)


class TestWhatIsASample:
    def test_every_trace_is_one_in_the_order_of_time(self):
        later, sooner = (
            chain("b", "said", trace="d" * 32, at=5),
            chain("a", "said", trace="c" * 32, at=2),
        )
        assert [sample.question for sample in load([later, sooner])] == ["a", "b"]

    def test_chains_side_by_side_are_samples_each(self):
        found = load(
            [
                span("script", {"openinference.span.kind": "CHAIN"}, own="b1"),
                chain("one", "first", own="b2", parent="b1"),
                chain("two", "second", own="b3", parent="b1", at=2),
                retriever({"content": "text"}, own="b4", parent="b3", at=2),
            ]
        )
        assert [(s.question, s.answer, s.contexts) for s in found] == [
            ("one", "first", None),
            ("two", "second", ("text",)),
        ]
        assert len({sample.id for sample in found}) == 2

    @over(
        "root",
        [
            span("main", {}, own="b1"),
            span("main", {"openinference.span.kind": "CHAIN"}, own="b1"),
            chain('{"args": [], "kwargs": {}}', None, own="b1"),
        ],
    )
    def test_calls_of_models_and_nothing_else_are_samples_each(self, root):
        calls = [llm(f"Q{n}?", f"A{n}", own=f"c{n}", parent="b1", at=n) for n in range(3)]
        found = load([root, *calls])
        assert [(s.question, s.answer) for s in found] == [(f"Q{n}?", f"A{n}") for n in range(3)]
        assert len({sample.id for sample in found}) == 3
        assert [sample.tokens for sample in found] == [100, 100, 100]

    def test_observations_of_models_alone_are_samples_each(self):
        calls = [
            observation("GENERATION", own=f"g{n}", at=n, input=f"Q{n}?", output=f"A{n}")
            for n in range(3)
        ]
        times = {"timestamp": "2026-01-01T00:00:00.000Z", "name": "script"}
        for data in (calls, [{"id": "t1", **times, "observations": calls}]):
            found = [(s.question, s.answer) for s in load(data)]
            assert found == [(f"Q{n}?", f"A{n}") for n in range(3)]

    @over("kind", ["RETRIEVER", "EMBEDDING", "TOOL"])
    def test_calls_of_models_on_the_way_to_one_answer_are_one(self, kind):
        step = span("step", {"openinference.span.kind": kind}, own="b2", at=1)
        calls = [llm("asked", "another wording", own="b1"), llm("prompt", "said", own="b3", at=2)]
        found = one(calls[0], step, calls[1])
        assert (found.question, found.answer) == ("asked", "said")

    def test_a_call_that_failed_is_a_sample_unless_it_was_made_again(self):
        failed = {"status": {"status_code": "ERROR", "description": "overloaded"}}
        found = load(
            [
                llm("Q0?", None, own="c0", **failed),
                llm("Q0?", "A0", own="c1", at=1),
                llm("Q1?", None, own="c2", at=2, **failed),
            ]
        )
        assert [(s.question, s.answer, s.failure) for s in found] == [
            ("Q0?", "A0", None),
            ("Q1?", None, "overloaded"),
        ]

    def test_other_telemetry_makes_none(self):
        embedding = span("embed", {"openinference.span.kind": "EMBEDDING"}, trace="e" * 32)
        health = span("GET /health", {"http.route": "/health"}, trace="f" * 32)
        assert [s.question for s in load([embedding, health, chain("asked", "said")])] == ["asked"]

    def test_nothing_but_other_telemetry_is_refused(self):
        error = refused([span("GET /health", {"http.route": "/health"})])
        assert "none of 1 spans in 1 traces belongs to answering" in str(error)
        assert "'GET /health'" in str(error)

    def test_one_that_says_nothing_is_named_and_can_be_put_aside(self, tmp_path):
        silent = span("quiet", {"openinference.span.kind": "CHAIN"}, trace="c" * 32)
        data = [chain("asked", "said"), silent]
        error = refused(data)
        assert f"trace {'c' * 32} (quiet) does not record what was asked" in str(error)
        assert len(load(data, skip_invalid=tmp_path / "aside.jsonl")) == 1
        assert "quiet" in (tmp_path / "aside.jsonl").read_text()

    def test_a_limit_counts_samples_not_spans(self):
        spans = [
            each
            for n in range(3)
            for each in (
                chain(f"q{n}", "said", own="b1", trace=f"{n}" * 32, at=n),
                retriever({"content": "text"}, own="b2", parent="b1", trace=f"{n}" * 32, at=n),
            )
        ]
        assert [sample.question for sample in load(spans, limit=2)] == ["q0", "q1"]

    def test_spans_that_go_in_circles_are_refused_and_do_not_hang(self):
        circle = [
            chain("asked", "said", own="b1", parent="b2"),
            llm("p", "a", own="b2", parent="b1"),
        ]
        assert "none of 2 spans" in str(refused(circle))


DOWN = {"status_code": "ERROR", "description": "the store is down"}


class TestWhatFailed:
    @pytest.mark.parametrize("tool", [False, True])
    def test_it_is_not_answered_by_what_a_step_said_on_the_way(self, tool):
        step = {"openinference.span.kind": "TOOL", "tool.name": "look", "output.value": "nothing"}
        found = one(
            chain("asked", None, status=DOWN),
            llm("Rewrite: asked", "another wording", own="b2", parent="b1"),
            *[span("look", step, own="b3", parent="b1")] * tool,
        )
        assert (found.question, found.answer, found.turns) == ("asked", None, None)
        assert found.failure == found.metadata["error"] == "the store is down"

    def test_nor_by_a_chain_on_the_way(self):
        found = one(
            chain("asked", None, own="b1", status=DOWN),
            chain("asked", "another wording", own="b2", parent="b1"),
        )
        assert (found.answer, found.failure) == (None, "the store is down")

    def test_the_last_of_the_steps_side_by_side_tells_how_it_ended(self):
        found = one(
            llm("Rewrite: asked", "another wording", own="b1"),
            retriever({"content": "text"}, own="b2", at=1, status=DOWN),
        )
        assert (found.answer, found.failure) == (None, "the store is down")

    def test_what_it_said_before_it_failed_is_its_answer(self):
        found = one(chain("asked", "said", status=DOWN))
        assert (found.answer, found.failure) == ("said", None)
        assert found.metadata["error"] == "the store is down"

    def test_one_beside_others_is_a_sample_too(self):
        root = span("script", {"openinference.span.kind": "CHAIN"}, own="b1")
        good = chain("one", "first", own="b2", parent="b1")
        bad = chain("two", None, own="b3", parent="b1", at=2, status=DOWN)
        found = load([root, good, bad])
        assert [(s.answer, s.failure) for s in found] == [
            ("first", None),
            (None, "the store is down"),
        ]
        (alone,) = load([root, bad])
        assert (alone.question, alone.failure) == ("two", "the store is down")

    def test_a_trace_of_langfuse_failed_where_its_last_step_did(self):
        failed = {"level": "ERROR", "statusMessage": "the store is down"}
        inside = [
            observation("GENERATION", own="g1", input="Rewrite: asked", output="another wording"),
            observation("RETRIEVER", own="r1", at=1, input="another wording", **failed),
        ]
        times = {"timestamp": "2026-01-01T00:00:00.000Z"}
        found = one({"id": "t1", **times, "input": "asked", "observations": inside})
        assert (found.question, found.answer, found.failure) == ("asked", None, "the store is down")

    def test_it_costs_the_others_nothing(self, tmp_path):
        data = [chain("a", "said"), chain("b", None, trace="c" * 32, at=2, status=DOWN)]
        result = evaluate(data, "answer_relevancy", store=tmp_path / "a.db")
        kinds = [getattr(outcome, "why", "scored") for outcome in result["answer_relevancy"]]
        assert kinds == ["scored", "unanswered"]


@over(
    "row",
    [
        {"question": "q", "answer": "a", "spans": [{"start": 1, "end": 2}]},
        {"id": "1", "question": "q", "answer": "a", "observations": ["seen", "heard"]},
        {"question": "q", "answer": "a", "trace_id": "t", "span_id": "s", "start_time": "2026"},
        {"id": "1", "question": "q", "answer": "a", "type": "SPAN"},
    ],
)
def test_a_row_of_a_data_set_is_not_taken_for_a_span(row):
    (found,) = load([row])
    assert (found.question, found.answer) == ("q", "a")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "parts", "messages", "values", "id", "0", "text"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
NAMES = [
    *("input.value", "output.value", "llm.input_messages", "llm.output_messages.0.message"),
    *("retrieval.documents", "retrieval.documents.0.document", "retrieval", "llm.token_count"),
    *("gen_ai.input.messages", "gen_ai.usage", "gen_ai.operation.name", "metadata", "session.id"),
    *("openinference.span.kind", "langfuse.observation.input", "llm.cost.total"),
]


def settled(data):
    with contextlib.suppress(InputError):
        load(data)


class TestWhateverStandsInASpan:
    """It is read, or refused in words."""

    @given(st.dictionaries(st.sampled_from(NAMES), ANYTHING), st.sampled_from(["LLM", "RETRIEVER"]))
    def test_any_attributes(self, attributes, kind):
        settled([chain("asked", "said", own="b1"), span("x", attributes, parent="b1")])
        settled([span("x", {"openinference.span.kind": kind, **attributes})])

    @given(st.sampled_from(["status", "start_time", "parent_id", "attributes", "name"]), ANYTHING)
    def test_any_value_of_the_span_itself(self, name, value):
        settled([chain("asked", "said"), {**chain("asked", "said"), name: value}])

    @given(ANYTHING)
    def test_any_value_in_otlp(self, value):
        for kind in ("stringValue", "intValue", "arrayValue", "kvlistValue"):
            attributes = [{"key": "input.value", "value": {kind: value}}, value]
            inside = {"traceId": "a", "spanId": "b", "attributes": attributes}
            settled([{"resourceSpans": [{"scopeSpans": [{"spans": [inside, value]}]}, value]}])

    @given(st.sampled_from(["input", "output", "usageDetails", "metadata", "startTime"]), ANYTHING)
    def test_any_value_in_an_observation(self, name, value):
        settled([{**OBSERVATIONS[0], name: value}])
        settled([{"id": "t", "timestamp": value, "observations": [OBSERVATIONS[1]], name: value}])

    @pytest.mark.parametrize(
        "said",
        [
            {"id": [], "kwargs": {"content": "said"}},
            [{"id": [], "kwargs": {"content": "said"}}],
        ],
    )
    def test_a_serialised_message_that_names_no_class(self, said):
        settled([chain("asked", "said"), chain("asked", json.dumps(said), own="b2")])
        settled([{"question": "asked", "answer": "said", "messages": said}])

    def test_a_number_beyond_any_integer_of_otlp(self):
        attributes = [{"key": "llm.token_count.total", "value": {"intValue": "9" * 5000}}]
        inside = {"traceId": "a", "spanId": "b", "attributes": attributes}
        settled(
            [{"resourceSpans": [{"scopeSpans": [{"spans": [inside]}]}]}, chain("asked", "said")]
        )

    def test_tokens_that_add_up_to_no_finite_number_are_not_known(self):
        counts = {"llm.token_count.prompt": 1e308, "llm.token_count.completion": 1e308}
        assert one(span("x", {"openinference.span.kind": "LLM", "input.value": "asked",
                              "output.value": "said", **counts})).tokens is None  # fmt: skip
        usage = {"input": 1e308, "output": 1e308}
        assert one({**OBSERVATIONS[0], "usageDetails": usage}).tokens is None

    def test_what_is_nested_too_deeply_is_named(self):
        deep = []
        for _ in range(5000):
            deep = [deep]
        error = refused([chain("asked", "said"), span("x", {"input.value": deep})])
        assert "row 2: is nested too deeply" in str(error)


REASONING = {"type": "reasoning", "content": "43?"}
THOUGHT = {"type": "thinking", "thinking": "43?"}


@over(
    "attributes",
    [
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps([{"role": "user", "content": "6 * 7?"}]),
            "gen_ai.output.messages": json.dumps(
                [{"role": "assistant", "parts": [REASONING, {"type": "text", "content": "42."}]}]
            ),
        },
        {
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "6 * 7?",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.contents.0.message_content.type": "reasoning",
            "llm.output_messages.0.message.contents.0.message_content.text": "43?",
            "llm.output_messages.0.message.contents.1.message_content.text": "42.",
        },
        {
            "openinference.span.kind": "CHAIN",
            "input.value": "6 * 7?",
            "output.value": json.dumps(
                {"role": "assistant", "content": [REASONING, THOUGHT, {"text": "42."}]}
            ),
        },
    ],
)
def test_what_a_model_thought_is_no_answer(attributes):
    (sample,) = load([span("chat", attributes)])
    assert (sample.question, sample.answer) == ("6 * 7?", "42.")


def test_rows_whose_columns_are_named_are_no_spans():
    row = {"trace_id": "t", "span_id": "s", "start_time": "2026-01-01", "q": "asked", "a": "said"}
    (sample,) = load([row], mapping={"question": "q", "answer": "a"})
    assert (sample.question, sample.answer, sample.metadata["trace_id"]) == ("asked", "said", "t")


def test_a_row_among_spans_is_not_lost_without_a_word():
    row = {"question": "q", "answer": "a"}
    error = refused([chain("asked", "said"), row, {"resourceLogs": []}])
    (problem,) = error.problems
    assert (problem.row, problem.what) == (2, "is not a span but appears among spans")
    seen = {"id": "1", "timestamp": "2026-01-01", "input": "asked", "output": "said"}
    assert len(load([chain("asked", "said"), seen])) == 1
