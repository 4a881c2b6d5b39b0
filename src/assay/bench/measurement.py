"""Measuring a judge on several sets, resumably, and what that would cost."""

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay.backends.embedded.card import Quality
from assay.backends.spending import Price
from assay.bench import thresholds
from assay.bench.benchmark import Benchmark
from assay.bench.card import JudgeCard, Measured, qualities
from assay.bench.data import Data
from assay.bench.figures import Figure
from assay.bench.judge import JudgeUnderTest, ReplyTotals, opened
from assay.bench.thresholds import Thresholds
from assay.errors import InputError, OverBudget
from assay.judge import Backend
from assay.run import STORE
from assay.run.connect import choose
from assay.run.progress import Progress
from assay.run.settings import Settings
from assay.run.stand_in import Counts, StandIn
from assay.store import Store

FITTING = "thresholds"


def _unheard(name: str) -> None:
    del name


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Which rows are taken, and what is told meanwhile.

    Attributes:
        limit: Rows of each kind at most; None for as many as each set takes by itself.
        full: All rows, however many.
        fit: Whether to fit the thresholds that sets need on training rows first.
        on_set: Told the name of each set that is begun.
    """

    limit: int | None = None
    full: bool = False
    fit: bool = False
    on_set: Callable[[str], None] = _unheard


def measure(
    judge: Backend,
    sets: Sequence[Benchmark],
    data: Data,
    *,
    embedder: Backend | None = None,
    store: str | Path = STORE,
    sampling: Sampling | None = None,
    settings: Settings | None = None,
) -> JudgeCard:
    """Measure a judge on sets that people labelled.

    Every reply is kept in the store: killed at any point, the same call asks nothing twice.

    Args:
        judge: Who is measured.
        sets: On what.
        data: Where the files are; a set whose files are absent is skipped, and says so.
        embedder: Who makes embeddings; the judge itself or the embedded model if None.
        store: The SQLite file that keeps the replies.
        sampling: Which rows.
        settings: Limits, budget and progress; the rest does not apply.

    Returns:
        The card. If the budget ended it, the rest of the sets say so.

    Raises:
        InputError: If data or settings cannot be used.
        Denied: If the judge refuses; replies are kept.
    """
    sampling, settings = sampling or Sampling(), settings or Settings()
    price = settings.budget.price
    known = thresholds.known(judge.name)
    with opened(judge, store, embedder=embedder, thresholds=known, settings=settings) as subject:
        bench = _Bench(subject, data, sampling, settings)
        measured: list[Measured] = []
        stopped, notes = "", tuple[str, ...]()
        try:
            if sampling.fit:
                sampling.on_set(FITTING)
                subject.thresholds, notes = bench.fitted(sets, known)
            for one in sets:
                sampling.on_set(one.name)
                measured.append(bench.measured(one))
        except OverBudget as error:
            stopped = str(error)
        late = "not reached: the budget was used up"
        measured += [_skipped(one, late) for one in sets[len(measured) :]]
        return JudgeCard(
            judge=judge.name,
            limit=sampling.limit,
            full=sampling.full,
            price=(price.per_million_in, price.per_million_out) if price else None,
            thresholds=subject.thresholds,
            sets=tuple(measured),
            quality=_quality(choose(judge, embedder, settings), measured, sampling),
            notes=notes,
            stopped=stopped,
        )


def _quality(
    judge: Backend, measured: Sequence[Measured], sampling: Sampling
) -> dict[str, Quality]:
    figures = [figure for one in measured for figure in one.figures]
    rows = f"at most {sampling.limit} rows of each kind" if sampling.limit else ""
    return qualities(judge, figures, rows)


def obstacle(one: Benchmark, judge: JudgeUnderTest, data: Data) -> str:
    """Why a judge cannot be measured on a set, "" if it can."""
    if absent := one.absent(data):
        are = "are" if len(absent) > 1 else "is"
        return f"skipped: {', '.join(absent)} {are} not in {data.folder}"
    beyond = one.beyond(judge)
    return f"{judge.name} cannot do {', '.join(beyond)}" if beyond else ""


def figures(judge: JudgeUnderTest, one: Benchmark, data: Data, sampling: Sampling) -> list[Figure]:
    """The figures of one set, each with a word on what was left out."""
    records, sampled = one.drawn(data, sampling.limit, full=sampling.full)
    before = judge.heard.unanswered
    made = one.measure(judge, records)
    lost = judge.heard.unanswered - before
    missing = f"{lost} without a readable reply or a score" if lost else ""
    noted = []
    for figure in made:
        of = [how for kind, how in sampled.items() if figure.name.startswith(one.title(kind))]
        note = "; ".join(filter(None, (figure.note, *of, missing)))
        noted.append(msgspec.structs.replace(figure, note=note))
    return noted


@dataclass(frozen=True)
class _Bench:
    subject: JudgeUnderTest
    data: Data
    sampling: Sampling
    settings: Settings

    def fitted(
        self, sets: Sequence[Benchmark], known: Thresholds
    ) -> tuple[Thresholds, tuple[str, ...]]:
        """The thresholds that the sets need, and in words those that could not be fitted."""
        fitted, notes = {**known}, []
        self._begin()
        for name in dict.fromkeys(name for one in sets for name in one.thresholds):
            try:
                fitted |= thresholds.fit(self.subject, self.data, self.sampling.limit, (name,))
            except InputError as error:
                notes.append(f"No threshold fitted for {name}: {error}")
        return fitted, tuple(notes)

    def measured(self, one: Benchmark) -> Measured:
        """What is found on one set."""
        if why := obstacle(one, self.subject, self.data):
            return _skipped(one, why)
        heard, price = self._begin(), self.settings.budget.price
        found = figures(self.subject, one, self.data, self.sampling)
        return Measured(
            name=one.name,
            about=one.about,
            skipped=""
            if found
            else "nothing measured: the judge's replies do not hold what is needed",
            figures=tuple(found),
            calls=heard.calls,
            unanswered=heard.unanswered,
            tokens_in=heard.tokens_in,
            tokens_out=heard.tokens_out,
            seconds=round(heard.ms / 1000, 3),
            money=price.of(heard.tokens_in, heard.tokens_out) if price else None,
        )

    def _begin(self) -> ReplyTotals:
        subject, start = self.subject, time.monotonic()
        subject.heard = heard = ReplyTotals()
        tell, door = self.settings.on_progress, subject.door
        if tell and door:
            subject.on_progress = lambda: tell(_progress(heard, subject, self.settings, start))
        return heard


def _skipped(one: Benchmark, why: str) -> Measured:
    return Measured(name=one.name, about=one.about, skipped=why)


def _progress(
    heard: ReplyTotals, subject: JudgeUnderTest, settings: Settings, start: float
) -> Progress:
    door = subject.door
    assert door is not None  # noqa: S101 - looked at before
    money = sum(usage.money for usage in door.usages)
    return Progress(
        total=heard.total,
        done=heard.done,
        new=heard.done,
        undefined=0,
        failed=heard.unanswered,
        calls=door.served.asked,
        known=door.served.known,
        tokens_in=sum(usage.tokens_in for usage in door.usages),
        tokens_out=sum(usage.tokens_out for usage in door.usages),
        money=money if settings.budget.price else None,
        retries=sum(usage.retries for usage in door.usages),
        waiting_for=None,
        seconds=time.monotonic() - start,
        batches=door.under_way(),
    )


@dataclass(frozen=True, kw_only=True)
class CostEstimate:
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


def estimate_costs(
    judge: Backend,
    sets: Sequence[Benchmark],
    data: Data,
    *,
    embedder: Backend | None = None,
    store: str | Path = STORE,
    sampling: Sampling | None = None,
    settings: Settings | None = None,
) -> list[CostEstimate]:
    """Count what `measure` would ask for with the same arguments; nothing is spent or stored.

    Statements are counted as the embedded judge would split them.

    Raises:
        InputError: As `measure` would.
    """
    sampling, settings = sampling or Sampling(), settings or Settings()
    kept = Store(store) if Path(store).is_file() else None
    stand_in = StandIn(choose(judge, embedder, settings), kept)
    subject = JudgeUnderTest(stand_in, thresholds.known(judge.name), at_once=1)
    price, costs = settings.budget.price, list[CostEstimate]()
    try:
        if sampling.fit:
            costs.append(
                _counted(FITTING, stand_in, price, _fitting(subject, sets, data, sampling))
            )
        for one in sets:
            sampling.on_set(one.name)
            if why := obstacle(one, subject, data):
                costs.append(CostEstimate(name=one.name, skipped=why))
                continue

            def measured(one: Benchmark = one) -> Any:
                return figures(subject, one, data, sampling)

            costs.append(_counted(one.name, stand_in, price, measured))
        return costs
    finally:
        if kept:
            kept.close()


def together(costs: Sequence[CostEstimate]) -> CostEstimate:
    """All sets in one."""
    money = [one.money for one in costs if one.money is not None]
    return CostEstimate(
        name="all",
        calls=sum(one.calls for one in costs),
        known=sum(one.known for one in costs),
        local=sum(one.local for one in costs),
        tokens_in=sum(one.tokens_in for one in costs),
        tokens_out=sum(one.tokens_out for one in costs),
        money=sum(money) if money else None,
    )


def _counted(
    name: str, stand_in: StandIn, price: Price | None, ask: Callable[[], Any]
) -> CostEstimate:
    stand_in.counts = counts = Counts()
    ask()
    return CostEstimate(
        name=name,
        calls=counts.calls,
        known=counts.known,
        local=counts.local,
        tokens_in=counts.tokens_in,
        tokens_out=round(counts.tokens_out),
        money=counts.money(price),
    )


def _fitting(
    subject: JudgeUnderTest, sets: Sequence[Benchmark], data: Data, sampling: Sampling
) -> Callable[[], None]:
    def fit() -> None:
        sampling.on_set(FITTING)
        for name in dict.fromkeys(name for one in sets for name in one.thresholds):
            with contextlib.suppress(InputError):  # the card would say so
                thresholds.fit(subject, data, sampling.limit, (name,))

    return fit
