"""MLflow: the results of a run as metrics, a table and artefacts."""

from typing import Any

from assay._runner.result import Result
from assay.errors import InputError
from assay.integrations import exporters


def log(result: Result, *, run_id: str | None = None) -> str:
    """Log a run of assay to MLflow.

    Metrics ``NAME/mean``, ``/ci_low``, ``/ci_high``, ``/scored``, ``/undefined``, ``/failed``; what
    they are of as tags; a table of all samples (``assay/samples.json``); the HTML report and the
    evidence as artefacts (``assay/report.html``, ``assay/evidence.jsonl``).

    Args:
        result: The run.
        run_id: MLflow's run; by default the one that is active, or else a new one.

    Returns:
        The id of MLflow's run.

    Raises:
        InputError: If mlflow (mlflow-skinny does) or pandas is not installed, or no server is named
            and mlflow-skinny alone cannot keep runs on this machine.
    """
    try:
        import mlflow
        import pandas as pd
        from mlflow.tracking.registry import UnsupportedModelRegistryStoreURIException
    except ImportError as error:
        raise InputError("this needs mlflow", "pip install 'assay[mlflow]'") from error
    active = mlflow.active_run()
    id_of_run = run_id or (active.info.run_id if active else None)
    if id_of_run is not None:
        return _log(mlflow, pd, result, id_of_run)
    try:
        new_run = mlflow.start_run(run_name=f"assay {result.run.id[:8]}")
    except (ModuleNotFoundError, UnsupportedModelRegistryStoreURIException) as error:
        # The first where sqlalchemy is there for another library, the second where it is not.
        fault = f"mlflow-skinny alone cannot keep runs at {mlflow.get_tracking_uri()}"
        remedy = "set MLFLOW_TRACKING_URI to a server, or pip install mlflow"
        raise InputError(fault, remedy) from error
    with new_run:
        return _log(mlflow, pd, result, str(new_run.info.run_id))


def _log(mlflow: Any, pandas: Any, result: Result, run_id: str) -> str:
    client = mlflow.MlflowClient()
    for name, value in exporters.numbers(result).items():
        client.log_metric(run_id, name, value)
    for name, text in exporters.facts(result).items():
        client.set_tag(run_id, name, text)
    columns, rows = exporters.table(result)
    # As objects: pandas would turn a score that is not there into NaN.
    frame = pandas.DataFrame(rows, columns=columns, dtype=object)
    client.log_table(run_id, frame, "assay/samples.json")
    with exporters.artefacts(result) as (report, evidence):
        client.log_artifact(run_id, str(report), "assay")
        client.log_artifact(run_id, str(evidence), "assay")
    return run_id
