"""How the store's tables came to be: migrations, only ever appended to."""

import sqlite3

from assay.errors import InputError

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
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a store to the newest schema, all or nothing.

    Raises:
        InputError: If a newer assay wrote it, or another program.
    """
    if _version(connection) > len(MIGRATIONS):
        raise InputError("the store was written by a newer assay", "upgrade assay")
    if _is_foreign(connection):
        raise InputError("the file is another program's database", "name another file as the store")
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have migrated meanwhile.
        for migration in MIGRATIONS[_version(connection) :]:
            for statement in migration.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _is_foreign(connection: sqlite3.Connection) -> bool:
    """Whether tables stand there that assay did not make: nothing may be added to them."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    return bool(names) and not {"replies", "jobs"} <= names


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
