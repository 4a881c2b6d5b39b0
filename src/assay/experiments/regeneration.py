"""The regenerating counterfactual: a system asked again with the contexts known to be right."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from assay._analysis.diagnosis.counterfactual import check_judge
from assay._analysis.diagnosis.facts import right_contexts
from assay._analysis.robustness import MARGIN, Reading, Regenerated, curve, scores
from assay._runner.coalesce import coalesce_as_in
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import plan
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay._store import Store
from assay.data import Source
from assay.data.memory import memory_records
from assay.errors import InputError
from assay.experiments.derived import evaluate_derived
from assay.experiments.perturbations import with_contexts
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, is_built_in, parse
from assay.sample import Sample
from assay.stats.intervals import LEVEL
from assay.target import Asking, aask
from assay.target.ask import LIMITS
from assay.target.system import System, system

TAG: Final = "regenerated"
# What another answer does not have, or what tells nothing of its contexts.
_NOT_AGAIN: Final = frozenset(
    {"further_answers", "variants", "other_answer", "turns", "latency_ms", "cost", "tokens"}
)


def regenerate(
    result: Result,
    target: object,
    judge: Any = DEFAULT,
    *,
    each_wrong: bool = False,
    embedder: Any = None,
    settings: Settings | None = None,
    asking: Asking | None = None,
) -> Regenerated:
    """Ask a system again with the reference contexts: what better retrieval alone would fix.

    So that nothing else differs, it is also asked again with the contexts that were retrieved.
    Both are runs of their own in the store of the first one; what is there is not asked again.

    Args:
        result: The run.
        target: As for `assay.robustness`; it has to be given the contexts.
        judge: As for `evaluate`; it has to be the judge of the run.
        each_wrong: Whether to ask also with each context left out that is known to be wrong.
        embedder: As for `evaluate`.
        settings: As for `evaluate`.
        asking: How the system is asked.

    Raises:
        InputError: If no sample has contexts and reference contexts, the system is given no
            contexts, or another judge is given; nothing was asked yet.
        Denied: If system or judge refuses.
    """
    asked_of = system(target, contexts=True)
    if not asked_of.told_contexts:
        remedy = "let the function take `contexts`, or name {contexts} in --target-body"
        raise InputError(f"{asked_of.name} is given no contexts", remedy)
    run = result.run
    with Store(result.path) as store:
        found = [s for _, s in store.samples(run.id) if s.reference_contexts and s.contexts]
    if not found:
        what = f"no sample of run {run.id} has both contexts and reference_contexts"
        raise InputError(what, "add a column reference_contexts and run again")
    metrics = _metrics(result)
    settings = coalesce_as_in(settings, run.metrics.values())
    sets = {
        "retrieved": found,
        "right": [with_contexts(s, s.reference_contexts or ()) for s in found],
        **({"without": _without(found)} if each_wrong else {}),
    }
    source = Source(run.source, memory_records(found))
    planned = plan(source, metrics, judge, embedder, settings)
    check_judge(run, [metric.label for metric in metrics], planned.route)
    asking = replace(asking or Asking(limits=LIMITS), mapping={}, limit=None, skip_invalid=None)

    async def ask_all() -> Regenerated:
        results, asked, reused, failures = {}, 0, 0, 0
        for name, samples in sets.items():
            if not samples:
                continue
            data = Source(f"{run.source}, {name} contexts", memory_records(samples))
            answers = await aask(data, asked_of, metrics=metrics, store=result.path, asking=asking)
            said = replace(settings, tags=(*settings.tags, TAG))
            results[name] = await evaluate_derived(
                answers,
                metrics,
                judge,
                embedder=embedder,
                settings=said,
                store=result.path,
                of=run.id,
            )
            asked, reused = asked + answers.asked, reused + answers.reused
            failures += len(answers.failures)
        return _compared(result, asked_of, metrics, results, len(found), (asked, reused, failures))

    return run_to_completion(ask_all())


def _metrics(result: Result) -> list[Metric]:
    """The metrics of the run that can be computed of another answer."""
    metrics = [parse(label) for label in result.run.metrics if is_built_in(label)]
    kept = [metric for metric in metrics if not _NOT_AGAIN.intersection(metric.needs)]
    if not kept:
        what = f"run {result.run.id} has no metric that another answer can be scored by"
        raise InputError(what, "run again with one, such as -m factual_correctness")
    return kept


def _without(samples: Sequence[Sample]) -> list[Sample]:
    """The samples with each context left out that is known to be wrong, one by one."""
    left_out = []
    for sample in samples:
        right = right_contexts(sample) or ()
        for place in range(len(sample.contexts or ())):
            if place not in right:
                kept = [text for at, text in enumerate(sample.contexts or ()) if at != place]
                one = with_contexts(sample, kept, id=f"{sample.id} without {place + 1}")
                left_out.append(one)
    return left_out


def _compared(
    result: Result,
    asked_of: System,
    metrics: Sequence[Metric],
    results: Mapping[str, Result],
    n: int,
    calls: tuple[int, int, int],
) -> Regenerated:
    curves = []
    for metric in metrics:
        (low, high), up = metric.ends(), metric.higher_is_better
        reading = Reading(metric.label, up, (low, high), LEVEL, MARGIN)
        levels = [("right contexts", scores(results["right"], metric.label))]
        if "without" in results:
            levels.append(("without a wrong one", _mean_scores(results["without"], metric.label)))
        before = scores(results["retrieved"], metric.label)
        curves.append(curve("contexts", reading, before, levels, title="other contexts given"))
    asked, reused, failures = calls
    return Regenerated(
        run=result.run.id,
        target=asked_of.name,
        n=n,
        curves=tuple(curves),
        runs={name: one.run.id for name, one in results.items()},
        asked=asked,
        reused=reused,
        failures=failures,
        failed=sum(row.n_failed for one in results.values() for row in one.summary()),
    )


def _mean_scores(result: Result, metric: str) -> dict[str, tuple[float, Hashable]]:
    """By id of the sample: its mean score over the contexts that were left out one by one."""
    values: dict[str, list[float]] = {}
    for id_, (value, _) in scores(result, metric).items():
        values.setdefault(id_.rpartition(" without ")[0], []).append(value)
    return {id_: (math.fsum(all_) / len(all_), id_) for id_, all_ in values.items()}
