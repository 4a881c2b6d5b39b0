"""What does `assay run` ask for? Its options, understood and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.cli import alone, outputs, targeting, values
from assay.cli.fitting import Fitting, fitting
from assay.cli.judges import Judges, measured
from assay.cli.placeholders import read_prompts
from assay.cli.targeting import Target
from assay.data.files import is_uri, near
from assay.data.tables import parted
from assay.errors import InputError
from assay.judge import Backend
from assay.metrics import Metric, resolve
from assay.middleware.budget import Budget, Price
from assay.middleware.limiter import Limits
from assay.runner.settings import Settings
from assay.runner.stack import choose


@dataclass(frozen=True)
class Request:
    """A run as it was asked for.

    Attributes:
        data: Path of the data, or what a system answered to it.
        metrics: What to compute; none yet if that depends on what a system answers.
        fitting: How the metrics were found, None if the user named them.
        judge: Who judges.
        embedder: Who makes embeddings, None for the default.
        store: The SQLite file.
        settings: Everything else.
        outs: Files to write.
        target: The system that is asked first, None if the data holds answers.
    """

    data: Any
    metrics: tuple[Metric, ...]
    fitting: Fitting | None
    judge: Backend
    embedder: Backend | None
    store: str
    settings: Settings
    outs: tuple[str, ...]
    target: Target | None = None


def understand(given: Mapping[str, Any]) -> Request:
    """The request that the options describe.

    Raises:
        InputError: If they cannot be understood, before data or judge are touched.
    """
    data, store, outs = given["data"], given["store"], given["outs"]
    if not is_uri(data) and not parted(Path(data))[0].exists():
        raise InputError(f"there is no file '{data}'", near(Path(data)))
    read = [data, store, *given["judge_cards"], *filter(None, [given["prompts"]])]
    outputs.check([*outs], *read, *filter(None, [given["skip_invalid"]]))
    outputs.check_place("--skip-invalid", given["skip_invalid"], *read[1:])
    if given["engine"] == "local":
        alone.refuse("is for --engine ray", "leave it out", "workers", "worker_cores")
    settings = _settings(given)
    judges = Judges.of(given)
    judge, embedder = judges.named(given)
    outputs.check(outs, *judges.files)
    outputs.check_place("--skip-invalid", given["skip_invalid"], *judges.files)
    values.look_here()
    specs = values.metric_specs(given["metrics"])
    target, found = targeting.target(given, settings), None
    if not specs and not target:
        route = choose(judge, embedder, settings)
        found = fitting(data, settings.mapping, settings.limit, route)
    specs = specs or (list(found.metrics) if found else [])
    metrics = resolve(specs) if specs else ()
    return Request(data, metrics, found, judge, embedder, store, settings, tuple(outs), target)


def _settings(given: Mapping[str, Any]) -> Settings:
    return Settings(
        mapping=values.mapping(given["maps"]),
        limit=given["limit"],
        contexts=values.contexts(given["contexts"]),
        skip_invalid=Path(given["skip_invalid"]) if given["skip_invalid"] else None,
        prompts=read_prompts(given["prompts"]),
        together=given["together"],
        limits=limits(given),
        engine=given["engine"],
        workers=given["workers"],
        cores=given["worker_cores"],
        budget=spending(given["price"], given["budget"]),
        probe=given["probe"],
        measured=measured(given["judge_cards"]),
        name=given["name"] or "",
        tags=given["tags"],
        note=given["note"] or "",
        params=values.params(given["params"]),
    )


def limits(given: Mapping[str, Any]) -> Limits:
    """How a judge may be asked, by the options that say so."""
    return Limits(
        concurrency=given["concurrency"],
        requests_per_minute=given["rpm"],
        tokens_per_minute=given["tpm"],
        timeout=given["timeout"],
        retries=given["retries"],
        hedge=given.get("hedge", False),
    )


def spending(price: str | None, budget: str | None) -> Budget:
    """What --price and --budget allow; raises InputError if they make no sense."""
    prices = Price(*values.price(price)) if price else None
    money, tokens, calls = values.budget(budget) if budget else (None, None, None)
    if money is not None and prices is None:
        what = f"--budget {budget} is an amount of money, but the price of a token is unknown"
        raise InputError(what, "add --price IN/OUT, or give tokens: --budget 200000tok")
    return Budget(money=money, tokens=tokens, price=prices, calls=calls)
