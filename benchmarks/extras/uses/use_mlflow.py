"""A result is logged into a folder."""

import os
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

import mlflow as client
from said import ROWS

import assay
from assay.integrations import mlflow

client.set_tracking_uri(Path("mlruns").absolute().as_uri())
client.set_experiment("assay")
logged = mlflow.log(assay.evaluate(ROWS, ["faithfulness"]))
assert client.get_run(logged).data.metrics["faithfulness/mean"] == 0.5
