"""`assay report`: how is the report of an earlier run written?"""

import click

from assay.cli import options, outputs
from assay.cli.edge import OK


@click.command("report", short_help="Write the report of an earlier run.")
@click.argument("run", metavar="[RUN]", default="last")
@options.report
@options.store
def command(*, run: str, outs: tuple[str, ...], store: str) -> int:
    """Write the report of RUN (its name, the beginning of its id, or "last") to each --out FILE."""
    from assay.cli import screen
    from assay.errors import InputError
    from assay.runner.result import Result

    if not outs:
        raise InputError("nowhere to write the report to", "add --out report.html")
    outputs.check(outs, store)
    result = Result(store, run)
    outputs.write(result, outs)
    screen.tell(outputs.written(outs))
    return OK
