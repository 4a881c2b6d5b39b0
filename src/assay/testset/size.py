"""How small a difference between two systems so many questions, in so many groups, show."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from assay.sample import Sample
from assay.stats.power import (
    ChangedShares,
    grouped_detectable,
    mcnemar_detectable,
    share_to_change,
)
from assay.testset.checks import Finding

FEWEST, FIRST_LOOK = 20, 50  # questions for a first look
# Of questions that change either way between equal systems.
FLIPS: Final = ChangedShares(0.1, 0.1)
NO_FLIPS: Final = ChangedShares(0.0, 0.0)


def smallest(
    n: int, groups: tuple[int, ...], flips: ChangedShares, *, together: bool = False
) -> float | None:
    """The smallest difference of shares of right answers that is found with 80 % power.

    As `assay compare` tests it: by McNemar's exact test, or of groups by their sums.

    Args:
        n: How many questions.
        groups: How many of them each group has; empty if all are independent.
        flips: Which of them change between systems that are equally good.
        together: Whether the questions of a group change all together, or each by itself.

    Returns:
        The difference, in (0, 1]; None if they show none.
    """
    if groups:
        return grouped_detectable(groups, flips, together=together)
    return mcnemar_detectable(n, flips) if flips.up or flips.down else share_to_change(n)


def group_sizes(unique: Sequence[Sample]) -> tuple[int, ...]:
    """How many questions each group has, one without a group being its own; () if all are alone."""
    group_counts = Counter(sample.group for sample in unique if sample.group is not None)
    n_single = len(unique) - group_counts.total()
    return (
        (*group_counts.values(), *[1] * n_single)
        if max(group_counts.values(), default=1) > 1
        else ()
    )


def of_size(unique: Sequence[Sample]) -> Iterator[Finding]:
    """Too few questions or groups of them for a first look."""
    n, groups = len(unique), group_sizes(unique)
    few_groups = 0 < len(groups) < FEWEST
    if n >= FIRST_LOOK and not few_groups:
        return
    detectable = smallest(n, groups, FLIPS)
    decides = (
        "no difference between two systems"
        if detectable is None
        else f"a difference of {100 * detectable:.2g} points or more between two systems"
    )
    n_questions = f"{n} different {'question' if n == 1 else 'questions'}"
    in_groups = f" in {len(groups)} {'group' if len(groups) == 1 else 'groups'}" if groups else ""
    remedy = f"{FEWEST} to {FIRST_LOOK} are the least for a first look"
    if few_groups:
        remedy = (
            f"{FEWEST} groups (documents) are the least for a first look: groups, not questions, "
            "count as independent; if there are no others: --map group="
        )
    level: Literal["fault", "note"] = "fault" if n < FEWEST or detectable is None else "note"
    yield Finding("size", level, f"{n_questions}{in_groups} can show {decides}", remedy)
