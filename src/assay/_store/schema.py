"""The tables of a store, their migrations, and the compression of long values.

What a judge says repeats its prompt, and the evidence of a score repeats its sample: deflated with
these at hand, little of either is left. What does not get smaller is kept as it is; SQLite tells
the two apart by type (TEXT, BLOB).
"""

import re
import sqlite3
import zlib
from importlib import resources
from typing import TypeAlias

from assay._store.integrity import short_key, short_keys
from assay.errors import InputError

Stored: TypeAlias = str | bytes

LEVEL = 6
# What deflate can look back at. For a short text less is set up, which saves most of the time.
FARTHEST, NEAREST = 15, 9


def compress(text: str, dictionary: bytes = b"") -> Stored:
    """A text as it is kept: itself, or deflated.

    Args:
        text: The text.
        dictionary: What is known whenever it is read; its last 32 KiB count.
    """
    data, dictionary = text.encode(), dictionary[-(1 << FARTHEST) :]
    bits = max(NEAREST, min(FARTHEST, (len(data) + len(dictionary)).bit_length()))
    strategy = zlib.Z_DEFAULT_STRATEGY
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, -bits, bits - 7, strategy, dictionary)
    compressed = compressor.compress(data) + compressor.flush()
    return compressed if len(compressed) < len(data) else text


def decompress(stored: Stored, dictionary: bytes = b"") -> str:
    """The text, given the dictionary with which it was compressed.

    Raises:
        InputError: If it is damaged.
    """
    if isinstance(stored, str):
        return stored
    try:
        inflater = zlib.decompressobj(-FARTHEST, dictionary[-(1 << FARTHEST) :])
        return (inflater.decompress(stored) + inflater.flush()).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        fault = f"a text in the store is damaged ({error})"
        raise InputError(
            fault, "`assay verify` says what else is; take a copy of the file"
        ) from error


# Texts of users and models: the frequent words of English, and how statements are listed.
TEXT = (
    b"after before between during until because although however while where which whose their "
    b"there these those about would could should other another such than then them they through "
    b"under over also only first second third most many some more less used using year years "
    b"century world war state states united American British French German national "
    b"international university company government president people population city country north "
    b"south east west part series film album song band written directed released produced known "
    b"called named based located including include included such as well as due to according to "
    b"in order to part of one of the number of the end of the beginning of a member of the "
    b"United States New York it is it was he was she was they were has been have been had been "
    b"will be can be may be must be is not was not does not did not in the of the to the and the "
    b"for the on the at the by the from the with the as a is a was a of a in a that the is the "
    b"was the , but the , and the , which is . The . In . It . He . She . They . This . These "
    b'. For example, . However, [{"id": "s1", "text": "{"id": "s2", "text": ""}\n'
    b'{"id": "s3", "text": "'
)

# Pieces of prompts, and samples.
ROW = (
    b'{"id":"","question":"=","contexts":["#1","#2","#3"],"answer":"#","reference":"#",'
    b'"reference_contexts":["#"],"context_ids":["","","],"metadata":{}}'
    b'["=text:\\n","#","=\\n"]["#1","<\\nnumber:\\n","=","<\\nanswer:\\n","#","<\\nquestion:\\n",'
    b'"=","<\\ntext:\\n","#",">","<\\nstatements:\\n","#",">",'
    b'"<\\ncontext 1:\\n","#1",">","<\\ncontext 2:\\n","#2",">","<\\ncontext 3:\\n","#3",">",'
    b'"<\\ncontext 4:\\n","#4",">","<\\ncontext 5:\\n","#5",">"]'
)

# Evidence, besides the texts of its sample.
EVIDENCE = (
    b'{"parts":[{"kind":"question","text":"","label":"not useful","value":0.0,"reason":"","context"'
    b':1,"quote":"","probability":0.9,"span":null,"marks":[]},{"kind":"context","text":"","label":'
    b'"useful","value":1.0,"reason":"","context":2,"quote":"","probability":null,"span":null,"marks"'
    b':[]},{"kind":"statement","text":"","label":"unsupported","value":0.0,"reason":"","context":'
    b'null,"quote":"","probability":null,"span":[0,1],"marks":[]},{"kind":"statement","text":"",'
    b'"label":"supported","value":1.0,"reason":"","context":0,"quote":"","probability":null,"span"'
    b':[0,1],"marks":[]}],"details":{"precision":0.0,"recall":1.0,"tp":1,"fp":0,"fn":0}}'
)


MIGRATIONS = (
    """
    -- Every text once, by content hash: contexts stand in many prompts.
    CREATE TABLE texts (hash BLOB PRIMARY KEY, body TEXT NOT NULL);

    -- Everything a judge ever said. `run` is the run that paid for it.
    CREATE TABLE replies (
        key TEXT PRIMARY KEY, run TEXT NOT NULL, kind TEXT NOT NULL, backend TEXT NOT NULL,
        draw INTEGER NOT NULL, pieces TEXT NOT NULL, raw TEXT NOT NULL,
        tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, ms REAL NOT NULL,
        at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );
    CREATE INDEX replies_run ON replies (run);

    -- `fingerprint` names data, metrics and judges: the same command finds its own run again.
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, source TEXT NOT NULL,
        config TEXT NOT NULL, n_samples INTEGER NOT NULL, skipped INTEGER NOT NULL,
        stopped TEXT NOT NULL DEFAULT '', seconds REAL NOT NULL DEFAULT 0, finished TEXT,
        created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );

    CREATE TABLE samples (
        run TEXT NOT NULL, row INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (run, row)
    ) WITHOUT ROWID;
    CREATE INDEX samples_id ON samples (run, id);

    -- One row a score: value, or why there is none; the evidence; the replies it rests on.
    CREATE TABLE jobs (
        run TEXT NOT NULL, row INTEGER NOT NULL, metric TEXT NOT NULL,
        value REAL, why TEXT NOT NULL, detail TEXT NOT NULL, evidence TEXT NOT NULL,
        replies TEXT NOT NULL,
        PRIMARY KEY (run, metric, row)
    ) WITHOUT ROWID;
    """,
    """
    -- How noisy a metric of a signature is, as found by asking its judge again; the last counts.
    CREATE TABLE noise (
        signature TEXT NOT NULL, run TEXT NOT NULL, body TEXT NOT NULL,
        at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
        UNIQUE (signature, run)
    );

    -- What a judge said to the fixed probes when a run used it: digests of its replies.
    CREATE TABLE fingerprints (
        run TEXT NOT NULL, judge TEXT NOT NULL, day INTEGER NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (judge, day, run)
    ) WITHOUT ROWID;
    CREATE INDEX fingerprints_run ON fingerprints (run);
    """,
    """
    -- In little room. `packed` texts are BLOBs, plain ones TEXT; so are keys, 16 bytes or any text.
    -- Names that stand in many rows, once: runs, metrics, kinds of task, back ends, methods.
    CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    INSERT INTO names (name) SELECT id FROM runs UNION SELECT run FROM samples
        UNION SELECT run FROM replies UNION SELECT kind FROM replies
        UNION SELECT backend FROM replies UNION SELECT run FROM jobs UNION SELECT metric FROM jobs
        UNION SELECT ifnull(json_extract(evidence, '$.method'), '') FROM jobs;

    CREATE TABLE packed_texts (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body NOT NULL);
    INSERT INTO packed_texts (hash, body) SELECT hash, packed(body) FROM texts ORDER BY rowid;

    CREATE TABLE packed_replies (
        id INTEGER PRIMARY KEY, key NOT NULL UNIQUE, run INTEGER NOT NULL, kind INTEGER NOT NULL,
        backend INTEGER NOT NULL, draw INTEGER NOT NULL, pieces NOT NULL, raw NOT NULL,
        tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, ms REAL NOT NULL,
        at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER))
    );
    INSERT INTO packed_replies SELECT rowid, short_key(key),
        (SELECT id FROM names WHERE name = run), (SELECT id FROM names WHERE name = kind),
        (SELECT id FROM names WHERE name = backend), draw, numbered(pieces), raw,
        tokens_in, tokens_out, ms, CAST(strftime('%s', at) AS INTEGER)
        FROM replies ORDER BY rowid;

    CREATE TABLE packed_samples (
        run INTEGER NOT NULL, row INTEGER NOT NULL, id TEXT NOT NULL, body NOT NULL,
        PRIMARY KEY (run, row)
    ) WITHOUT ROWID;
    INSERT INTO packed_samples SELECT (SELECT id FROM names WHERE name = run), row, id,
        numbered(body) FROM samples ORDER BY run, row;

    CREATE TABLE packed_jobs (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL, metric INTEGER NOT NULL, row INTEGER NOT NULL,
        value REAL, why TEXT NOT NULL, detail TEXT NOT NULL, method INTEGER NOT NULL,
        evidence NOT NULL, replies NOT NULL,
        UNIQUE (run, metric, row)
    );
    INSERT INTO packed_jobs (run, metric, row, value, why, detail, method, evidence, replies)
        SELECT (SELECT id FROM names WHERE name = run), (SELECT id FROM names WHERE name = metric),
        row, value, why, detail,
        (SELECT id FROM names WHERE name = ifnull(json_extract(evidence, '$.method'), '')),
        evidence, short_keys(replies) FROM jobs ORDER BY run, row;

    DROP TABLE texts;
    DROP TABLE replies;
    DROP TABLE samples;
    DROP TABLE jobs;
    ALTER TABLE packed_texts RENAME TO texts;
    ALTER TABLE packed_replies RENAME TO replies;
    ALTER TABLE packed_samples RENAME TO samples;
    ALTER TABLE packed_jobs RENAME TO jobs;
    CREATE INDEX replies_run ON replies (run);
    CREATE INDEX samples_id ON samples (run, id);
    """,
    """
    -- Requests handed in to a provider as one batch: the keys of the replies that it owes, 16 bytes
    -- each. `name` is ours and stands in its metadata, `provider` is what it is called there.
    CREATE TABLE batches (
        name TEXT PRIMARY KEY, provider TEXT NOT NULL DEFAULT '', keys BLOB NOT NULL,
        at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER))
    );
    """,
    """
    -- When a run was last asked for again; NULL if it never was. "last" goes by it.
    ALTER TABLE runs ADD COLUMN asked TEXT;
    """,
    """
    -- What each row was when it was written: see `checksums`.
    ALTER TABLE texts ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE replies ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE samples ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN value_checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE noise ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE fingerprints ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE batches ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    UPDATE texts SET checksum = checksum(id, hash, body);
    UPDATE replies SET checksum = checksum(key, (SELECT name FROM names WHERE id = run),
        (SELECT name FROM names WHERE id = kind), (SELECT name FROM names WHERE id = backend),
        draw, pieces, raw, tokens_in, tokens_out, ms, at);
    UPDATE runs SET checksum = checksum(id, fingerprint, source, config, n_samples, skipped,
        stopped, seconds, finished, created, asked);
    UPDATE samples SET checksum = checksum(run, row, id, body);
    UPDATE jobs SET checksum = checksum((SELECT name FROM names WHERE id = run),
        (SELECT name FROM names WHERE id = metric), row, value, why, detail,
        (SELECT name FROM names WHERE id = method), evidence, replies),
        value_checksum = value_checksum((SELECT name FROM names WHERE id = run),
        (SELECT name FROM names WHERE id = metric), row, value, why);
    UPDATE noise SET checksum = checksum(signature, run, body, at);
    UPDATE fingerprints SET checksum = checksum(run, judge, day, body);
    UPDATE batches SET checksum = checksum(name, provider, keys, at);
    """,
    """
    -- What people say of a run. No part of it: neither its id nor any signature goes by it.
    CREATE TABLE descriptions (
        run TEXT PRIMARY KEY, name TEXT NOT NULL, tags TEXT NOT NULL, note TEXT NOT NULL,
        params TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX descriptions_name ON descriptions (name);
    """,
    """
    -- What people said of samples, a row a decision: nothing is overwritten, what is taken back is
    -- marked. `statement` counts the judged parts of the score from 0; -1 is the whole answer.
    CREATE TABLE labels (
        id TEXT PRIMARY KEY, run TEXT NOT NULL, metric TEXT NOT NULL, sample TEXT NOT NULL,
        statement INTEGER NOT NULL, annotator TEXT NOT NULL, kind TEXT NOT NULL, value REAL,
        reason TEXT NOT NULL, tags TEXT NOT NULL, chance REAL, undone INTEGER NOT NULL,
        at TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX labels_of ON labels (run, metric);

    -- Samples drawn for labelling, batch by batch, each with its chance of being drawn then.
    -- `against` is the other run where two are compared, '' otherwise.
    CREATE TABLE label_queue (
        run TEXT NOT NULL, metric TEXT NOT NULL, against TEXT NOT NULL, batch INTEGER NOT NULL,
        place INTEGER NOT NULL, sample TEXT NOT NULL, chance REAL NOT NULL, why TEXT NOT NULL,
        checksum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, metric, against, batch, place)
    ) WITHOUT ROWID;
    """,
    """
    -- Scores of a metric by value: which samples lie in a range, in which order, what its mean is.
    -- All that is asked for stands in the index, so that no evidence is read for it.
    CREATE INDEX IF NOT EXISTS jobs_value ON jobs (run, metric, value, why, row);
    """,
    """
    -- What a watch has told, once each: in which look, of which stream of scores. `pending` names
    -- where it has still to be sent.
    CREATE TABLE alerts (
        watch TEXT NOT NULL, look INTEGER NOT NULL, stream TEXT NOT NULL, body TEXT NOT NULL,
        pending TEXT NOT NULL, checksum INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (watch, look, stream)
    ) WITHOUT ROWID;
    """,
    """
    -- Prompt tokens of a reply that the provider read from its own cache, and that it wrote into
    -- it: they are billed at prices of their own. A reply that has none stands in no row.
    CREATE TABLE prompt_cache (
        reply PRIMARY KEY, cached_in INTEGER NOT NULL, cache_written INTEGER NOT NULL,
        checksum INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    """,
    """
    -- The share of a queue's samples that two people label, once somebody asked for one.
    CREATE TABLE second_opinions (
        run TEXT NOT NULL, metric TEXT NOT NULL, against TEXT NOT NULL, share REAL NOT NULL,
        checksum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, metric, against)
    ) WITHOUT ROWID;
    """,
    """
    -- The model that answered, where the provider names one: it may change behind a judge's name.
    CREATE TABLE answering_models (
        reply PRIMARY KEY, model INTEGER NOT NULL, checksum INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    """,
)


# What they all make of an empty file.
NEWEST = resources.files("assay._store").joinpath("schema.sql")
TABLES = frozenset(
    (
        *("texts", "replies", "runs", "samples", "jobs", "noise", "fingerprints", "names"),
        *("batches", "descriptions", "labels", "label_queue", "alerts"),
        *("prompt_cache", "second_opinions", "answering_models"),
    )
)
# Columns that the table of replies had in every version; one damaged name leaves the others.
_OF_REPLIES = frozenset(("draw", "pieces", "tokens_in", "tokens_out"))


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a store to the newest schema, all or nothing.

    Raises:
        InputError: If a newer assay wrote it, or another program.
    """
    check(connection)
    if _version(connection) == len(MIGRATIONS):
        return
    _add_functions(connection)
    try:
        _append(connection)
    except sqlite3.OperationalError as error:
        read_only = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY
        if not (read_only and _suffices_for_reading(connection)):
            raise
        for statement in _lacking_statements(
            connection
        ):  # the tables, empty, for this connection alone
            if statement.startswith(_TABLE):
                connection.execute(statement.replace(_TABLE, "CREATE TEMP TABLE "))


def _append(connection: sqlite3.Connection) -> None:
    """Apply the migrations that a store lacks, all or nothing; a new one begins with the newest."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # The version is read under the lock: another process may have migrated meanwhile.
        if not _version(connection):
            _execute(connection, NEWEST.read_text("utf-8"))
        for migration in MIGRATIONS[_version(connection) :]:
            _execute(connection, migration)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _execute(connection: sqlite3.Connection, script: str) -> None:
    """Run a script within the transaction that is open, which `executescript` would end."""
    for statement in script.split(";\n"):
        connection.execute(statement)


def check(connection: sqlite3.Connection) -> None:
    """See that a database is a store that this assay may change, or empty; it is only read.

    Raises:
        InputError: If a newer assay wrote it, or another program.
    """
    # In one transaction: another process may be about to make the tables.
    connection.execute("BEGIN")
    try:
        _check(connection)
    finally:
        connection.rollback()


def _check(connection: sqlite3.Connection) -> None:
    if _is_foreign(connection):
        raise InputError("the file is another program's database", "name another file as the store")
    if _version(connection) > len(MIGRATIONS):
        raise InputError("the store was written by a newer assay", "upgrade assay")
    if _has_triggers(connection):
        fault = "the store has triggers, which change what is written and are not of assay"
        raise InputError(fault, "drop them, or ask for the runs as `assay export` writes them")
    if _has_views(connection):
        fault = "the store has a view or a virtual table where assay has a table"
        raise InputError(fault, "ask for the runs as `assay export` writes them")


def _suffices_for_reading(connection: sqlite3.Connection) -> bool:
    """Whether an older store lacks only what reading does without: indices, and some tables."""
    tables = "alerts", "prompt_cache", "second_opinions", "answering_models"
    spared = ("CREATE INDEX ", *(f"{_TABLE}{name} " for name in tables))
    return all(statement.startswith(spared) for statement in _lacking_statements(connection))


_TABLE = "CREATE TABLE "


def _lacking_statements(connection: sqlite3.Connection) -> list[str]:
    """The statements that would bring a store to the newest schema, without their comments."""
    statements = (
        "\n".join(line for line in statement.splitlines() if not line.strip().startswith("--"))
        for statement in ";\n".join(MIGRATIONS[_version(connection) :]).split(";\n")
    )
    return [statement.strip() for statement in statements if statement.strip()]


def _has_triggers(connection: sqlite3.Connection) -> bool:
    sql = "SELECT 1 FROM sqlite_master WHERE type = 'trigger'"
    return connection.execute(sql).fetchone() is not None


def _has_views(connection: sqlite3.Connection) -> bool:
    """Whether a view or a virtual table has a name of ours: it may have no end."""
    # What is not kept in pages of its own has no root page.
    sql = "SELECT lower(name) FROM sqlite_master WHERE type IN ('table', 'view') AND rootpage = 0"
    return any(name in TABLES for (name,) in connection.execute(sql))


def _add_functions(connection: sqlite3.Connection) -> None:
    """Teach SQL what migrations need."""

    def number(match: re.Match[str]) -> str:
        sql = "SELECT id FROM packed_texts WHERE hash = ?"
        row = connection.execute(sql, (bytes.fromhex(match[1]),)).fetchone()
        return f'"#{row[0]}"' if row else match[0]

    def numbered(body: str) -> str:
        """Refers to texts by number instead of hash. Within a text, quotes are escaped."""
        return re.sub(r'"#([0-9a-f]{32})"', number, body)

    def packed(body: str) -> Stored:
        return compress(body, TEXT)

    for function in (packed, short_key, short_keys, numbered):
        connection.create_function(function.__name__, 1, function, deterministic=True)


def _is_foreign(connection: sqlite3.Connection) -> bool:
    """Whether tables stand there that assay did not make: nothing may be added to them.

    Other programs have tables of replies and of jobs, too, and versions of their own.
    """
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not names:  # what another program began says whose it is before it has tables
        return bool(_pragma(connection, "application_id") or _version(connection))
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(replies)")}
    is_own = {"replies", "jobs"} <= names and not columns.isdisjoint(_OF_REPLIES)
    return not is_own or not _version(connection)


def _version(connection: sqlite3.Connection) -> int:
    return _pragma(connection, "user_version")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
