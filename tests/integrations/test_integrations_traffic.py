"""A share of a running application's answers becomes a data set, without holding it up."""

import json
import os
import stat
import threading

import pytest

pytest.importorskip("opentelemetry.sdk")
from opentelemetry import trace as api
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags

from assay.data import samples
from assay.errors import InputError
from assay.integrations.opentelemetry import AssaySpanProcessor, traffic


@pytest.fixture
def file(tmp_path):
    return tmp_path / "traffic.jsonl"


@pytest.fixture
def running():
    """Begins processors, each in an application of its own, and stops them in the end."""
    providers = []

    def begin(file, share=1.0, **more):
        provider = TracerProvider(shutdown_on_exit=False)
        taking = AssaySpanProcessor(file, share=share, **more)
        provider.add_span_processor(taking)
        providers.append(provider)
        return taking, provider.get_tracer("app")

    yield begin
    for provider in providers:
        provider.shutdown()


def answer(tracer, question="asked", said="said", text="text"):
    """As an instrumented application answers."""
    with tracer.start_as_current_span("chain") as chain:
        chain.set_attributes({"openinference.span.kind": "CHAIN", "input.value": question})
        with tracer.start_as_current_span("search") as search:
            search.set_attribute("openinference.span.kind", "RETRIEVER")
            search.set_attribute("retrieval.documents.0.document.content", text)
            search.set_attribute("retrieval.documents.0.document.id", "d1")
        if said is None:
            chain.set_status(Status(StatusCode.ERROR, "timeout"))
        else:
            chain.set_attribute("output.value", said)
    return f"{chain.get_span_context().trace_id:032x}"


def read(file):
    return list(samples(file, needs={}))


def test_an_answer_becomes_a_row_that_can_be_evaluated(file, running):
    taking, tracer = running(file)
    trace = answer(tracer)
    assert taking.force_flush()
    (found,) = read(file)
    assert (found.question, found.answer, found.contexts) == ("asked", "said", ("text",))
    assert (found.context_ids, found.metadata["trace_id"]) == (("d1",), trace)
    assert found.latency_ms >= 0
    assert taking.counts.written == 1


def test_texts_are_for_the_owner_only(file, running):
    taking, tracer = running(file)
    answer(tracer)
    taking.force_flush()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_share_of_the_traces_is_taken_the_same_by_every_process(tmp_path, running):
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    taking, tracer = running(one, share=0.3)
    second, _ = running(other, share=0.3)
    tracer.span_processor.add_span_processor(second)
    for n in range(400):
        answer(tracer, f"q{n}")
    taking.force_flush()
    second.force_flush()
    questions = {sample.question for sample in read(one)}
    assert questions == {sample.question for sample in read(other)}
    assert 70 < len(questions) < 170  # 120 expected, with a standard deviation of 9


def test_late_spans_of_a_trace_are_waited_for(file, running):
    taking, tracer = running(file, linger=30.0)
    chain = tracer.start_span("chain")
    chain.set_attributes({"openinference.span.kind": "CHAIN", "input.value": "asked"})
    late = tracer.start_span("model", context=api.set_span_in_context(chain))
    late.set_attributes({"openinference.span.kind": "LLM", "output.value": "said"})
    chain.end()
    late.end()
    taking.shutdown()
    assert [sample.answer for sample in read(file)] == ["said"]


def test_the_part_of_a_trace_that_is_here_is_enough(file, running):
    taking, tracer = running(file)
    elsewhere = SpanContext(7, 9, is_remote=True, trace_flags=TraceFlags(1))
    with api.use_span(NonRecordingSpan(elsewhere)):
        answer(tracer, "first")
        taking.force_flush()
        answer(tracer, "second")
    taking.force_flush()
    assert [sample.question for sample in read(file)] == ["first", "second"]


def test_a_trace_that_never_ends_is_written_in_the_end(file, running):
    taking, tracer = running(file)
    root = tracer.start_span("root")
    with api.use_span(root):
        answer(tracer)
    taking.force_flush()
    assert not file.exists()
    taking.shutdown()
    assert len(read(file)) == 1


def test_what_is_no_answer_is_counted_not_written(file, running):
    taking, tracer = running(file)
    tracer.start_span("GET /health").end()
    chain = tracer.start_span("chain")
    chain.set_attribute("openinference.span.kind", "CHAIN")
    chain.end()
    taking.force_flush()
    assert (taking.counts.other, taking.counts.without_question) == (1, 1)
    assert not file.exists()


def test_a_failed_answer_is_kept_with_its_error(file, running):
    taking, tracer = running(file)
    answer(tracer, said=None)
    taking.force_flush()
    (found,) = read(file)
    assert (found.answer, found.metadata["error"]) == (None, "timeout")


def test_a_full_queue_drops_and_counts_and_never_waits(file, monkeypatch, running):
    monkeypatch.setattr(traffic, "_MAX_QUEUE", 4)
    held = threading.Event()
    monkeypatch.setattr(traffic.TraceBuffer, "take", lambda *_: held.wait())
    taking, tracer = running(file)
    for _ in range(20):
        tracer.start_span("step").end()  # would hang here if it waited
    assert 15 <= taking.counts.dropped_spans <= 16  # one is being worked on, perhaps
    held.set()


def test_where_too_many_traces_wait_for_late_spans_the_oldest_is_written_at_once(
    file, monkeypatch, running
):
    monkeypatch.setattr(traffic, "_MAX_TRACES", 2)
    taking, tracer = running(file, linger=60.0)
    for n in range(4):
        answer(tracer, f"q{n}")
    taking.shutdown()
    assert [sample.question for sample in read(file)] == ["q0", "q1", "q2", "q3"]
    assert taking.counts.dropped_traces == 0


def test_where_too_many_traces_are_open_the_oldest_is_given_up(file, monkeypatch, running):
    monkeypatch.setattr(traffic, "_MAX_TRACES", 2)
    taking, tracer = running(file)
    for n in range(3):
        with api.use_span(tracer.start_span("root")):  # never ends
            answer(tracer, f"q{n}")
    taking.shutdown()
    assert [sample.question for sample in read(file)] == ["q1", "q2"]
    assert taking.counts.dropped_traces == 1


def test_a_disk_that_cannot_be_written_is_counted_and_the_application_goes_on(
    tmp_path, running, caplog
):
    folder = tmp_path / "folder"
    folder.mkdir()
    taking, tracer = running(folder / "traffic.jsonl")
    folder.rmdir()
    answer(tracer)
    assert taking.force_flush()
    assert (taking.counts.unwritten, taking.counts.written) == (1, 0)
    assert "cannot be written" in caplog.text


def test_after_shutdown_nothing_is_taken(file, running):
    taking, tracer = running(file)
    taking.shutdown()
    answer(tracer)
    assert not file.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_worker_goes_on_by_itself(file, running):
    taking, tracer = running(file)
    answer(tracer, "parent")
    taking.force_flush()
    child = os.fork()
    if not child:
        answer(tracer, "child")
        os._exit(0 if taking.force_flush(5_000) and taking.counts.written == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["question"] for row in rows] == ["parent", "child"]


@pytest.mark.parametrize("share", [0, -0.1, 1.5, float("nan")])
def test_an_impossible_share_is_refused(file, share):
    with pytest.raises(InputError, match="share"):
        AssaySpanProcessor(file, share=share)


def test_a_file_in_no_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="existing folder"):
        AssaySpanProcessor(tmp_path / "none" / "traffic.jsonl", share=1)
