"""Which metrics can be computed from this data, where the user names none?"""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.backends.route import Route
from assay.dataset import read
from assay.dataset.gaps import is_gap
from assay.errors import InputError
from assay.metrics import METRICS, Metric
from assay.metrics.wording import Wording

# So many rows are looked at. A gap further down is told with its row when the run begins.
ROWS = 1000
PAPER = "paper:"
# Of two metrics that differ in what they need only, the one that needs more tells more.
_SPARES = {"context_precision_without_reference": "context_precision"}


@dataclass(frozen=True)
class Fitting:
    """The metrics that fit.

    Attributes:
        metrics: Their names.
        left_out: Name -> why, for the others.
    """

    metrics: tuple[str, ...]
    left_out: Mapping[str, str]


def fitting(data: str, mapping: Mapping[str, str], limit: int | None, route: Route) -> Fitting:
    """The metrics whose needs every row fills and whose tasks the judge can do.

    Raises:
        InputError: If there is none, or the data cannot be read.
    """
    gaps, columns = _gaps(data, mapping, min(limit or ROWS, ROWS))
    fit: list[str] = []
    left_out: dict[str, str] = {}
    for name, metric in METRICS.items():
        missing = [f"{need} {gaps[need]}" for need in metric.needs if need in gaps]
        asked = metric().asks(route.serves)
        cannot = [kind.kind for kind in asked if not route.serves(kind)]
        if missing:
            left_out[name] = ", ".join(missing)
        elif cannot:
            left_out[name] = f"the judge cannot do {', '.join(cannot)}"
        elif not _special(metric) and _SPARES.get(name) not in fit:
            fit.append(name)
    if not fit:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        what = f"no metric can be computed from {data} ({reasons}); columns found: {columns}"
        raise InputError(what, "name columns with --map field=column")
    return Fitting(tuple(fit), {n: why for n, why in left_out.items() if not n.startswith(PAPER)})


def _special(metric: type[Metric]) -> bool:
    # Named by hand: the paper's prompts measure the same once more, and wording is not meaning.
    return metric.name.startswith(PAPER) or issubclass(metric, Wording) or bool(metric.packages)


def _gaps(data: str, mapping: Mapping[str, str], rows: int) -> tuple[dict[str, str], str]:
    """(why a field cannot be used, by field; the columns there are)."""
    needs = {need for metric in METRICS.values() for need in metric.needs}
    first: dict[str, int] = {}
    filled: set[str] = set()
    columns: dict[str, None] = {}
    for row in read(data, mapping=mapping, limit=rows):
        columns |= dict.fromkeys(row.columns)
        if row.problems:  # refused or skipped when the run begins
            continue
        for need in needs:
            if is_gap(row.fields.get(need)):
                first.setdefault(need, row.number)
            else:
                filled.add(need)
    gaps = {
        need: f"is missing in row {number}" if need in filled else "is not there"
        for need, number in first.items()
    }
    return gaps, ", ".join(columns) or "none"
