"""`assay gate`: may this run pass?"""

from typing import Any

import click

from assay.cli import options


@click.command("gate", short_help="Pass or fail a run by thresholds and against a baseline.")
@click.argument("run", metavar="[RUN]", default="last")
@click.option(
    "--min",
    "least",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Minimum mean of a metric. Repeatable.",
)
@click.option(
    "--max",
    "most",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Maximum mean of a metric. Repeatable.",
)
@click.option(
    "--no-regression",
    "baseline",
    metavar="RUN",
    help="A run that no metric may be worse than: RUN of this store, STORE:RUN, or STORE.",
)
@click.option(
    "--margin",
    "margins",
    multiple=True,
    metavar="[METRIC=]SHARE",
    help=(
        "How much worse than the baseline it may be, as a share of the metric's range (of the "
        "baseline's mean where the range has no end); 0.05 if not given. Repeatable."
    ),
)
@click.option(
    "--max-unscored",
    "unscored",
    multiple=True,
    metavar="[METRIC=]SHARE",
    help=(
        "Maximum share of samples without a score, failed or undefined; default 0.1. Repeatable."
    ),
)
@click.option(
    "--on",
    type=click.Choice(["bound", "mean"]),
    metavar="bound|mean",
    help="Decide on the whole confidence interval (bound, the default) or on the mean alone.",
)
@click.option(
    "--undecided",
    type=click.Choice(["fail", "pass"]),
    metavar="fail|pass",
    help="What to do with a rule whose limit lies within the interval; default fail.",
)
@click.option("--all", "show_all", is_flag=True, help="Show the rules that hold as well.")
@click.option("--junit", metavar="FILE", help="Write the rules as JUnit test cases (XML).")
@click.option(
    "--markdown",
    metavar="FILE",
    help="Write a summary in Markdown; it is also added to $GITHUB_STEP_SUMMARY where that is set.",
)
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Check the scores of RUN against rules; the exit code says whether it passes.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". Rules stand in
    the options and in [tool.assay.gate] of pyproject.toml or [gate] of assay.toml; an option goes
    before the file.
    """
    from assay.cli import gating

    return gating.gate(given)
