"""`assay explain`: what is a metric by definition, and how exactly is a judge asked?"""

from typing import Any

import click


@click.command("explain", short_help="Show a definition and every prompt, word for word.")
@click.argument("name", metavar="METRIC_OR_TASK")
@click.option(
    "--toml",
    is_flag=True,
    help="Write its prompts as a TOML file to edit, for `--prompts FILE`, and nothing else.",
)
@click.option(
    "--prompts", metavar="FILE", help="Show it with the prompts of this file in their place."
)
def command(**given: Any) -> int:
    """Show what METRIC_OR_TASK is by definition, and each prompt as an LLM reads it."""
    from assay.cli import explaining

    return explaining.explain(given)
