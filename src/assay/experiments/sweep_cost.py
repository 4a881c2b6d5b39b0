"""What a sweep would cost: questions for the system, and calls to the judge, before any is made."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay._runner import STORE
from assay._runner.estimate import Estimate, estimate
from assay.errors import InputError
from assay.experiments.grid import Grid
from assay.experiments.pipeline import with_gold
from assay.experiments.sweep import Step, SweepSettings, marked, planned_steps
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, resolve
from assay.target import Answers
from assay.target.ask import count, known_answers

_SUMS = ("calls", "tokens_in", "tokens_out", "money")


@dataclass(frozen=True, slots=True)
class ConfigurationCost:
    """What one configuration would ask for."""

    name: str  # the configuration
    ask: int  # questions for the system
    known: int  # answers that are in the store
    # Calls to judges outside this process that are not in the store yet; None where no
    # configuration has an answer yet that would tell.
    calls: int | None
    tokens_in: int | None  # prompt tokens of `calls`, about
    tokens_out: int | None  # reply tokens of `calls`, about
    money: float | None  # what they would cost, None without a price


def estimate_sweep(
    data: Any,
    target: object,
    grid: Grid,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any = DEFAULT,
    *,
    store: str | Path = STORE,
    settings: SweepSettings | None = None,
) -> list[ConfigurationCost]:
    """Count what `assay.sweep` would ask for with the same arguments; nobody is asked.

    Answers that are known are judged in a dry run, as `assay run --dry-run` does. Each other answer
    is taken to cost as much as all known ones do on average. What two configurations would ask the
    judge alike is asked once, and counted twice.

    Raises:
        InputError: As `assay.sweep`.
    """
    settings, resolved = settings or SweepSettings(), resolve(metrics)
    if settings.judge_retrieval:
        fault = "a dry run cannot count the grades of passages that nobody has retrieved yet"
        raise InputError(
            fault, "leave out --judge-retrieval to count the rest; --budget bounds all"
        )
    steps = planned_steps(data, target, grid, resolved, judge, settings)
    rows = [with_gold(data, step.system, resolved, step.asking) for step in steps]
    counts = [
        count(source, step.system, resolved, store, step.asking)
        for source, step in zip(rows, steps, strict=True)
    ]

    def judged(step: Step, answers: Answers, path: str | Path) -> Estimate:
        return estimate(
            marked(answers, step),
            resolved,
            judge,
            embedder=settings.embedder,
            store=path,
            settings=step.settings,
        )

    estimates, anew, answered = [], list[Estimate](), 0
    for source, step in zip(rows, steps, strict=True):
        answers, n = None, 0
        if Path(store).is_file():
            answers = known_answers(source, step.system, resolved, store, step.asking)
            n = sum(row.fields.get("failure") is None for row in answers)
        estimates.append(judged(step, answers, store) if answers and n else None)
        if answers and n:
            anew.append(judged(step, answers, ""))  # as if no reply of the judge were known
            answered += n
    return [
        ConfigurationCost(step.name, new, reused, *_sums(estimate, new, anew, answered))
        for step, (new, reused), estimate in zip(steps, counts, estimates, strict=True)
    ]


def _sums(
    known_estimate: Estimate | None, new: int, anew: Sequence[Estimate], answered: int
) -> tuple[int | None, int | None, int | None, float | None]:
    """Calls, tokens and money: of the answers that are known, and about those of the new ones."""
    if not answered:
        return None, None, None, None
    calls, tokens_in, tokens_out, money = (
        (_amount(known_estimate, name) if known_estimate else 0)
        + new * sum(_amount(estimate, name) for estimate in anew) / answered
        for name in _SUMS
    )
    priced = anew[0].money is not None
    return round(calls), round(tokens_in), round(tokens_out), money if priced else None


def _amount(estimate: Estimate, name: str) -> float:
    return float(getattr(estimate, name) or 0.0)
