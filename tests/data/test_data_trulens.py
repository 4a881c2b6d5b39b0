"""Are the records that TruLens keeps read: the events of its session, its spans in any other form?"""

import json
from datetime import UTC, datetime, timedelta

import pandas as pd
from data_help import load

from support.over import over

BEGAN = datetime(2026, 11, 2, 10, tzinfo=UTC)
ROOT = {"record_root.input": "When was it built?", "record_root.output": "In 1889."}
FOUND = {
    "retrieval.query_text": "tower built",
    "retrieval.retrieved_contexts": ["It was built in 1889.", "It is tall."],
}
WROTE = {"cost.num_tokens": 120, "cost.cost": 0.001, "cost.model": "gpt-4o"}


def event(kind, attributes, *, span, parent="", trace="31", seconds=(0, 2), status="UNSET"):
    """A row of the events that a session gives, as TruLens 2.16 makes it."""
    named = {"span_type": kind, "app_name": "rag", "conversation_id": "talk", **attributes}
    start, end = (BEGAN + timedelta(seconds=second) for second in seconds)
    return {
        "record": {"name": kind, "parent_span_id": parent, "status": f"STATUS_CODE_{status}"},
        "event_id": span,
        "record_attributes": {f"ai.observability.{key}": v for key, v in named.items()},
        "record_type": "SPAN",
        "resource_attributes": {},
        "start_timestamp": start,
        "timestamp": end,
        "trace": {"span_id": span, "trace_id": trace, "parent_id": parent},
    }


EVENTS = [
    event("record_root", ROOT, span="1"),
    event("retrieval", FOUND, span="2", parent="1"),
    event("generation", WROTE, span="3", parent="1"),
    event("eval_root", {"eval_root.score": 1.0}, span="4", trace="32"),
]


def as_frame(folder):
    del folder
    return pd.DataFrame(EVENTS)


def as_lines(folder):
    """What pandas writes: times in milliseconds."""
    path = folder / "events.jsonl"
    lines = [json.dumps(each, default=lambda time: int(time.timestamp() * 1000)) for each in EVENTS]
    path.write_text("\n".join(lines), "utf-8")
    return path


def as_spans(folder):
    """What an exporter of the SDK writes of the same spans."""
    path = folder / "spans.jsonl"
    spans = [
        {
            "name": each["record"]["name"],
            "context": {"trace_id": each["trace"]["trace_id"], "span_id": each["event_id"]},
            "parent_id": each["trace"]["parent_id"] or None,
            "start_time": each["start_timestamp"].isoformat(),
            "end_time": each["timestamp"].isoformat(),
            "attributes": each["record_attributes"],
        }
        for each in EVENTS
    ]
    path.write_text("\n".join(map(json.dumps, spans)), "utf-8")
    return path


@over("form", [as_frame, as_lines, as_spans])
def test_a_record_is_a_sample(tmp_path, form):
    (sample,) = load(form(tmp_path))
    assert (sample.question, sample.answer) == ("When was it built?", "In 1889.")
    assert sample.contexts == ("It was built in 1889.", "It is tall.")
    assert (sample.latency_ms, sample.tokens, sample.cost) == (2000.0, 120, 0.001)
    assert (sample.id, sample.group, sample.metadata["models"]) == ("31", "talk", ["gpt-4o"])


def test_what_a_reranker_put_first_is_what_was_retrieved():
    texts = {"reranking.output_context_texts": ["It was built in 1889."]}
    reranked = event("reranking", texts, span="5", parent="1")
    (sample,) = load(pd.DataFrame([*EVENTS, reranked]))
    assert sample.contexts == ("It was built in 1889.",)


def test_a_record_that_failed_says_why():
    asked = {"record_root.input": "When?", "record_root.error": "no reply"}
    (sample,) = load(pd.DataFrame([event("record_root", asked, span="1", status="ERROR")]))
    assert (sample.question, sample.answer, sample.failure) == ("When?", None, "no reply")
