"""Which samples of two runs are the same sample, and which of them have two scores to compare?"""

import re
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import msgspec

from assay.runner.result import Result
from assay.sample import Sample
from assay.store import Store

# What the data set gives; all else is what a system made of it, or describes it.
GIVEN = (
    *("question", "reference", "accepted", "reference_contexts", "reference_context_ids"),
    *("relevance_grades", "answerable", "rubric", "reference_tool_calls", "reference_topics"),
)
_MADE = ("answer", "contexts", "context_ids", "further_answers", "other_answer", "turns")
_NUMBER = re.compile(r"row-[0-9]+")  # the id of a row that brings none
BASELINE, OTHER, BOTH = "baseline", "other", "both"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Samples that stand in no pair, and why.

    Attributes:
        why: "only in", "undefined in", "failed in" or "other data in".
        where: The run that it is true of: "baseline", "other" or "both".
        n: How many samples.
    """

    why: str
    where: str
    n: int


@dataclass(frozen=True, slots=True)
class Row:
    """One sample of a run: its place, its cluster, and digests of what was given and what made."""

    row: int
    group: str | None
    given: int
    made: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One sample that both runs scored.

    Attributes:
        sample: Its id.
        rows: Its row in each of the runs.
        group: What it belongs to, itself where nothing is named.
        before: Its score in the first run.
        after: Its score in the second run.
    """

    sample: str
    rows: tuple[int, int]
    group: Hashable
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Matched:
    """The samples of two runs by id.

    Attributes:
        rows: Id -> its row in either run, for the samples that are the same in both.
        left_out: Those that are not.
        other_data: How many ids have another question, reference ... in the second run.
        same_made: How many of the same samples also have the same answer and contexts.
        clustered: Whether any sample names a group.
        numbered: Whether the ids in both are the numbers of rows, as where no column is an id.
    """

    rows: Mapping[str, tuple[Row, Row]]
    left_out: tuple[LeftOut, ...]
    other_data: int
    same_made: int
    clustered: bool
    numbered: bool = False


def match(baseline: Result, other: Result, *, keep_other_data: bool = False) -> Matched:
    """Match samples by id; those of which the data differ are the same only if that is asked."""
    before, after = _rows(baseline), _rows(other)
    shared = {id_: (row, after[id_]) for id_, row in before.items() if id_ in after}
    differing = {id_ for id_, (a, b) in shared.items() if a.given != b.given}
    kept = shared if keep_other_data else {k: v for k, v in shared.items() if k not in differing}
    counts = (
        ("only in", BASELINE, len(before) - len(shared)),
        ("only in", OTHER, len(after) - len(shared)),
        ("other data in", BOTH, len(shared) - len(kept)),
    )
    return Matched(
        rows=kept,
        left_out=tuple(LeftOut(*count) for count in counts if count[2]),
        other_data=len(differing),
        same_made=sum(a.made == b.made for a, b in kept.values()),
        clustered=any(a.group is not None for a, _ in kept.values()),
        numbered=bool(shared) and all(map(_NUMBER.fullmatch, shared)),
    )


def pairs(
    matched: Matched, metric: str, baseline: Result, other: Result
) -> tuple[list[Pair], tuple[LeftOut, ...]]:
    """The pairs of scores of a metric, and the samples that have none."""
    before, after = _values(baseline, metric), _values(other, metric)
    missing: Counter[tuple[str, str]] = Counter()
    found = []
    for id_, (a, b) in matched.rows.items():
        one, two = before.get(a.row, "failed"), after.get(b.row, "failed")
        if isinstance(one, float) and isinstance(two, float):
            group: Hashable = (id_,) if a.group is None else a.group
            found.append(Pair(id_, (a.row, b.row), group, one, two))
        elif one == two:
            missing[f"{one} in", BOTH] += 1
        elif isinstance(one, str):
            missing[f"{one} in", BASELINE] += 1
        else:
            missing[f"{two} in", OTHER] += 1
    unscored = tuple(LeftOut(why, where, n) for (why, where), n in sorted(missing.items()))
    return found, (*matched.left_out, *unscored)


def _rows(result: Result) -> dict[str, Row]:
    with Store(result.path) as store:
        return {
            sample.id: Row(row, sample.group, _digest(sample, GIVEN), _digest(sample, _MADE))
            for row, sample in store.samples(result.run.id)
        }


def _digest(sample: Sample, fields: tuple[str, ...]) -> int:
    # Good for this process only, and small: a million samples must fit.
    return hash(msgspec.json.encode([getattr(sample, field) for field in fields]))


def _values(result: Result, metric: str) -> dict[int, float | str]:
    """By row: the score, or why there is none."""
    with Store(result.path) as store:
        found = store.values(result.run.id, metric)
    return {row: why if value is None else float(value) for row, value, why in found}
