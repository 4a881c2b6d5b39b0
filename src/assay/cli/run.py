"""`assay run`: how good is this system, on this data, by this judge?"""

from typing import Any

import click

from assay.cli import options, targeting
from assay.cli.grouped import Grouped

_COUNT = click.IntRange(min=1)
_GROUPS = {
    "What is scored": ("metrics", "maps", "contexts", "limit", "skip_invalid"),
    "Who judges": (
        *("judges", "embedder", "base_url", "api_key", "timeout", "window"),
        *("judge_cards", "prompts", "together", "probe"),
    ),
    "What it may cost": ("dry_run", "price", "budget"),
    "Pace": ("concurrency", "rpm", "tpm", "retries", "hedge", "engine", "workers", "worker_cores"),
    "A running system, asked first": (
        *("target", "target_body", "target_headers", "target_replies", "target_version"),
        *("target_concurrency", "target_timeout", "target_retries", "target_rpm", "draws"),
    ),
    "What comes out": ("outs", "store", "as_json", "quiet", "no_progress"),
}


@click.command(
    "run", cls=Grouped, groups=_GROUPS, short_help="Score a data set and show the scores."
)
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
@targeting.options
@options.judge
@options.report
@options.store
@options.maps
@options.contexts
@options.limit
@click.option(
    "--skip-invalid",
    metavar="FILE",
    help="Leave invalid rows out and write them to FILE, each with what is wrong with it.",
)
@click.option(
    "--judge-card",
    "judge_cards",
    multiple=True,
    metavar="FILE",
    help=(
        "Show what `assay bench --out FILE.json` measured of this judge beside its scores. "
        "Repeatable."
    ),
)
@click.option(
    "--prompts",
    metavar="FILE",
    help="Ask with the prompts of this TOML file (`assay explain METRIC --toml` writes one).",
)
@options.concurrency
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    metavar="local|ray",
    help="Where judges compute: in this process, or on the workers of a Ray cluster.",
)
@click.option(
    "--workers",
    type=_COUNT,
    metavar="N",
    help="Number of workers on the cluster; default: as many as it has room for.",
)
@click.option(
    "--worker-cores",
    type=_COUNT,
    default=1,
    show_default=True,
    metavar="N",
    help="CPU cores of each worker with an in-process judge.",
)
@click.option(
    "--hedge",
    is_flag=True,
    help="Send a second call when one is unusually slow; this may cost twice.",
)
@click.option(
    "--together/--apart",
    default=True,
    show_default=True,
    help="What several metrics ask about the same texts: in one call, or in one of each.",
)
@options.retries
@options.rpm
@options.tpm
@options.price
@options.budget
@click.option(
    "--probe/--no-probe",
    default=None,
    help=(
        "Ask, or do not ask, the few fixed tasks that tell when the model behind a judge's name "
        "has changed. Not given: runs of 100 scores and more do, once a day."
    ),
)
@click.option(
    "--dry-run", is_flag=True, help="Estimate the cost and what is cached already; ask nobody."
)
@options.as_json
@options.quiet
@options.no_progress
def command(**given: Any) -> int:
    """Score DATA (JSONL, JSON, CSV, TSV, Parquet or FILE.xlsx#SHEET) and show the scores.

    Killed or stopped at any point, the same command resumes where it stopped: no reply that is in
    the store is asked for again.
    """
    from assay.cli import running

    return running.run(given)
