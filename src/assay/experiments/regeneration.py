"""The regenerating counterfactual: a system asked again with the contexts known to be right."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from assay._analysis.diagnosis.counterfactual import check_judge
from assay._analysis.diagnosis.facts import right_contexts
from assay._analysis.robustness import MARGIN, Curve, Reading, Regenerated, curve, scores
from assay._runner.evaluate import evaluate_derived
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import plan
from assay._runner.result import Result
from assay._runner.settings import Settings, shared_limits
from assay._runner.stack import coalesce_as_in
from assay._store import Store
from assay.data import Source
from assay.data.rows import memory_records
from assay.errors import InputError, OverBudget
from assay.experiments.perturbations import with_contexts
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, is_built_in, parse
from assay.sample import Sample
from assay.stats.intervals import LEVEL
from assay.target import Asking, aask
from assay.target.ask import LIMITS, count
from assay.target.system import System, system

TAG: Final = "regenerated"
_SETS: Final = {
    "retrieved": "with the retrieved contexts again",
    "right": "with the reference contexts",
    "without": "with a wrong context left out",
}
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
        OverBudget: If the budget does not suffice for all; what came is kept, and the same call
            goes on.
    """
    regeneration = prepare(
        result,
        target,
        judge,
        each_wrong=each_wrong,
        embedder=embedder,
        settings=settings,
        asking=asking,
    )
    return regeneration.ask()


def prepare(
    result: Result,
    target: object,
    judge: Any = DEFAULT,
    *,
    each_wrong: bool = False,
    embedder: Any = None,
    settings: Settings | None = None,
    asking: Asking | None = None,
) -> "Regeneration":
    """What `regenerate` asks with the same arguments, once everything that can be was checked."""
    asked_of = system(target, contexts=True)
    if not asked_of.told_contexts:
        remedy = "let the function take `contexts`, or name {contexts} in --target-body"
        raise InputError(f"{asked_of.name} is given no contexts", remedy)
    run = result.run
    with Store(result.path) as store:
        samples = [s for _, s in store.samples(run.id) if s.reference_contexts and s.contexts]
    if not samples:
        fault = f"no sample of run {run.id} has both contexts and reference_contexts"
        raise InputError(fault, "add a column reference_contexts and run again")
    metrics = _metrics(result)
    settings = coalesce_as_in(settings, run.metrics.values())
    sets = {
        "retrieved": samples,
        "right": [with_contexts(s, s.reference_contexts or ()) for s in samples],
        **({"without": _leaving_one_out(samples)} if each_wrong else {}),
    }
    source = Source(run.source, memory_records(samples))
    planned = plan(source, metrics, judge, embedder, settings)
    check_judge(run, [metric.label for metric in metrics], planned.route)
    asking = replace(asking or Asking(limits=LIMITS), mapping={}, limit=None, skip_invalid=None)

    # One budget for all sets of answers.
    settings = replace(settings, _shared=shared_limits(settings))
    sets = {name: samples for name, samples in sets.items() if samples}
    return Regeneration(result, asked_of, metrics, judge, embedder, settings, asking, sets)


@dataclass(frozen=True)
class Regeneration:
    """A run whose samples are asked again, and how."""

    first: Result
    system: System
    metrics: Sequence[Metric]
    judge: Any
    embedder: Any
    settings: Settings
    asking: Asking
    sets: Mapping[str, Sequence[Sample]]

    def count(self) -> tuple[int, int]:
        """(how often the system would be asked, answers that are known); nobody is asked."""
        counts = [
            count(self._data(name), self.system, self.metrics, self.first.path, self.asking)
            for name in self.sets
        ]
        return sum(new for new, _ in counts), sum(known for _, known in counts)

    def ask(self) -> Regenerated:
        """Ask and score each set of samples, and compare."""
        return run_to_completion(self._ask())

    def _data(self, name: str) -> Source:
        source = f"{self.first.run.source}, {_SETS[name]}"
        return Source(source, memory_records(self.sets[name]))

    async def _ask(self) -> Regenerated:
        results, n_asked, reused, failures = dict[str, Result](), 0, 0, 0
        settings = replace(self.settings, tags=(*self.settings.tags, TAG))
        for name in self.sets:
            data, path = self._data(name), self.first.path
            answers = await aask(
                data, self.system, metrics=self.metrics, store=path, asking=self.asking
            )
            results[name] = await evaluate_derived(
                answers,
                self.metrics,
                self.judge,
                embedder=self.embedder,
                settings=settings,
                store=path,
                of=self.first.run.id,
            )
            if results[name].stopped:
                raise OverBudget(f"{_SETS[name]}: {results[name].stopped}")
            n_asked, reused = n_asked + answers.asked, reused + answers.reused
            failures += len(answers.failures)
        return Regenerated(
            run=self.first.run.id,
            target=self.system.name,
            n=len(self.sets["retrieved"]),
            curves=tuple(_curve(metric, results) for metric in self.metrics),
            runs={name: result.run.id for name, result in results.items()},
            asked=n_asked,
            reused=reused,
            failures=failures,
            failed=sum(row.n_failed for result in results.values() for row in result.summary()),
        )


def _metrics(result: Result) -> list[Metric]:
    """The metrics of the run that can be computed of another answer."""
    metrics = [parse(label) for label in result.run.metrics if is_built_in(label)]
    computable = [metric for metric in metrics if not _NOT_AGAIN.intersection(metric.needs)]
    if not computable:
        fault = f"run {result.run.id} has no metric that another answer can be scored by"
        raise InputError(fault, "run again with one, such as -m factual_correctness")
    return computable


def _leaving_one_out(samples: Sequence[Sample]) -> list[Sample]:
    """The samples with each context left out that is known to be wrong, one by one."""
    left_out = []
    for sample in samples:
        right = right_contexts(sample) or ()
        for index in range(len(sample.contexts or ())):
            if index not in right:
                other_contexts = [
                    text for i, text in enumerate(sample.contexts or ()) if i != index
                ]
                variant = with_contexts(
                    sample, other_contexts, id=f"{sample.id} without {index + 1}"
                )
                left_out.append(variant)
    return left_out


def _curve(metric: Metric, results: Mapping[str, Result]) -> Curve:
    (low, high), higher = metric.ends(), metric.higher_is_better
    reading = Reading(metric.label, higher, (low, high), LEVEL, MARGIN)
    levels = [("right contexts", scores(results["right"], metric.label))]
    if "without" in results:
        levels.append(("without a wrong one", _mean_scores(results["without"], metric.label)))
    first_scores = scores(results["retrieved"], metric.label)
    return curve("contexts", reading, first_scores, levels, title="other contexts given")


def _mean_scores(result: Result, metric: str) -> dict[str, tuple[float, Hashable]]:
    """By id of the sample: its mean score over the contexts that were left out one by one."""
    values: dict[str, list[float]] = {}
    for id_, (value, _) in scores(result, metric).items():
        values.setdefault(id_.rpartition(" without ")[0], []).append(value)
    return {id_: (math.fsum(all_) / len(all_), id_) for id_, all_ in values.items()}
