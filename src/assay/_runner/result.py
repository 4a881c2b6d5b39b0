"""The result of a run: scores with their evidence, read from the store."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay._middleware.budget import Price
from assay._runner.summary import (
    Baseline,
    NotebookDisplay,
    Reported,
    Summary,
    frame,
    random_pair_baseline,
    summarise,
)
from assay._store import Run, Store
from assay._store.connection import named
from assay._store.integrity import settled_stamp
from assay._store.runs import Spent, Value
from assay._text.misspelt import did_you_mean
from assay.data.files import landing
from assay.data.values import as_text
from assay.errors import InputError
from assay.judge import Reply
from assay.metrics import Metric, parse
from assay.sample import Sample
from assay.score import Outcome, Score, Unscored

if TYPE_CHECKING:
    import pandas as pd

    import assay


NO_SPENDING = Spent(0, 0, 0, 0.0)
# What is read of a sample beside its scores: these columns stand next to them.
TEXTS = ("question", "answer", "contexts", "reference")
NOT_DONE = Unscored("failed", "the run stopped before it was scored")
GROUP = 10_000  # rows that are written together


@dataclass(frozen=True, slots=True)
class Trace(NotebookDisplay):
    """The evidence of one score.

    Attributes:
        sample: The sample.
        metric: Label of the metric.
        outcome: The score with its parts, or why there is none.
        replies: Everything the judge said for it, in the order of asking.
        higher_is_better: False for error rates.
    """

    sample: Sample
    metric: str
    outcome: Outcome
    replies: tuple[Reply, ...]
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run has cost.

    Attributes:
        calls: Replies it paid for.
        tokens_in: Prompt tokens, of them and of answers that were billed and brought no reply.
        tokens_out: Reply tokens, counted likewise.
        seconds: Wall time.
        money: What the tokens cost, each judge's at its price, without embeddings, which have
            another one, and without those of judges in this process; None if the run was not told
            the price.
        reused: Replies that its scores rest on without another call: from the store, or asked for
            by another of its scores.
        cached_in: Prompt tokens, of `tokens_in`, that providers read from their prompt caches.
        local: Replies, of `calls`, that were computed in this process.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float
    money: float | None
    reused: int = 0
    cached_in: int = 0
    local: int = 0


def _reused(store: Store, run: str, paid: Spent) -> int:
    """Replies that the scores of a run rest on beyond those paid for."""
    return max(0, store.used(run) - (paid.calls - paid.probes))


def check_results(*values: object) -> None:
    """Refuse what is no result, such as the name of a run.

    Raises:
        InputError: If one is none.
    """
    for value in values:
        if not isinstance(value, Result):
            fault = f"{value!r} is not an assay.Result"
            raise InputError(fault, "open a stored run: assay.Result('assay.db', 'last')")


class Result(NotebookDisplay, Reported):
    """The scores of one run. Only a name: everything is read from the store when asked for.

    Args:
        store: The SQLite file.
        run: Its name, its id or the beginning of that; "last", or "last~1" for the one before.
        paid: What the call that gives the result has paid for.

    Attributes:
        paid: What the call that gave it paid for; `cost` is of all calls that worked on the run.

    Raises:
        InputError: If there is no such run.
    """

    def __init__(self, store: str | Path, run: str = "last", *, paid: Spent = NO_SPENDING) -> None:
        self._named, self.paid = named(store), paid
        self._path = self._named.absolute()  # it is the same file in whichever folder one is later
        self._id = self._read_run(run).id

    def __repr__(self) -> str:
        return f"Result({str(self._named)!r}, {self._id!r})"

    def __str__(self) -> str:
        """The table of its means, and how the rows were read."""
        return "\n".join([str(self.summary()), *(f"! {note}" for note in self.notes)])

    def _open(self) -> Store:
        if not self._path.is_file():  # which opening it would make
            raise InputError(f"there is no store '{self.path}'", "`assay run` makes one")
        return Store(self.path)

    @property
    def path(self) -> Path:
        """The store that holds it: as it was named, for as long as that names it."""
        return self._named if self._named.absolute() == self._path else self._path

    @property
    def run(self) -> Run:
        """The run: its data, judges, metrics, whether it finished."""
        stamp, run = self._known
        unchanged = stamp is not None and stamp == settled_stamp(self._path)
        return run if unchanged else self._read_run(self._id)

    def _read_run(self, name: str) -> Run:
        """The run with this name or id, which is remembered until the store changes."""
        stamp = settled_stamp(self._path)
        with self._open() as store:
            run = store.run(name)
        self._known = stamp, run
        return run

    @property
    def asked(self) -> int:
        """How often the call that gave it asked a judge; 0 where it was only opened."""
        return self.paid.calls

    @property
    def reused(self) -> int:
        """Replies that its scores rest on and that the call that gave it did not ask for."""
        with self._open() as store:
            return _reused(store, self._id, self.paid)

    @property
    def stopped(self) -> str:
        """Why it stopped early, "" if it did not."""
        return self.run.stopped

    @property
    def notes(self) -> tuple[str, ...]:
        """How the rows were read: columns that were guessed, texts that were split, gaps."""
        return tuple(self.run.config.get("data_notes", ()))

    def summary(self) -> Summary:
        """Mean with its interval, counts and worst-case bounds of every metric."""
        with self._open() as store:
            return summarise(store, store.run(self._id))

    def __getitem__(self, metric: str | Metric) -> list[Outcome]:
        """The outcomes of a metric in the order of the samples.

        Raises:
            InputError: If the run has no such metric.
        """
        return [outcome for _, outcome in self.outcomes(metric)]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.run.metrics)

    def outcomes(self, metric: str | Metric) -> Iterator[tuple[Sample, Outcome]]:
        """(sample, outcome) of a metric, read one by one."""
        with self._open() as store:
            label = one_label(store.run(self._id), metric)
            for sample, by_metric in _scored_samples(store, self._id, [label]):
                yield sample, by_metric[label]

    def trace(self, sample: str, metric: str | Metric) -> Trace:
        """The evidence behind one score: parts, prompts and replies.

        Raises:
            InputError: If the run has no such sample or metric.
        """
        with self._open() as store:
            run = store.run(self._id)
            label = one_label(run, metric)
            row, sample_read = store.sample(self._id, str(sample))
            outcome = store.outcome(self._id, row, label) or NOT_DONE
            replies = tuple(store.replies(self._id, row, label))
            higher = bool(run.config["about"][label]["higher_is_better"])
            return Trace(sample_read, label, outcome, replies, higher)

    def cost(self) -> Cost:
        """Calls, tokens and wall time that this run paid for."""
        with self._open() as store:
            spent = store.spent(self._id)
            run = store.run(self._id)
            reused = _reused(store, self._id, spent)
            free = run.config.get("local", ())
            charged = store.charged(self._id, free)
            # For vectors the embedded judge goes by its encoder alone.
            embeds = run.config["routes"].get("embed", run.config["judge"]) in free
            encoder = [str(run.config["embedder"])] if embeds else []
            local = store.calls_by(self._id, [*free, *encoder])
        money = None
        if values := run.config.get("price"):
            price = Price.of_config(values)
            money = sum(price.of_judge(judge).of(*tokens) for judge, tokens in charged.items())
        tokens = spent.tokens_in, spent.tokens_out
        cached = sum(read for _, _, read, _ in charged.values())
        return Cost(spent.calls, *tokens, run.seconds, money, reused, cached, local)

    # Analyses and reports stand above results, so that `assay` finds them by name.

    def compare(
        self,
        *others: "assay.Result",
        metrics: Sequence[str] = (),
        level: float = 0.95,
        wanted: float | None = None,
        most: int = 5,
        force: bool = False,
    ) -> "assay.Comparison":
        """This run, as the baseline, compared with others: see `assay.compare`."""
        import assay

        return assay.compare(
            self, *others, metrics=metrics, level=level, wanted=wanted, most=most, force=force
        )

    def diagnose(self, *, within: int = 3) -> "assay.Diagnosis":
        """Which part of the system failed on each sample: see `assay.diagnose`."""
        import assay

        return assay.diagnose(self, within=within)

    def baseline(self) -> Baseline | None:
        """The embedder's cosine between texts of different samples; None without embeddings."""
        with self._open() as store:
            return random_pair_baseline(store, store.run(self._id))

    def describe(
        self,
        *,
        name: str | None = None,
        tags: Sequence[str] | None = None,
        note: str | None = None,
        params: Mapping[str, Value] | None = None,
    ) -> None:
        """Set what is said of the run; what is not given stays. Nothing that is scored changes.

        Args:
            name: What it is called; "" takes the name away.
            tags: All its tags.
            note: Free text.
            params: All parameters of the system that was evaluated: {"k": 5}.

        Raises:
            InputError: If a run cannot be called so, or a tag or parameter cannot be kept.
        """
        settings = {"name": name, "tags": tags, "note": note, "params": params}
        with self._open() as store:
            before = store.run(self._id).description
            changes: dict[str, Any] = {
                key: value for key, value in settings.items() if value is not None
            }
            store.describe(self._id, replace(before, **changes))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dict a sample: its fields, then each metric's value and why there is none."""
        with self._open() as store:
            labels = list(store.run(self._id).metrics)
            for sample, by_metric in _scored_samples(store, self._id, labels):
                yield {**msgspec.to_builtins(sample), **_columns(by_metric)}

    def to_pandas(self) -> "pd.DataFrame":
        """A data frame, one row a sample: its id and scores, then its texts, then all else.

        Further fields that no sample fills have no column. NaN stands only where a
        ``<metric>_why`` says why there is no score.

        Raises:
            InputError: If pandas is not installed.
        """
        scores = dict.fromkeys(self.run.metrics, "float64")
        table = frame(self.rows()).astype(scores)
        first = [name for name in ("id", *scores, *TEXTS) if name in table]
        absent: tuple[Any, ...] = (None, {}, (), [])
        other_columns = [name for name in table if name not in first]
        filled = [name for name in other_columns if not all(cell in absent for cell in table[name])]
        return table[[*first, *filled]]

    def to_jsonl(self, path: str | Path) -> None:
        """Write one JSON object a sample: fields, scores and their evidence."""
        with self._open() as store, Path(path).open("w", encoding="utf-8") as file:
            labels = list(store.run(self._id).metrics)
            for sample, by_metric in _scored_samples(store, self._id, labels):
                scores = {label: msgspec.to_builtins(o) for label, o in by_metric.items()}
                record = {**msgspec.to_builtins(sample), "scores": scores}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def to_csv(self, path: str | Path) -> None:
        """Write one row a sample for spreadsheets: id, scores, why there is none, then the texts.

        What a spreadsheet would take for a formula stands behind an apostrophe.
        """
        labels = self.run.metrics
        columns = ["id", *labels, *(f"{label}_why" for label in labels), *TEXTS]
        # Without the mark Excel on Windows takes the texts for another encoding.
        with Path(path).open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            for row in self.rows():
                contexts = row["contexts"]
                if contexts is not None:
                    row["contexts"] = json.dumps(contexts, ensure_ascii=False)
                words = {key: as_text(cell) for key, cell in row.items() if isinstance(cell, str)}
                writer.writerow({**row, **words})

    def to_parquet(self, path: str | Path) -> None:
        """Write one row a sample: id, each metric's value, and ``<metric>_why`` there is none.

        Args:
            path: A path, or a URI such as ``s3://bucket/scores.parquet``.

        Raises:
            InputError: If pyarrow is not installed.
        """
        columns = [name for label in self.run.metrics for name in (label, f"{label}_why")]
        _write_parquet(self.rows(), columns, path)


def _scored_samples(
    store: Store, run: str, labels: Sequence[str]
) -> Iterator[tuple[Sample, dict[str, Outcome]]]:
    """(sample, outcome of each metric) in order; a bounded number is held at once."""
    for _, sample, by_metric in store.scored(run, labels):
        yield sample, {label: by_metric.get(label, NOT_DONE) for label in labels}


def _columns(by_metric: Mapping[str, Outcome]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for label, outcome in by_metric.items():
        columns[label] = outcome.value if isinstance(outcome, Score) else None
        columns[f"{label}_why"] = outcome.reason if isinstance(outcome, Unscored) else ""
    return columns


def labels(run: Run, metric: str | Metric) -> list[str]:
    """The metrics of a run that are meant by a label, a name without parameters or an old name.

    A metric itself means that with the same parameters.

    Raises:
        InputError: If there is none.
    """
    if isinstance(metric, Metric) and metric.label in run.metrics:
        return [metric.label]
    if not isinstance(metric, str):
        description = metric.label if isinstance(metric, Metric) else repr(metric)
        remedy = f"name a metric that it has: {', '.join(map(repr, run.metrics))}"
        raise InputError(f"run {run.id} has no metric {description}", remedy)
    matching = [label for label in run.metrics if metric in (label, label.partition("(")[0])]
    if not matching:  # what stands in a store is never parsed: that may import a module
        with suppress(InputError):
            label_meant = parse(metric).label
            matching = [label for label in run.metrics if label == label_meant]
    if not matching:
        description = f"run {run.id} has no '{metric}': it has {', '.join(run.metrics)}"
        raise InputError(description, did_you_mean(metric, run.metrics))
    return matching


def known_labels(run: Run, metric: str) -> list[str]:
    """The same, none where another run may have it."""
    try:
        return labels(run, metric)
    except InputError:
        return []


def one_label(run: Run, metric: str | Metric) -> str:
    """The one metric of a run that is meant; a label goes before a name without parameters.

    Raises:
        InputError: If there is none, or several.
    """
    exact = isinstance(metric, str) and metric in run.metrics
    matching = [str(metric)] if exact else labels(run, metric)
    if len(matching) > 1:
        raise InputError(f"run {run.id} has several '{metric}'", f"name one: {', '.join(matching)}")
    return matching[0]


def open_run(spec: str, store: str) -> Result:
    """The run that is meant.

    Args:
        spec: A run of `store`: its name, "last", "last~1" or the beginning of its id; FILE:RUN of
            another store; or FILE alone for the last run of that store.
        store: The store where no file is named.

    Raises:
        InputError: If there is no such run.
    """
    if Path(spec).is_file():
        return Result(spec)
    # A file's name may hold a colon, and so may a run's.
    for file, run in _split(spec):
        if Path(file).is_file():
            return Result(file, run or "last")
    try:
        return Result(store, spec)
    except InputError:
        for file, run in _split(spec):
            if _may_be_file(file):  # which is not there
                return Result(file, run or "last")
        if _may_be_file(spec) and ":" not in spec:
            return Result(spec)
        raise


def _split(spec: str) -> Iterator[tuple[str, str]]:
    """(file, run) for every colon, the last one first."""
    file, colon, run = spec.rpartition(":")
    while colon:
        yield file, run
        file, colon, prefix = file.rpartition(":")
        run = f"{prefix}:{run}"


def _may_be_file(text: str) -> bool:
    """Whether it has a suffix (a version, such as v1.2, has none) or stands in a folder."""
    return bool(Path(text).suffix[1:2].isalpha() or Path(text).parent.name)


def _write_parquet(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], path: str | Path
) -> None:
    """Write the id of each row, its values as float64 and its ``_why`` columns as text.

    Args:
        rows: The rows of a result.
        columns: Which of their columns, in order; values that are None stay null.
        path: A path or URI.

    Raises:
        InputError: If pyarrow is not installed.
        OSError: If it cannot be written.
    """
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise InputError("Parquet needs pyarrow", "pip install 'assay[parquet]'") from None
    kinds = {name: pa.string() if name.endswith("_why") else pa.float64() for name in columns}
    schema = pa.schema({"id": pa.string(), **kinds})
    unread = iter(rows)
    with landing(path) as local, ParquetWriter(local, schema) as writer:
        while group := list(islice(unread, GROUP)):
            records = [{name: row[name] for name in schema.names} for row in group]
            writer.write_table(pa.Table.from_pylist(records, schema))
