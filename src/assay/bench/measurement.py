"""A judge measured on the labelled sets, with the thresholds that they need."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np

from assay._middleware.budget import Price
from assay._runner import STORE
from assay._runner.dry_run import Counts, DryRunBackend
from assay._runner.progress import Progress
from assay._runner.settings import Settings
from assay._runner.stack import BackendStack, choose
from assay._store import Store
from assay._text.misspelt import ask, near
from assay.bench import claims, correctness, groundedness, hard_negatives, relevance
from assay.bench.benchmark import Benchmark, Figure, unsupported
from assay.bench.card import JudgeCard, Measured, qualities
from assay.bench.data import Data, Record, held_out, thinned
from assay.bench.judge import JudgeUnderTest, ReplyTotals, Text, answered, hallucination, open_judge
from assay.errors import InputError, OverBudget, Problem
from assay.judge import Backend
from assay.judges.embedded.card import Quality
from assay.stats import agreement as stats
from assay.stats.intervals import Statistic

# In the order in which they are shown: answers, claims, pairs, relevance, attacks.
_SETS: Final = (
    groundedness.RAGTRUTH_SET,
    *claims.CLAIM_SETS,
    groundedness.QAGS_SET,
    claims.CONTRADICTION_SET,
    correctness.RAGCHECKER_SET,
    correctness.EVOUNA_SET,
    correctness.WIKIEVAL_SET,
    groundedness.FINEGRAINED_SET,
    hard_negatives.ADDRESSED_SET,
    *relevance.RELEVANCE_SETS,
    hard_negatives.HELPFUL_SET,
    *relevance.ANSWERABLE_SETS,
    relevance.TELEQUAD_SET,
    claims.INJECTION_SET,
)
BENCHMARKS: Final = {benchmark.name: benchmark for benchmark in _SETS}
FAMILIES: Final = {
    family: tuple(benchmark for benchmark in BENCHMARKS.values() if benchmark.family == family)
    for family in dict.fromkeys(benchmark.family for benchmark in BENCHMARKS.values())
}


def chosen(names: Sequence[str]) -> list[Benchmark]:
    """The sets of these names, or of these families of sets; all of them without a name.

    Raises:
        InputError: Naming every unknown one, with what was most likely meant.
    """
    known = [*BENCHMARKS, *FAMILIES]
    problems = [
        Problem(f"there is no set '{name}'", _names_meant(name, known))
        for name in names
        if name not in known
    ]
    if problems:
        raise InputError(problems)
    return [
        benchmark
        for benchmark in BENCHMARKS.values()
        if not names or {benchmark.name, benchmark.family}.intersection(names)
    ]


def _names_meant(name: str, known: Sequence[str]) -> str:
    close = near(name, known, n=3, cutoff=0.5) + [
        known_name for known_name in known if name.lower() in known_name
    ]
    return ask([*dict.fromkeys(close)]) or "`assay bench --list` names them all"


Thresholds: TypeAlias = Mapping[str, Mapping[str, float]]

FITTING = "thresholds"


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Which rows are taken, and what is told meanwhile."""

    # Rows of each kind at most; None for as many as each set takes by itself.
    limit: int | None = None
    full: bool = False  # all rows, however many
    fit: bool = False  # whether to fit the thresholds that sets need on training rows first
    on_set: Callable[[str], None] = lambda _: None  # told the name of each set that is begun


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
    usual = known_thresholds(judge.name)
    with open_judge(judge, store, embedder=embedder, thresholds=usual, settings=settings) as tested:
        begin = partial(_begin_counting, tested, settings)
        measured: list[Measured] = []
        stopped, notes = "", tuple[str, ...]()
        try:
            if sampling.fit:
                sampling.on_set(FITTING)
                begin()
                fitted, notes = _fit_thresholds(tested, sets, data, sampling)
                tested.thresholds = {**usual, **fitted}
            for benchmark in sets:
                sampling.on_set(benchmark.name)
                measured.append(_measure_set(tested, benchmark, data, sampling, begin, price))
        except OverBudget as error:
            stopped = str(error)
        late = "not reached: the budget was used up"
        measured += [_skipped_set(benchmark, late) for benchmark in sets[len(measured) :]]
        return JudgeCard(
            judge=judge.name,
            limit=sampling.limit,
            full=sampling.full,
            price=(price.per_million_in, price.per_million_out) if price else None,
            thresholds=tested.thresholds,
            sets=tuple(measured),
            quality=_quality(choose(judge, embedder, settings), measured, sampling),
            notes=notes,
            stopped=stopped,
        )


def _quality(
    judge: Backend, measured: Sequence[Measured], sampling: Sampling
) -> dict[str, Quality]:
    figures = [figure for measured_set in measured for figure in measured_set.figures]
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
    n_unanswered = judge.totals.unanswered
    measured = one.measure(judge, records)
    n_lost = judge.totals.unanswered - n_unanswered
    missing = f"{n_lost} without a readable reply or a score" if n_lost else ""
    noted = []
    for figure in measured:
        sampling_notes = [
            how for kind, how in sampled.items() if figure.name.startswith(one.title(kind))
        ]
        note = "; ".join(filter(None, (figure.note, *sampling_notes, missing)))
        noted.append(msgspec.structs.replace(figure, note=note))
    return noted


def _fit_thresholds(
    tested: JudgeUnderTest, sets: Sequence[Benchmark], data: Data, sampling: Sampling
) -> tuple[Thresholds, tuple[str, ...]]:
    """The thresholds that the sets need, and in words those that could not be fitted."""
    fitted: dict[str, Mapping[str, float]] = {}
    notes = []
    for name in dict.fromkeys(name for benchmark in sets for name in benchmark.thresholds):
        try:
            fitted |= fit_thresholds(tested, data, sampling.limit, (name,))
        except InputError as error:
            notes.append(f"No threshold fitted for {name}: {error}")
    return fitted, tuple(notes)


def _measure_set(
    tested: JudgeUnderTest,
    benchmark: Benchmark,
    data: Data,
    sampling: Sampling,
    begin: Callable[[], ReplyTotals],
    price: Price | None,
) -> Measured:
    if reason := obstacle(benchmark, tested, data):
        return _skipped_set(benchmark, reason)
    totals = begin()
    measured = figures(tested, benchmark, data, sampling)
    nothing = "nothing measured: the judge's replies do not hold what is needed"
    return Measured(
        name=benchmark.name,
        about=benchmark.about,
        skipped="" if measured else nothing,
        figures=tuple(measured),
        calls=totals.calls,
        unanswered=totals.unanswered,
        tokens_in=totals.tokens_in,
        tokens_out=totals.tokens_out,
        seconds=round(totals.ms / 1000, 3),
        money=totals.money(price) if price else None,
    )


def _begin_counting(tested: JudgeUnderTest, settings: Settings) -> ReplyTotals:
    """Count from here on, and tell of the progress."""
    start = time.monotonic()
    tested.totals = totals = ReplyTotals()
    tell, stack = settings.on_progress, tested.stack
    if tell and stack:
        tested.on_progress = lambda: tell(_progress(totals, stack, settings, start))
    return totals


def _skipped_set(benchmark: Benchmark, reason: str) -> Measured:
    return Measured(name=benchmark.name, about=benchmark.about, skipped=reason)


def _progress(
    totals: ReplyTotals, stack: BackendStack, settings: Settings, start: float
) -> Progress:
    money = sum(usage.money for usage in stack.usages)
    return Progress(
        total=totals.total,
        done=totals.done,
        new=totals.done,
        undefined=0,
        failed=totals.unanswered,
        calls=stack.served.asked,
        known=stack.served.known,
        tokens_in=sum(usage.tokens_in for usage in stack.usages),
        tokens_out=sum(usage.tokens_out for usage in stack.usages),
        money=money if settings.budget.price else None,
        retries=sum(usage.retries for usage in stack.usages),
        waiting_for=None,
        seconds=time.monotonic() - start,
        batches=stack.backend.under_way(),
    )


@dataclass(frozen=True, kw_only=True)
class CostEstimate:
    """What one set would ask for beyond what the sets before it ask."""

    name: str  # the set; `FITTING` for the rows that thresholds are fitted on
    skipped: str = ""  # why it would not be measured; "" if it would
    calls: int = 0  # calls to judges outside this process that are not in the store yet
    known: int = 0  # calls whose reply is in the store already: they cost nothing
    local: int = 0  # calls that are answered in this process: they cost nothing
    tokens_in: int = 0  # prompt tokens of `calls`, about
    tokens_out: int = 0  # reply tokens of `calls`, about
    money: float | None = None  # what they would cost without embeddings, None without a price


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
    replies = Store(store) if Path(store).is_file() else None
    dry_run = DryRunBackend(choose(judge, embedder, settings), replies)
    tested = JudgeUnderTest(dry_run, known_thresholds(judge.name), at_once=1)
    price, costs = settings.budget.price, list[CostEstimate]()
    try:
        if sampling.fit:
            sampling.on_set(FITTING)
            fit = partial(_fit_thresholds, tested, sets, data, sampling)
            costs.append(_count_costs(FITTING, dry_run, price, fit))
        for benchmark in sets:
            sampling.on_set(benchmark.name)
            if reason := obstacle(benchmark, tested, data):
                costs.append(CostEstimate(name=benchmark.name, skipped=reason))
            else:
                ask = partial(figures, tested, benchmark, data, sampling)
                costs.append(_count_costs(benchmark.name, dry_run, price, ask))
        return costs
    finally:
        if replies:
            replies.close()


def total_cost(costs: Sequence[CostEstimate]) -> CostEstimate:
    """All sets in one."""
    money = [cost.money for cost in costs if cost.money is not None]
    return CostEstimate(
        name="all",
        calls=sum(cost.calls for cost in costs),
        known=sum(cost.known for cost in costs),
        local=sum(cost.local for cost in costs),
        tokens_in=sum(cost.tokens_in for cost in costs),
        tokens_out=sum(cost.tokens_out for cost in costs),
        money=sum(money) if money else None,
    )


def _count_costs(
    name: str, dry_run: DryRunBackend, price: Price | None, ask: Callable[[], Any]
) -> CostEstimate:
    dry_run.counts = counts = Counts()
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


# What is fitted, by who needs it, then by who decides: the judge or a trivial rule.

NAME: Final = "thresholds.json"
_TRAIN: Final = "ragtruth/ragtruth_train.jsonl.gz"
_QAGS: Final = "faithfulness/qags.jsonl.gz"
_DEV: Final = "attribution/attributionbench_dev.jsonl.gz"
FILES: Final = {
    "ragtruth_qa": (_TRAIN,),
    "summaries": (_TRAIN, _QAGS),
    "attributionbench": (_DEV,),
}
# Share of hallucinated answers to questions in all of RAGTruth's training part: 1,564 of 5,034 (Niu
# et al. 2024: 1,724 of 5,934, less the test part's 160 of 900). The best F1 depends on it.
_HALLUCINATED: Final = 0.31
_MOST: Final = 1200  # rows of a kind: with half of them the best threshold is a matter of chance


def known_thresholds(judge: str) -> Thresholds:
    """What ships for this judge, in this very version: the embedded one; nothing for any other."""
    return _shipped().get(judge, {})


@cache
def _shipped() -> dict[str, dict[str, dict[str, float]]]:
    content = resources.files("assay.bench").joinpath(NAME).read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, dict[str, float]]])


def fit_thresholds(
    judge: JudgeUnderTest, data: Data, limit: int | None = None, names: Sequence[str] = tuple(FILES)
) -> dict[str, dict[str, float]]:
    """The thresholds of the judge and of the trivial rules.

    Args:
        judge: Who decides.
        data: Where the training files are.
        limit: Rows of each kind at most.
        names: Which ones, of `FILES`.

    Raises:
        InputError: If a file is absent, or its rows are all of one class.
    """
    max_records = min(limit or _MOST, _MOST)
    return {name: _fit_one(judge, data, name, max_records) for name in names}


def _fit_one(judge: JudgeUnderTest, data: Data, name: str, max_records: int) -> dict[str, float]:
    if name == "attributionbench":
        claimed = thinned(data.rows(_DEV), max_records)
        return _fit_of(
            judge, claimed, claims.text, lambda r: not claims.supported(r), stats.balanced
        )
    unseen = [record for record in data.rows(_TRAIN) if held_out(record)]
    if name == "ragtruth_qa":
        answers = thinned([r for r in unseen if groundedness.ragtruth_task(r) == "QA"], max_records)
        return _fit_of(
            judge, answers, groundedness.ragtruth_text, _hallucinated, stats.f1, _HALLUCINATED
        )
    answers = thinned(
        [r for r in unseen if groundedness.ragtruth_task(r) == "Summary"], max_records
    )
    answers += thinned(data.rows(_QAGS), max(1, max_records // 2))
    return _fit_of(judge, answers, groundedness.ragtruth_text, _hallucinated, stats.f1)


def _hallucinated(record: Record) -> bool:
    return bool(record["labels"]["hallucinated"])


def _fit_of(
    judge: JudgeUnderTest,
    records: Sequence[Record],
    text: Callable[[Record], Text],
    positive: Callable[[Record], bool],
    measure: Callable[..., Statistic],
    share: float | None = None,
) -> dict[str, float]:
    texts = [text(record) for record in records]
    judged = answered(records, judge.check(texts))
    labels = np.array([positive(record) for record, _ in judged], bool)
    if len(set(labels.tolist())) < 2:
        raise InputError("no threshold can be fitted to rows of one class", "raise --limit")
    rules = unsupported((text(record).text, record["contexts"]) for record, _ in judged)
    scores = {"judge": np.array([hallucination(checked) for _, checked in judged]), **rules}
    # Each row counts once, or so that the positive ones are that share.
    weights = None
    if share is not None:
        weights = np.where(labels, share / labels.mean(), (1 - share) / (1 - labels.mean()))
    return {
        rule: stats.best_threshold(values, labels, measure, weights)
        for rule, values in scores.items()
    }
