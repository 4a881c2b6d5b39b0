"""The command `assay run`: score a data set, or estimate what that would cost."""

import click

from assay._cli import options

_GROUPS = {
    "What is scored": ("metrics", "maps", "contexts", "limit", "skip_invalid"),
    "Who judges": (
        *("judges", "embedder", "base_url", "api_key", "timeout", "window"),
        *("judge_cards", "prompts", "reasons", "together", "probe"),
    ),
    "What it may cost": ("dry_run", "price", "budget"),
    "Pace": ("concurrency", "rpm", "tpm", "retries", "engine", "workers", "worker_cores"),
    "A running system, asked first": (
        *("target", "target_body", "target_headers", "target_replies", "target_version"),
        *("target_concurrency", "target_timeout", "target_retries", "target_rpm", "draws"),
    ),
    "What the run is called": ("name", "tags", "note", "params"),
    "What comes out": ("outs", "store", "as_json", "quiet", "no_progress"),
}


@click.command("run", cls=options.Grouped, groups=_GROUPS)
@click.argument("data", metavar="DATA")
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help=(
        "What to compute: a name, or name(parameter=value), repeatable or separated by commas; "
        "MODULE:ATTRIBUTE or FILE.py:ATTRIBUTE for one of your own. "
        "Default: every metric that the data has columns for. `assay metrics` lists them."
    ),
)
@options.target
@options.judge
@options.report
@options.description
@options.store
@options.maps
@options.contexts
@options.limit
@options.skip_invalid
@options.repeatable(
    "--judge-card",
    "judge_cards",
    metavar="FILE",
    help="Show what `assay bench --out FILE.json` measured of this judge beside its scores.",
)
@options.prompts
@options.reasons
@options.concurrency
@options.choice(
    "--engine",
    choices=["local", "ray"],
    default="local",
    help="Where judges compute: in this process, or on the workers of a Ray cluster.",
)
@options.count(
    "--workers", help="Number of workers on the cluster; default: as many as it has room for."
)
@options.count(
    "--worker-cores", default=1, help="CPU cores of each worker with an in-process judge."
)
@options.together
@options.retries
@options.rpm
@options.tpm
@options.price
@options.budget
@click.option(
    "--probe/--no-probe",
    default=None,
    help="Ask, or do not ask, the few fixed tasks that tell when the model behind a judge's name "
    "has changed. Not given: runs of 100 scores and more do, once a day.",
)
@options.flag("--dry-run", help="Estimate the cost and what is cached already; ask nobody.")
@options.as_json
@options.quiet
@options.no_progress
@options.takes(options.RunRequest)
def run_command(request: options.RunRequest) -> int:
    """Score DATA (JSONL, JSON, CSV, TSV, Parquet or FILE.xlsx#SHEET) and show the scores.

    Killed or stopped at any point, the same command resumes where it stopped: no reply that is in
    the store is asked for again.
    """
    from assay._cli.scoring import run  # it needs every metric: `--help` does not wait for them

    return run(request)
