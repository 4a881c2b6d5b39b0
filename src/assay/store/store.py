"""What is known for good: replies, runs, samples and scores, in one SQLite file."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec

from assay.errors import InputError
from assay.judge import Reply
from assay.sample import Sample
from assay.score import Outcome
from assay.store import rows
from assay.store.batches import Batches
from assay.store.judges import Judges
from assay.store.keys import digest, long_keys, run_id, short_key
from assay.store.known import TEXT
from assay.store.opening import connections, told
from assay.store.packing import Kept, unpacked
from assay.store.records import Run, Spent
from assay.store.writer import Writer

PAGE = 256
RECENT = 512  # samples whose scores are most likely written or read next


_OF = f"run = {rows.NAME} AND metric = {rows.NAME}"


class Store:
    """One SQLite file (WAL). Several processes may use it at once.

    Args:
        path: The file; made if it is not there.

    Attributes:
        judges: What is known of the judges themselves.
        batches: What providers were asked in batches and still owe.

    Raises:
        InputError: If it is not a store, or cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._db, writing = connections(self.path)
        # One connection for reading, whichever thread asks: readers take turns.
        self._reading = threading.RLock()
        self._recent: dict[tuple[str, int], bytes] = {}
        self._writer = Writer(writing, self.path.absolute())
        self.judges = Judges(self.query, self._writer)
        self.batches = Batches(self.query, self._writer)

    def close(self) -> None:
        """Commit what is queued and close the file."""
        self._writer.close()
        with self._reading:  # another thread may still be taking samples in
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def query(self, sql: str, *values: object) -> list[Any]:
        """All rows of a query, for those who look after the store itself."""
        with self._reading:
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """All queries see the file at one moment, whatever other processes drop meanwhile."""
        with self._reading:
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """The connection, to change many rows at once: all of it or nothing.

        Raises:
            InputError: If the file cannot be written.
        """
        with self._reading, told(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:  # SQLite itself takes back what a full disk cut short
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # Replies

    def reply(self, key: str) -> Reply | None:
        """The reply under a key, None if there is none yet."""
        if not self.has_reply(key):  # the usual case, at a fraction of the cost
            return None
        with self._at_once():
            found = self.query(f"SELECT {rows.REPLY} WHERE r.key = ?", short_key(key))
            return rows.reply(found[0], self._text) if found else None

    def has_reply(self, key: str) -> bool:
        """Whether there is a reply under a key."""
        return bool(self.query("SELECT 1 FROM replies WHERE key = ?", short_key(key)))

    def names(self) -> frozenset[str]:
        """All back ends, runs, kinds of tasks, metrics and methods that were ever met."""
        return frozenset(name for (name,) in self.query("SELECT name FROM names"))

    async def keep_reply(self, reply: Reply, run: str) -> Reply:
        """Commit a reply; an equal key keeps what it has, which is given back then."""
        recent, new = self._writer.recent, [True]
        await self._writer.commit(lambda db: new.append(rows.write_paid(db, reply, run, recent)))
        return reply if new[-1] else self.reply(reply.key) or reply

    def spent(self, run: str) -> Spent:
        """What a run has paid for."""  # a draw below 0: billed, and no reply
        sums = "total(draw >= 0), total(tokens_in), total(tokens_out), total(ms)"
        sql = f"SELECT {sums} FROM replies WHERE run = {rows.NAME}"
        calls, read, written, ms = self.query(sql, run)[0]
        return Spent(int(calls), int(read), int(written), ms)

    def charged(self, run: str, free: Iterable[str]) -> tuple[int, int]:
        """(prompt tokens, reply tokens) that a run paid for, but those embedded.

        Args:
            run: The run.
            free: Names of judges that cost no money.
        """
        names = list(free)
        # An identity is a name, and what is asked behind "#".
        other = " AND substr(b.name || '#', 1, length(?) + 1) != ? || '#'" * len(names)
        read, written = self.query(
            "SELECT total(tokens_in), total(tokens_out) FROM replies r"
            " JOIN names b ON b.id = r.backend JOIN names k ON k.id = r.kind"
            f" WHERE r.run = {rows.NAME} AND k.name NOT IN ('embed', 'embed_texts'){other}",
            run,
            *(name for each in names for name in (each, each)),
        )[0]
        return int(read), int(written)

    def usual(self, backend: str, kind: str) -> tuple[int, float]:
        """How many replies of a back end to a kind of task there are, and their mean tokens."""
        where = f"kind = {rows.NAME} AND backend = {rows.NAME} AND draw >= 0"
        sql = f"SELECT count(*), total(tokens_out) FROM replies WHERE {where}"
        n, written = self.query(sql, kind, backend)[0]
        return n, written / n if n else 0.0

    def used(self, run: str) -> int:
        """How many replies the scores of a run rest on, one that several rest on counted often."""
        words = "length(replies) - length(replace(replies, ' ', '')) + 1"
        keys = f"CASE typeof(replies) WHEN 'blob' THEN length(replies) / 16 ELSE {words} END"
        sql = f"SELECT total({keys}) FROM jobs WHERE run = {rows.NAME} AND replies != ''"
        return int(self.query(sql, run)[0][0])

    def _text(self, number: str) -> str:
        found = self.query("SELECT body FROM texts WHERE id = ?", int(number))
        if not found:
            what = f"text {number} is not in {self.path} any more"
            raise InputError(what, "another process dropped its run, or the file is damaged")
        return unpacked(found[0][0], TEXT)

    # Runs

    def begin(self, samples: Iterable[Sample], config: Mapping[str, Any], source: str) -> Run:
        """Take in the samples and name the run by its content; the same content is the same run.

        All or nothing: if `samples` raises (invalid rows), nothing is kept.
        """
        with self.changing() as db:
            run = self._take_in(db, samples, config, source)
            db.execute(rows.ASKED, (run,))
        return self.run(run)

    def _take_in(
        self,
        db: sqlite3.Connection,
        samples: Iterable[Sample],
        config: Mapping[str, Any],
        source: str,
    ) -> str:
        # Signatures name all that could change a score; the rest of the config only explains.
        fingerprint, n = digest(sorted(config["metrics"].values())), 0
        db.execute("SAVEPOINT samples")
        number = rows.new_name(db)
        for n, sample in enumerate(samples, start=1):
            body = rows.write_sample(db, number, n, sample)
            fingerprint = digest([fingerprint, body])
        known = db.execute("SELECT id FROM runs WHERE fingerprint = ?", (fingerprint,)).fetchone()
        if known:
            db.execute("ROLLBACK TO samples")
            if config.get("price"):  # told only now, or another than before
                db.execute(
                    "UPDATE runs SET config = json_set(config, '$.price', json(?)) WHERE id = ?",
                    (msgspec.json.encode(config["price"]).decode(), known[0]),
                )
            return str(known[0])
        run = run_id(fingerprint)
        rows.rename(db, number, run)
        db.execute(
            "INSERT INTO runs (id, fingerprint, source, config, n_samples, skipped)"
            " VALUES (?, ?, ?, ?, ?, 0)",
            (run, fingerprint, source, msgspec.json.encode(config).decode(), n),
        )
        return run

    def run(self, name: str = "last") -> Run:
        """The run whose id begins with `name`; "last" is the user's own that was last asked for.

        Raises:
            InputError: If there is none, or more than one.
        """
        if name == "last":
            ids = [id_ for (id_,) in self.query(rows.LATEST)]
            name = next((id_ for id_ in ids if not self.run(id_).derived), (*ids, name)[0])
        found = self._runs("id >= ? AND id < ? || char(1114111)", name, name)  # the last character
        if len(found) != 1:
            problem = "several runs begin" if found else "no run begins"
            raise InputError(f"{problem} with '{name}' in {self.path}", "`assay runs` lists them")
        return found[0]

    def runs(self, limit: int | None = None) -> list[Run]:
        """All runs or so many of them, the newest first."""
        newest = "SELECT id FROM runs ORDER BY created DESC, rowid DESC LIMIT ?"
        return self._runs(f"id IN ({newest})", -1 if limit is None else limit)

    def _runs(self, which: str, *values: object) -> list[Run]:
        sql = f"SELECT {rows.RUN} FROM runs WHERE {which} ORDER BY created DESC, rowid DESC"
        return [
            Run(id_, source, msgspec.json.decode(config), *rest)
            for id_, source, config, *rest in self.query(sql, *values)
        ]

    async def end(self, run: str, *, seconds: float, stopped: str, skipped: int) -> None:
        """Record that a run ended, or why it stopped."""

        def write(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE runs SET seconds = seconds + ?, stopped = ?, skipped = ?, finished ="
                f" CASE WHEN ? = '' THEN {rows.NOW} END WHERE id = ?",
                (seconds, stopped, skipped, stopped, run),
            )

        await self._writer.commit(write)

    def fingerprint(self, run: str) -> str:
        """What a run is named by: a digest of its samples and of its metrics' signatures."""
        return str(self.query("SELECT fingerprint FROM runs WHERE id = ?", run)[0][0])

    # Samples and scores

    def samples(self, run: str, start: int = 0) -> Iterator[tuple[int, Sample]]:
        """(row, sample) of a run in order, read in pages so that memory stays bounded."""
        sql = "SELECT row, body FROM samples WHERE run = {} AND row > ? ORDER BY row LIMIT ?"
        while page := self.query(sql.format(rows.NAME), run, start, PAGE):
            for row, body in page:
                sample = self._sample(body)
                self._remember(run, row, sample)
                yield row, sample
            start = page[-1][0]

    def sample(self, run: str, sample_id: str) -> tuple[int, Sample]:
        """(row, sample) by the sample's id.

        Raises:
            InputError: If the run has no such sample.
        """
        sql = f"SELECT row, body FROM samples WHERE run = {rows.NAME} AND id = ?"
        found = self.query(sql, run, sample_id)
        if not found:
            raise InputError(f"run {run} has no sample '{sample_id}'", "`assay show` names some")
        return found[0][0], self._sample(found[0][1])

    def fields(self, run: str) -> Iterator[dict[str, msgspec.Raw]]:
        """The fields of each sample in order, as they are kept: equal ones are the same bytes."""
        sql = "SELECT row, body FROM samples WHERE run = {} AND row > ? ORDER BY row LIMIT ?"
        start = 0
        while page := self.query(sql.format(rows.NAME), run, start, PAGE):
            yield from (rows.fields(body) for _, body in page)
            start = page[-1][0]

    def groups(self, run: str) -> dict[int, str]:
        """The group of each row that names one: a document, a conversation. Reads no texts."""
        sql = "SELECT row, body FROM samples WHERE run = {} AND row > ? ORDER BY row LIMIT ?"
        found, start = {}, 0
        while page := self.query(sql.format(rows.NAME), run, start, PAGE):
            for row, body in page:
                if (group := rows.group(body)) is not None:
                    found[row] = group
            start = page[-1][0]
        return found

    def _sample(self, body: Kept) -> Sample:
        return rows.sample(body, self._text)

    def _remember(self, run: str, row: int, sample: Sample | None) -> bytes:
        known = rows.beside(sample) if sample else b""
        with self._reading:
            self._recent[run, row] = known
            if len(self._recent) > RECENT:
                del self._recent[next(iter(self._recent))]
        return known

    def _beside(self, run: str, row: int) -> bytes:
        """What the evidence of a sample is packed beside."""
        known = self._recent.get((run, row))
        if known is not None:
            return known
        sql = f"SELECT body FROM samples WHERE run = {rows.NAME} AND row = ?"
        found = self.query(sql, run, row)
        return self._remember(run, row, self._sample(found[0][0]) if found else None)

    def done(self, run: str, start: int, end: int) -> set[tuple[int, str]]:
        """(row, metric) of the rows start..end that need not be scored again.

        A failed score is not done: the same command tries it again.
        """
        return set(self.query(rows.DONE, run, run, run, start, end))

    def counts(self, run: str) -> dict[str, dict[str, int]]:
        """For each metric: how many are scored (""), undefined and failed."""
        sql = (
            "SELECT name, why, count(*) FROM jobs JOIN names ON names.id = metric"
            f" WHERE run = {rows.NAME} GROUP BY metric, why"
        )
        found: dict[str, dict[str, int]] = {}
        for metric, why, n in self.query(sql, run):
            found.setdefault(metric, {})[why] = n
        return found

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
        known = self._beside(run, row)
        whole = True

        def write(db: sqlite3.Connection) -> None:
            nonlocal whole
            whole = rows.has_replies(db, keys)
            if whole:
                rows.write_outcome(db, (run, row, metric), values, known, self._writer.recent)

        await self._writer.commit(write)
        return whole

    def values(self, run: str, metric: str) -> list[tuple[int, float | None, str]]:
        """(row, value, why) of a metric in order of rows: the numbers without their evidence."""
        return self.query(f"SELECT row, value, why FROM jobs WHERE {_OF} ORDER BY row", run, metric)

    def methods(self, run: str, metric: str) -> list[str]:
        """The distinct methods by which a metric was computed, where not as defined."""
        methods = f"SELECT DISTINCT method FROM jobs WHERE {_OF} AND why = ''"
        sql = f"SELECT name FROM names WHERE id IN ({methods}) AND name != '' ORDER BY id"
        return [method for (method,) in self.query(sql, run, metric)]

    def why_failed(self, run: str, metric: str) -> str:
        """The commonest reason for which the judge failed on a metric; "" if it did not."""
        sql = (
            f"SELECT detail FROM jobs WHERE {_OF} AND why = 'failed'"
            " GROUP BY detail ORDER BY count(*) DESC, min(row) LIMIT 1"
        )
        found = self.query(sql, run, metric)
        return str(found[0][0]) if found else ""

    def outcome(self, run: str, row: int, metric: str) -> Outcome | None:
        """One score with its evidence, None if it is not there (yet)."""
        sql = f"SELECT {rows.OUTCOME} FROM jobs WHERE {_OF} AND row = ?"
        found = self.query(sql, run, metric, row)
        return rows.outcome(found[0], self._beside(run, row)) if found else None

    def replies(self, run: str, row: int, metric: str) -> list[Reply]:
        """The replies that a score rests on, in the order in which they were asked for."""
        keys = self.reply_keys(run, row, metric)
        return [reply for key in keys if (reply := self.reply(key)) is not None]

    def reply_keys(self, run: str, row: int, metric: str) -> list[str]:
        """Their keys."""
        found = self.query(f"SELECT replies FROM jobs WHERE {_OF} AND row = ?", run, metric, row)
        return long_keys(found[0][0]) if found else []
