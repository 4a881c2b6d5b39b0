"""Can these metrics be computed from these data by this judge? Found out before any call."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from assay.dataset import Samples, read, samples
from assay.errors import InputError, Problem
from assay.judge import Task
from assay.judges.specs import DEFAULT, backend
from assay.metrics import Metric, resolve
from assay.middleware.wrapper import Route
from assay.run.connect import choose
from assay.run.settings import Settings, chosen


@dataclass(frozen=True)
class Plan:
    """What a run is going to do.

    Attributes:
        metrics: What is computed.
        route: Who answers which kind of task.
        samples: The data, read and checked as they are iterated.
        settings: Everything else.
    """

    metrics: tuple[Metric, ...]
    route: Route
    samples: Samples
    settings: Settings


def plan(
    data: Any,
    metrics: Iterable[str | Metric] | str | Metric,
    judge: Any,
    embedder: Any,
    settings: Settings | None,
) -> Plan:
    """The plan that the arguments of `evaluate` describe. No row is read yet.

    Raises:
        InputError: If metrics, judge or settings cannot be used, or there are no such data.
    """
    settings = chosen(settings)
    wanted = resolve(metrics)
    route = choose(judge, embedder, settings)
    _check(wanted, route, settings)
    mapping, limit, contexts = settings.mapping, settings.limit, settings.contexts
    found = samples(
        read(data, mapping=mapping, limit=limit, contexts=contexts),
        needs={metric.label: metric.needs for metric in wanted},
        skip_invalid=settings.skip_invalid,
        instead={metric.label: metric.instead for metric in wanted},
    )
    return Plan(wanted, route, found, settings)


def _check(metrics: tuple[Metric, ...], route: Route, settings: Settings) -> None:
    """Name every task that the judge cannot do and every missing package, before any call.

    Raises:
        InputError: If there is one.
    """
    problems = [
        Problem(
            f"{metric.label} asks for {kind.kind}, which {route.to(kind.kind).name} cannot do",
            who_can(kind),
            sent="choose a metric that the list of metrics calls available",
        )
        for metric in metrics
        for kind in metric.asks(route.serves)
        if not route.serves(kind)
    ]
    problems += [
        Problem(f"{metric.label} needs {package}", "pip install 'assay[text]'")
        for metric in metrics
        for package in metric.packages
        if find_spec(package) is None
    ]
    if settings.engine == "ray" and find_spec("ray") is None:
        problems.append(Problem("the engine ray needs Ray", "pip install 'assay[ray]'"))
    if problems:
        raise InputError(problems)


def who_can(kind: type[Task[Any]]) -> str:
    """Who could do what the judge cannot."""
    if backend(DEFAULT).identity(kind) is not None:
        return f"let the embedded judge do the rest: --judge JUDGE+{DEFAULT}"
    return (
        f"choose another judge (openai:MODEL), or mix: --judge {kind.kind}=JUDGE; "
        "`assay metrics` lists what each metric asks"
    )
