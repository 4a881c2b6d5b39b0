"""How is a judge measured on several sets, so that it can be stopped and gone on with?"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from assay.backends.embedded.card import Quality
from assay.bench import thresholds
from assay.bench.benchmark import Benchmark
from assay.bench.card import JudgeCard, Measured
from assay.bench.data import Data
from assay.bench.figures import Figure
from assay.bench.quality import qualities
from assay.bench.subject import Heard, Subject, opened
from assay.bench.thresholds import Thresholds
from assay.errors import InputError, OverBudget
from assay.judge import Backend
from assay.runner import STORE
from assay.runner.progress import Progress
from assay.runner.settings import Settings
from assay.runner.stack import choose

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
        found: list[Measured] = []
        stopped, notes = "", tuple[str, ...]()
        try:
            if sampling.fit:
                sampling.on_set(FITTING)
                subject.thresholds, notes = bench.fitted(sets, known)
            for one in sets:
                sampling.on_set(one.name)
                found.append(bench.measured(one))
        except OverBudget as error:
            stopped = str(error)
        late = "not reached: the budget was used up"
        found += [_skipped(one, late) for one in sets[len(found) :]]
        return JudgeCard(
            judge=judge.name,
            limit=sampling.limit,
            full=sampling.full,
            price=(price.per_million_in, price.per_million_out) if price else None,
            thresholds=subject.thresholds,
            sets=tuple(found),
            quality=_quality(choose(judge, embedder, settings), found, sampling),
            notes=notes,
            stopped=stopped,
        )


def _quality(judge: Backend, found: Sequence[Measured], sampling: Sampling) -> dict[str, Quality]:
    figures = [figure for one in found for figure in one.figures]
    rows = f"at most {sampling.limit} rows of each kind" if sampling.limit else ""
    return qualities(judge, figures, rows)


def obstacle(one: Benchmark, judge: Subject, data: Data) -> str:
    """Why a judge cannot be measured on a set, "" if it can."""
    if absent := one.absent(data):
        are = "are" if len(absent) > 1 else "is"
        return f"skipped: {', '.join(absent)} {are} not in {data.folder}"
    beyond = one.beyond(judge)
    return f"{judge.name} cannot do {', '.join(beyond)}" if beyond else ""


def figures(judge: Subject, one: Benchmark, data: Data, sampling: Sampling) -> list[Figure]:
    """The figures of one set, each with a word on what was left out."""
    records, sampled = one.drawn(data, sampling.limit, full=sampling.full)
    before = judge.heard.unanswered
    found = one.measure(judge, records)
    lost = judge.heard.unanswered - before
    missing = f"{lost} without a readable reply or a score" if lost else ""
    noted = []
    for figure in found:
        of = [how for kind, how in sampled.items() if figure.name.startswith(one.title(kind))]
        note = "; ".join(filter(None, (figure.note, *of, missing)))
        noted.append(msgspec.structs.replace(figure, note=note))
    return noted


@dataclass(frozen=True)
class _Bench:
    subject: Subject
    data: Data
    sampling: Sampling
    settings: Settings

    def fitted(
        self, sets: Sequence[Benchmark], known: Thresholds
    ) -> tuple[Thresholds, tuple[str, ...]]:
        """The thresholds that the sets need, and in words those that could not be fitted."""
        found, notes = {**known}, []
        self._begin()
        for name in dict.fromkeys(name for one in sets for name in one.thresholds):
            try:
                found |= thresholds.fit(self.subject, self.data, self.sampling.limit, (name,))
            except InputError as error:
                notes.append(f"No threshold fitted for {name}: {error}")
        return found, tuple(notes)

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

    def _begin(self) -> Heard:
        subject, start = self.subject, time.monotonic()
        subject.heard = heard = Heard()
        tell, door = self.settings.on_progress, subject.door
        if tell and door:
            subject.on_progress = lambda: tell(_progress(heard, subject, self.settings, start))
        return heard


def _skipped(one: Benchmark, why: str) -> Measured:
    return Measured(name=one.name, about=one.about, skipped=why)


def _progress(heard: Heard, subject: Subject, settings: Settings, start: float) -> Progress:
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
