"""Data perturbed by rule: which samples each level of a perturbation applies to, and how."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from assay._runner.settings import Settings
from assay._store.runs import Value, written
from assay.data import read, samples
from assay.errors import InputError
from assay.experiments.perturbations import PERTURBATIONS, Inapplicable, Perturbed, SamplePool
from assay.sample import Sample
from assay.target.system import System

Vary: TypeAlias = Mapping[str, Sequence[Value]]
_SHOWN = 3  # reasons that an error names


@dataclass(frozen=True)
class Step:
    """One level of a perturbation over a data set."""

    name: str  # of the perturbation
    level: Value  # the level
    perturbed: Mapping[str, Perturbed]  # by id: what became of the samples that it applies to
    left_out: Mapping[str, int]  # samples that it does not apply to, by the reason

    @property
    def label(self) -> str:
        """``noise=0.4``."""
        return f"{self.name}={written(self.level)}"

    @property
    def samples(self) -> list[Sample]:
        """What the system is asked."""
        return [perturbed.sample for perturbed in self.perturbed.values()]


def levels_of(vary: Vary | None) -> dict[str, tuple[Value, ...]]:
    """The levels of each perturbation, those of all of them where none is named.

    Raises:
        InputError: If there is no such perturbation or level.
    """
    if vary is None:
        return {
            perturbation.name: perturbation.levels
            for perturbation in PERTURBATIONS.values()
            if perturbation.levels
        }
    if not vary:
        raise InputError("nothing is varied", f"name some of {', '.join(PERTURBATIONS)}")
    if unknown := sorted(vary.keys() - PERTURBATIONS.keys()):
        fault = f"'{unknown[0]}' is not a perturbation"
        raise InputError(fault, f"name some of {', '.join(PERTURBATIONS)}")
    levels = {name: tuple(vary[name]) or PERTURBATIONS[name].levels for name in vary}
    for name, values in levels.items():
        if not values:
            raise InputError(f"'{name}' is named without levels", PERTURBATIONS[name].hint)
        for level in values:
            PERTURBATIONS[name].check(level)
        levels[name] = tuple(dict.fromkeys(values))
        if PERTURBATIONS[name].ordered:
            levels[name] = tuple(sorted(levels[name], key=float))
    return levels


def check_contexts(asked_of: System, vary: Mapping[str, object]) -> None:
    """Raise InputError if contexts are to be perturbed, and the system is not given them."""
    of_contexts = [name for name in vary if PERTURBATIONS[name].of == "contexts"]
    if of_contexts and not asked_of.told_contexts:
        names = ",".join(
            perturbation.name
            for perturbation in PERTURBATIONS.values()
            if perturbation.of == "question"
        )
        raise InputError(
            f"{asked_of.name} is given no contexts, and {', '.join(of_contexts)} would change them",
            "let the function take `contexts`, name {contexts} in --target-body, or vary the "
            f"question alone: {names}",
        )


def read_samples(data: Any, asked_of: System, settings: Settings) -> tuple[list[Sample], str]:
    """The samples of a data set and its name; reference contexts stand for missing contexts.

    Raises:
        InputError: If rows are invalid, or none has contexts and the system is given them.
    """
    source = read(data, mapping=settings.mapping, limit=settings.limit, contexts=settings.contexts)
    needs = sorted(asked_of.needs - {"contexts"})
    valid = samples(
        source,
        needs={},
        mapping=settings.mapping,
        skip_invalid=settings.skip_invalid,
        required={f"the system {asked_of.name}": needs},
    )
    rows = [
        replace(sample, contexts=sample.reference_contexts) if sample.contexts is None else sample
        for sample in valid
    ]
    if asked_of.told_contexts and not any(sample.contexts for sample in rows):
        fault = "no sample has contexts, which the system is given"
        raise InputError(fault, "add a column contexts or reference_contexts")
    if asked_of.told_contexts:
        rows = [
            sample if sample.contexts is not None else replace(sample, contexts=())
            for sample in rows
        ]
    return rows, source.name


def step_of(level: Value, name: str, pool: SamplePool) -> Step:
    """One level of a perturbation made of every sample that it applies to."""
    rule, perturbed, left_out = PERTURBATIONS[name].make, dict[str, Perturbed](), Counter[str]()
    for sample in pool.samples:
        outcome = rule(sample, level, pool)
        if isinstance(outcome, Inapplicable):
            left_out[outcome.why] += 1
        else:
            perturbed[sample.id] = outcome
    return Step(name, level, perturbed, dict(left_out))


def reasons(steps: Sequence[Step]) -> str:
    """Why perturbations do not apply, in words."""
    by_reason = {reason: step.label for step in steps for reason in step.left_out}
    return "; ".join(f"{label}: {reason}" for reason, label in list(by_reason.items())[:_SHOWN])
