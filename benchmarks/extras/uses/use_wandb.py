"""A result is logged offline."""

import wandb as client
from said import ROWS

import assay
from assay.integrations import wandb

settings = client.Settings(silent=True)
with client.init(mode="offline", project="p", settings=settings) as run:
    wandb.log(assay.evaluate(ROWS, ["faithfulness"]))
    assert run.summary["faithfulness/mean"] == 0.5
