"""The shares of bad and of good cases that a judge flags, as figures of its card."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.bench import stats
from assay.bench.figures import Figure, figure
from assay.bench.stats import Floats, Numbers

FOUND, WRONG = ", bad flagged", ", good flagged"
BAD_UNCERTAIN, GOOD_UNCERTAIN = ", bad uncertain", ", good uncertain"


def flags(
    data: str,
    flagged: Numbers,
    bad: Numbers,
    clusters: Sequence[str],
    rules: Mapping[str, Numbers],
    *,
    uncertain: Numbers | None = None,
    note: str = "",
) -> list[Figure]:
    """Of the bad and of the good cases, the share that is flagged, and of which nothing is said.

    Args:
        data: How the names of the figures begin.
        flagged: Which cases the judge flags. Shape (n,).
        bad: Which of them people call bad. Shape (n,).
        clusters: The source of each case.
        rules: What trivial rules say, the higher the worse. Shape (n,) each.
        uncertain: Cases in which it is uncertain of something; those that are flagged do not count
            as such. Shape (n,).
        note: What else a reader has to know.
    """
    said, labels = np.asarray(flagged, float), np.asarray(bad, bool)
    if not 0 < labels.sum() < len(labels):
        return []
    wrong = float(said[~labels].mean())
    floors = {
        name: stats.mean(_at_rate(np.asarray(values, float), labels, wrong)[labels])
        for name, values in rules.items()
    }
    bads = [c for c, is_bad in zip(clusters, labels, strict=True) if is_bad]
    goods = [c for c, is_bad in zip(clusters, labels, strict=True) if not is_bad]
    found = [
        figure(f"{data}{FOUND}", stats.mean(said[labels]), bads, floors, note=note),
        figure(f"{data}{WRONG}", stats.mean(said[~labels]), goods, note=note, lower_is_better=True),
    ]
    if uncertain is not None:
        open_ = np.asarray(uncertain, float) * (1 - said)
        for name, mask, mine in ((BAD_UNCERTAIN, labels, bads), (GOOD_UNCERTAIN, ~labels, goods)):
            found.append(
                figure(f"{data}{name}", stats.mean(open_[mask]), mine, lower_is_better=True)
            )
    return found


def _at_rate(values: Floats, bad: "np.typing.NDArray[np.bool_]", rate: float) -> Floats:
    """What a rule flags if it flags this share of the good ones; ties are flagged in part."""
    good = values[~bad]
    above = (values[:, None] < good[None, :]).mean(axis=1)  # share of the good ones beyond each
    level = (values[:, None] == good[None, :]).mean(axis=1)
    full = above + level <= rate
    part = np.where(level > 0, (rate - above) / np.where(level > 0, level, 1), above <= rate)
    return np.where(full, 1.0, np.clip(part, 0.0, 1.0))
