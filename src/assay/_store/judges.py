"""Judges: their replies and what was paid for them, their noise and fingerprints, open batches."""

import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from assay._store import rows
from assay._store.connection import File, Writer
from assay._store.integrity import (
    COVERED,
    amended,
    long_keys,
    short_key,
    short_keys,
    split_keys,
)
from assay._store.runs import Spent
from assay.judge import PROBES, Reply

# Providers keep what a batch brought for so long; what was not fetched by then is lost.
KEPT_SECONDS = 30 * 86_400
# Keys looked for in one query.
PAGE = 500
_DIGEST = re.compile(r"#\w+")
# Replies that are remembered, and how long one is at most: metrics of a sample ask the same.
REMEMBERED, LONGEST = 256, 20_000


class Replies(File):
    """The replies of one store.

    Attributes:
        paid: What was paid for the replies that were kept by this object.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.paid = Spent(0, 0, 0, 0.0)
        self._new_replies: dict[str, Reply] = {}  # by this object, of late

    def reply(self, key: str) -> Reply | None:
        """The reply under a key, None if there is none yet."""
        if not self.has_reply(key):  # the usual case, at a fraction of the cost
            return None
        if kept := self._new_replies.get(key):
            return kept
        with self._at_once():
            matching = self.query(f"SELECT {rows.REPLY} WHERE r.key = ?", short_key(key))
            if not matching:
                return None
            self._intact(f"reply {key}", *matching[0])
            reply = rows.read_reply(matching[0], self._text)
            sql = f"SELECT checksum, {COVERED['prompt_cache']} FROM prompt_cache WHERE reply = ?"
            for digest, *cached in self.query(sql, short_key(key)) if reply.tokens_in else ():
                self._intact(f"the cached tokens of reply {key}", digest, *cached)
                reply = replace(reply, cached_in=cached[1], cache_written=cached[2])
            sql = f"SELECT checksum, {COVERED['answering_models']} FROM answering_models"
            for digest, *answered in self.query(f"{sql} WHERE reply = ?", short_key(key)):
                self._intact(f"the model of reply {key}", digest, *answered)
                reply = replace(reply, model=answered[1])
            return reply

    def has_reply(self, key: str) -> bool:
        """Whether there is a reply under a key."""
        return bool(self.query("SELECT 1 FROM replies WHERE key = ?", short_key(key)))

    def names(self) -> frozenset[str]:
        """All backends, runs, kinds of tasks, metrics and methods that were ever met."""
        return frozenset(name for (name,) in self.query("SELECT name FROM names"))

    async def keep_reply(self, reply: Reply, run: str) -> Reply:
        """Commit a reply; an equal key keeps what it has, which is given back then."""
        recent, new = self._writer.recent, [True]
        await self._writer.commit(lambda db: new.append(rows.write_paid(db, reply, run, recent)))
        if not _is_joint(reply.backend):
            paid = self.paid
            self.paid = Spent(
                paid.calls + (new[-1] and reply.draw >= 0),
                paid.tokens_in + reply.tokens_in,
                paid.tokens_out + reply.tokens_out,
                paid.ms + reply.ms * (new[-1] or reply.tokens_in + reply.tokens_out > 0),
                paid.probes + (new[-1] and reply.draw >= PROBES),
            )
        if not new[-1]:
            return self.reply(reply.key) or reply
        self._remember_reply(reply)
        return reply

    def _remember_reply(self, reply: Reply) -> None:
        if len(reply.raw) + sum(map(len, reply.pieces)) <= LONGEST:
            self._new_replies[reply.key] = reply
        if len(self._new_replies) > REMEMBERED:
            del self._new_replies[next(iter(self._new_replies))]

    def spent(self, run: str) -> Spent:
        """What a run has paid for."""
        paid = self._spent_by_backend(run, "").items()
        amounts = [astuple(spent) for judge, spent in paid if not _is_joint(judge)]
        return Spent(*map(sum, zip(*amounts, strict=True))) if amounts else Spent(0, 0, 0, 0.0)

    def spent_on(self, run: str, kind: str) -> dict[str, Spent]:
        """What a run has paid each judge for its replies to a kind of task, by its identity."""
        return self._spent_by_backend(run, f"AND r.kind = {rows.NAME}", kind)

    def _spent_by_backend(self, run: str, condition: str, *values: str) -> dict[str, Spent]:
        # A draw below 0: billed, and no reply.
        sums = "total(r.draw >= 0), total(r.tokens_in), total(r.tokens_out), total(r.ms),"
        sums += f" total(r.draw >= {PROBES})"
        sql = (
            f"SELECT b.name, {sums} FROM replies r JOIN names b ON b.id = r.backend"
            f" WHERE r.run = {rows.NAME} {condition} GROUP BY b.name ORDER BY b.name"
        )
        paid = self.query(sql, run, *values)
        return {
            name: Spent(int(calls), int(read), int(written), ms, int(probes))
            for name, calls, read, written, ms, probes in paid
        }

    def charged(self, run: str, free: Collection[str]) -> dict[str, tuple[int, int, int, int]]:
        """What a run paid each judge for, by its identity, but for embedding.

        Prompt tokens, reply tokens, and how many of the prompt tokens were read from the
        provider's cache and were written into it.

        Args:
            run: The run.
            free: Names of judges that cost no money.
        """
        paid = self.query(
            "SELECT b.name, total(r.tokens_in), total(r.tokens_out), total(c.cached_in),"
            " total(c.cache_written) FROM replies r"
            " JOIN names b ON b.id = r.backend JOIN names k ON k.id = r.kind"
            " LEFT JOIN prompt_cache c ON c.reply = r.key"
            f" WHERE r.run = {rows.NAME} AND k.name NOT IN ('embed', 'embed_texts')"
            " GROUP BY b.name",
            run,
        )
        return {
            name: (int(read), int(tokens_out), int(cached), int(cache_written))
            for name, read, tokens_out, cached, cache_written in paid
            if not _is_of_judges(name, free)
        }

    def calls_by(self, run: str, names: Collection[str]) -> int:
        """How many replies of a run are of judges with these names."""
        counts = self.query(
            "SELECT b.name, total(r.draw >= 0) FROM replies r JOIN names b ON b.id = r.backend"
            f" WHERE r.run = {rows.NAME} GROUP BY b.name",
            run,
        )
        return sum(int(n) for name, n in counts if _is_of_judges(name, names))

    def pace(self, backend: str, kind: str) -> tuple[int, float]:
        """How many replies of a backend to a kind of task there are, and their mean ms."""
        return self._mean("ms", backend, kind, "AND ms > 0")

    def usual(self, backend: str, kind: str) -> tuple[int, float]:
        """How many replies of a backend to a kind of task there are, and their mean tokens."""
        return self._mean("tokens_out", backend, kind)

    def _mean(self, column: str, backend: str, kind: str, but: str = "") -> tuple[int, float]:
        condition = f"kind = {rows.NAME} AND backend = {rows.NAME} AND draw >= 0 {but}"
        sql = f"SELECT count(*), total({column}) FROM replies WHERE {condition}"
        n, total = self.query(sql, kind, backend)[0]
        return n, total / n if n else 0.0


def _is_joint(identity: str) -> bool:
    """Whether it is of a cascade, which puts its replies together from those of its judges."""
    return ">" in identity and identity.endswith(")")


def judge_named(identity: str) -> str:
    """The name of a judge, without the digest of what it was asked with."""
    name = identity.rpartition(" (")[0] if _is_joint(identity) else identity
    return _DIGEST.sub("", name)


def _is_of_judges(identity: str, names: Collection[str]) -> bool:
    """Whether it is of one of these judges: their name, and what is asked behind "#"."""
    return any(identity == name or identity.startswith(f"{name}#") for name in names)


class _Tables:
    """Some tables of one store, whose rows are few."""

    def __init__(self, file: File, writer: Writer) -> None:
        self._file = file
        self._writer = writer

    async def _change(
        self, table: str, key: Mapping[str, object], sql: str, *values: object
    ) -> None:
        """Commit one statement that changes the row with a key in a table."""

        def write(db: sqlite3.Connection) -> None:
            condition = " AND ".join(f"{column} = ?" for column in key)
            with amended(db, table, condition, *key.values()):
                db.execute(sql, values)

        await self._writer.commit(write)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a judge said to the fixed probes on one day."""

    run: str  # the run that asked
    judge: str  # name of the judge
    day: int  # days since 1970-01-01 (UTC)
    # Digests of its replies to each probe, by the probe's identity.
    replies: Mapping[str, tuple[str, ...]]


class Judges(_Tables):
    """The tables about judges of one store."""

    async def keep_noise(self, signature: str, run: str, noise: Mapping[str, Any]) -> None:
        """Commit how noisy a metric of this signature is, as a repeated run measured it."""
        body = msgspec.json.encode(noise).decode()
        sql = "INSERT OR REPLACE INTO noise (signature, run, body) VALUES (?, ?, ?)"
        await self._change("noise", {"signature": signature, "run": run}, sql, signature, run, body)

    def noise(self, signature: str) -> dict[str, Any] | None:
        """The last noise of a signature, with the run that measured it; None if there is none."""
        condition = "WHERE signature = ? ORDER BY at DESC, rowid DESC LIMIT 1"
        noises = self._file.covered("noise", condition, signature)
        return {"run": noises[0][1], **msgspec.json.decode(noises[0][2])} if noises else None

    def of_run(self, table: str, run: str) -> list[list[Any]]:
        """All that a table holds of a run, by columns."""
        return self._file.covered(table, "WHERE run = ?", run)

    async def keep_fingerprint(self, fingerprint: Fingerprint) -> None:
        """Commit what a judge said to the probes."""
        body = msgspec.json.encode(fingerprint.replies).decode()
        sql = "INSERT OR REPLACE INTO fingerprints (run, judge, day, body) VALUES (?, ?, ?, ?)"
        key = {"run": fingerprint.run, "judge": fingerprint.judge, "day": fingerprint.day}
        await self._change("fingerprints", key, sql, *key.values(), body)

    def fingerprints(self, run: str) -> list[Fingerprint]:
        """Those that a run took, by judge, the oldest first."""
        rows = self._file.covered("fingerprints", "WHERE run = ? ORDER BY judge, day", run)
        return [_fingerprint(row) for row in rows]

    def before(self, fingerprint: Fingerprint) -> Fingerprint | None:
        """The judge's last fingerprint of an earlier day; None if there is none."""
        condition = "WHERE judge = ? AND day < ? ORDER BY day DESC LIMIT 1"
        earlier = self._file.covered("fingerprints", condition, fingerprint.judge, fingerprint.day)
        return _fingerprint(earlier[0]) if earlier else None


def _fingerprint(row: Any) -> Fingerprint:
    run, judge, day, body = row
    return Fingerprint(run, judge, day, msgspec.json.decode(body, type=dict[str, tuple[str, ...]]))


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch."""

    name: str  # our name for it, which stands in its metadata
    provider: str  # the provider's name for it, "" if we do not know whether it ever came there
    keys: tuple[str, ...]  # keys of the replies that it owes
    at: int  # when it was handed in, in seconds since 1970 (UTC)


class Batches(_Tables):
    """The table of batches of one store."""

    def open(self) -> list[Batch]:
        """All of them, the oldest first."""
        batches = self._file.covered("batches", "ORDER BY at, rowid")
        return [
            Batch(name, provider, tuple(long_keys(keys)), submitted)
            for name, provider, keys, submitted in batches
        ]

    async def begin(self, name: str, keys: Iterable[str]) -> None:
        """Commit that a batch is about to be submitted."""
        owed = short_keys(" ".join(keys))
        sql = "INSERT INTO batches (name, keys) VALUES (?, ?)"
        await self._change("batches", {"name": name}, sql, name, owed)

    async def submitted(self, name: str, provider: str) -> None:
        """Commit what the provider calls it."""
        sql = "UPDATE batches SET provider = ? WHERE name = ?"
        await self._change("batches", {"name": name}, sql, provider, name)

    async def owes(self, name: str, keys: Iterable[str]) -> None:
        """Commit that these replies are all that it will ever bring; without any, forget it."""
        left = short_keys(" ".join(keys))
        if left:
            sql = "UPDATE batches SET keys = ? WHERE name = ?"
            await self._change("batches", {"name": name}, sql, left, name)
        else:
            sql = "DELETE FROM batches WHERE name = ?"
            await self._change("batches", {"name": name}, sql, name)

    async def clean(self) -> None:
        """Forget those whose replies are all known, or are not kept by the provider any more."""
        await self._writer.commit(_clean)


def _clean(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM batches WHERE at < strftime('%s', 'now') - ?", (KEPT_SECONDS,))
    for name, keys in db.execute("SELECT name, keys FROM batches").fetchall():
        pages = (keys[start : start + 16 * PAGE] for start in range(0, len(keys), 16 * PAGE))
        if all(_all_replied(db, page) for page in pages):
            db.execute("DELETE FROM batches WHERE name = ?", (name,))


def _all_replied(db: sqlite3.Connection, keys: bytes) -> bool:
    stored_keys = split_keys(keys)
    marks = ", ".join("?" * len(stored_keys))
    sql = f"SELECT count(*) FROM replies WHERE key IN ({marks})"
    return bool(db.execute(sql, stored_keys).fetchone()[0] == len(stored_keys))
