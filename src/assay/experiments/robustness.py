"""Robustness of a system: asked again with questions and contexts that are perturbed by rule."""

import asyncio
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from assay._analysis.robustness import (
    DECLINES,
    FOLLOWS,
    MARGIN,
    Curve,
    Level,
    Reading,
    Robustness,
    curve,
    mean_of,
    scores,
)
from assay._middleware.cache import SharedLimits
from assay._runner import STORE
from assay._runner.evaluate import aevaluate, evaluate_derived
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import plan
from assay._runner.result import Result
from assay._runner.settings import Settings, chosen
from assay._store import Store
from assay._store.runs import Value, written
from assay.data import Record, Source
from assay.data.rows import memory_records
from assay.errors import InputError, OverBudget
from assay.experiments.perturbations import PERTURBATIONS, Fact, SamplePool, filled
from assay.experiments.perturbed import (
    Step,
    Vary,
    check_contexts,
    levels_of,
    read_samples,
    reasons,
    step_of,
)
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, parse, resolve
from assay.sample import Sample, Variant
from assay.stats.intervals import LEVEL
from assay.target import Answers, Asking, aask
from assay.target.ask import LIMITS, check_answers, count
from assay.target.system import System, system

TAG: Final = "robustness"
UNPERTURBED: Final = "unperturbed"
_OVER_REFUSAL: Final = "over_refusal"
_KINDS: Final[Mapping[str, Any]] = {"noise": "noise", "contradicted": "counterfactual"}


@dataclass(frozen=True, kw_only=True)
class RobustnessSettings:
    """How robustness is measured.

    Attributes:
        vary: The levels of each perturbation, ``{"noise": [0.2, 0.8], "typos": []}``; its usual
            levels where none are named. None for all perturbations.
        fill: With fewer contexts than this, passages of other questions follow a sample's own
            before anything is varied.
        seed: What is drawn (noise, places, typing errors) is drawn by it.
        margin: A drop up to this, as a share of the metric's range, counts as none.
        level: Nominal coverage of each mean's interval, and of all differences of a curve.
        embedder: As for `evaluate`.
        settings: As for `evaluate`. With a name each run is called ``NAME/noise=0.4``.
        asking: How the system is asked: draws, limits, paths into its replies.
        on_level: Called with each level once it is asked and scored.
    """

    vary: Vary | None = None
    fill: int = 0
    seed: int = 0
    margin: float = MARGIN
    level: float = LEVEL
    embedder: Any = None
    settings: Settings | None = None
    asking: Asking | None = None
    on_level: Callable[[Level], None] | None = None

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1:
            raise InputError(f"level is {self.level}", "give a share, such as 0.95")
        if not 0 <= self.margin < 1:
            raise InputError(f"margin is {self.margin}", "give a share of the range, such as 0.1")


def robustness(
    data: Any,
    target: object,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    store: str | Path = STORE,
    settings: RobustnessSettings | None = None,
) -> Robustness:
    """Ask a system the same questions with noise, wrong contexts, typing errors, and compare.

    Every perturbation is made by rule from the data alone. Each of its levels is one run in the
    store, derived from that of the unperturbed answers, over the samples that it applies to; what
    is in the store is asked neither of the system nor of the judge again.

    Args:
        data: As for `evaluate`, with questions, references and contexts (or reference_contexts).
        target: A URL, ``module:function``, ``file.py:function`` or a function. To perturb contexts
            it has to be given them: an argument ``contexts`` or ``sample``, or ``{contexts}`` in
            the body.
        metrics: As for `evaluate`. Those of single answers make curves; those that need `variants`
            (noise_robustness, counterfactual_robustness) are computed over the same answers.
        judge: As for `evaluate`.
        store: The SQLite file that keeps answers, replies and scores.
        settings: Everything else.

    Raises:
        InputError: If data, target, metrics, judge or settings cannot be used; nothing was asked
            yet.
        Denied: If system or judge refuses; what was scored is kept.
        OverBudget: If the budget of all levels together is used up; likewise.
    """
    return run_to_completion(
        arobustness(data, target, metrics, judge, store=store, settings=settings)
    )


async def arobustness(
    data: Any,
    target: object,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    store: str | Path = STORE,
    settings: RobustnessSettings | None = None,
) -> Robustness:
    """`robustness` for code that is asynchronous itself: same arguments, awaited."""
    settings = settings or RobustnessSettings()
    work = await asyncio.to_thread(_prepare, data, target, metrics, judge, settings, store)
    await work.ask_all()
    return await work.result(target)


def count_robustness(
    data: Any,
    target: object,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    store: str | Path = STORE,
    settings: RobustnessSettings | None = None,
) -> dict[str, tuple[int, int]]:
    """By level: (how often the system would be asked, answers known); nobody is asked.

    Raises:
        InputError: As `arobustness`.
    """
    work = _prepare(data, target, metrics, judge, settings or RobustnessSettings(), store)
    steps = {UNPERTURBED: work.samples, **{step.label: step.samples for step in work.steps}}
    return {
        label: count(work.source_of(samples), work.system, (), store, work.asking)
        if samples
        else (0, 0)
        for label, samples in steps.items()
    }


@dataclass
class _Work:
    """Everything that is asked, scored and compared."""

    name: str
    samples: Sequence[Sample]
    steps: Sequence[Step]
    system: System
    asking: Asking
    metrics: Sequence[Metric]
    combined: Sequence[Metric]
    judge: Any
    settings: RobustnessSettings
    evaluation: Settings
    store: str | Path
    levels: list[Level] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    baseline: Result = field(init=False)
    variants: Result | None = None
    answers: Answers = field(init=False)

    @property
    def refusals(self) -> bool:
        """Whether it is asked if answers decline."""
        return any(step.name == "removed" for step in self.steps)

    def source_of(self, samples: Sequence[Sample]) -> Source:
        """Samples as data."""
        return Source(self.name, memory_records(samples))

    async def ask_all(self) -> None:
        """Ask and score the unperturbed samples, then every level."""
        metrics = list(self.metrics)
        if self.refusals and _OVER_REFUSAL not in [metric.label for metric in metrics]:
            metrics.append(parse(_OVER_REFUSAL))
        self.answers, self.baseline = await self._ask(self.samples, metrics, UNPERTURBED, {})
        for step in self.steps:
            n_asked, reused, failures, failed, run = 0, 0, 0, 0, ""
            if step.perturbed:
                scored = [parse(DECLINES)] if step.name == "removed" else self.metrics
                params = {step.name: step.level}
                answers, result = await self._ask(step.samples, scored, step.label, params)
                n_asked, reused, failures = answers.asked, answers.reused, len(answers.failures)
                failed, run = _failed(result), result.run.id
                self.results[step.label] = result
            level = Level(
                step.name, written(step.level), run, len(step.perturbed), step.left_out,
                asked=n_asked, reused=reused, failures=failures, failed=failed,
            )  # fmt: skip
            self.levels.append(level)
            if self.settings.on_level:
                self.settings.on_level(level)
        if self.combined:
            rows = await asyncio.to_thread(self._with_variants)
            self.variants = await self._evaluate(
                self.source_of(rows), self.combined, "variants", {}
            )

    async def _ask(
        self, samples: Sequence[Sample], metrics: Sequence[Metric], label: str, params: Any
    ) -> tuple[Answers, Result]:
        answers = await aask(
            self.source_of(samples),
            self.system,
            metrics=metrics,
            store=self.store,
            asking=self.asking,
        )
        if label == UNPERTURBED:
            await asyncio.to_thread(check_answers, answers, self.system, metrics)
        source = _to_score(answers, {sample.id: sample.question for sample in self.samples}, label)
        return answers, await self._evaluate(source, metrics, label, params)

    async def _evaluate(
        self, source: Source, metrics: Sequence[Metric], label: str, params: Mapping[str, Value]
    ) -> Result:
        name = self.evaluation.name
        settings = replace(
            self.evaluation,
            name=f"{name}/{label}" if name else "",
            tags=(*self.evaluation.tags, TAG, *([name] if name else [])),
            params={**self.evaluation.params, **params},
        )
        embedder, store = self.settings.embedder, self.store
        if label == UNPERTURBED:
            result = await aevaluate(
                source, metrics, self.judge, embedder=embedder, store=store, settings=settings
            )
        else:
            result = await evaluate_derived(
                source,
                metrics,
                self.judge,
                embedder=embedder,
                settings=settings,
                store=store,
                of=self.baseline.run.id,
            )
        if result.stopped:
            raise OverBudget(f"{label}: {result.stopped}")
        return result

    def _with_variants(self) -> list[Sample]:
        """The samples with the answers over noise and over altered contexts as their variants."""
        n_contexts = {sample.id: len(sample.contexts or ()) for sample in self.samples}
        variants: dict[str, list[Variant]] = {}
        for step in self.steps:
            if step.label not in self.results or step.name not in _KINDS:
                continue
            for sample in _answered(self.results[step.label]).values():
                n, m = n_contexts[sample.id], len(step.perturbed[sample.id].sample.contexts or ())
                ratio = round((m - n) / m, 4) if step.name == "noise" else None
                variants.setdefault(sample.id, []).append(
                    Variant(_KINDS[step.name], sample.answer or "", sample.contexts, ratio)
                )
        answered = _answered(self.baseline)
        return [
            replace(answered.get(sample.id, sample), variants=tuple(variants.get(sample.id, ())))
            for sample in self.samples
        ]

    async def result(self, target: object) -> Robustness:
        """What came of it."""
        readings = [self._reading_of(metric) for metric in self.metrics]
        curves = await asyncio.to_thread(lambda: tuple(self._curves(readings)))
        combined = [
            mean_of(self.variants, self._reading_of(metric))
            for metric in self.combined
            if self.variants
        ]
        altered = {
            id_: (perturbed.fact.right, perturbed.fact.altered)
            for step in self.steps
            for id_, perturbed in step.perturbed.items()
            if perturbed.fact
        }
        return Robustness(
            target=target if isinstance(target, str) else self.system.name.partition("@")[0],
            source=self.name,
            n=len(self.samples),
            baseline=tuple(mean_of(self.baseline, reading) for reading in readings),
            curves=curves,
            levels=tuple(self.levels),
            combined=tuple(combined),
            altered=altered,
            level=self.settings.level,
            margin=self.settings.margin,
            seed=self.settings.seed,
            store=str(self.store),
            asked=self.answers.asked,
            reused=self.answers.reused,
            failures=len(self.answers.failures),
            failed=_failed(self.baseline),
        )

    def _reading_of(self, metric: Metric) -> Reading:
        (low, high), higher = metric.ends(), metric.higher_is_better
        return Reading(metric.label, higher, (low, high), self.settings.level, self.settings.margin)

    def _curves(self, readings: Sequence[Reading]) -> Iterator[Curve]:
        for name in dict.fromkeys(step.name for step in self.steps):
            steps = [step for step in self.steps if step.name == name and step.perturbed]
            if not steps:
                continue
            if name == "contradicted":
                yield self._following_curve(steps)
            if name == "removed":
                reading = self._reading_of(parse(DECLINES))
                yield self._curve(name, reading, steps, baseline=_OVER_REFUSAL)
                continue
            for reading in readings:
                yield self._curve(name, reading, steps, baseline=reading.metric)

    def _curve(self, name: str, reading: Reading, steps: Sequence[Step], *, baseline: str) -> Curve:
        return curve(
            name,
            reading,
            scores(self.baseline, baseline),
            [(written(s.level), scores(self.results[s.label], reading.metric)) for s in steps],
            title=PERTURBATIONS[name].title,
            ordered=PERTURBATIONS[name].ordered,
        )

    def _following_curve(self, steps: Sequence[Step]) -> Curve:
        """Which answers state the altered fact and not the right one."""
        facts = {id_: p.fact for step in steps for id_, p in step.perturbed.items() if p.fact}
        reading = Reading(FOLLOWS, False, (0.0, 1.0), self.settings.level, self.settings.margin)  # noqa: FBT003
        under = [(written(s.level), _follows_altered(self.results[s.label], facts)) for s in steps]
        title = PERTURBATIONS["contradicted"].title
        return curve(
            "contradicted", reading, _follows_altered(self.baseline, facts), under, title=title
        )


def _follows_altered(
    result: Result, facts: Mapping[str, Fact]
) -> dict[str, tuple[float, Hashable]]:
    shares: dict[str, tuple[float, Hashable]] = {}
    for id_, sample in _answered(result).items():
        if id_ in facts:
            right, altered = facts[id_].stated(sample.answer or "")
            cluster = (id_,) if sample.group is None else sample.group
            shares[id_] = float(altered and not right), cluster
    return shares


def _answered(result: Result) -> dict[str, Sample]:
    """By id: the samples of a run that have an answer."""
    with Store(result.path) as store:
        return {
            sample.id: sample
            for _, sample in store.samples(result.run.id)
            if sample.failure is None
        }


def _failed(result: Result) -> int:
    return sum(row.n_failed for row in result.summary())


def _to_score(answers: Answers, questions: Mapping[str, str | None], label: str) -> Source:
    """The answers with the question that was meant, whatever was asked, and what was perturbed."""

    def records() -> Iterator[Record]:
        for record in answers.records():
            values = dict(record.values or {})
            question, original = values.get("question"), questions[values["id"]]
            changed = {} if question == original else {"asked": question}
            values["metadata"] = {**values.get("metadata", {}), "perturbation": label, **changed}
            yield replace(record, values={**values, "question": original})

    return replace(answers, records=records)


def _prepare(
    data: Any,
    target: object,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any,
    settings: RobustnessSettings,
    store: str | Path,
) -> _Work:
    """All that is to be asked, once everything that can be checked has been."""
    vary = levels_of(settings.vary)
    resolved = resolve(metrics)
    single = [metric for metric in resolved if "variants" not in metric.needs]
    combined = [metric for metric in resolved if "variants" in metric.needs]
    if not single:
        fault = f"{combined[0].label} looks at several answers of a sample"
        raise InputError(fault, "name a metric of single answers as well, such as token_f1")
    asked_of = system(target, contexts=True)
    check_contexts(asked_of, vary)
    # One budget for all levels.
    evaluation = replace(chosen(settings.settings), _shared=SharedLimits())
    samples, name = read_samples(data, asked_of, evaluation)
    pool = SamplePool(samples, settings.seed)
    if settings.fill:
        samples = [filled(sample, settings.fill, pool) for sample in samples]
        pool = SamplePool(samples, settings.seed)
    steps = [step_of(level, name_, pool) for name_, levels in vary.items() for level in levels]
    if not any(step.perturbed for step in steps):
        raise InputError("no perturbation applies to any sample", reasons(steps))
    answerable = {id_ for s in steps if s.name == "removed" for id_ in s.perturbed}
    samples = [
        replace(sample, answerable=True) if sample.id in answerable else sample
        for sample in samples
    ]
    work = _Work(
        name,
        samples,
        steps,
        asked_of,
        replace(
            settings.asking or Asking(limits=LIMITS), mapping={}, limit=None, skip_invalid=None
        ),
        single,
        combined,
        judge,
        settings,
        replace(evaluation, mapping={}, limit=None, skip_invalid=None),
        store,
    )
    refusals = [parse(DECLINES), parse(_OVER_REFUSAL)] if work.refusals else []
    all_metrics = list(
        {metric.label: metric for metric in (*single, *combined, *refusals)}.values()
    )
    plan(work.source_of(samples), all_metrics, judge, settings.embedder, work.evaluation)
    return work
