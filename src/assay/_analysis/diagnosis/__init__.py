"""Diagnosis of a run: which part of the system failed on each sample, and what is worth trying."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from assay._analysis.diagnosis.classification import diagnosed, unjudged
from assay._analysis.diagnosis.counterfactual import (
    Counterfactual,
    RescoredSample,
    compared,
    counterfactual,
    estimate_counterfactual,
    rescored,
)
from assay._analysis.diagnosis.facts import READ, Outcomes, gather
from assay._analysis.diagnosis.findings import (
    CAUSES,
    REMEDIES,
    Cause,
    Diagnosed,
    Evidence,
    Finding,
    Remedy,
)
from assay._analysis.diagnosis.location import WITHIN
from assay._analysis.diagnosis.statistics import (
    PATTERNS,
    Advice,
    CauseCount,
    Flagged,
    Gap,
    Missed,
    Pattern,
    PatternFound,
    count_causes,
    find_gaps,
    find_patterns,
    flagged,
    missed,
    rank_advice,
)
from assay._analysis.diagnosis.steps import Blame, blame_steps, estimate_steps
from assay._runner.result import NOT_DONE, Result, check_results
from assay._store import Run, Store
from assay.errors import InputError
from assay.score import Readable, Unscored
from assay.stats.intervals import Interval, share_interval

__all__ = [
    "CAUSES",
    "PATTERNS",
    "REMEDIES",
    "Advice",
    "Blame",
    "Cause",
    "CauseCount",
    "Counterfactual",
    "Diagnosed",
    "Diagnosis",
    "Evidence",
    "Finding",
    "Gap",
    "Pattern",
    "PatternFound",
    "Remedy",
    "blame_steps",
    "counterfactual",
    "diagnose",
    "estimate_counterfactual",
    "estimate_steps",
]


@dataclass(frozen=True, slots=True)
class Diagnosis(Readable):
    """What went wrong in a run, and what to try.

    Attributes:
        run: Id of the run.
        n_samples: Its samples.
        n_failed: Samples with a main cause.
        n_fine: Samples without any finding in what could be checked.
        n_uncertain: Samples without any, where the judge is uncertain of a verdict.
        n_open: Samples of which it cannot be told whether or why they failed.
        failed: Interval of the share of failed samples among those that are not open, by Wilson.
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
        flagged: On whose verdicts the main causes rest, by metric; the others are known from the
            data and the wording.
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
    flagged: tuple[Flagged, ...] = ()

    def __str__(self) -> str:
        """How many samples were flagged, why, and what to try, a line each."""
        n_known = self.n_samples - self.n_open
        if not n_known:
            return f"none of {self.n_samples:,} samples could be checked"
        by_judge = sum(flag.n for flag in self.flagged)
        sources = f"{by_judge:,} by the judge, {self.n_failed - by_judge:,} by the data"
        lines = [f"{self.n_failed:,} of {n_known:,} samples flagged, {sources}"]
        lines += [f"{count.n:>6,}  {CAUSES[count.cause].title}" for count in self.causes if count.n]
        advice = {remedy.name: remedy.advice for remedy in REMEDIES}
        lines += [
            f"try: {advice[remedy_advice.remedy]} ({remedy_advice.n:,})"
            for remedy_advice in self.advice
        ]
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
    check_results(result)
    if within < 1:
        raise InputError(f"within is {within}", "give the last rank that is high enough, from 1")
    with Store(result.path) as store:
        run = store.run(result.run.id)
        rescored_run = rescored(store, run)
        samples: list[Diagnosed] = []
        changed: list[RescoredSample | None] = []
        groups: dict[int, Hashable] = {}
        for row, sample in store.samples(run.id):
            outcomes = _outcomes(store, run, row)
            rescored_outcomes = rescored_run.outcomes(sample.id) if rescored_run else {}
            facts = gather(sample, outcomes, rescored_outcomes)
            reason = _why_unjudged(outcomes)
            samples.append(
                unjudged(sample, row, reason) if reason else diagnosed(facts, row, within)
            )
            changed.append(
                rescored_run.again(facts, row, outcomes, within) if rescored_run else None
            )
            # Without a group a sample is one of its own.
            groups[row] = row if sample.group is None else sample.group
        ids = {diagnosed.row: diagnosed.id for diagnosed in samples}
        patterns = find_patterns(store, run, ids, groups)
        what_if = compared(rescored_run, samples, changed) if rescored_run else None
    return _diagnosis(run, samples, groups, patterns, what_if, within)


def _outcomes(store: Store, run: Run, row: int) -> Outcomes:
    read = (metric for metric in run.metrics if metric.partition("(")[0] in READ)
    return {metric: store.outcome(run.id, row, metric) or NOT_DONE for metric in read}


def _why_unjudged(outcomes: Outcomes) -> str:
    """Why no score tells anything of a sample; "" if one does, or none was to be made."""
    if NOT_DONE in outcomes.values():
        return NOT_DONE.detail
    unscored = [outcome for outcome in outcomes.values() if isinstance(outcome, Unscored)]
    failed = [outcome.detail for outcome in unscored if outcome.why == "failed"]
    return f"the judge failed: {failed[0]}" if failed and len(unscored) == len(outcomes) else ""


def _diagnosis(
    run: Run,
    samples: list[Diagnosed],
    groups: Mapping[int, Hashable],
    patterns: tuple[PatternFound, ...],
    what_if: Counterfactual | None,
    within: int,
) -> Diagnosis:
    states = [diagnosed.state for diagnosed in samples]
    decided = [diagnosed for diagnosed in samples if diagnosed.state != "open"]
    failed = [diagnosed.state == "failed" for diagnosed in decided]
    urgent = sorted(
        samples, key=lambda diagnosed: (-diagnosed.doubt, -len(diagnosed.causes), diagnosed.row)
    )
    return Diagnosis(
        run=run.id,
        title=run.title,
        n_samples=len(samples),
        n_failed=states.count("failed"),
        n_fine=states.count("fine"),
        n_uncertain=states.count("uncertain"),
        n_open=states.count("open"),
        failed=share_interval(failed, [groups[diagnosed.row] for diagnosed in decided]),
        causes=count_causes(samples, groups),
        advice=rank_advice(samples, groups),
        patterns=patterns,
        gaps=find_gaps(samples),
        samples=tuple(samples),
        counterfactual=what_if,
        within=within,
        missed=missed(run, samples),
        flagged=flagged(run, samples),
        n_declined=sum(diagnosed.declines is True for diagnosed in samples),
        first=tuple(diagnosed.id for diagnosed in urgent if diagnosed.main),
    )
