"""What went wrong in a run, how often, and what is worth trying first?"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from assay.analysis.diagnosis import counts, patterns
from assay.analysis.diagnosis.causes import CAUSES, REMEDIES
from assay.analysis.diagnosis.classify import diagnosed
from assay.analysis.diagnosis.counterfactual import Again, Counterfactual, compared, rescored
from assay.analysis.diagnosis.counts import Advice, CauseCount, Gap
from assay.analysis.diagnosis.facts import READ, Outcomes, gather
from assay.analysis.diagnosis.findings import Diagnosed
from assay.analysis.diagnosis.missed import Missed, missed
from assay.analysis.diagnosis.patterns import PatternFound
from assay.analysis.diagnosis.place import WITHIN
from assay.errors import InputError
from assay.run.result import NOT_DONE, Result
from assay.stats.intervals import Interval
from assay.store import Run, Store


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What went wrong in a run, and what to try.

    Attributes:
        run: Id of the run.
        n_samples: Its samples.
        n_failed: Samples with a main cause.
        n_fine: Samples without any finding in what could be checked.
        n_uncertain: Samples without any, where the judge is uncertain of a verdict.
        n_open: Samples of which it cannot be told whether or why they failed.
        failed: Interval of the share of failed samples among those that are not open, by `share`.
        causes: Every cause that was found, the most frequent main cause first.
        advice: What to try, in the order of the samples that it touches.
        patterns: The failure patterns of the means.
        gaps: What could not be told, and what would tell it.
        samples: Every sample, in the order of the data.
        counterfactual: What the contexts known to be right would change; None if not computed.
        missed: How many bad answers the judge is expected to have passed, where that is known.
        n_declined: Answers that decline.
        first: Ids of the failed samples, those first of which most is to be learnt.
        within: The rank below which a right context counted as too low.
        title: What the run is called: its name, or its data and when it began.
    """

    run: str
    n_samples: int
    n_failed: int
    n_fine: int
    n_uncertain: int
    n_open: int
    failed: Interval
    causes: tuple[CauseCount, ...]
    advice: tuple[Advice, ...]
    patterns: tuple[PatternFound, ...]
    gaps: tuple[Gap, ...]
    samples: tuple[Diagnosed, ...]
    counterfactual: Counterfactual | None
    within: int
    missed: Missed | None = None
    n_declined: int = 0
    first: tuple[str, ...] = ()
    title: str = ""

    def __str__(self) -> str:
        """How many samples went wrong, why, and what to try, a line each."""
        told = self.n_samples - self.n_open
        lines = [f"{self.n_failed:,} of {told:,} samples went wrong, by what could be checked"]
        lines += [f"{count.n:>6,}  {CAUSES[count.cause].title}" for count in self.causes if count.n]
        advice = {remedy.name: remedy.advice for remedy in REMEDIES}
        lines += [f"try: {advice[one.remedy]} ({one.n:,})" for one in self.advice]
        return "\n".join(lines)


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
        groups: dict[int, Hashable] = {}
        for row, sample in store.samples(run.id):
            outcomes = _outcomes(store, run, row)
            held = again.outcomes(sample.id) if again else {}
            facts = gather(sample, outcomes, held)
            samples.append(diagnosed(facts, row, within))
            changed.append(again.again(facts, row, outcomes, within) if again else None)
            # Without a group a sample is one of its own.
            groups[row] = row if sample.group is None else sample.group
        ids = {one.row: one.id for one in samples}
        shown = patterns.found(store, run, ids, groups)
        what_if = compared(again, samples, changed) if again else None
    found = _Read(samples, groups, shown, what_if)
    return _diagnosis(run, found, within)


def _outcomes(store: Store, run: Run, row: int) -> Outcomes:
    read = (metric for metric in run.metrics if metric.partition("(")[0] in READ)
    return {metric: store.outcome(run.id, row, metric) or NOT_DONE for metric in read}


@dataclass(frozen=True)
class _Read:
    samples: list[Diagnosed]
    groups: Mapping[int, Hashable]
    patterns: tuple[PatternFound, ...]
    what_if: Counterfactual | None


def _diagnosis(run: Run, found: _Read, within: int) -> Diagnosis:
    samples, groups = found.samples, found.groups
    states = [one.state for one in samples]
    told = [one for one in samples if one.state != "open"]
    failed = (one.state == "failed" for one in told)
    return Diagnosis(
        run=run.id,
        title=run.title,
        n_samples=len(samples),
        n_failed=states.count("failed"),
        n_fine=states.count("fine"),
        n_uncertain=states.count("uncertain"),
        n_open=states.count("open"),
        failed=counts.share(failed, [groups[one.row] for one in told]),
        causes=counts.causes(samples, groups),
        advice=counts.advice(samples, groups),
        patterns=found.patterns,
        gaps=counts.gaps(samples),
        samples=tuple(samples),
        counterfactual=found.what_if,
        within=within,
        missed=missed(run, samples),
        n_declined=sum(one.declines is True for one in samples),
        first=tuple(one.id for one in sorted(samples, key=_urgency) if one.main),
    )


def _urgency(one: Diagnosed) -> tuple[float, int, int]:
    return -one.doubt, -len(one.causes), one.row
