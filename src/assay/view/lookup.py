"""What samples are found by beside their scores: words of their texts, verdicts, causes.

The store keeps texts and evidence compressed. They are indexed once for each run that is looked at,
in a temporary file that is gone when the viewer ends.
"""

import re
import sqlite3
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from assay._analysis.diagnosis.classification import WITHIN, diagnosed
from assay._analysis.diagnosis.counterfactual import Rescored, rescored
from assay._analysis.diagnosis.facts import READ, gather
from assay._analysis.diagnosis.findings import CAUSES
from assay._runner.result import NOT_DONE
from assay._store import Run, Store
from assay._store.browsing import Rows
from assay.errors import InputError
from assay.sample import Sample
from assay.score import Outcome

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
        again = rescored(store, run)
        batch: list[_Entry] = []
        for row, sample, made in store.scored(run.id, list(run.metrics)):
            if self._closed.is_set():
                return
            outcomes = {metric: made.get(metric, NOT_DONE) for metric in run.metrics}
            batch.append(_entry(row, sample, outcomes, again))
            if len(batch) == GROUP:
                self._write(indexed, batch)
                batch = []
        self._write(indexed, batch)
        indexed.complete = True

    def _write(self, indexed: Indexed, batch: list[_Entry]) -> None:
        run = indexed.number
        texts = [(run * _RUN_SIZE + one.row, one.text) for one in batch]
        verdicts = [(run, label, one.row) for one in batch for label in one.labels]
        causes = [(run, cause, one.row) for one in batch for cause in one.causes]
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
        """The samples in which this went wrong."""
        sql = "SELECT row FROM lookup.causes WHERE run = ? AND cause = ?"
        return sql, (indexed.number, cause)

    def verdicts(self, store: Store, indexed: Indexed) -> list[tuple[str, int]]:
        """(label, samples) of the run, as far as it is indexed, the most frequent first."""
        sql = "SELECT label, count(*) FROM lookup.verdicts WHERE run = ? GROUP BY label"
        return sorted(store.query(sql, indexed.number), key=lambda pair: -pair[1])

    def causes(self, store: Store, indexed: Indexed) -> list[tuple[str, str, int]]:
        """(name, title, samples) of the causes, the most frequent first."""
        sql = "SELECT cause, count(*) FROM lookup.causes WHERE run = ? GROUP BY cause"
        counts = sorted(store.query(sql, indexed.number), key=lambda pair: -pair[1])
        return [(name, CAUSES[name].title, n) for name, n in counts]


def _texts(sample: Sample) -> Iterator[str]:
    yield sample.id
    yield from filter(None, (sample.question, sample.answer, sample.reference))
    yield from sample.contexts or ()
    for turn in sample.turns or ():
        yield turn.text


def _entry(
    row: int, sample: Sample, outcomes: Mapping[str, Outcome], again: Rescored | None
) -> _Entry:
    parts = (part for outcome in outcomes.values() for part in outcome.parts)
    read = {m: outcome for m, outcome in outcomes.items() if m.partition("(")[0] in READ}
    found = gather(sample, read, again.outcomes(sample.id) if again else {})
    causes = dict.fromkeys(diagnosed(found, row, WITHIN).causes)
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
