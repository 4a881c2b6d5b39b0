"""What the real instrumentation records, now and here, is read back as samples."""

import json
from pathlib import Path

import pytest

from assay.data import samples

pytestmark = pytest.mark.integrations

RECORDED = Path(__file__).parent.parent / "support" / "traces"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    pytest.importorskip("openinference.instrumentation.langchain", reason="make test-integrations")
    pytest.importorskip("openinference.instrumentation.llama_index")
    from support.traces import record

    folder = tmp_path_factory.mktemp("traces")
    record.main(folder)
    return folder


@pytest.mark.parametrize("form", ["otlp.json", "sdk.jsonl"])
@pytest.mark.parametrize("system", ["langchain", "llama_index"])
def test_recorded_today_and_recorded_before_give_the_same_samples(recorded, system, form):
    def read(folder):
        found = list(samples(folder / f"{system}.{form}", needs={}))
        return [(s.question, s.answer, s.contexts, s.context_ids) for s in found]

    assert read(recorded) == read(RECORDED)
    assert len(read(recorded)) == 2


def test_the_live_processor_sees_what_the_export_holds(tmp_path, recorded):
    from opentelemetry.sdk.trace import TracerProvider

    from assay.integrations.opentelemetry import AssaySpanProcessor
    from support.traces import record

    file = tmp_path / "traffic.jsonl"
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(AssaySpanProcessor(file, share=1))
    record.langchain(provider)
    provider.shutdown()
    live = [json.loads(line) for line in file.read_text().splitlines()]
    export = list(samples(recorded / "langchain.otlp.json", needs={}))
    assert [row["question"] for row in live] == [sample.question for sample in export]
    assert [row["answer"] for row in live] == [sample.answer for sample in export]
    taken = [sample.contexts for sample in samples(file, needs={})]
    assert taken == [sample.contexts for sample in export]
