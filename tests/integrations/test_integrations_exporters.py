"""What other tools are sent of a run: each score, whose it is, and why there is none."""

import sys
from types import SimpleNamespace

import pytest
from exporters_help import ROWS, TRACE, finished
from exporters_help import ROWS as ALL

import assay
from assay.errors import InputError
from assay.integrations import exporters, langfuse, mlflow, phoenix
from assay.integrations.exporters import ExportCounts
from support.over import over
from support.scripts import plausible, split, verify


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return finished(tmp_path_factory.mktemp("run") / "assay.db")


class Heard:
    """A client that remembers what it was called with, whatever the method."""

    def __init__(self):
        self.calls = []
        self.spans = self

    def __getattr__(self, name):
        return lambda **given: self.calls.append((name, given))


class TestWhatIsTold:
    def test_numbers_have_plain_names_and_only_what_is_known(self, result):
        found = exporters.numbers(result)
        assert found["faithfulness/mean"] == pytest.approx(0.75)
        assert found["exact_match/mean"] == pytest.approx(1 / 3)
        assert (found["faithfulness/scored"], found["faithfulness/undefined"]) == (2, 1)
        assert found["faithfulness/ci_low"] < 0.75 < found["faithfulness/ci_high"]
        assert all(isinstance(value, float) for value in found.values())

    @over(
        ("label", "name"),
        [
            ("faithfulness", "faithfulness"),
            ("factual_correctness(mode=recall)", "factual_correctness_mode_recall"),
            ("ragas:faithfulness", "ragas_faithfulness"),
        ],
    )
    def test_names_have_no_marks_that_tools_refuse(self, label, name):
        assert exporters.plain_name(label) == name

    def test_an_explanation_begins_with_what_cost_most(self, result):
        half = next(item for item in exporters.score_records(result) if item.sample == "half")
        assert half.explanation.splitlines()[0].startswith("unsupported: There.")

    def test_of_a_metric_whose_low_scores_are_good_the_highest_parts_come_first(self, tmp_path):
        judge = plausible(split_statements=split("Here.", "There."), verify_statements=verify(1, 0))
        metrics = ["faithfulness", "ragchecker:hallucination"]
        result = assay.evaluate(ALL[:1], metrics, judge, store=tmp_path / "assay.db")
        found = {
            item.metric: item.explanation.splitlines() for item in exporters.score_records(result)
        }
        assert [part.value for part in result["ragchecker:hallucination"][0].parts] == [0, 1]
        assert "There." in found["ragchecker:hallucination"][0]

    def test_a_metric_of_code_alone_was_not_judged(self, result):
        judged = {item.metric: item.judged for item in exporters.score_records(result)}
        assert judged == {"faithfulness": True, "exact_match": False}

    def test_a_table_has_a_column_for_why_there_is_no_score(self, result):
        columns, rows = exporters.table(result)
        silent = dict(zip(columns, rows[1], strict=True))
        assert silent["faithfulness"] is None
        assert silent["faithfulness_why"].startswith("undefined: ")

    def test_facts_name_all_that_could_change_a_number(self, result):
        found = exporters.facts(result)
        assert found["assay.run"] == result.run.id
        assert "verify_statements=" in found["assay.signature.faithfulness"]


class TestLangfuse:
    def test_each_score_is_added_to_its_trace_with_its_evidence(self, result):
        client = Heard()
        assert langfuse.send(result, client=client) == ExportCounts(3, 0, left_out=1, untraced=1)
        first = client.calls[0][1]
        assert (first["trace_id"], first["observation_id"]) == (TRACE, "b" * 16)
        assert (first["name"], first["value"]) == ("faithfulness", 0.5)
        assert "There." in first["comment"]
        assert [name for name, _ in client.calls] == ["create_score"] * 3 + ["flush"]

    def test_a_score_sent_twice_is_the_same_score(self, result):
        clients = Heard(), Heard()
        for client in clients:
            langfuse.send(result, client=client)
        one, other = ([call.get("score_id") for _, call in c.calls] for c in clients)
        assert one == other
        assert len(set(one)) == len(one)


class TestPhoenix:
    def test_each_span_is_annotated_with_scores_and_reasons(self, result):
        client = Heard()
        assert phoenix.send(result, client=client) == ExportCounts(3, 1, left_out=0, untraced=1)
        ((name, given),) = client.calls
        assert name == "log_span_annotations"
        assert given["span_annotations"] == phoenix.annotations(result)
        half, silent = phoenix.annotations(result)[:2]
        assert (half["span_id"], half["annotator_kind"]) == ("b" * 16, "LLM")
        assert half["result"]["score"] == 0.5
        assert "label" not in half["result"]
        assert "score" not in silent["result"]
        assert silent["result"]["label"] == "undefined"
        assert phoenix.annotations(result)[2]["annotator_kind"] == "CODE"

    def test_many_are_sent_in_parts(self, result, monkeypatch):
        monkeypatch.setattr(phoenix, "_BATCH", 3)
        client = Heard()
        phoenix.send(result, client=client)
        assert [len(given["span_annotations"]) for _, given in client.calls] == [3, 1]


def test_a_run_without_traces_says_what_is_missing(db):
    result = finished(db, [{**row, "metadata": {}} for row in ALL])
    for send in (langfuse.send, phoenix.send):
        with pytest.raises(InputError, match="names its trace") as error:
            send(result, client=Heard())
        assert "trace_id and span_id" in str(error.value)


class TestSpans:
    """Half of the samples tell their trace alone, which is no place for what hangs on spans."""

    @pytest.fixture(params=["phoenix", "opentelemetry"])
    def send(self, request):
        if request.param == "phoenix":
            return lambda result: phoenix.send(result, client=Heard())
        pytest.importorskip("opentelemetry.sdk._logs")
        from assay.integrations.opentelemetry import emit

        return emit

    def test_samples_without_one_are_counted(self, db, send):
        rows = [ROWS[0], {**ROWS[1], "metadata": {"trace_id": TRACE}}, ROWS[2]]
        assert send(finished(db, rows)) == ExportCounts(2, 0, left_out=0, untraced=2)

    def test_if_none_has_one_that_is_an_error(self, db, send):
        result = finished(db, [{**row, "metadata": {"trace_id": TRACE}} for row in ROWS])
        with pytest.raises(InputError, match=r"names its span.*span_id"):
            send(result)

    @pytest.mark.parametrize("span", ["b" * 17, "0" * 16, "an-id-of-langfuse"])
    def test_an_id_that_opentelemetry_cannot_have_is_none(self, db, span):
        pytest.importorskip("opentelemetry.sdk._logs")
        from assay.integrations.opentelemetry import emit

        metadata = {"trace_id": TRACE, "span_id": span}
        rows = [ROWS[0], {**ROWS[1], "metadata": metadata}]
        assert emit(finished(db, rows)).untraced == 1


def test_columns_of_a_table_name_the_trace_too(db):
    rows = [{**ROWS[0], "metadata": {}, "trace_id": TRACE, "span_id": "b" * 16}]
    items, untraced = exporters.with_trace(finished(db, rows))
    assert ({(item.trace, item.span) for item in items}, untraced) == ({(TRACE, "b" * 16)}, 0)


class TestOpenTelemetry:
    def test_each_score_is_an_event_beside_its_span(self, result):
        exports = pytest.importorskip("opentelemetry.sdk._logs.export")
        from opentelemetry.sdk._logs import LoggerProvider

        from assay.integrations.opentelemetry import emit

        exporter = (
            getattr(exports, "InMemoryLogRecordExporter", None) or exports.InMemoryLogExporter
        )
        kept, provider = exporter(), LoggerProvider(shutdown_on_exit=False)
        processor = exports.SimpleLogRecordProcessor(kept)
        provider.add_log_record_processor(processor)
        assert emit(result, provider=provider) == ExportCounts(3, 1, left_out=0, untraced=1)
        half, silent, *_ = [data.log_record for data in kept.get_finished_logs()]
        assert half.event_name == "gen_ai.evaluation.result"
        assert (f"{half.trace_id:032x}", f"{half.span_id:016x}") == (TRACE, "b" * 16)
        assert half.attributes["gen_ai.evaluation.name"] == "faithfulness"
        assert half.attributes["gen_ai.evaluation.score.value"] == 0.5
        assert "There." in half.attributes["gen_ai.evaluation.explanation"]
        assert "gen_ai.evaluation.score.value" not in silent.attributes
        assert silent.attributes["gen_ai.evaluation.score.label"] == "undefined"
        assert "error.type" not in silent.attributes
        provider.shutdown()


class UnsupportedError(Exception):
    """What mlflow-skinny raises without sqlalchemy."""


@pytest.mark.parametrize(
    "error",
    [ModuleNotFoundError("No module named 'alembic'", name="alembic"), UnsupportedError("sqlite")],
)
def test_mlflow_that_cannot_keep_runs_here_says_what_to_do(result, monkeypatch, error):
    def start_run(**_):
        raise error

    told = SimpleNamespace(
        active_run=lambda: None,
        get_tracking_uri=lambda: "sqlite:///mlflow.db",
        start_run=start_run,
    )
    registry = SimpleNamespace(UnsupportedModelRegistryStoreURIException=UnsupportedError)
    for name, module in (("", told), (".tracking", told), (".tracking.registry", registry)):
        monkeypatch.setitem(sys.modules, f"mlflow{name}", module)
    with pytest.raises(InputError, match=r"runs at sqlite:///mlflow\.db -> set MLFLOW_TRACKING_"):
        mlflow.log(result)
