"""The counterfactual of a run: its answers re-scored against the contexts known to be right.

Nothing is generated anew: it is a run of its own in the same store. What is no longer wrong then
was a failure of retrieval.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay._analysis.diagnosis.classification import diagnosed
from assay._analysis.diagnosis.facts import (
    OF_CONTEXTS,
    Facts,
    MetricParts,
    Outcomes,
    gather,
)
from assay._analysis.diagnosis.findings import Diagnosed
from assay._middleware.wrapper import Route
from assay._runner.estimate import Estimate, estimate_plan
from assay._runner.evaluate import score_derived
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import Plan, plan, signature
from assay._runner.result import NOT_DONE, Result
from assay._runner.settings import Settings
from assay._runner.stack import coalesce_as_in
from assay._store import Run, Store
from assay.data import Source
from assay.data.rows import memory_records
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import is_built_in, parse
from assay.sample import Sample
from assay.score import Outcome, Unscored

# Of these causes it tells something; what an answer leaves out, or whether it is on topic, does not
# depend on the contexts.
_OF_RETRIEVAL = ("not_retrieved", "cut_apart", "not_in_contexts", "ranked_too_low")
_OF_CLAIMS = ("contradicted", "over_claimed", "unsupported")

# What is scored again, where the run has it or the data allow it.
_RESCORED = ("hallucination_spans", "deepeval:faithfulness", "faithfulness", "context_recall")
_COALESCED = re.compile(r"\|together=[^|]*")


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one main cause.

    Attributes:
        cause: Its name.
        n: Samples with it that were re-scored and do not decline.
        gone: Of these, those in which it is no longer found with the right contexts.
        well: Of these, those in which nothing at all is found any more: the answer stands as it is.
        samples: Ids of those in which it is gone.
    """

    cause: str
    n: int
    gone: int
    well: int
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What the contexts known to be right would change.

    Attributes:
        run: Id of the run that holds the scores.
        n: Samples re-scored: those with reference contexts.
        failed: Further ones that the judge failed on, or did not come to: nothing is said of them.
        refused: Samples of the re-scored that decline: what they would answer cannot be known.
        unsupported: Statements of answers that the retrieved contexts do not support.
        borne_out: How many of these the right contexts support: true, and from elsewhere.
        missing: Statements of references that the retrieved contexts do not hold.
        found: How many of these the right contexts hold: retrieval lost them.
        changes: By main cause, those that may change.
        means: (metric, mean with the retrieved contexts, mean with the right ones, n): over the
            samples that are scored in both.
    """

    run: str
    n: int
    failed: int
    refused: int
    unsupported: int
    borne_out: int
    missing: int
    found: int
    changes: tuple[Change, ...]
    means: tuple[tuple[str, float, float, int], ...]


@dataclass(frozen=True, slots=True)
class RescoredSample:
    """A sample with the right contexts, and its facts before and after.

    `failed` says that a score of it is missing: what its verdicts would have been is not known.
    """

    diagnosed: Diagnosed
    before: Facts
    after: Facts
    failed: bool


def counterfactual(
    result: Result, judge: Any = DEFAULT, *, embedder: Any = None, settings: Settings | None = None
) -> Result:
    """Re-score a run's answers against their reference contexts, in the same store.

    Statements and all else that is known is not asked for again; `diagnose` of the first run finds
    the second by itself.

    Args:
        result: The run.
        judge: As for `evaluate`; it has to be the judge of the run.
        embedder: As for `evaluate`.
        settings: As for `evaluate`.

    Returns:
        The result of the new run.

    Raises:
        InputError: If no sample has reference contexts, or another judge is given.
    """
    planned = _planned(result, judge, embedder, settings)
    return run_to_completion(score_derived(planned, result.path, result.run.id))


def estimate_counterfactual(
    result: Result, judge: Any = DEFAULT, *, embedder: Any = None, settings: Settings | None = None
) -> Estimate:
    """What `counterfactual` would ask for with the same arguments; nobody is asked.

    Raises:
        InputError: As `counterfactual` would.
    """
    return estimate_plan(_planned(result, judge, embedder, settings), result.path)


def _planned(result: Result, judge: Any, embedder: Any, settings: Settings | None) -> Plan:
    """How the answers are judged again, with the right contexts.

    Raises:
        InputError: If no sample has reference contexts, or another judge is given.
    """
    run = result.run
    settings = coalesce_as_in(settings, run.metrics.values())
    with Store(result.path) as store:
        swapped_samples = [
            swapped for _, sample in store.samples(run.id) if (swapped := _corrected(sample))
        ]
        metrics = _metrics(run, swapped_samples)
    if not swapped_samples:
        fault = f"no sample of run {run.id} has reference_contexts (their texts)"
        raise InputError(fault, "add a column reference_contexts and run again")
    planned = plan(
        Source(_source(run), memory_records(swapped_samples)), metrics, judge, embedder, settings
    )
    check_judge(run, metrics, planned.route)
    return planned


def check_judge(run: Run, metrics: Sequence[str], route: Route) -> None:
    """Raise InputError if another judge, prompt or version made the scores of a run."""
    same = route.default.name == run.config["judge"]
    # Fewer metrics may share calls here than did there: that is no other judge.
    uncoalesced = {metric: _COALESCED.sub("", text) for metric, text in run.metrics.items()}
    other_metrics = [
        m for m in metrics if m in uncoalesced and signature(parse(m), route) != uncoalesced[m]
    ]
    if other_metrics or not same:
        fault = f"run {run.id} was judged with other prompts or by another version of assay"
        if not same:
            fault = f"run {run.id} was judged by {run.config['judge']}, not by {route.default.name}"
        raise InputError(fault, "give the --judge, --prompts and --reasons of that run")


def _source(run: Run) -> str:
    return f"{run.source}, with the reference contexts for run {run.id}"


def _corrected(sample: Sample) -> Sample | None:
    """The sample as it would be with perfect retrieval; None where that is not known."""
    if not sample.reference_contexts or sample.contexts is None:
        return None
    return replace(
        sample,
        contexts=sample.reference_contexts,
        context_ids=None,
        reference_context_ids=None,
        relevance_grades=None,
        context_access=None,
    )


def _metrics(run: Run, samples: Sequence[Sample]) -> list[str]:
    reached_generator = [
        m for m in run.metrics if m.partition("(")[0] in _RESCORED and is_built_in(m)
    ]
    return reached_generator or [
        name
        for name in ("faithfulness", "context_recall")
        if all(getattr(s, field) is not None for s in samples for field in parse(name).needs)
    ]


@dataclass(frozen=True)
class Rescored:
    """The run with the right contexts, read beside the first one."""

    store: Store
    run: Run
    rows: dict[str, int]

    def outcomes(self, sample: str) -> dict[str, Outcome]:
        """Its outcomes of a sample by metric label; none if it was not re-scored."""
        row = self.rows.get(sample)
        if row is None:
            return {}
        return {m: self.store.outcome(self.run.id, row, m) or NOT_DONE for m in self.run.metrics}

    def again(
        self, before: Facts, row: int, outcomes: Outcomes, within: int
    ) -> RescoredSample | None:
        """The sample as it would be with the right contexts; None if it was not re-scored."""
        swapped, outcomes_now = _corrected(before.sample), self.outcomes(before.sample.id)
        if swapped is None or not outcomes_now:
            return None
        unchanged = {m: o for m, o in outcomes.items() if m.partition("(")[0] not in OF_CONTEXTS}
        after = gather(swapped, {**unchanged, **outcomes_now}, outcomes_now)
        failed = any(_failed(o) and not _failed(outcomes.get(m)) for m, o in outcomes_now.items())
        return RescoredSample(diagnosed(after, row, within), before, after, failed)


def _failed(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Unscored) and outcome.why == "failed"


def rescored(store: Store, run: Run) -> Rescored | None:
    """The counterfactual of a run, if the store holds one."""
    source = _source(run)
    for stored_run in store.runs():
        if stored_run.source == source:
            rows = {sample.id: row for row, sample in store.samples(stored_run.id)}
            return Rescored(store, stored_run, rows)
    return None


def compared(
    rescored: Rescored, before: Sequence[Diagnosed], after: Sequence[RescoredSample | None]
) -> Counterfactual:
    """What changed between the diagnoses of the same samples."""
    rescored_pairs = [(b, a) for b, a in zip(before, after, strict=True) if a is not None]
    pairs = [(b, a) for b, a in rescored_pairs if not a.failed]
    answered = [(b, a) for b, a in pairs if not a.before.declined]
    unsupported, borne_out = _total(
        _turned_counts(a.before.support, a.after.support) for _, a in pairs
    )
    missing, gained = _total(_turned_counts(a.before.recall, a.after.recall) for _, a in pairs)
    return Counterfactual(
        run=rescored.run.id,
        n=len(pairs),
        failed=len(rescored_pairs) - len(pairs),
        refused=len(pairs) - len(answered),
        unsupported=unsupported,
        borne_out=borne_out,
        missing=missing,
        found=gained,
        changes=tuple(_changes(answered)),
        means=tuple(_means(rescored)),
    )


def _turned_counts(before: MetricParts | None, after: MetricParts | None) -> tuple[int, int]:
    """How many statements did not hold, and how many of these hold now."""
    no = {part.text for part in before.no} if before else set()
    yes = {part.text for part in after.yes} if after else set()
    return len(no), len(no & yes)


def _total(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    counts = list(pairs)
    return sum(n for n, _ in counts), sum(n for _, n in counts)


def _changes(pairs: Sequence[tuple[Diagnosed, RescoredSample]]) -> Iterator[Change]:
    for cause in (*_OF_RETRIEVAL, *_OF_CLAIMS):
        caused = [(b, a) for b, a in pairs if b.main and b.main.cause == cause]
        resolved = [(b, a) for b, a in caused if cause not in a.diagnosed.causes]
        # The answer shows no failure, and something is known of it.
        well = sum(
            a.diagnosed.state == "fine" and bool(a.after.support or a.after.coverage)
            for _, a in resolved
        )
        if caused:
            yield Change(cause, len(caused), len(resolved), well, tuple(b.id for b, _ in resolved))


def _means(rescored_run: Rescored) -> Iterator[tuple[str, float, float, int]]:
    first = rescored_run.run.source.rpartition(" ")[2]
    ids = {row: sample.id for row, sample in rescored_run.store.samples(first)}
    rows = {row: rescored_run.rows[i] for row, i in ids.items() if i in rescored_run.rows}
    metrics_rescored = rescored_run.store.run(first).metrics
    for metric in rescored_run.run.metrics:
        if metric not in metrics_rescored:
            continue
        before = {rows.get(row): v for row, v in rescored_run.store.numbers(first, metric).items()}
        after = rescored_run.store.numbers(rescored_run.run.id, metric)
        rows_in_both = sorted(row for row in after if row in before)
        if rows_in_both:
            n = len(rows_in_both)
            yield (
                metric,
                sum(before[r] for r in rows_in_both) / n,
                sum(after[r] for r in rows_in_both) / n,
                n,
            )
