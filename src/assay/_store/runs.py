"""Runs: what each is, what people say of it, and how one is found."""

import math
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final, Self, TypeAlias

import msgspec

from assay._store import rows
from assay._store.connection import File
from assay._store.integrity import COVERED, amended, digest, insert, run_id, seal
from assay._text.misspelt import did_you_mean
from assay.errors import InputError
from assay.sample import Sample

# The value of a parameter, as it stands in a table.
Value: TypeAlias = str | int | float | bool

LAST = "last"
MAX_LENGTH, MAX_NOTE_LENGTH, MAX_ITEMS = 100, 10_000, 100
_PLACE_SUFFIX = re.compile(r"~[0-9]+$")
_ID = re.compile(r"[0-9a-f]{8,12}")
# Who pays for what a system answers that is asked before there is a run: stands for a run's id.
TARGET = "target"
# Who pays for what a judge is asked to be measured itself: `assay bench` makes no run.
BENCH = "bench"
# Who pays for the questions of a test set, which are written before there is a run.
TESTSET = "testset"
# What judges said of passages that were pooled.
POOL = "pool"
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
# Later than any other: also where the clock went back, or two are asked for within a millisecond.
_TOUCH = (
    "UPDATE runs SET asked = (SELECT max(ifnull(strftime('%Y-%m-%dT%H:%M:%fZ',"
    f" max(coalesce(asked, created)), '+0.001 seconds'), ''), {rows.NOW}) FROM runs) WHERE id = ?"
)
# What a later call may say otherwise of a run that is known.
_EXPLAINED = ("price", "card", "quality", "data_notes", "texts", "command")
_LATEST = "ORDER BY coalesce(asked, created) DESC, runs.rowid DESC"
_DESCRIBED = "d.checksum, d.run, d.name, d.tags, d.note, d.params"
_PLACE = re.compile(r"(?P<base>.+)~(?P<place>[0-9]{1,9})")
_LISTED = 5  # runs that a refusal names


@dataclass(frozen=True, slots=True)
class Description:
    """What people say of a run. It changes no score, no signature and no id.

    Attributes:
        name: What it is called, "" for nothing.
        tags: What it is one of: "nightly", "release".
        note: Free text.
        params: What was set of the system: {"k": 5}.

    Raises:
        InputError: If a run cannot be called so, or a tag or parameter cannot be kept.
    """

    name: str = ""
    tags: Sequence[str] = ()
    note: str = ""
    params: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _name(self.name))
        object.__setattr__(self, "tags", _checked_tags(self.tags))
        object.__setattr__(self, "note", _note(self.note))
        object.__setattr__(self, "params", _params(self.params))

    def __bool__(self) -> bool:
        return bool(self.name or self.tags or self.note or self.params)

    def updated(self, newer: Self) -> "Description":
        """With what is newer: a name or a note takes the old one's place, all else is added."""
        return Description(
            newer.name or self.name,
            (*self.tags, *newer.tags),
            newer.note or self.note,
            {**self.params, **newer.params},
        )

    def without(self, tags: Collection[str], params: Collection[str]) -> "Description":
        """Without these tags and parameters.

        Raises:
            InputError: If one of them is not there.
        """
        for role, names, known in (("tag", tags, self.tags), ("parameter", params, self.params)):
            for name in names:
                if name not in known:
                    names_known = f"it has {', '.join(known)}" if known else "it has none"
                    raise InputError(f"the run has no {role} '{name}'", names_known)
        remaining = {key: value for key, value in self.params.items() if key not in params}
        return Description(
            self.name, tuple(t for t in self.tags if t not in tags), self.note, remaining
        )


def parameter(text: str) -> Value:
    """The value of a parameter that is written: a number where it is written as one."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text and math.isfinite(number):  # "007" and "0.50" are no mere numbers
            return number
    return {"true": True, "false": False}.get(text, text)


def written(value: Value) -> str:
    """The value of a parameter as it is written."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(value: Any) -> str:
    name = _line("name", value)
    if name == LAST or _PLACE_SUFFIX.search(name):
        fault = f"a run cannot be called '{name}'"
        raise InputError(fault, "'last' and what ends in '~1' say which run is meant")
    if _ID.fullmatch(name):
        raise InputError(f"the name '{name}' would be taken for the id of a run")
    if name.startswith("-"):
        raise InputError(f"the name '{name}' would be taken for an option", "begin it otherwise")
    return name


def _line(role: str, value: Any) -> str:
    """A text of one line, without blanks at its ends."""
    if not isinstance(value, str):
        raise InputError(f"the {role} {value!r} is no text")
    text = value.strip()
    if len(text) > MAX_LENGTH or not text.isprintable():
        raise InputError(f"the {role} {text[:MAX_LENGTH]!r} is no short line of text")
    return text


def _checked_tags(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Collection):
        raise InputError(f"tags is {value!r}", 'give a list of texts, such as tags=["nightly"]')
    tags = tuple(dict.fromkeys(_line("tag", tag) for tag in value))
    if "" in tags:
        raise InputError("a tag is empty", "give a word")
    if len(tags) > MAX_ITEMS:
        raise InputError(f"{len(tags)} tags are too many", f"give at most {MAX_ITEMS}")
    return tags


def _note(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_NOTE_LENGTH:
        fault = "is too long" if isinstance(value, str) else f"{value!r} is no text"
        raise InputError(f"the note {fault}", f"give at most {MAX_NOTE_LENGTH:,} characters")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError("the note has characters that cannot be kept") from error
    return value.strip()


def _params(value: Any) -> dict[str, Value]:
    if not isinstance(value, Mapping):
        raise InputError(f"params is {value!r}", 'give a dict, such as params={"k": 5}')
    params: dict[str, Value] = {}
    for key, item in value.items():
        name = _line("parameter", key)
        if not name or "=" in name:
            raise InputError(f"a parameter cannot be called '{name}'", "give a word, such as k")
        params[name] = _value(name, item)
    if len(params) > MAX_ITEMS:
        raise InputError(f"{len(params)} parameters are too many", f"give at most {MAX_ITEMS}")
    return params


def _value(name: str, value: Any) -> Value:
    if isinstance(value, str):
        return _line(f"value of the parameter '{name}'", value)
    plain = value.item() if hasattr(value, "item") else value  # what numpy counted
    if not isinstance(plain, bool | int | float) or not math.isfinite(plain):
        fault = f"the parameter '{name}' is {value!r}"
        raise InputError(fault, "give a text, a finite number, or true or false")
    return plain


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation as the store knows it.

    Attributes:
        id: Twelve hex digits of its content; any beginning that is unique will do.
        source: Name of the data.
        config: Judges, metrics (label -> signature) and whatever else names it.
        n_samples: How many samples it has.
        skipped: Invalid rows that were left out on request.
        stopped: Why it stopped early, "" if it did not.
        seconds: Wall time spent on it so far.
        finished: When it ended (UTC, ISO 8601), None if it has not.
        created: When it began.
        name: What people call it, "" for nothing.
        tags: What they say it is one of.
        note: What they wrote about it.
        params: What they say was set of the system: {"k": 5}.
    """

    id: str
    source: str
    config: Mapping[str, Any]
    n_samples: int
    skipped: int
    stopped: str
    seconds: float
    finished: str | None
    created: str
    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    params: Mapping[str, Value] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The beginning of its id, as it is shown."""
        return self.id[:8]

    @property
    def title(self) -> str:
        """Its name, or where it has none its data and when it began (UTC)."""
        return self.name or self.default_title

    @property
    def default_title(self) -> str:
        """Its data and when it began (UTC): ``questions.jsonl, 24 Nov 14:03``."""
        return f"{self.source}, {_day(self.created)}"

    @property
    def description(self) -> Description:
        """All that people say of it."""
        return Description(self.name, self.tags, self.note, self.params)

    @property
    def metrics(self) -> dict[str, str]:
        """Signature of each metric by its label."""
        return dict(self.config["metrics"])

    @property
    def derived(self) -> bool:
        """Whether it asks again about another run: nobody means it by "last"."""
        return "repeats" in self.config or "rescores" in self.config


def _day(created: str) -> str:
    """``24 Nov 14:03`` of a moment in ISO 8601; in English, whatever the locale."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:  # of a file of runs that another program wrote
        return created
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment:%H:%M}"


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has paid for, and what it had for nothing.

    Attributes:
        calls: Replies this run paid for.
        tokens_in: Prompt tokens, of them and of answers that were billed and are no replies.
        tokens_out: Reply tokens, counted likewise.
        ms: Their milliseconds, added up.
        probes: Those of `calls` that answer the fixed probes, and no score rests on.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    ms: float
    probes: int = 0


class Runs(File):
    """The runs of one store."""

    def begin(
        self,
        samples: Iterable[Sample],
        config: Mapping[str, Any],
        source: str,
        description: Description | None = None,
    ) -> Run:
        """Keep the samples and name the run by its content; the same content is the same run.

        All or nothing: if `samples` raises (invalid rows), nothing is kept. What is said of a new
        run is kept with it.
        """
        with self.changing() as db:
            run = _insert_run(db, samples, config, source)
            if description and not self._runs("id = ?", run)[0].description:
                write_description(db, run, description)
            with amended(db, "runs", "id = ?", run):
                db.execute(_TOUCH, (run,))
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
        numbered = _PLACE.fullmatch(name)
        base, number = (numbered["base"], int(numbered["place"])) if numbered else (name, None)
        if base == LAST:
            return self._last_run(number or 0)
        named_runs = self._runs("d.name = ?", base, order=_LATEST) if base else []
        if number is not None and named_runs:
            return self._pick_run(named_runs, number, base)
        if len(named_runs) > 1:
            remedy = f"'{name}~0' is the newest; or name one by its id: {_join_runs(named_runs)}"
            raise InputError(f"several runs are called '{name}' in {self.path}", remedy)
        matching = named_runs or self._by_id_prefix(name)
        if not matching:
            raise InputError(f"no run is called '{name}' in {self.path}", self._suggest(name))
        return matching[0]

    def called(self, name: str) -> int:
        """How many runs have this name."""
        sql = "SELECT count(*) FROM descriptions JOIN runs ON id = run WHERE name = ?"
        return int(self.query(sql, name)[0][0])

    def _last_run(self, number: int) -> Run:
        runs = self._latest()
        run = next(islice((run for run in runs if not run.derived), number, None), None)
        if run is None and not number:  # none but those that ask again about one that was dropped
            run = next(self._latest(), None)
        if run is None:
            fault = f"there is no run 'last~{number}'" if number else "there is no run"
            raise InputError(f"{fault} in {self.path}", "`assay runs` lists them")
        return run

    def _latest(self) -> Iterator[Run]:
        for (id_,) in self.query(f"SELECT id FROM runs {_LATEST}"):
            yield from self._runs("id = ?", id_)

    def _pick_run(self, runs: list[Run], number: int, name: str) -> Run:
        if number >= len(runs):
            last = f"the oldest one called so is '{name}~{len(runs) - 1}'"
            raise InputError(f"there is no run '{name}~{number}' in {self.path}", last)
        return runs[number]

    def _by_id_prefix(self, name: str) -> list[Run]:
        runs = self._runs("id >= ? AND id < ? || char(1114111)", name, name)  # the last character
        if len(runs) > 1:
            remedy = f"`assay runs` lists them: {_join_runs(runs)}"
            raise InputError(f"several runs begin with '{name}' in {self.path}", remedy)
        return runs

    def _suggest(self, name: str) -> str:
        names = [known for (known,) in self.query("SELECT name FROM descriptions WHERE name != ''")]
        if of_sweep := [known for known in names if known.startswith(f"{name}/")]:
            return f"it is a sweep of {len(of_sweep)} runs: name one, such as '{of_sweep[-1]}'"
        last = next(self._latest(), None)
        sql = f"SELECT 1 FROM samples WHERE run = {rows.NAME} AND id = ?"
        if last and self.query(sql, last.id, name):
            return f"it is a sample of the last run: --sample {name}"
        remedy = "`assay runs` lists them, with the ids that they can be named by as well"
        return f"{did_you_mean(name, names)} {remedy}".lstrip()

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
        self, condition: str, *values: object, order: str = "ORDER BY created DESC, runs.rowid DESC"
    ) -> list[Run]:
        sql = (
            f"SELECT runs.checksum, {COVERED['runs']}, {_DESCRIBED} FROM runs"
            f" LEFT JOIN descriptions d ON d.run = id WHERE {condition} {order}"
        )
        runs = []
        for row in self.query(sql, *values):
            of_run, (stored_sum, *described) = row[:-6], row[-6:]
            self._intact(f"run {of_run[1]}", *of_run)
            _, id_, _, source, config, *fields, _ = of_run
            description: tuple[Any, ...] = ()
            if stored_sum is not None:
                self._intact(f"what is said of run {id_}", stored_sum, *described)
                _, name, tags, note, params = described
                params = msgspec.json.decode(params)
                description = (name, tuple(msgspec.json.decode(tags)), note, params)
            runs.append(Run(id_, source, msgspec.json.decode(config), *fields, *description))
        return runs

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

    def supersede(self, old: str, new: str) -> None:
        """Drop a run whose samples and scores another one has, too; that one now paid for all."""
        with self.changing() as db:
            db.execute("INSERT OR IGNORE INTO names (name) VALUES (?)", (new,))
            condition = f"run IN ({rows.NAME}, {rows.NAME})"
            with amended(db, "replies", condition, old, new):
                sql = f"UPDATE replies SET run = {rows.NAME} WHERE run = {rows.NAME}"
                db.execute(sql, (new, old))
            with amended(db, "fingerprints", "run IN (?, ?)", old, new):
                db.execute("UPDATE OR REPLACE fingerprints SET run = ? WHERE run = ?", (new, old))
            for table in ("samples", "jobs"):
                db.execute(f"DELETE FROM {table} WHERE run = {rows.NAME}", (old,))
            for table, column in (("runs", "id"), ("descriptions", "run")):
                db.execute(f"DELETE FROM {table} WHERE {column} = ?", (old,))

    def fingerprint(self, run: str) -> str:
        """What a run is named by: a digest of its samples and of its metrics' signatures."""
        return str(self.query("SELECT fingerprint FROM runs WHERE id = ?", run)[0][0])


def write_description(db: sqlite3.Connection, run: str, description: Description) -> None:
    """Keep what people say of a run, in the place of what they said before."""
    tags, params = (
        msgspec.json.encode(value).decode() for value in (description.tags, description.params)
    )
    values = run, description.name, tags, description.note, params
    insert(db, "descriptions", *values, verb="INSERT OR REPLACE")


def _join_runs(runs: list[Run]) -> str:
    """Some runs as messages list them: ``1a2b3c4d (questions.jsonl, 24 Nov 14:03)``."""
    names = [f"{run.short} ({run.default_title})" for run in runs[:_LISTED]]
    more = len(runs) - _LISTED
    return ", ".join([*names, *([f"{more} more"] if more > 0 else [])])


def _insert_run(
    db: sqlite3.Connection, samples: Iterable[Sample], config: Mapping[str, Any], source: str
) -> str:
    """Keep the samples and the run that they make, if it is not known; returns its id."""
    # Signatures name all that could change a score; the rest of the config only explains.
    fingerprint, n = digest(sorted(config["metrics"].values())), 0
    db.execute("SAVEPOINT samples")
    number = rows.new_number(db)
    for n, sample in enumerate(samples, start=1):
        body = rows.write_sample(db, number, n, sample)
        fingerprint = digest([fingerprint, body])
    existing = db.execute("SELECT id FROM runs WHERE fingerprint = ?", (fingerprint,)).fetchone()
    if existing:
        db.execute("ROLLBACK TO samples")
        # Told only now, or another than before; of other data that hold the same, there is no note.
        for name in (n for n in _EXPLAINED if config.get(n) or (n == "data_notes" and n in config)):
            with amended(db, "runs", "id = ?", existing[0]):
                db.execute(
                    "UPDATE runs SET config = json_set(config, ?, json(?)) WHERE id = ?",
                    (f"$.{name}", msgspec.json.encode(config[name]).decode(), existing[0]),
                )
        return str(existing[0])
    run = run_id(fingerprint)
    rows.rename(db, number, run)
    db.execute(
        "INSERT INTO runs (id, fingerprint, source, config, n_samples, skipped)"
        " VALUES (?, ?, ?, ?, ?, 0)",
        (run, fingerprint, source, msgspec.json.encode(config).decode(), n),
    )
    seal(db, "runs", "id = ?", run)
    return run
