"""What samples are found by beside their scores: words, verdicts, causes, what people said.

The store keeps texts and evidence compressed. They are indexed once for each run that is looked at,
in a temporary file that is gone when the viewer ends.
"""

import re
import sqlite3
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from assay._analysis.correction import label_ends
from assay._analysis.diagnosis.classification import diagnosed
from assay._analysis.diagnosis.counterfactual import Rescored, rescored
from assay._analysis.diagnosis.facts import READ, gather
from assay._analysis.diagnosis.findings import CAUSES
from assay._analysis.diagnosis.location import WITHIN
from assay._analysis.label_pool import Key, State
from assay._analysis.labelled import goodness
from assay._runner.result import NOT_DONE
from assay._store import Run, Store
from assay._store.browsing import Rows, rows_of
from assay._store.labels import HumanLabel
from assay.errors import InputError
from assay.sample import Sample
from assay.score import Outcome, Score

GROUP: Final = 500  # samples that are indexed together; readers see a whole number of them
_SMALL: Final = 5000  # samples that are indexed at once
_LATER_S: Final = 2.0
_RUN_SIZE: Final = 1 << 32  # a text's number is that of its run, so many times, and its row
_SCHEMA: Final = """
    PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE VIRTUAL TABLE texts USING fts5 (body, content = '');
    CREATE TABLE verdicts (run INTEGER, label TEXT, row INTEGER,
        PRIMARY KEY (run, label, row)) WITHOUT ROWID;
    CREATE TABLE causes (run INTEGER, cause TEXT, row INTEGER,
        PRIMARY KEY (run, cause, row)) WITHOUT ROWID;
"""
_TERM: Final = re.compile(r'"([^"]*)"|(\S+)')
# Scripts that write no blanks between words: each character is a word, a term a phrase of them.
_UNSPACED: Final = re.compile("([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")
_CONTROLS: Final = re.compile("[\ud800-\udfff\0]")


@dataclass
class Indexed:
    """How far a run is indexed.

    Attributes:
        number: What the index calls the run.
        total: Its samples.
        done: Samples that are indexed.
        complete: Whether all are.
        failed: Why the rest is not; "" if it is, or will be.
    """

    number: int
    total: int
    done: int = 0
    complete: bool = False
    failed: str = ""


class _Entry(NamedTuple):
    row: int
    text: str
    labels: Collection[str]
    causes: Collection[str]


class Lookup:
    """An index over the runs of a store that are looked at.

    Args:
        path: The store.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = tempfile.TemporaryDirectory(prefix="assay-view-", ignore_cleanup_errors=True)
        self.file = Path(self._folder.name) / "lookup.db"
        self._db = sqlite3.connect(self.file, isolation_level=None, check_same_thread=False)
        self._db.executescript(_SCHEMA)
        self._runs: dict[tuple[str, str | None], Indexed] = {}
        self._turn = threading.Lock()
        self._closed = threading.Event()

    def close(self) -> None:
        """Stop indexing, and drop the file."""
        self._closed.set()
        with self._turn:
            self._db.close()
        self._folder.cleanup()

    def index(self, run: Run, wait: float = 0.0) -> Indexed:
        """Begin to index a run that is not; returns within so many seconds.

        A run that was still going is indexed anew once it is finished.
        """
        key = run.id, run.finished
        known = self._runs.get(key)
        if known is None:
            known = self._runs[key] = Indexed(len(self._runs) + 1, run.n_samples)
            thread = threading.Thread(target=self._build, args=(run, known), daemon=True)
            thread.start()
            thread.join(wait if run.n_samples <= _SMALL else 0.0)
        return known

    def _build(self, run: Run, indexed: Indexed) -> None:
        try:
            with self._turn, Store(self._path) as store:
                self._add(store, run, indexed)
        except (InputError, sqlite3.Error) as error:  # nobody waits for this thread
            indexed.failed = str(error)

    def _add(self, store: Store, run: Run, indexed: Indexed) -> None:
        if run.n_samples > _SMALL:  # the page that asked is made first
            self._closed.wait(_LATER_S)
        rescored_run = rescored(store, run)
        batch: list[_Entry] = []
        for row, sample, by_metric in store.scored(run.id, list(run.metrics)):
            if self._closed.is_set():
                return
            outcomes = {metric: by_metric.get(metric, NOT_DONE) for metric in run.metrics}
            batch.append(_entry(row, sample, outcomes, rescored_run))
            if len(batch) == GROUP:
                self._write(indexed, batch)
                batch = []
        self._write(indexed, batch)
        indexed.complete = True

    def _write(self, indexed: Indexed, batch: list[_Entry]) -> None:
        run = indexed.number
        texts = [(run * _RUN_SIZE + entry.row, entry.text) for entry in batch]
        verdicts = [(run, label, entry.row) for entry in batch for label in entry.labels]
        causes = [(run, cause, entry.row) for entry in batch for cause in entry.causes]
        self._db.execute("BEGIN")
        self._db.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", texts)
        self._db.executemany("INSERT INTO verdicts VALUES (?, ?, ?)", verdicts)
        self._db.executemany("INSERT INTO causes VALUES (?, ?, ?)", causes)
        self._db.execute("COMMIT")
        indexed.done += len(batch)

    def words(self, indexed: Indexed, text: str) -> Rows | None:
        """The samples in whose texts all these words stand; None if there is no word in it."""
        match = _query(text)
        if not match:
            return None
        first = indexed.number * _RUN_SIZE
        sql = (
            "SELECT rowid - ? AS row FROM lookup.texts"
            " WHERE texts MATCH ? AND rowid BETWEEN ? AND ?"
        )
        return sql, (first, match, first, first + _RUN_SIZE - 1)

    def verdict(self, indexed: Indexed, label: str) -> Rows:
        """The samples of which a piece of evidence has this label."""
        sql = "SELECT row FROM lookup.verdicts WHERE run = ? AND label = ?"
        return sql, (indexed.number, label)

    def cause(self, indexed: Indexed, cause: str) -> Rows:
        """The samples in which this went wrong; "any": all that are flagged."""
        if cause == ANY:
            return "SELECT DISTINCT row FROM lookup.causes WHERE run = ?", (indexed.number,)
        sql = "SELECT row FROM lookup.causes WHERE run = ? AND cause = ?"
        return sql, (indexed.number, cause)

    def verdicts(self, store: Store, indexed: Indexed) -> list[tuple[str, int]]:
        """(label, samples) of the run, as far as it is indexed, the most frequent first."""
        sql = "SELECT label, count(*) FROM lookup.verdicts WHERE run = ? GROUP BY label"
        return sorted(store.query(sql, indexed.number), key=lambda pair: -pair[1])

    def causes(self, store: Store, indexed: Indexed) -> list[tuple[str, str, int]]:
        """(name, title, samples): all that are flagged, then by cause, the most frequent first."""
        sql = "SELECT cause, count(*) FROM lookup.causes WHERE run = ? GROUP BY cause"
        counts = sorted(store.query(sql, indexed.number), key=lambda pair: -pair[1])
        flagged, number = self.cause(indexed, ANY)
        [(n_flagged,)] = store.query(f"SELECT count(*) FROM ({flagged})", *number)  # noqa: S608
        every = [(ANY, FLAGGED, n_flagged)] if n_flagged else []
        return [*every, *((name, CAUSES[name].title, n) for name, n in counts)]

    def causes_of(self, store: Store, indexed: Indexed, row: int) -> list[tuple[str, str]]:
        """(name, title) of what went wrong in a sample."""
        sql = "SELECT cause FROM lookup.causes WHERE run = ? AND row = ?"
        causes = store.query(sql, indexed.number, row)
        return [(name, CAUSES[name].title) for (name,) in causes]


def _texts(sample: Sample) -> Iterator[str]:
    yield sample.id
    yield from filter(None, (sample.question, sample.answer, sample.reference))
    yield from sample.contexts or ()
    for turn in sample.turns or ():
        yield turn.text


def _entry(
    row: int, sample: Sample, outcomes: Mapping[str, Outcome], rescored_run: Rescored | None
) -> _Entry:
    parts = (part for outcome in outcomes.values() for part in outcome.parts)
    read = {m: outcome for m, outcome in outcomes.items() if m.partition("(")[0] in READ}
    evidence = gather(sample, read, rescored_run.outcomes(sample.id) if rescored_run else {})
    reached = NOT_DONE not in read.values()
    causes = dict.fromkeys(diagnosed(evidence, row, WITHIN).causes if reached else ())
    labels = {part.label for part in parts if part.label}
    return _Entry(row, _spaced("\n".join(_texts(sample))), labels, list(causes))


def _spaced(text: str) -> str:
    return _UNSPACED.sub(r" \1 ", _CONTROLS.sub(" ", text))


def _query(text: str) -> str:
    """The search as SQLite's full-text index takes it: phrases, and beginnings of words."""
    terms = []
    for phrase, word in _TERM.findall(_CONTROLS.sub(" ", text)):
        term = _spaced(phrase or word).replace('"', " ")
        if any(mark.isalnum() for mark in term):
            terms.append(f'"{term.strip()}"' + ("" if phrase else "*"))
    return " ".join(terms)


LabelKind: TypeAlias = Literal["any", "good", "bad", "unsure", "disputed", "none"]
LABEL_WORDS: Final[Mapping[str, str]] = {
    "any": "labelled",
    "good": "labelled good",
    "bad": "labelled bad",
    "unsure": "somebody is unsure",
    "disputed": "annotators disagree",
    "none": "not labelled",
}
ANY: Final = "any"
FLAGGED: Final = "flagged for any"
_ONCE: Final = 10_000


@dataclass(frozen=True)
class People:
    """The labels of a run that count, by the rows of its samples.

    Attributes:
        labels: What was said of a row, in the order of the metrics and statements.
        by_label: The rows of which people say this; "none" is whatever is in no other.
        tags: The rows that were given a tag.
        disagree: The rows of which the judge says otherwise than people, by metric.
    """

    labels: Mapping[int, Sequence[HumanLabel]] = field(default_factory=dict)
    by_label: Mapping[str, set[int]] = field(default_factory=dict)
    tags: Mapping[str, set[int]] = field(default_factory=dict)
    disagree: Mapping[str, set[int]] = field(default_factory=dict)

    def counts(self) -> list[tuple[str, str, int]]:
        """(name, words, samples) of what people say, as far as they say it."""
        return [
            (name, LABEL_WORDS[name], len(rows)) for name, rows in self.by_label.items() if rows
        ]

    def differing(self, metric: str) -> set[int]:
        """The rows of which judge and people differ by a metric, or by "any"."""
        if metric == ANY:
            return set().union(*self.disagree.values())
        return self.disagree.get(metric, set())


def in_words(label: HumanLabel) -> str:
    """One label in short: who said what."""
    if label.kind == "unsure":
        opinion = "unsure"
    elif label.value is None:
        opinion = label.kind
    else:
        opinion = {0.0: "bad", 1.0: "good"}.get(label.value, f"{label.value:g}")
    subject = "" if label.statement is None else f" of statement {label.statement + 1}"
    ended = ", settled" if label.kind == "settled" else ""
    tags = f" ({', '.join(label.tags)})" if label.tags else ""
    return f"{label.annotator}: {opinion}{subject}{ended}{tags}"


def label_version(store: Store, run: Run) -> tuple[tuple[int, int], ...]:
    """Changes with every decision about the run."""
    return tuple(store.labels.version(run.id, metric) for metric in run.metrics)


def people(store: Store, run: Run) -> People:
    """What people said of a run."""
    states = {metric: State.of(store.labels.of(run.id, metric)) for metric in run.metrics}
    samples = {key[1] for state in states.values() for key in (*state.by_item, *state.settled)}
    rows = rows_of(store, run, samples)
    labels: dict[int, list[HumanLabel]] = {}
    by_label: dict[str, set[int]] = {name: set() for name in LABEL_WORDS if name != "none"}
    tags: dict[str, set[int]] = {}
    disagree: dict[str, set[int]] = {}
    for metric, state in states.items():
        middle = _middle_of_scale(run, metric, state)
        for key in sorted({*state.by_item, *state.settled}, key=_in_order):
            if (row := rows.get(key[1])) is None:
                continue
            item_labels = _labels(state, key)
            labels.setdefault(row, []).extend(item_labels)
            for name in _kinds(state, key, item_labels, middle):
                by_label[name].add(row)
            for tag in {tag for label in item_labels for tag in label.tags}:
                tags.setdefault(tag, set()).add(row)
        if wrong := _differing_rows(store, run, metric, state, rows):
            disagree[metric] = wrong
    return People(labels, by_label, tags, disagree)


def _in_order(key: Key) -> tuple[str, int]:
    return key[1], -1 if key[2] is None else key[2]


def _labels(state: State, key: Key) -> list[HumanLabel]:
    settled = [state.settled[key]] if key in state.settled else []
    return [
        *(label for label in state.by_item.get(key, {}).values() if label.kind != "skip"),
        *settled,
    ]


def _middle_of_scale(run: Run, metric: str, state: State) -> float:
    """Between good and bad, on the scale of the labels."""
    values = [v for key in state.by_item if (v := state.value(key)) is not None]
    low, high = run.config["about"][metric]["range"]
    return sum(label_ends(values or [0.0, 1.0], None, (low, high))) / 2


def _kinds(
    state: State, key: Key, item_labels: Sequence[HumanLabel], middle: float
) -> Iterator[LabelKind]:
    if item_labels:
        yield "any"
    value = state.value(key)
    if value is not None and value != middle:
        yield "good" if value > middle else "bad"
    if any(label.kind == "unsure" for label in item_labels):
        yield "unsure"
    if (
        len({label.value for label in item_labels if label.kind == "label"}) > 1
        and key not in state.settled
    ):
        yield "disputed"


def _differing_rows(
    store: Store, run: Run, metric: str, state: State, rows: Mapping[str, int]
) -> set[int]:
    """The rows in which the judge calls good what people call bad, or the other way round."""
    values = {key: state.value(key) for key in {*state.by_item, *state.settled} if key[1] in rows}
    decided = {key: value == 1.0 for key, value in values.items() if value in (0.0, 1.0)}
    by_row = {rows[sample]: good for (_, sample, n), good in decided.items() if n is None}
    judged = _calls_good(store, run, metric, list(by_row))
    differing = {row for row, good in judged.items() if good != by_row[row]}
    for (_, sample, statement), good in decided.items():
        if statement is not None and rows[sample] not in differing:
            calls = _calls_statement_good(store, run, metric, rows[sample], statement)
            if calls is not None and calls != good:
                differing.add(rows[sample])
    return differing


def _calls_good(store: Store, run: Run, metric: str, rows: Sequence[int]) -> dict[int, bool]:
    """Whether the judge calls an answer good, by its row, where that can be said."""
    facts = run.config["about"][metric]
    low, high = facts["range"]
    threshold = facts["guide"]
    if threshold is None:
        if low is None or high is None:
            return {}
        threshold = (low + high) / 2
    sign = 1 if facts["higher_is_better"] else -1
    return {
        row: bool(sign * value >= sign * threshold)
        for chunk in _batched(rows)
        for row, (value, _) in store.values_at(run.id, metric, chunk).items()
        if value is not None
    }


def _calls_statement_good(
    store: Store, run: Run, metric: str, row: int, statement: int
) -> bool | None:
    """Whether the judge calls a statement good; None where there is none of that number."""
    outcome = store.outcome(run.id, row, metric)
    judged = outcome.parts if isinstance(outcome, Score) else ()
    parts = [part for part in judged if part.value is not None]
    if statement >= len(parts):
        return None
    high = bool(run.config["about"][metric]["higher_is_better"])
    return goodness(parts[statement], higher_is_better=high) >= 0.5


def _batched(rows: Sequence[int]) -> Iterator[Sequence[int]]:
    """As many at once as one query takes."""
    for start in range(0, len(rows), _ONCE):
        yield rows[start : start + _ONCE]
