"""The real clients of MLflow, Weights & Biases, Langfuse and Phoenix take what they are given."""

import json

import pytest
from exporters_help import TRACE, finished, listening

from assay.integrations.exporters import ExportCounts

pytestmark = pytest.mark.integrations


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return finished(tmp_path_factory.mktemp("run") / "assay.db")


class TestMLflow:
    @pytest.fixture
    def mlflow(self, tmp_path, monkeypatch):
        mlflow = pytest.importorskip("mlflow", reason="make test-integrations has it")
        monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # needed by some of the releases
        mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
        mlflow.set_experiment("assay")
        return mlflow

    def test_metrics_tags_table_and_artefacts_are_logged(self, mlflow, result):
        from assay.integrations.mlflow import log

        client, run_id = mlflow.MlflowClient(), log(result)
        run = client.get_run(run_id)
        assert run.info.status == "FINISHED"
        assert run.data.metrics["faithfulness/mean"] == 0.75
        assert run.data.metrics["faithfulness/undefined"] == 1
        assert run.data.tags["assay.run"] == result.run.id
        table = json.loads(
            mlflow.artifacts.load_text(f"{run.info.artifact_uri}/assay/samples.json")
        )
        silent = dict(zip(table["columns"], table["data"][1], strict=True))
        assert (silent["id"], silent["faithfulness"]) == ("silent", None)
        assert silent["faithfulness_why"].startswith("undefined")
        names = {file.path for file in client.list_artifacts(run_id, "assay")}
        assert names == {"assay/samples.json", "assay/report.html", "assay/evidence.jsonl"}

    def test_the_active_run_is_added_to_and_left_open(self, mlflow, result):
        from assay.integrations.mlflow import log

        with mlflow.start_run() as active:
            mlflow.log_param("retriever", "bm25")
            assert log(result) == active.info.run_id
            assert mlflow.active_run() is not None
        data = mlflow.get_run(active.info.run_id).data
        assert data.params["retriever"] == "bm25"
        assert "exact_match/mean" in data.metrics


class TestWandb:
    def test_summary_table_and_artefact_are_logged_offline(self, result, tmp_path):
        wandb = pytest.importorskip("wandb", reason="make test-integrations has it")
        from assay.integrations.wandb import log

        settings = wandb.Settings(silent=True)
        with wandb.init(mode="offline", dir=str(tmp_path), project="p", settings=settings) as run:
            assert log(result) == run.id
            assert run.summary["faithfulness/mean"] == 0.75
            assert run.config["assay.run"] == result.run.id
        tables = list(tmp_path.glob("wandb/offline-run-*/files/media/table/assay/samples_*.json"))
        table = json.loads(tables[0].read_text())
        silent = dict(zip(table["columns"], table["data"][1], strict=True))
        assert silent["faithfulness"] is None
        assert silent["faithfulness_why"].startswith("undefined")


class TestLangfuse:
    def test_scores_are_posted(self, result):
        langfuse = pytest.importorskip("langfuse", reason="make test-integrations has it")
        from assay.integrations.langfuse import send

        with listening({"successes": [], "errors": []}) as (url, heard):
            keys = {"public_key": "pk", "secret_key": "sk"}
            client = langfuse.Langfuse(**keys, host=url)
            assert send(result, client=client) == ExportCounts(3, 0, left_out=1, untraced=1)
            client.shutdown()
        # Version 5 posts the scores themselves, those before it a batch of events.
        sent = [
            item
            for _, body in heard
            for item in (body.get("batch") if isinstance(body, dict) else body)
        ]
        bodies = [event.get("body", event) for event in sent]
        scores = {(body["traceId"], body["name"]): body["value"] for body in bodies}
        assert scores[TRACE, "faithfulness"] == 0.5
        assert len(scores) == 3


class TestPhoenix:
    def test_annotations_are_posted(self, result):
        client = pytest.importorskip("phoenix.client", reason="make test-integrations has it")
        from assay.integrations.phoenix import send

        with listening({"data": []}) as (url, heard):
            assert send(result, client=client.Client(base_url=url)).scores == 3
        ((path, body),) = heard
        assert path.startswith("/v1/span_annotations")
        assert [item["name"] for item in body["data"]] == ["faithfulness"] * 2 + ["exact_match"] * 2
