"""What is demanded of a run before it may pass, as options or a file say it."""

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from assay.errors import InputError, Problem
from assay.runner.config_files import section
from assay.runner.result import labels
from assay.store import Run

MARGIN = 0.05
MAX_UNSCORED = 0.1
KEYS = ("min", "max", "margin", "max-unscored", "on", "undecided", "no-regression")

T = TypeVar("T", bound=str)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What is demanded of a run. Metrics are named as `assay run -m` names them.

    Attributes:
        min: Least mean by metric.
        max: Greatest mean by metric.
        margin: How much worse than the baseline a mean may be, as a share of the metric's range
            (of the baseline's mean where the range has no end); one for all, or by metric.
        max_unscored: Greatest share of samples without a score, failed or undefined, in [0, 1];
            one for all, or by metric.
        on: "bound": the whole confidence interval must lie on the right side; "mean": the mean.
        undecided: Whether a rule fails or passes that the interval lies on both sides of.

    Raises:
        InputError: If a number or a word is none of these.
    """

    min: Mapping[str, float] = field(default_factory=dict)
    max: Mapping[str, float] = field(default_factory=dict)
    margin: float | Mapping[str, float] = MARGIN
    max_unscored: float | Mapping[str, float] = MAX_UNSCORED
    on: Literal["bound", "mean"] = "bound"
    undecided: Literal["fail", "pass"] = "fail"

    def __post_init__(self) -> None:
        for name in ("min", "max", "margin", "max_unscored"):
            given = getattr(self, name)
            by_metric = given if isinstance(given, Mapping) else {"": given}
            for metric, value in by_metric.items():
                _check(name, metric, value)
        _one_of("on", self.on, ("bound", "mean"))
        _one_of("undecided", self.undecided, ("fail", "pass"))


def of(given: float | Mapping[str, float], metric: str, default: float) -> float:
    """What holds for a metric: its own number, that of its name without parameters, or the rest's.

    Args:
        given: One number for all, or numbers by metric, "" for all others.
        metric: Label of the metric.
        default: For metrics that have none.
    """
    if not isinstance(given, Mapping):
        return given
    name = metric.partition("(")[0]
    return given.get(metric, given.get(name, given.get("", default)))


def named(given: float | Mapping[str, float]) -> list[str]:
    """The metrics that have a number of their own."""
    return [metric for metric in given if metric] if isinstance(given, Mapping) else []


def resolved(rules: Rules, runs: Sequence[Run]) -> Rules:
    """The rules with every margin and share by the labels of the metrics that it is meant for.

    A metric that a threshold names, too, is let pass: where no run has it, the threshold fails.

    Raises:
        InputError: If one is about a metric that neither a run has nor a threshold names.
    """
    given = {"margin": rules.margin, "max-unscored": rules.max_unscored}
    unknown = [
        _unknown(key, metric, runs)
        for key, numbers in given.items()
        for metric in named(numbers)
        if not _meant(metric, runs) and metric not in {*rules.min, *rules.max}
    ]
    if unknown:
        raise InputError(unknown)
    margin, unscored = (_by_label(numbers, runs) for numbers in given.values())
    return replace(rules, margin=margin, max_unscored=unscored)


def _by_label(
    given: float | Mapping[str, float], runs: Sequence[Run]
) -> float | Mapping[str, float]:
    if not isinstance(given, Mapping):
        return given
    found = dict(given)
    for metric in named(given):
        # A label's own number goes before that of its name without parameters.
        meant = [label for label in _meant(metric, runs) if label not in given]
        found.update(dict.fromkeys(meant, given[metric]))
    return found


def _meant(metric: str, runs: Iterable[Run]) -> list[str]:
    found: dict[str, None] = {}
    for run in runs:
        try:
            found.update(dict.fromkeys(labels(run, metric)))
        except InputError:  # this run has none of that name
            continue
    return list(found)


def _unknown(key: str, metric: str, runs: Sequence[Run]) -> Problem:
    known = list(dict.fromkeys(label for run in runs for label in run.metrics))
    close = difflib.get_close_matches(metric, known, n=1)
    where = "neither the run nor the baseline has" if len(runs) > 1 else "the run does not have"
    what = f"{key} is given for '{metric}', which {where}"
    hint = f"did you mean {close[0]}? " if close else ""
    return Problem(what, f"{hint}there are {', '.join(known)}")


def read(folder: Path) -> dict[str, Any]:
    """The rules that stand in a folder's ``assay.toml`` or ``pyproject.toml``; {} if none do.

    Returns:
        Fields of `Rules` by name, and "no_regression" where a baseline is named.

    Raises:
        InputError: If the file cannot be read, or a key is unknown.
    """
    found, name = section(folder, "gate")
    if unknown := sorted(set(found) - set(KEYS)):
        what = f"the rules of '{name}': {', '.join(unknown)}"
        raise InputError(what, f"there are {', '.join(KEYS)}")
    for key in ("min", "max"):
        if not isinstance(found.get(key, {}), dict):
            remedy = f"such as {key} = {{ faithfulness = 0.8 }}"
            raise InputError(f"the rules of '{name}': {key} is no table of metrics", remedy)
    if not isinstance(found.get("no-regression", ""), str):
        raise InputError(f"the rules of '{name}': no-regression is no text", "name a run")
    return {key.replace("-", "_"): value for key, value in found.items()}


def _check(name: str, metric: str, value: object) -> None:
    about = f"{name} of {metric}" if metric else name
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{about} is {value!r}", "give a number")
    if name == "max_unscored" and not 0 <= value <= 1:
        raise InputError(f"{about} is {value!r}", "give a share, 0 to 1")
    if name == "margin" and value < 0:
        raise InputError(f"{about} is {value!r}", "give 0 or more")


def _one_of(name: str, given: T, known: tuple[T, ...]) -> None:
    if given not in known:
        raise InputError(f"{name} is {given!r}", f"one of: {', '.join(known)}")
