"""Which rows of development sets are measured, where the embedded judge is fitted on some?"""

from collections.abc import Callable, Iterable

from assay.bench.data import Data, Record
from assay.bench.groups import KEPT_OUT, fold_of


def rows(
    data: Data,
    files: Iterable[tuple[str, bool]],
    usable: Callable[[Record], bool],
    *,
    fitting: bool,
) -> list[Record]:
    """The usable rows of files; of those that fit the judge one fold is measured, the rest fits.

    Args:
        data: Where the files are.
        files: Each with whether the embedded judge is fitted on rows of it.
        usable: Whether a row can be measured at all.
        fitting: Whether the rows to fit on are wanted instead of those to measure.
    """
    return [
        record
        for file, fitted in files
        if fitted or not fitting
        for record in data.rows(file)
        if usable(record) and fitting == (fitted and fold_of(record["question"]) != KEPT_OUT)
    ]
