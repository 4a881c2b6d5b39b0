"""`assay doctor`: does everything work here, the judge included?"""

from typing import Any

import click

from assay.cli import options


@click.command("doctor", short_help="See whether everything works, the judge included.")
@options.judge
@options.store
def command(**given: Any) -> int:
    """See whether everything works here: versions, extras, embedded model, store and judge.

    With --judge, one small question whose right answer is known is put to every judge named.
    """
    from assay.cli import checkup

    return checkup.examine(given)
