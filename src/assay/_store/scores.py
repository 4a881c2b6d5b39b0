"""The scores of a store, and the alerts that were raised over them."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from assay._store import rows
from assay._store.connection import PAGE, File, paged
from assay._store.integrity import (
    Damaged,
    Key,
    amended,
    insert,
    long_keys,
    split_keys,
    value_checksum,
)
from assay._store.judges import Replies, judge_named
from assay._store.schema import Stored
from assay._text.misspelt import did_you_mean
from assay.errors import InputError
from assay.judge import Reply
from assay.sample import Sample
from assay.score import Outcome

_DIGITS = 10  # of a number that may be a row's
_COMPARED = 10_000  # ids with which a misspelt one is compared


@dataclass(frozen=True, slots=True)
class StoredAlert:
    """What a watch has told."""

    watch: str  # name of the watch
    look: int  # number of the look, from 1
    stream: str  # what it is about: a metric, or a metric in a segment
    body: Mapping[str, Any]  # the evidence
    pending: tuple[str, ...] = ()  # where it has still to be sent


class Alerts:
    """The alerts of one store. What is kept is on disk when the call returns."""

    def __init__(self, file: File) -> None:
        self._file = file

    def add(self, alerts: Sequence[StoredAlert]) -> list[StoredAlert]:
        """Keep those that are not known, and give them; of one look a stream has one alert."""
        new = []
        with self._file.changing() as db:
            for alert in alerts:
                texts = (
                    msgspec.json.encode(names).decode() for names in (alert.body, alert.pending)
                )
                key = alert.watch, alert.look, alert.stream
                if insert(db, "alerts", *key, *texts, verb="INSERT OR IGNORE"):
                    new.append(alert)
        return new

    def of(self, watch: str) -> list[StoredAlert]:
        """All that a watch has told, in the order of its looks."""
        rows = self._file.covered("alerts", "WHERE watch = ? ORDER BY look, stream", watch)
        return [
            StoredAlert(
                name, look, stream, msgspec.json.decode(body), tuple(_read_pending(pending))
            )
            for name, look, stream, body, pending in rows
        ]

    def sent(self, alert: StoredAlert, to: str) -> None:
        """Record that an alert has arrived."""
        left = [channel for channel in alert.pending if channel != to]
        condition, key = (
            "watch = ? AND look = ? AND stream = ?",
            (alert.watch, alert.look, alert.stream),
        )
        with self._file.changing() as db, amended(db, "alerts", condition, *key):
            text = msgspec.json.encode(left).decode()
            db.execute(f"UPDATE alerts SET pending = ? WHERE {condition}", (text, *key))


def _read_pending(pending: str) -> list[str]:
    return msgspec.json.decode(pending, type=list[str])


RECENT = 512  # samples whose scores are most likely written or read next
_OF = f"run = {rows.NAME} AND metric = {rows.NAME}"
# The metrics of a run are looked up one after the other: "distinct" would read all of its rows.
_DONE = f"""
    WITH RECURSIVE metrics (id) AS (
        SELECT min(metric) FROM jobs WHERE run = {rows.NAME}
        UNION ALL
        SELECT (SELECT min(metric) FROM jobs WHERE run = {rows.NAME} AND metric > metrics.id)
        FROM metrics WHERE id IS NOT NULL
    )
    SELECT row, name FROM metrics CROSS JOIN jobs ON metric = metrics.id
    JOIN names ON names.id = metric
    WHERE run = {rows.NAME} AND row BETWEEN ? AND ? AND why != 'failed'
"""


class Samples(File):
    """The samples of one store's runs, read in pages so that memory stays bounded."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self._recent: dict[tuple[str, int], bytes] = {}

    def samples(self, run: str, start: int = 0) -> Iterator[tuple[int, Sample]]:
        """(row, sample) of a run in order, those after row `start`."""
        for page in self._pages(run, start):
            for row, body in page:
                yield row, self._read_pending(run, row, body)

    def sample(self, run: str, sample_id: str) -> tuple[int, Sample]:
        """(row, sample) by the sample's id.

        Raises:
            InputError: If the run has no such sample.
        """
        sql = f"SELECT {rows.SAMPLE} FROM samples WHERE run = {rows.NAME} AND id = ?"
        matching = self._bodies(run, sql, sample_id)
        if not matching:
            raise self.no_sample(run, sample_id)
        return matching[0][0], self._sample(matching[0][1])

    def no_sample(self, run: str, sample_id: str) -> InputError:
        """The error that a run has no such sample, with the one that was probably meant."""
        sql = f"SELECT id FROM samples WHERE run = {rows.NAME} AND row = ?"
        number = int(sample_id) if sample_id.isdecimal() and len(sample_id) < _DIGITS else 0
        like_ids = [name for (name,) in self.query(sql, run, number)]
        hint = f"did you mean '{like_ids[0]}'?" if like_ids else ""
        if not like_ids:
            sql = f"SELECT id FROM samples WHERE run = {rows.NAME} ORDER BY row LIMIT ?"
            names = [name for (name,) in self.query(sql, run, _COMPARED)]
            hint = did_you_mean(sample_id, names) or "`assay show` names some"
        return InputError(f"run {run} has no sample '{sample_id}'", hint)

    def sample_at(self, run: str, row: int) -> Sample:
        """The sample of a row.

        Raises:
            InputError: If the run has no such row.
        """
        sql = f"SELECT {rows.SAMPLE} FROM samples WHERE run = {rows.NAME} AND row = ?"
        bodies = self._bodies(run, sql, row)
        if not bodies:
            raise InputError(f"run {run} has no sample in row {row}")
        return self._read_pending(run, row, bodies[0][1])

    def fields(self, run: str) -> Iterator[dict[str, msgspec.Raw]]:
        """The fields of each sample in order, as they are kept: equal ones are the same bytes."""
        for page in self._pages(run):
            yield from (rows.read_fields(body) for _, body in page)

    def groups(self, run: str) -> dict[int, str]:
        """The group of each row that names one: a document, a conversation. Reads no texts."""
        by_row = ((row, rows.read_group(body)) for page in self._pages(run) for row, body in page)
        return {row: group for row, group in by_row if group is not None}

    def _pages(self, run: str, start: int = 0) -> Iterator[list[tuple[int, Stored]]]:
        """(row, body) of the rows after `start`, in order, a bounded number at once."""
        condition = f"run = {rows.NAME} AND row > ? ORDER BY row LIMIT ?"
        sql = f"SELECT {rows.SAMPLE} FROM samples WHERE {condition}"
        while page := self._bodies(run, sql, start, PAGE):
            yield page
            start = page[-1][0]

    def _bodies(self, run: str, sql: str, *values: object) -> list[tuple[int, Stored]]:
        """(row, body) of samples, each checked against its checksum."""
        samples = self.query(sql, run, *values)
        for stored_sum, number, row, *body_values in samples:
            self._intact(f"sample {row} of run {run}", stored_sum, number, row, *body_values)
        return [(row, body) for _, _, row, _, body in samples]

    def _sample(self, body: Stored) -> Sample:
        def resolver(numbers: set[int]) -> rows.Resolve:
            texts = self._texts([*numbers])
            return lambda number: texts.get(number) or self._text(number)

        return rows.read_sample(body, resolver)

    def _read_pending(self, run: str, row: int, body: Stored) -> Sample:
        """The sample of a body; the dictionary of its evidence is remembered."""
        sample = self._sample(body)
        self._remember(run, row, rows.evidence_dictionary(sample))
        return sample

    def _remember(self, run: str, row: int, known: bytes) -> bytes:
        with self._reading:
            self._recent[run, row] = known
            if len(self._recent) > RECENT:
                del self._recent[next(iter(self._recent))]
        return known

    def dictionary(self, run: str, row: int) -> bytes:
        """What the evidence of a sample is packed beside."""
        dictionary = self._recent.get((run, row))
        if dictionary is not None:
            return dictionary
        sql = f"SELECT {rows.SAMPLE} FROM samples WHERE run = {rows.NAME} AND row = ?"
        bodies = self._bodies(run, sql, row)
        dictionary = rows.evidence_dictionary(self._sample(bodies[0][1])) if bodies else b""
        return self._remember(run, row, dictionary)


class Scores(Samples, Replies):
    """The scores of one store, each with its evidence and the replies it rests on."""

    def done(self, run: str, start: int, end: int) -> set[tuple[int, str]]:
        """(row, metric) of the rows start..end that need not be scored again.

        A failed score is not done: the same command tries it again.
        """
        return set(self.query(_DONE, run, run, run, start, end))

    def unscored(self, run: str, metrics: Sequence[str]) -> Iterator[tuple[int, Sample, list[str]]]:
        """(row, sample, metrics) of the scores that are not done, in order of rows.

        A sample of which all scores are done is not read.
        """
        for page in self._pages(run):
            keys_done = self.done(run, page[0][0], page[-1][0])
            for row, body in page:
                if missing := [metric for metric in metrics if (row, metric) not in keys_done]:
                    yield row, self._read_pending(run, row, body), missing

    def scored(
        self, run: str, metrics: Sequence[str]
    ) -> Iterator[tuple[int, Sample, dict[str, Outcome]]]:
        """(row, sample, outcomes by metric) in order of rows; what is not there is left out."""
        sql = f"SELECT {rows.OUTCOME} FROM jobs WHERE {_OF} AND row BETWEEN ? AND ?"
        for page in self._pages(run):
            ends = page[0][0], page[-1][0]
            stored = {m: {o[1]: o for o in self.query(sql, run, m, *ends)} for m in metrics}
            for row, body in page:
                sample = self._sample(body)
                dictionary = rows.evidence_dictionary(sample)
                outcomes = {
                    m: self._outcome(run, m, stored[m][row], dictionary)
                    for m in metrics
                    if row in stored[m]
                }
                yield row, sample, outcomes

    def counts(self, run: str) -> dict[str, dict[str, int]]:
        """For each metric: how many are scored (""), undefined and failed."""
        sql = (
            "SELECT name, why, count(*) FROM jobs JOIN names ON names.id = metric"
            f" WHERE run = {rows.NAME} GROUP BY metric, why"
        )
        counts: dict[str, dict[str, int]] = {}
        for metric, reason, n in self.query(sql, run):
            counts.setdefault(metric, {})[reason] = n
        return counts

    async def keep_outcome(
        self, run: str, row: int, metric: str, outcome: Outcome, keys: Sequence[str]
    ) -> bool:
        """Commit the score of one sample by one metric with the replies it rests on.

        A score that is there already outlasts a failure.

        Returns:
            Whether all these replies are there. If another process has dropped one since it was
            read, nothing is kept.
        """
        values = rows.outcome_values(outcome, keys)
        dictionary = self.dictionary(run, row)
        all_there = True

        def write(db: sqlite3.Connection) -> None:
            nonlocal all_there
            all_there = rows.has_replies(db, keys, self._writer.recent)
            if all_there:
                rows.write_outcome(db, (run, row, metric), values, dictionary, self._writer.recent)

        await self._writer.commit(write)
        return all_there

    def values(self, run: str, metric: str) -> list[tuple[int, float | None, str]]:
        """(row, value, why) of a metric in order of rows: the numbers without their evidence."""
        return self._values(run, metric, "TRUE")

    def numbers(self, run: str, metric: str) -> dict[int, float]:
        """The scores of a metric by row, of the rows that have one."""
        values = self.values(run, metric)
        return {row: value for row, value, _ in values if value is not None}

    def values_at(
        self, run: str, metric: str, places: Sequence[int]
    ) -> dict[int, tuple[float | None, str]]:
        """(value, why) of a metric by row, of these rows; what is not there is left out."""
        condition = f"row IN ({', '.join('?' * len(places))})"
        values = self._values(run, metric, condition, *places)
        return {row: (value, reason) for row, value, reason in values}

    def _values(
        self, run: str, metric: str, condition: str, *rows_wanted: int
    ) -> list[tuple[int, float | None, str]]:
        columns = "value_checksum, row, value, why"
        sql = f"SELECT {columns} FROM jobs WHERE {_OF} AND {condition} ORDER BY row"
        values = self.query(sql, run, metric, *rows_wanted)
        for stored_sum, row, value, reason in values:
            if value_checksum(run, metric, row, value, reason) != stored_sum:
                fault = f"the score of run {run}, row {row} by {metric} is not what was written"
                raise Damaged(fault, self.path)
        return [(row, value, reason) for _, row, value, reason in values]

    def methods(self, run: str, metric: str) -> list[str]:
        """The distinct methods by which a metric was computed, where not as defined."""
        # By their rows, as they lie: by their values each would be another page of the file.
        methods = f"SELECT DISTINCT method FROM jobs WHERE {_OF} AND row >= 0 AND why = ''"
        sql = f"SELECT name FROM names WHERE id IN ({methods}) AND name != '' ORDER BY id"
        return [method for (method,) in self.query(sql, run, metric)]

    def why_failed(self, run: str, metric: str) -> str:
        """The commonest reason for which the judge failed on a metric; "" if it did not."""
        sql = (
            f"SELECT detail FROM jobs WHERE {_OF} AND why = 'failed'"
            " GROUP BY detail ORDER BY count(*) DESC, min(row) LIMIT 1"
        )
        details = self.query(sql, run, metric)
        return str(details[0][0]) if details else ""

    def outcome(self, run: str, row: int, metric: str) -> Outcome | None:
        """One score with its evidence, None if it is not there (yet)."""
        sql = f"SELECT {rows.OUTCOME} FROM jobs WHERE {_OF} AND row = ?"
        outcomes = self.query(sql, run, metric, row)
        return (
            self._outcome(run, metric, outcomes[0], self.dictionary(run, row)) if outcomes else None
        )

    def _outcome(self, run: str, metric: str, stored: Sequence[Any], dictionary: bytes) -> Outcome:
        description = f"the score of run {run}, row {stored[1]} by {metric}"
        self._intact(description, stored[0], run, metric, *stored[1:])
        _, _, value, reason, detail, _, evidence, _ = stored
        return rows.outcome(value, reason, detail, evidence, dictionary)

    def replies(self, run: str, row: int, metric: str) -> list[Reply]:
        """The replies that a score rests on, in the order in which they were asked for."""
        keys = self.reply_keys(run, row, metric)
        return [reply for key in keys if (reply := self.reply(key)) is not None]

    def reply_keys(self, run: str, row: int, metric: str) -> list[str]:
        """Their keys."""
        keys = self.query(f"SELECT replies FROM jobs WHERE {_OF} AND row = ?", run, metric, row)
        return long_keys(keys[0][0]) if keys else []

    def answered_by(self, run: str, metrics: Sequence[str]) -> dict[tuple[str, str], int]:
        """How many scores rest on replies of each model, by (judge, model) as they are named."""
        counts: Counter[tuple[str, str]] = Counter()
        if not self.query("SELECT 1 FROM answering_models LIMIT 1"):  # most judges name none
            return counts
        sql = f"SELECT row, replies FROM jobs WHERE {_OF} AND why = '' AND row > ?"
        for metric in metrics:
            scores = paged(self.query, f"{sql} ORDER BY row LIMIT ?", run, metric)
            while page := [split_keys(keys) for _, keys in islice(scores, PAGE)]:
                models = self._models({key for keys in page for key in keys})
                for keys in page:
                    counts.update({models[key] for key in keys if key in models})
        return counts

    def _models(self, keys: Collection[Key]) -> dict[Key, tuple[str, str]]:
        """(judge, model) of the replies under these keys that name a model."""
        replies, left = list[tuple[Key, int, int]](), iter(keys)
        while some := list(islice(left, PAGE)):
            replies += self.query(
                "SELECT reply, backend, model FROM answering_models JOIN replies ON key = reply"
                f" WHERE reply IN ({', '.join('?' * len(some))})",
                *some,
            )
        numbers = {number for _, *both in replies for number in both}
        names = {number: self._name(number) for number in numbers}
        # A judge has an identity for each prompt that it is asked with.
        judges = {number: judge_named(name) for number, name in names.items()}
        return {key: (judges[backend], names[model]) for key, backend, model in replies}

    def _name(self, number: int) -> str:
        return str(self.query("SELECT name FROM names WHERE id = ?", number)[0][0])

    def used(self, run: str) -> int:
        """How many replies the scores of a run rest on, one that several rest on counted often."""
        words = "length(replies) - length(replace(replies, ' ', '')) + 1"
        keys = f"CASE typeof(replies) WHEN 'blob' THEN length(replies) / 16 ELSE {words} END"
        sql = f"SELECT total({keys}) FROM jobs WHERE run = {rows.NAME} AND replies != ''"
        return int(self.query(sql, run)[0][0])
