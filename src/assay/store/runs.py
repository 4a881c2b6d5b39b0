"""Which runs are there, and what is each?"""

import difflib
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from assay.errors import InputError
from assay.sample import Sample
from assay.store import rows
from assay.store.checksums import COVERED, amended, checksum, seal
from assay.store.description import LAST, Description
from assay.store.file import File
from assay.store.keys import digest, run_id
from assay.store.records import Run

# Later than any other: also where the clock went back, or two are asked for within a millisecond.
_ASKED = (
    "UPDATE runs SET asked = (SELECT max(ifnull(strftime('%Y-%m-%dT%H:%M:%fZ',"
    f" max(coalesce(asked, created)), '+0.001 seconds'), ''), {rows.NOW}) FROM runs) WHERE id = ?"
)
_EXPLAINED = (
    "price",
    "card",
    "quality",
    "data_notes",
)  # what a later call may say otherwise of a run that is known
_LATEST = "ORDER BY coalesce(asked, created) DESC, runs.rowid DESC"
_DESCRIBED = "d.checksum, d.run, d.name, d.tags, d.note, d.params"
_PLACE = re.compile(r"(?P<base>.+)~(?P<place>[0-9]{1,9})")
_LISTED = 5  # runs that a refusal names


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

    def run(self, name: str = LAST) -> Run:
        """The run that is meant: by "last", its name, its id or the beginning of its id.

        "last" is the user's own that was last asked for, "last~1" the one before. Where several
        are called NAME, "NAME~0" is the one last asked for, "NAME~1" the one before. A name goes
        before the beginning of an id.

        Raises:
            InputError: If there is none, or more than one.
        """
        if exact := self._runs("id = ?", name):
            return exact[0]
        placed = _PLACE.fullmatch(name)
        base, place = (placed["base"], int(placed["place"])) if placed else (name, None)
        if base == LAST:
            return self._last(place or 0)
        called = self._runs("d.name = ?", base, order=_LATEST) if base else []
        if place is not None and called:
            return self._at(called, place, base)
        if len(called) > 1:
            remedy = f"'{name}~0' is the newest; or name one by its id: {_listed(called)}"
            raise InputError(f"several runs are called '{name}' in {self.path}", remedy)
        found = called or self._beginning(name)
        if not found:
            raise InputError(f"no run is called '{name}' in {self.path}", self._like(name))
        return found[0]

    def called(self, name: str) -> int:
        """How many runs have this name."""
        sql = "SELECT count(*) FROM descriptions JOIN runs ON id = run WHERE name = ?"
        return int(self.query(sql, name)[0][0])

    def _last(self, place: int) -> Run:
        runs = self._latest()
        found = next(islice((run for run in runs if not run.derived), place, None), None)
        if found is None and not place:  # none but those that ask again about one that was dropped
            found = next(self._latest(), None)
        if found is None:
            what = f"there is no run 'last~{place}'" if place else "there is no run"
            raise InputError(f"{what} in {self.path}", "`assay runs` lists them")
        return found

    def _latest(self) -> Iterator[Run]:
        for (id_,) in self.query(f"SELECT id FROM runs {_LATEST}"):
            yield from self._runs("id = ?", id_)

    def _at(self, found: list[Run], place: int, name: str) -> Run:
        if place >= len(found):
            last = f"the oldest one called so is '{name}~{len(found) - 1}'"
            raise InputError(f"there is no run '{name}~{place}' in {self.path}", last)
        return found[place]

    def _beginning(self, name: str) -> list[Run]:
        """The run whose id begins so, if one does."""
        found = self._runs("id >= ? AND id < ? || char(1114111)", name, name)  # the last character
        if len(found) > 1:
            remedy = f"`assay runs` lists them: {_listed(found)}"
            raise InputError(f"several runs begin with '{name}' in {self.path}", remedy)
        return found

    def _like(self, name: str) -> str:
        names = [known for (known,) in self.query("SELECT name FROM descriptions WHERE name != ''")]
        near = difflib.get_close_matches(name, names, n=1)
        meant = f"did you mean '{near[0]}'? " if near else ""
        return f"{meant}`assay runs` lists them, with the ids that they can be named by as well"

    def describe(self, run: str, description: Description) -> None:
        """Keep what people say of a run, in the place of what they said before.

        Raises:
            InputError: If there is no such run.
        """
        with self.changing() as db:
            if not self._runs("id = ?", run):
                raise InputError(f"there is no run {run} in {self.path}")
            write_description(db, run, description)

    def runs(self, limit: int | None = None) -> list[Run]:
        """All runs or so many of them, the newest first."""
        newest = "SELECT id FROM runs ORDER BY created DESC, rowid DESC LIMIT ?"
        return self._runs(f"id IN ({newest})", -1 if limit is None else limit)

    def _runs(
        self, which: str, *values: object, order: str = "ORDER BY created DESC, runs.rowid DESC"
    ) -> list[Run]:
        sql = (
            f"SELECT runs.checksum, {COVERED['runs']}, {_DESCRIBED} FROM runs"
            f" LEFT JOIN descriptions d ON d.run = id WHERE {which} {order}"
        )
        found = []
        for row in self.query(sql, *values):
            of_run, (kept, *described) = row[:-6], row[-6:]
            self._intact(f"run {of_run[1]}", *of_run)
            _, id_, _, source, config, *rest, _ = of_run
            said: tuple[Any, ...] = ()
            if kept is not None:
                self._intact(f"what is said of run {id_}", kept, *described)
                _, name, tags, note, params = described
                params = msgspec.json.decode(params)
                said = (name, tuple(msgspec.json.decode(tags)), note, params)
            found.append(Run(id_, source, msgspec.json.decode(config), *rest, *said))
        return found

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


def write_description(db: sqlite3.Connection, run: str, said: Description) -> None:
    """Keep what people say of a run, in the place of what they said before."""
    tags, params = (msgspec.json.encode(one).decode() for one in (said.tags, said.params))
    values = (run, said.name, tags, said.note, params)
    sql = (
        "INSERT OR REPLACE INTO descriptions (checksum, run, name, tags, note, params)"
        " VALUES (?, ?, ?, ?, ?, ?)"
    )
    db.execute(sql, (checksum(*values), *values))


def _listed(runs: list[Run]) -> str:
    """Some runs, told apart: ``1a2b3c4d (questions.jsonl, 24 Nov 14:03)``."""
    shown = [f"{run.short} ({run.default_title})" for run in runs[:_LISTED]]
    more = len(runs) - _LISTED
    return ", ".join([*shown, *([f"{more} more"] if more > 0 else [])])


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
