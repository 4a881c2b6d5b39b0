"""`assay doctor`: does everything work here, the judge included?"""

from typing import Any

import click

from assay.cli import options


@click.command("doctor", short_help="See whether everything works, the judge included.")
@options.judge
@options.store
@click.option(
    "--card",
    is_flag=True,
    help="Show instead how well the embedded judge agrees with human labels.",
)
@options.as_json
def command(**given: Any) -> int:
    """Check the installation: versions, extras, embedded model, store and judge.

    With --judge, every judge named is sent one small question with a known answer.
    """
    if given["card"]:
        from assay.cli import doctor_card

        return doctor_card.show(as_json=given["as_json"])
    if given["as_json"]:
        raise click.UsageError("--json goes with --card")
    from assay.cli import checkup

    return checkup.examine(given)
