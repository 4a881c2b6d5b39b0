"""What does `assay check` find in data sets?"""

from collections.abc import Mapping
from typing import Any

from assay.cli import screen, values
from assay.cli.edge import BAD_INPUT, OK, say
from assay.dataset import samples
from assay.dataset.gaps import SKIPPING
from assay.errors import InputError
from assay.metrics import resolve


def check(given: Mapping[str, Any]) -> int:
    """Read every file; the exit code."""
    specs = values.metric_specs(given["metrics"])
    if specs:
        values.look_here()
    metrics = resolve(specs) if specs else ()
    mapping = values.mapping(given["maps"])
    code = OK
    for file in given["files"]:
        try:
            found = samples(
                file,
                needs={metric.label: metric.needs for metric in metrics},
                mapping=mapping,
                instead={metric.label: metric.instead for metric in metrics},
            )
            n = sum(1 for _ in found)
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIPPING)}")
            code = BAD_INPUT
        else:
            screen.write(f"{file}: {n:,} rows in order\n")
    return code
