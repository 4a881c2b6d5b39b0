"""`assay schema`: what may stand in a data set, or in the configuration?"""

import click


@click.command("schema", short_help="Print the JSON schema of data or configuration.")
@click.argument("what", type=click.Choice(["data", "config"]))
@click.option(
    "--list",
    "as_list",
    is_flag=True,
    help="Of data: the schema of a JSON file that is a list of rows, instead of one row.",
)
def command(what: str, *, as_list: bool) -> int:
    """Print a JSON schema, for editors and checks.

    "data" is a row of a data set, such as a line of a JSONL file; "config" is assay.toml, or
    [tool.assay] of pyproject.toml.
    """
    from assay.cli import alone, screen
    from assay.cli.edge import OK

    if what == "config":
        from assay.cli import configured

        alone.refuse('is for "data"', "leave it out", "as_list")
        screen.write_json(configured.schema())
    else:
        from assay.data import fields

        screen.write_json(fields.document() if as_list else fields.row())
    return OK
