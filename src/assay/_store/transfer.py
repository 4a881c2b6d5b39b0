"""Transfer of runs between stores: export and import.

As JSON lines: a header, then of every run its samples, the replies that it paid for or rests on,
its scores, and an end. All is told in full, so that a file can be read without a store, and keyed
by content, so that what two stores have in common is there once. How it is used: `docs/store.md`.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from assay._store import Store, rows
from assay._store.connection import paged
from assay._store.integrity import (
    COVERED,
    Damaged,
    amended,
    digest,
    insert,
    log_of,
    long_key,
    long_keys,
    run_id,
    short_key,
)
from assay._store.runs import Run, write_description
from assay._version import __version__
from assay.errors import InputError, Problem
from assay.judge import Reply
from assay.sample import Sample
from assay.score import LARGEST, Outcome, Score, Unscored

FORMAT, VERSION = "assay runs", 1
# Tables of what is known of a run beside its scores: of its judges, and by people.
BESIDE = ("noise", "fingerprints", "labels", "label_queue", "second_opinions")
# What a row may lead to whose bytes are not those that were written (ValueError: nor UTF-8).
UNREADABLE = (
    *(msgspec.DecodeError, ValueError, TypeError),
    *(LookupError, AttributeError, OverflowError),
)
# What a line that is not ours may lead to; a disk that is full is nothing of the kind.
MALFORMED = (
    *UNREADABLE,
    RecursionError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    sqlite3.IntegrityError,
)
# Of a judge's card: shares of labelled cases, and how many there are.
_SHARES = ("found", "wrong", "bad_uncertain", "good_uncertain", "floor")
_COUNTS = ("n_bad", "n_good")
_CACHED = ("cached_in", "cache_written")
# What numbers can be, by the names of their fields; all others are no larger than a score.
_RANGES = {
    **dict.fromkeys(("probability", "chance", "share", "ratio", *_SHARES), (0.0, 1.0)),
    **dict.fromkeys(_COUNTS, (1, LARGEST)),
    **dict.fromkeys(("n_samples", "skipped", "seconds", "row", "price", "day"), (0.0, LARGEST)),
    **dict.fromkeys(("tokens_in", "tokens_out", "ms", *_CACHED), (0.0, LARGEST)),
    **dict.fromkeys(("latency_ms", "cost", "tokens", "context", "span"), (0.0, LARGEST)),
    **dict.fromkeys(("marks", "relevance_grades"), (0.0, LARGEST)),
    "statement": (-1, LARGEST),  # -1: the whole answer
}
# Fields that hold whatever a user put there.
_OF_THE_USER = frozenset(("metadata", "args", "params", "details"))
# Fields that are objects of numbers: of each the same is true, whatever it is called.
_OF_NUMBERS = frozenset((*_SHARES, "relevance_grades"))
_ROUNDING = 1e-6
_MAX_DIGITS = 12  # digits of a whole number that a message shows


@dataclass(frozen=True, slots=True)
class ImportedRuns:
    """What an import found."""

    runs: tuple[str, ...]  # ids of the runs in the file
    new: dict[str, int]  # rows that were not there yet, by kind: run, sample, reply, score
    known: dict[str, int]  # rows that were


class _Score(msgspec.Struct, omit_defaults=True):
    row: int
    metric: str
    replies: list[str]
    score: Score | None = None
    unscored: Unscored | None = None


def export(store: Store, runs: Sequence[str] = ()) -> Iterator[str]:
    """The lines of the runs named by the beginnings of their ids, of all without any.

    Read from the store bit by bit: memory stays bounded, however large the runs are.

    Raises:
        InputError: If there is no such run, or one is damaged.
    """
    try:
        yield from _exported(store, runs)
    except UNREADABLE as error:
        raise Damaged(str(error), store.path) from error


def _exported(store: Store, runs: Sequence[str]) -> Iterator[str]:
    exported = [store.run(name) for name in runs] or store.runs()[::-1]
    yield _line({"format": FORMAT, "version": VERSION, "assay": __version__})
    for run in exported:
        yield _line({"run": {**msgspec.to_builtins(run), "fingerprint": store.fingerprint(run.id)}})
        n = 0
        for row, sample in store.samples(run.id):
            n += 1
            fields = msgspec.to_builtins(sample).items()
            present = {name: value for name, value in fields if value is not None}
            yield _line({"sample": {"row": row, **present}})
        if n != run.n_samples:
            raise Damaged(f"run {run.id} has {n} of its {run.n_samples} samples", store.path)
        for reply, payer, kept_at in _replies(store, run):
            contents = msgspec.to_builtins(reply)
            # Where nothing was, the line is as before there were such fields.
            for name in (*_CACHED, "model"):
                if not contents[name]:
                    del contents[name]
            yield _line({"reply": {**contents, "run": payer, "at": kept_at}})
        yield from (_line({"score": score}) for score in _scores(store, run))
        for table in BESIDE:
            columns = COVERED[table].split(", ")
            for values in store.judges.of_run(table, run.id):
                yield _line({table: dict(zip(columns, values, strict=True))})
        yield _line({"end": run.id})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False) + "\n"


def _replies(store: Store, run: Run) -> Iterator[tuple[Reply, str, int]]:
    """(reply, run that paid, when) of every reply that a run paid for or rests on, each once."""
    name = f"exported_{run.id}"
    store.query(f"CREATE TEMP TABLE {name} (id INTEGER PRIMARY KEY)")
    try:
        for key in _keys(store, run):
            ids = store.query("SELECT id FROM replies WHERE key = ?", short_key(key))
            if not ids:
                raise Damaged(f"run {run.id}: reply {key} is not there", store.path)
            store.query(f"INSERT OR IGNORE INTO {name} VALUES (?)", ids[0][0])
        paid = f"INSERT OR IGNORE INTO {name} SELECT id FROM replies WHERE run = {rows.NAME}"
        store.query(paid, run.id)
        sql = (  # "IN" would begin each page with the first reply again
            f"SELECT e.id, r.key, n.name, r.at FROM {name} e LEFT JOIN replies r ON r.id = e.id"
            " LEFT JOIN names n ON n.id = r.run WHERE e.id > ? ORDER BY e.id LIMIT ?"
        )
        for _, key, payer, kept_at in paged(store.query, sql):
            reply = store.reply(long_key(key)) if key else None
            if reply is None:
                raise Damaged(f"run {run.id}: a reply is not found by its key", store.path)
            yield reply, payer, kept_at
    finally:
        store.query(f"DROP TABLE {name}")


def _keys(store: Store, run: Run) -> Iterator[str]:
    sql = (
        f"SELECT row, replies FROM jobs WHERE run = {rows.NAME} AND metric = {rows.NAME}"
        " AND row > ? ORDER BY row LIMIT ?"
    )
    for metric in run.metrics:
        for _, keys in paged(store.query, sql, run.id, metric):
            yield from long_keys(keys)


def _scores(store: Store, run: Run) -> Iterator[_Score]:
    """Every score, in order of rows: an import then reads each sample once."""
    for row, _, outcomes in store.scored(run.id, [*run.metrics]):
        if run.finished and len(outcomes) < len(run.metrics):
            raise Damaged(f"run {run.id} lacks scores of row {row}", store.path)
        for metric, outcome in outcomes.items():
            keys = store.reply_keys(run.id, row, metric)
            if isinstance(outcome, Score):
                yield _Score(row, metric, keys, score=outcome)
            else:
                yield _Score(row, metric, keys, unscored=outcome)


def begun(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a file that begins as one of runs does: seen before a store is made for them.

    Raises:
        InputError: If it begins otherwise.
    """
    iterator = iter(lines)
    first = next(iterator, "")
    if not first:
        raise InputError("the file is empty", "export it anew")
    try:
        _check_header(json.loads(first))
    except MALFORMED as error:
        raise _malformed(1, error) from error
    return chain([first], iterator)


@contextmanager
def store_for_import(path: Path) -> Iterator[Store]:
    """The store to import into; one that is made for that goes again if the import is refused.

    It stays if others have it open, which its log of writes tells, or have written to it.
    """
    new, unused = not path.exists(), False
    try:
        with Store(path) as store:
            try:
                yield store
            except BaseException:
                unused = new and not store.names()
                raise
    finally:
        if unused and not log_of(path).exists():
            path.unlink()


def import_runs(store: Store, lines: Iterable[str]) -> ImportedRuns:
    """Add the runs of a file to a store. What is there already stays: twice is as good as once.

    A score that failed here gives way to one that did not fail there. All or nothing.

    Raises:
        InputError: If a line is damaged or missing, or a run is not what it was named by.
    """
    with store.changing() as db:
        work = _Import(store, db)
        number = 0
        for number, line in enumerate(lines, start=1):
            try:
                work.line(number, line)
            except MALFORMED as error:
                raise _malformed(number, error) from error
        work.finish(number)
    return ImportedRuns(tuple(work.runs), work.new, work.known)


def _malformed(number: int, error: Exception) -> InputError:
    fault = f"is not as `assay export` writes it: {error}"
    return InputError([Problem(fault, "export it anew", row=number)])


class _Import:
    def __init__(self, store: Store, db: sqlite3.Connection) -> None:
        self._store, self._db = store, db
        self._run: dict[str, Any] | None = None
        self._digest = ""
        self._rows = 0
        self._number = 0
        self._is_known = False
        self.runs: list[str] = []
        kinds = ("run", "sample", "reply", "score")
        self.new, self.known = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)

    def line(self, number: int, line: str) -> None:
        content = json.loads(line)
        if number == 1:
            _check_header(content)
            return
        if not isinstance(content, dict) or len(content) != 1:
            raise TypeError("an object with one field is expected")
        ((kind, value),) = content.items()
        _check_numbers(value)
        if (self._run is None) != (kind == "run"):
            raise KeyError(f"'{kind}' does not belong here")
        add: dict[str, Callable[[Any], None]] = {
            "run": self._add_run,
            "sample": self._add_sample,
            "reply": self._add_reply,
            "score": self._add_score,
            "end": self._add_end,
        }
        if kind in BESIDE:
            self._add_beside(kind, value)
        else:
            add[kind](value)

    def finish(self, number: int) -> None:
        if self._run is not None or not number:
            raise InputError(f"the file ends early, after line {number}", "export it anew")

    def _count(self, kind: str, *, new: bool) -> None:
        (self.new if new else self.known)[kind] += 1

    def _add_run(self, fields: dict[str, Any]) -> None:
        run = msgspec.convert(fields, Run)
        if run.id != run_id(fields["fingerprint"]):  # it stands in SQL, and is shown
            raise ValueError(f"{run.id!r} is no name of a run with this fingerprint")
        self._run = fields
        self._digest, self._rows = digest(sorted(fields["config"]["metrics"].values())), 0
        sql = "SELECT 1 FROM runs WHERE fingerprint = ?"
        self._is_known = self._db.execute(sql, (fields["fingerprint"],)).fetchone() is not None
        self._number = rows.new_number(self._db)
        self._count("run", new=not self._is_known)

    def _add_sample(self, fields: dict[str, Any]) -> None:
        self._rows += 1
        if fields.pop("row") != self._rows:
            raise KeyError(f"sample {self._rows} is missing")
        sample = msgspec.convert(fields, Sample)
        body = rows.write_sample(self._db, self._number, self._rows, sample)
        self._digest = digest([self._digest, body])
        self._count("sample", new=not self._is_known)

    def _add_reply(self, fields: dict[str, Any]) -> None:
        payer, kept_at = fields.pop("run"), fields.pop("at")
        reply = msgspec.convert(fields, Reply)
        n_changes = self._db.total_changes
        if not rows.has_replies(self._db, [reply.key]):
            rows.write_reply(self._db, reply, payer, at=kept_at)
        self._count("reply", new=self._db.total_changes > n_changes)

    def _checked_id(self) -> str:
        """The run's id, once all its samples are added and fit the fingerprint."""
        assert self._run is not None  # noqa: S101 - `line` saw to it
        if self._number:
            fits = self._digest == self._run["fingerprint"] and self._rows == self._run["n_samples"]
            if not fits:
                fault = f"run {self._run['id']} is not what it was named by: a sample was changed"
                raise InputError(fault, "export it anew")
            if self._is_known:
                self._db.execute("DELETE FROM samples WHERE run = ?", (self._number,))
                self._db.execute("DELETE FROM names WHERE id = ?", (self._number,))
            else:
                rows.rename(self._db, self._number, self._run["id"])
            self._number = 0
        return str(self._run["id"])

    def _add_score(self, fields: dict[str, Any]) -> None:
        run, scored = self._checked_id(), msgspec.convert(fields, _Score)
        outcome: Outcome | None = scored.score or scored.unscored
        if self._run is None or scored.metric not in self._run["config"]["metrics"]:
            raise KeyError(f"a score by '{scored.metric}', which the run has not")
        if not 1 <= scored.row <= self._run["n_samples"]:
            raise KeyError(f"a score of row {scored.row}, which the run has not")
        if outcome is None:
            raise KeyError("a score without a value or a reason")
        if isinstance(outcome, Score):
            _check_range(outcome.value, self._run["config"].get("about", {}).get(scored.metric, {}))
        sql = f"SELECT why FROM jobs WHERE run = {rows.NAME} AND metric = {rows.NAME} AND row = ?"
        existing = self._db.execute(sql, (run, scored.metric, scored.row)).fetchone()
        failed = isinstance(outcome, Unscored) and outcome.why == "failed"
        new = existing is None or (existing[0] == "failed" and not failed)
        if new:
            values = rows.outcome_values(outcome, scored.replies)
            key = run, scored.row, scored.metric
            rows.write_outcome(self._db, key, values, self._store.dictionary(run, scored.row))
        self._count("score", new=new)

    def _add_beside(self, table: str, fields: dict[str, Any]) -> None:
        values = [fields[column] for column in COVERED[table].split(", ")]
        insert(self._db, table, *values, verb="INSERT OR IGNORE")

    def _add_end(self, run: str) -> None:
        assert self._run is not None  # noqa: S101 - `line` saw to it
        if self._checked_id() != run:
            raise KeyError(f"the end of {run} within another run")
        if self._is_known:
            self._merge()
        else:
            rows.write_run(self._db, self._run)
        self._describe(run)
        self.runs.append(run)
        self._run = None

    def _describe(self, run: str) -> None:
        """Add the description of the imported run to the one that is here."""
        imported = msgspec.convert(self._run, Run).description
        if imported:
            existing = self._store.run(run).description
            write_description(self._db, run, imported.updated(existing))

    def _merge(self) -> None:
        """Note that the run has ended, if it has there and not here."""
        assert self._run is not None  # noqa: S101 - `_add_end` saw to it
        if self._run["finished"]:
            with amended(self._db, "runs", "id = ?", self._run["id"]):
                self._db.execute(
                    "UPDATE runs SET finished = ?, stopped = '', skipped = ?"
                    " WHERE id = ? AND finished IS NULL",
                    (self._run["finished"], self._run["skipped"], self._run["id"]),
                )


def _check_numbers(value: Any, name: str = "") -> None:
    """See that no number is one that cannot be: whatever is computed of them stays finite.

    Raises:
        ValueError: If one is.
    """
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in _OF_THE_USER:
                _check_numbers(item, name if name in _OF_NUMBERS else key)
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item, name)
    elif isinstance(value, int | float):
        low, high = _RANGES.get(name, (-LARGEST, LARGEST))
        if not low <= value <= high or (name in _COUNTS and isinstance(value, float)):
            digits = len(str(value))
            short = isinstance(value, float) or digits <= _MAX_DIGITS
            size = f"{value:.6g}" if short else f"of {digits} digits"
            raise ValueError(f"'{name}' is a number that cannot be: {size}")


def _check_range(value: float, facts: Mapping[str, Any]) -> None:
    low, high = facts.get("range") or (None, None)
    below = low is not None and value < low - _ROUNDING
    if below or (high is not None and value > high + _ROUNDING):
        raise ValueError(f"the score {value:.6g} lies outside its metric's range")


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError("the file holds no runs", "`assay export STORE > runs.jsonl` writes one")
    if header.get("version") != VERSION:
        fault = f"the file is of version {header.get('version')}, and this assay reads {VERSION}"
        raise InputError(fault, "upgrade assay")
