"""What went wrong in a run, how often, and what is worth trying first?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.analysis.diagnosis import patterns
from assay.analysis.diagnosis.causes import CAUSES, REMEDIES
from assay.analysis.diagnosis.classify import diagnosed
from assay.analysis.diagnosis.counterfactual import Again, Counterfactual, compared, rescored
from assay.analysis.diagnosis.facts import Outcomes, gather
from assay.analysis.diagnosis.findings import Diagnosed
from assay.analysis.diagnosis.patterns import PatternFound
from assay.analysis.diagnosis.place import WITHIN
from assay.errors import InputError
from assay.run.result import NOT_DONE, Result
from assay.stats.interval import Interval
from assay.stats.intervals import proportion_interval
from assay.store import Run, Store


@dataclass(frozen=True, slots=True)
class CauseCount:
    """How often a cause was found.

    Attributes:
        cause: Its name.
        n: Samples of which it is the main cause.
        contributing: Samples to which it contributes beside another main cause.
        checked: Samples on which it could be told.
        interval: Wilson interval of n / checked.
        samples: Ids of those of which it is the main cause, then of the others.
    """

    cause: str
    n: int
    contributing: int
    checked: int
    interval: Interval
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """Something to try.

    Attributes:
        remedy: Its name.
        n: Samples whose main cause it touches: no more can be gained by it alone.
        contributing: Further samples in which it touches a contributing cause.
        interval: Wilson interval of n / all samples.
    """

    remedy: str
    n: int
    contributing: int
    interval: Interval


@dataclass(frozen=True, slots=True)
class Gap:
    """A cause that could not be told on some samples.

    Attributes:
        cause: Its name.
        n: On how many.
        needs: What would tell.
    """

    cause: str
    n: int
    needs: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What went wrong in a run, and what to try.

    Attributes:
        run: Id of the run.
        n_samples: Its samples.
        n_failed: Samples with a main cause.
        n_fine: Samples without any finding in what could be checked.
        n_open: Samples on which nothing can be said.
        failed: Wilson interval of n_failed / n_samples.
        causes: Every cause that was found, the most frequent main cause first.
        advice: What to try, in the order of the samples that it touches.
        patterns: The failure patterns of the means.
        gaps: What could not be told, and what would tell it.
        samples: Every sample, in the order of the data.
        counterfactual: What the contexts known to be right would change; None if not computed.
        within: The rank below which a right context counted as too low.
    """

    run: str
    n_samples: int
    n_failed: int
    n_fine: int
    n_open: int
    failed: Interval
    causes: tuple[CauseCount, ...]
    advice: tuple[Advice, ...]
    patterns: tuple[PatternFound, ...]
    gaps: tuple[Gap, ...]
    samples: tuple[Diagnosed, ...]
    counterfactual: Counterfactual | None
    within: int


def diagnose(result: Result, *, within: int = WITHIN) -> Diagnosis:
    """Say of each sample which part of the system failed, and what is worth trying.

    Nobody is asked: it reads what the run has found. Where the store holds the run's
    `counterfactual`, that is read, too.

    Args:
        result: The run.
        within: A right context below this rank counts as ranked too low; at least 1.

    Raises:
        InputError: If `within` is no such number.
    """
    if within < 1:
        raise InputError(f"within is {within}", "give the last rank that is high enough, from 1")
    with Store(result.path) as store:
        run = store.run(result.run.id)
        again = rescored(store, run)
        samples: list[Diagnosed] = []
        changed: list[Again | None] = []
        groups: dict[int, str | None] = {}
        for row, sample in store.samples(run.id):
            outcomes = _outcomes(store, run, row)
            held = again.outcomes(sample.id) if again else {}
            facts = gather(sample, outcomes, held)
            samples.append(diagnosed(facts, row, within))
            changed.append(again.again(facts, row, outcomes, within) if again else None)
            groups[row] = sample.group
        ids = {one.row: one.id for one in samples}
        shown = patterns.found(store, run, ids, groups)
        what_if = compared(again, samples, changed) if again else None
    return _diagnosis(run, samples, shown, what_if, within)


def _outcomes(store: Store, run: Run, row: int) -> Outcomes:
    return {metric: store.outcome(run.id, row, metric) or NOT_DONE for metric in run.metrics}


def _diagnosis(
    run: Run,
    samples: list[Diagnosed],
    shown: tuple[PatternFound, ...],
    what_if: Counterfactual | None,
    within: int,
) -> Diagnosis:
    n = len(samples)
    states = [one.state for one in samples]
    return Diagnosis(
        run=run.id,
        n_samples=n,
        n_failed=states.count("failed"),
        n_fine=states.count("fine"),
        n_open=states.count("open"),
        failed=proportion_interval(states.count("failed"), n),
        causes=_counts(samples),
        advice=_advice(samples),
        patterns=shown,
        gaps=_gaps(samples),
        samples=tuple(samples),
        counterfactual=what_if,
        within=within,
    )


def _counts(samples: Iterable[Diagnosed]) -> tuple[CauseCount, ...]:
    by_cause: dict[str, tuple[list[str], list[str]]] = {name: ([], []) for name in CAUSES}
    checked = dict.fromkeys(CAUSES, 0)
    for one in samples:
        for finding in one.findings:
            by_cause[finding.cause][finding is not one.main].append(one.id)
        for cause in one.checked:
            checked[cause] += 1
    counts = [
        CauseCount(
            cause=name,
            n=len(main),
            contributing=len(further),
            checked=checked[name],
            interval=proportion_interval(len(main), checked[name]),
            samples=(*main, *further),
        )
        for name, (main, further) in by_cause.items()
        if main or further
    ]
    return tuple(sorted(counts, key=lambda count: (-count.n, -count.contributing)))


def _advice(samples: list[Diagnosed]) -> tuple[Advice, ...]:
    found = []
    for remedy in REMEDIES:
        n = sum(one.main is not None and one.main.cause in remedy.causes for one in samples)
        touched = sum(any(cause in remedy.causes for cause in one.causes) for one in samples)
        if touched:
            interval = proportion_interval(n, len(samples))
            found.append(Advice(remedy.name, n, touched - n, interval))
    return tuple(sorted(found, key=lambda advice: (-advice.n, -advice.contributing)))


def _gaps(samples: list[Diagnosed]) -> tuple[Gap, ...]:
    """What could not be told; of causes that exclude each other, only where neither could."""
    unchecked = {
        name: sum(name not in one.checked and not _settled(name, one.checked) for one in samples)
        for name in CAUSES
    }
    return tuple(Gap(name, n, CAUSES[name].needs) for name, n in unchecked.items() if n)


# Whoever can tell the first need not be able to tell the second.
_INSTEAD: Mapping[str, str] = {
    "not_in_contexts": "not_retrieved",
    "unsupported": "over_claimed",
}


def _settled(name: str, checked: frozenset[str]) -> bool:
    return _INSTEAD.get(name) in checked
