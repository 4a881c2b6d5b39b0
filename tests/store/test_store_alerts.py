import sqlite3
from contextlib import closing

import pytest

from assay._store import Store
from assay._store.maintenance import verify
from assay._store.scores import StoredAlert

FELL = StoredAlert("shop", 3, "faithfulness", {"before": 0.8, "after": 0.6}, ("file", "webhook"))


def test_an_alert_is_kept_once(db):
    with Store(db) as store:
        assert store.alerts.add([FELL]) == [FELL]
        assert store.alerts.add([FELL]) == []
        assert store.alerts.of("shop") == [FELL]
        assert store.alerts.of("other") == []


def test_what_was_sent_is_no_longer_pending(db):
    with Store(db) as store:
        store.alerts.add([FELL])
        store.alerts.sent(FELL, "webhook")
    with Store(db) as store:
        assert store.alerts.of("shop")[0].pending == ("file",)
    assert verify(db).problems == ()


def test_damage_to_an_alert_is_found(db):
    with Store(db) as store:
        store.alerts.add([FELL])
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE alerts SET body = '{}'")
    assert any("alerts" in problem for problem in verify(db).problems)


def test_an_older_store_without_the_table_is_whole(db):
    Store(db).close()
    with closing(sqlite3.connect(db)) as connection, connection:
        for table in ("alerts", "prompt_cache", "second_opinions", "answering_models"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 9")
    assert verify(db).problems == ()


@pytest.mark.parametrize("again", [False, True])
def test_a_run_that_begins_is_described_in_the_same_transaction(db, again):
    from assay._store.runs import Description
    from assay.sample import Sample

    said = Description(tags=("watch:shop",), params={"look": 1})
    with Store(db) as store:
        for _ in range(1 + again):
            store.begin([Sample(id="a")], {"metrics": {"m": "s"}}, "x", said)
        (run,) = store.runs()
        assert (run.tags, run.params) == (("watch:shop",), {"look": 1})
