"""`assay serve`: evaluation over HTTP, for languages other than Python."""

from typing import Any

import click

from assay.cli import options
from assay.cli.numbers import POSITIVE

_COUNT = click.IntRange(min=1)


@click.command("serve", short_help="Evaluate over HTTP.")
@options.judge
@options.store
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to bind.",
)
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=8765,
    show_default=True,
    metavar="PORT",
    help="Port; 0 for a free one.",
)
@click.option(
    "--no-token",
    is_flag=True,
    help="Ask callers for no token; on this machine only. The token is in ASSAY_TOKEN otherwise, "
    "or made and shown at the start.",
)
@click.option(
    "--rpm",
    type=POSITIVE,
    default=600.0,
    show_default=True,
    metavar="N",
    help="At most N requests a minute from one address.",
)
@click.option(
    "--max-mb",
    type=POSITIVE,
    default=10.0,
    show_default=True,
    metavar="MB",
    help="The longest request, in megabytes.",
)
@click.option(
    "--max-samples",
    type=_COUNT,
    default=1000,
    show_default=True,
    metavar="N",
    help="The most samples of one request.",
)
@click.option(
    "--max-chars",
    type=_COUNT,
    default=200_000,
    show_default=True,
    metavar="N",
    help="The longest text of a sample, in characters.",
)
@click.option(
    "--at-once",
    type=_COUNT,
    default=4,
    show_default=True,
    metavar="N",
    help="Evaluations at the same time; others wait.",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="S",
    help="The longest evaluation. What it scored is kept; the same request goes on.",
)
@click.option("--price", metavar="IN/OUT", help="As for `assay run`.")
@click.option("--budget", metavar="AMOUNT", help="What each evaluation may spend, as `assay run`.")
def command(**given: Any) -> int:
    """Serve evaluation over HTTP: one sample, many, runs and the evidence behind every score.

    The document at /openapi.json describes it. Judge and store are chosen here, not by callers.
    """
    from assay.cli import serving

    return serving.serve(given)
