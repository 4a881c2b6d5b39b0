"""`assay diagnose`: which part of the system failed on which samples, and what is worth trying?"""

from typing import Any

import click

from assay.cli import options


@click.command("diagnose", short_help="Show what went wrong in a run, and what to try.")
@click.argument("run", metavar="[RUN]", default="last")
@click.option("--sample", metavar="ID", help="Show the findings of this sample with all evidence.")
@click.option(
    "--within",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="K",
    help="A right context below rank K counts as ranked too low.",
)
@click.option(
    "--counterfactual",
    is_flag=True,
    help=(
        "Re-score the answers against the reference contexts first, as a run of its own in the "
        "store, and say which failures would be gone. Nothing is generated anew."
    ),
)
@click.option("--all", "show_all", is_flag=True, help="List every sample under its cause.")
@options.outs("Write it: .md, .json, or .html (the report, which begins with it). Repeatable.")
@options.judge
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Say of each sample of RUN which part of the system failed, and what is worth trying.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1". Nobody is
    asked, but for --counterfactual, which takes the --judge of the run.
    """
    from assay.cli import diagnosing

    return diagnosing.diagnose(given)
