"""What does a run say of its numbers: what could change them, and how they are to be read?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from assay._version import __version__
from assay.backends.code import class_digest
from assay.backends.route import Route
from assay.errors import InputError
from assay.judge import Task, Traits
from assay.metrics import Metric
from assay.run.settings import Settings
from assay.run.together import companions
from assay.tasks import TASKS, Embed, EmbedTokens


def config(metrics: tuple[Metric, ...], route: Route, settings: Settings) -> Mapping[str, Any]:
    """What a run is, beside its samples, in words that outlive the objects.

    Raises:
        InputError: If all that is known of judges is about others than those of the run.
    """
    company = companions(metrics, route) if settings.together else []
    price = settings.budget.price
    leaves = (route.default, *route.kinds.values())
    return {
        "judge": route.default.name,
        "routes": {kind: leaf.name for kind, leaf in sorted(route.kinds.items())},
        "local": sorted({leaf.name for leaf in leaves if Traits.of(leaf).local}),
        "metrics": {metric.label: signature(metric, route, company) for metric in metrics},
        "price": [price.per_million_in, price.per_million_out] if price else None,
        "card": _cards(metrics, route, settings.measured),
        "unmeasured": _unmeasured(metrics, route, settings.measured),
        "embedder": route.identity(Embed),
        "about": {metric.label: _about(metric, route) for metric in metrics},
    }


def _cards(metrics: tuple[Metric, ...], route: Route, measured: Mapping[str, str]) -> list[str]:
    """What is known of how far the judges that were asked agree with people."""
    if measured and not any(_named(route, kind) in measured for kind in TASKS.values()):
        about = measured[min(measured)].partition(", ")[0]
        what = (
            f"the judge card is of another judge, of other prompts or of another version: {about}"
        )
        raise InputError(what, "measure this one: assay bench --judge JUDGE --out card.json")
    asked = _asked(metrics, route)
    found = (measured.get(_named(route, kind)) or _known(route, kind) for kind in asked)
    return list(dict.fromkeys(filter(None, found)))


def _unmeasured(
    metrics: tuple[Metric, ...], route: Route, measured: Mapping[str, str]
) -> list[str]:
    """The judges of which nobody has said how far they agree with people."""
    known: dict[str, bool] = {}
    for kind in _asked(metrics, route):
        judge = route.to(kind.kind)
        if kind not in (Embed, EmbedTokens):
            told = _named(route, kind) in measured or hasattr(judge, "card")
            known[judge.name] = known.get(judge.name, False) or told
    return [name for name, told in known.items() if not told]


def _asked(metrics: tuple[Metric, ...], route: Route) -> list[type[Task[Any]]]:
    return list(dict.fromkeys(kind for metric in metrics for kind in metric.asks(route.serves)))


def _named(route: Route, kind: type[Task[Any]]) -> str:
    return f"{kind.kind}={route.identity(kind)}"


def _known(route: Route, kind: type[Task[Any]]) -> str:
    """What a back end says of itself."""
    card = getattr(route.to(kind.kind), "card", None)
    return str(card(kind)) if card else ""


def _about(metric: Metric, route: Route) -> Mapping[str, Any]:
    """What a reader of the scores needs to know of a metric, one of the user's own included."""
    doc = (type(metric).__doc__ or "").strip().partition("\n")[0]
    return {
        "doc": doc,
        "letters": _letters(metric, doc),
        "source": metric.source,
        "range": metric.ends(),
        "higher_is_better": metric.higher_is_better,
        "guide": metric.guide,
        "unit": metric.unit,
        "cosine": Embed in metric.asks(route.serves),
        "compares": "other_answer" in metric.needs,
    }


def _letters(metric: Metric, doc: str) -> str:
    """The values of the letters in its name and in the line that defines it: ``k = 5``."""
    words = set(re.findall("[a-z]+", f"{metric.name.replace('_', ' ')} {doc}"))
    known = [field.name for field in fields(metric) if len(field.name) == 1]
    return ", ".join(f"{name} = {getattr(metric, name)}" for name in known if name in words)


def signature(metric: Metric, route: Route, company: Sequence[str] = ()) -> str:
    """All that could change a metric's number, in one line: two that are equal are comparable.

    Args:
        metric: The metric.
        route: Who judges.
        company: Metrics that check statements in one call.
    """
    tasks = [_named(route, kind) for kind in metric.asks(route.serves)]
    # A metric of the user's own has no version but its code.
    ours = type(metric).__module__.startswith("assay.")
    own = [] if ours else [f"code={class_digest(type(metric))}"]
    if metric.label in company:
        tasks.append(f"together={'+'.join(company)}")
    if metric.revision > 1:
        own.append(f"revision={metric.revision}")
    return "|".join([metric.label, *tasks, *own, f"assay={__version__}"])
