"""New stores begin with the newest schema at once, instead of with all that came before it."""

import sqlite3
from contextlib import closing

from assay._store import connection, integrity, schema


def begin_with_the_newest_schema(patch):
    """What 68 statements make of an empty file, 20 make; and the mounts are read once a device."""
    migrations, appended, kind_of = schema.MIGRATIONS, schema._append, connection.file_system
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        integrity.teach(db)
        schema.migrate(db)
        made = db.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL").fetchall()
    statements, kinds = [sql for (sql,) in made], {}

    def append(db):
        if schema.MIGRATIONS is not migrations:
            return appended(db)
        db.execute("BEGIN IMMEDIATE")
        if schema._version(db):  # an older store, or another test's process was first
            db.execute("ROLLBACK")
            return appended(db)
        for sql in statements:
            db.execute(sql)
        db.execute(f"PRAGMA user_version = {len(migrations)}")
        db.execute("COMMIT")
        return None

    def file_system(path, *table):
        if table or not path.parent.exists():
            return kind_of(path, *table)
        device = path.parent.stat().st_dev
        return kinds[device] if device in kinds else kinds.setdefault(device, kind_of(path))

    patch.setattr(schema, "_append", append)
    patch.setattr(connection, "file_system", file_system)
