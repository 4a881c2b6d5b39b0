"""What would measuring a judge cost? Calls, tokens and money of each set, before it is asked."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.bench import thresholds
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data
from assay.bench.measuring import FITTING, Sampling, figures, obstacle
from assay.bench.subject import Subject
from assay.errors import InputError
from assay.judge import Backend
from assay.middleware.budget import Price
from assay.run import STORE
from assay.run.connect import choose
from assay.run.settings import Settings
from assay.run.stand_in import Counts, StandIn
from assay.store import Store


@dataclass(frozen=True, kw_only=True)
class Foreseen:
    """What one set would ask for beyond what the sets before it ask.

    Attributes:
        name: The set; `FITTING` for the rows that thresholds are fitted on.
        skipped: Why it would not be measured; "" if it would.
        calls: Calls to judges outside this process that are not in the store yet.
        known: Calls whose reply is in the store already: they cost nothing.
        local: Calls that are answered in this process: they cost nothing.
        tokens_in: Prompt tokens of `calls`, about.
        tokens_out: Reply tokens of `calls`, about.
        money: What they would cost without embeddings, None without a price.
    """

    name: str
    skipped: str = ""
    calls: int = 0
    known: int = 0
    local: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None


def foresee(
    judge: Backend,
    sets: Sequence[Benchmark],
    data: Data,
    *,
    embedder: Backend | None = None,
    store: str | Path = STORE,
    sampling: Sampling | None = None,
    settings: Settings | None = None,
) -> list[Foreseen]:
    """Count what `measure` would ask for with the same arguments; nothing is spent or stored.

    Statements are counted as the embedded judge would split them.

    Raises:
        InputError: As `measure` would.
    """
    sampling, settings = sampling or Sampling(), settings or Settings()
    kept = Store(store) if Path(store).is_file() else None
    stand_in = StandIn(choose(judge, embedder, settings), kept)
    subject = Subject(stand_in, thresholds.known(judge.name), at_once=1)
    price, found = settings.budget.price, list[Foreseen]()
    try:
        if sampling.fit:
            found.append(
                _counted(FITTING, stand_in, price, _fitting(subject, sets, data, sampling))
            )
        for one in sets:
            sampling.on_set(one.name)
            if why := obstacle(one, subject, data):
                found.append(Foreseen(name=one.name, skipped=why))
                continue

            def measured(one: Benchmark = one) -> Any:
                return figures(subject, one, data, sampling)

            found.append(_counted(one.name, stand_in, price, measured))
        return found
    finally:
        if kept:
            kept.close()


def together(found: Sequence[Foreseen]) -> Foreseen:
    """All sets in one."""
    money = [one.money for one in found if one.money is not None]
    return Foreseen(
        name="all",
        calls=sum(one.calls for one in found),
        known=sum(one.known for one in found),
        local=sum(one.local for one in found),
        tokens_in=sum(one.tokens_in for one in found),
        tokens_out=sum(one.tokens_out for one in found),
        money=sum(money) if money else None,
    )


def _counted(name: str, stand_in: StandIn, price: Price | None, ask: Callable[[], Any]) -> Foreseen:
    stand_in.counts = counts = Counts()
    ask()
    return Foreseen(
        name=name,
        calls=counts.calls,
        known=counts.known,
        local=counts.local,
        tokens_in=counts.tokens_in,
        tokens_out=round(counts.tokens_out),
        money=counts.money(price),
    )


def _fitting(
    subject: Subject, sets: Sequence[Benchmark], data: Data, sampling: Sampling
) -> Callable[[], None]:
    def fit() -> None:
        sampling.on_set(FITTING)
        for name in dict.fromkeys(name for one in sets for name in one.thresholds):
            with contextlib.suppress(InputError):  # the card would say so
                thresholds.fit(subject, data, sampling.limit, (name,))

    return fit
