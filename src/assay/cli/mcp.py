"""`assay mcp`: evaluation as tools of a coding agent."""

from typing import Any

import click

from assay.cli import options


@click.command("mcp", short_help="Serve evaluation to coding agents (MCP, over stdio).")
@options.judge
@options.store
@click.option("--price", metavar="IN/OUT", help="As for `assay run`.")
@click.option("--budget", metavar="AMOUNT", help="What each evaluation may spend, as `assay run`.")
def command(**given: Any) -> int:
    """Serve evaluation to a coding agent that starts this command and talks to it over stdio."""
    from assay.cli import serving

    return serving.mcp(given)
