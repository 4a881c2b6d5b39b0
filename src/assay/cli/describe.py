"""`assay describe`: what is a run called, and what is said of it?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.edge import OK
from assay.errors import InputError

_CHANGES = ("name", "tags", "note", "params", "untags", "unsets")


@click.command("describe", short_help="Name a run, tag it, note something about it.")
@click.argument("run", metavar="RUN")
@options.said_of_run
@click.option("--untag", "untags", multiple=True, metavar="TAG", help="Take a tag off. Repeatable.")
@click.option(
    "--unset", "unsets", multiple=True, metavar="KEY", help="Drop a parameter. Repeatable."
)
@options.as_json
@options.store
def command(**given: Any) -> int:
    """Show what is said of RUN, or change it: scores and ids stay as they are.

    RUN is a run's name, the beginning of its id, "last" or "last~1". A name or a note takes the
    place of the old one (--name "" and --note "" take it away); tags and parameters are added.
    """
    from assay.cli import screen, values
    from assay.report.titles import said as said_of
    from assay.runner.result import Result

    result = Result(given["store"], given["run"])
    said = result.run.description
    if both := [*{*given["tags"]} & {*given["untags"]}]:
        raise InputError(f"the tag '{both[0]}' is given and taken off", "keep one of the two")
    if any(given[name] not in (None, ()) for name in _CHANGES):
        kept = said.without(given["untags"], given["unsets"])
        result.describe(
            name=given["name"],
            tags=(*kept.tags, *given["tags"]),
            note=given["note"],
            params={**kept.params, **values.params(given["params"])},
        )
    if given["as_json"]:
        screen.write_json({"run": result.run.id, **said_of(result.run)})
    else:
        _show(result)
    return OK


def _show(result: Any) -> None:
    from assay.cli import screen
    from assay.report.titles import judge_in_words
    from assay.store.runs import written

    run = result.run
    params = ", ".join(f"{key}={written(value)}" for key, value in run.params.items())
    lines = [
        ("run", run.id),
        ("name", run.name or "none"),
        ("data", f"{run.default_title} (UTC), judged by {judge_in_words(run.config['judge'])}"),
        ("tags", ", ".join(run.tags)),
        ("params", params),
        ("note", run.note),
    ]
    screen.tell([(name, text) for name, text in lines if text])
