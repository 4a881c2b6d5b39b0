"""The commands `assay check` and `assay schema`: whether data sets are well-formed."""

from collections.abc import Mapping
from dataclasses import dataclass

import click

from assay._cli import config, options, output, values
from assay._cli.errors import BAD_INPUT, OK, say
from assay._cli.evaluation import select_metrics
from assay._cli.user_modules import look_here
from assay._report import numbers
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay.data import FIELDS, Samples, fields, read, samples
from assay.data.missing_fields import SKIP_HINT, is_missing
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, resolve

# A question may be put to a system, and a system's failure is a result.
_USES = (
    *(("question",), ("failure",)),
    *(names for metric in METRICS.values() for names in (metric.needs, *metric.instead)),
)


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """What `assay check` is asked for."""

    files: tuple[str, ...]
    metrics: tuple[str, ...]
    maps: tuple[str, ...]
    contexts: str


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@options.repeatable(
    "-m",
    "--metric",
    "metrics",
    metavar="METRIC",
    help="Check too that the rows hold what this metric needs; say which do not.",
)
@options.maps
@options.contexts
@options.takes(CheckRequest)
def check_command(request: CheckRequest) -> int:
    """Read all rows of each FILE and report everything that is wrong with it. Nobody is asked."""
    specs = values.metric_specs(request.metrics)
    if specs:
        look_here()
    metrics = resolve(specs) if specs else ()
    mapping = values.mapping(request.maps)
    contexts = values.contexts(request.contexts)
    code = OK
    for file in request.files:
        try:
            rows = samples(
                read(file, mapping=mapping, contexts=contexts),
                needs={metric.label: metric.needs for metric in metrics},
                instead={metric.label: metric.instead for metric in metrics},
            )
            n = _count(rows, file, mapping, named=bool(specs))
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIP_HINT)}")
            code = BAD_INPUT
        else:
            output.print_text(f"{file}: {numbers.plural(n, 'row')}, nothing wrong\n")
            output.print_text("".join(f"  note: {note}\n" for note in rows.notes))
    return code


def _count(rows: Samples, file: str, mapping: Mapping[str, str], *, named: bool) -> int:
    """How many samples there are."""
    n, held = 0, set[str]()
    for n, sample in enumerate(rows, start=1):  # noqa: B007 - counted
        held |= {name for name in FIELDS if not is_missing(getattr(sample, name), name)}
    if not named and not any(held.issuperset(names) for names in _USES):
        settings = Settings(mapping=mapping)
        select_metrics(file, settings, choose(DEFAULT, None, settings))
    return n


@click.command("schema")
@click.argument("what", type=click.Choice(["data", "config"]))
@options.flag(
    "--list",
    "as_list",
    help="Of data: the schema of a JSON file that is a list of rows, instead of one row.",
)
def schema_command(what: str, *, as_list: bool) -> int:
    """Print a JSON schema, for editors and checks.

    "data" is a row of a data set, such as a line of a JSONL file; "config" is assay.toml, or
    [tool.assay] of pyproject.toml.
    """
    if what == "config":
        options.reject_options('is for "data"', "leave it out", "as_list")
        output.print_json(config.schema())
    else:
        output.print_json(fields.document() if as_list else fields.row())
    return OK
