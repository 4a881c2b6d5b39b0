"""What does `assay check` find in data sets?"""

from collections.abc import Mapping
from typing import Any

from assay.cli import screen, values
from assay.cli.edge import BAD_INPUT, OK, say
from assay.cli.fitting import fitting
from assay.data import FIELDS, Samples, read, samples
from assay.data.missing_fields import SKIP_HINT, is_missing
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, resolve
from assay.report import numbers
from assay.runner.settings import Settings
from assay.runner.stack import choose

# A question may be put to a system, and a system's failure is a result.
_USES = (
    *(("question",), ("failure",)),
    *(names for metric in METRICS.values() for names in (metric.needs, *metric.instead)),
)


def check(given: Mapping[str, Any]) -> int:
    """Read every file; the exit code."""
    specs = values.metric_specs(given["metrics"])
    if specs:
        values.look_here()
    metrics = resolve(specs) if specs else ()
    mapping = values.mapping(given["maps"])
    contexts = values.contexts(given["contexts"])
    code = OK
    for file in given["files"]:
        try:
            found = samples(
                read(file, mapping=mapping, contexts=contexts),
                needs={metric.label: metric.needs for metric in metrics},
                instead={metric.label: metric.instead for metric in metrics},
            )
            n = _counted(found, file, mapping, named=bool(specs))
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIP_HINT)}")
            code = BAD_INPUT
        else:
            screen.write(f"{file}: {numbers.plural(n, 'row')}, nothing wrong\n")
            screen.write("".join(f"  note: {note}\n" for note in found.notes))
    return code


def _counted(found: Samples, file: str, mapping: Mapping[str, str], *, named: bool) -> int:
    """How many samples there are.

    Raises:
        InputError: If they are not in order, or neither fill what a metric needs nor ask a system.
    """
    n, held = 0, set[str]()
    for n, sample in enumerate(found, start=1):  # noqa: B007 - counted
        held |= {name for name in FIELDS if not is_missing(getattr(sample, name), name)}
    if not named and not any(held.issuperset(names) for names in _USES):
        fitting(file, mapping, None, choose(DEFAULT, None, Settings()))
    return n
