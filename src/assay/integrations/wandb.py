"""Weights & Biases: the results of a run as a summary, a table and an artefact."""

from typing import Any

from assay._runner.result import Result
from assay.errors import InputError
from assay.integrations import exporters


def log(result: Result, *, run: Any = None, **init: Any) -> str:
    """Log a run of assay to Weights & Biases.

    Its summary has ``NAME/mean``, ``/ci_low``, ``/ci_high``, ``/scored``, ``/undefined``,
    ``/failed``; its configuration says what they are of; ``assay/samples`` is a table of all
    samples; the HTML report and the evidence are an artefact.

    Args:
        result: The run.
        run: A run of wandb; by default the one that is active, or else a new one, which is
            finished in the end.
        init: What `wandb.init` takes for a new one: project, mode="offline" ...

    Returns:
        The id of wandb's run.

    Raises:
        InputError: If wandb is not installed.
    """
    try:
        import wandb
    except ImportError as error:
        raise InputError("this needs wandb", "pip install 'assay[wandb]'") from error
    active = run or wandb.run
    if active is not None:
        return _log(wandb, result, active)
    with wandb.init(job_type="evaluation", **init) as new_run:
        return _log(wandb, result, new_run)


def _log(wandb: Any, result: Result, run: Any) -> str:
    run.config.update(exporters.facts(result), allow_val_change=True)
    run.summary.update(exporters.numbers(result))
    columns, rows = exporters.table(result)
    run.log({"assay/samples": wandb.Table(columns=columns, data=rows, allow_mixed_types=True)})
    artefact = wandb.Artifact(f"assay-{result.run.id[:12]}", type="evaluation")
    with exporters.artefacts(result) as (report, evidence):
        artefact.add_file(str(report))
        artefact.add_file(str(evidence))
        run.log_artifact(artefact)
    return str(run.id)
