"""Which runs are there, and what is each?"""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from assay.errors import InputError
from assay.sample import Sample
from assay.store import rows
from assay.store.checksums import COVERED, amended, seal
from assay.store.file import File
from assay.store.keys import digest, run_id
from assay.store.records import Run

# Later than any other: also where the clock went back, or two are asked for within a millisecond.
_ASKED = (
    "UPDATE runs SET asked = (SELECT max(ifnull(strftime('%Y-%m-%dT%H:%M:%fZ',"
    f" max(coalesce(asked, created)), '+0.001 seconds'), ''), {rows.NOW}) FROM runs) WHERE id = ?"
)
# What a later call may say otherwise of a run that is known.
_EXPLAINED = ("price", "card", "data_notes")
_LATEST = "SELECT id FROM runs ORDER BY coalesce(asked, created) DESC, rowid DESC"


class Runs(File):
    """The runs of one store."""

    def begin(self, samples: Iterable[Sample], config: Mapping[str, Any], source: str) -> Run:
        """Take in the samples and name the run by its content; the same content is the same run.

        All or nothing: if `samples` raises (invalid rows), nothing is kept.
        """
        with self.changing() as db:
            run = _take_in(db, samples, config, source)
            with amended(db, "runs", "id = ?", run):
                db.execute(_ASKED, (run,))
        return self.run(run)

    def run(self, name: str = "last") -> Run:
        """The run whose id begins with `name`; "last" is the user's own that was last asked for.

        Raises:
            InputError: If there is none, or more than one.
        """
        if name == "last":
            ids = [id_ for (id_,) in self.query(_LATEST)]
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
        columns = f"checksum, {COVERED['runs']}"
        sql = f"SELECT {columns} FROM runs WHERE {which} ORDER BY created DESC, rowid DESC"
        found = self.query(sql, *values)
        for row in found:
            self._intact(f"run {row[1]}", *row)
        return [
            Run(id_, source, msgspec.json.decode(config), *rest)
            for _, id_, _, source, config, *rest, _ in found
        ]

    async def end(self, run: str, *, seconds: float, stopped: str, skipped: int) -> None:
        """Record that a run ended, or why it stopped."""

        def write(db: sqlite3.Connection) -> None:
            with amended(db, "runs", "id = ?", run):
                db.execute(
                    "UPDATE runs SET seconds = seconds + ?, stopped = ?, skipped = ?, finished ="
                    f" CASE WHEN ? = '' THEN {rows.NOW} END WHERE id = ?",
                    (seconds, stopped, skipped, stopped, run),
                )

        await self._writer.commit(write)

    def fingerprint(self, run: str) -> str:
        """What a run is named by: a digest of its samples and of its metrics' signatures."""
        return str(self.query("SELECT fingerprint FROM runs WHERE id = ?", run)[0][0])


def _take_in(
    db: sqlite3.Connection, samples: Iterable[Sample], config: Mapping[str, Any], source: str
) -> str:
    """Keep the samples and the run that they make, if it is not known; returns its id."""
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
        # Told only now, or another than before; of other data that hold the same, there is no note.
        for name in (n for n in _EXPLAINED if config.get(n) or (n == "data_notes" and n in config)):
            with amended(db, "runs", "id = ?", known[0]):
                db.execute(
                    "UPDATE runs SET config = json_set(config, ?, json(?)) WHERE id = ?",
                    (f"$.{name}", msgspec.json.encode(config[name]).decode(), known[0]),
                )
        return str(known[0])
    run = run_id(fingerprint)
    rows.rename(db, number, run)
    db.execute(
        "INSERT INTO runs (id, fingerprint, source, config, n_samples, skipped)"
        " VALUES (?, ?, ?, ?, ?, 0)",
        (run, fingerprint, source, msgspec.json.encode(config).decode(), n),
    )
    seal(db, "runs", "id = ?", run)
    return run
