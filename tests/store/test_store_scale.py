"""Twice the rows take twice the work, and no more, whatever is done with all of a store."""

import asyncio

import pytest

from assay import Score
from assay._store import Store, connection, maintenance, rows, scores, transfer
from assay.judge import Reply
from assay.sample import Sample

LONG = "A context that is long enough to be kept in a table of its own, under the number "
METRICS = ("m0", "m1", "m2")
ABOUT = {metric: f"{metric}|assay=0" for metric in METRICS}
STEPS = 10  # of SQLite's virtual machine, to a count


def filled(path, n):
    """A store with a run of so many samples, each with its scores and a reply to each of them."""
    told = [Sample(id=f"s{row}", contexts=(f"{LONG}{row}",)) for row in range(1, n + 1)]
    with Store(path) as store:
        run = store.begin(told, {"metrics": ABOUT}, "rows").id
        with store.changing() as db:
            for row in range(1, n + 1):
                for metric in METRICS:
                    key = f"{row:016x}{metric.encode().hex():0>16}"
                    reply = Reply((f"{LONG}{row}",), "raw", key=key, backend="b", kind="k")
                    rows.write_reply(db, reply, run)
                    values = rows.outcome_values(Score(1.0), [key])
                    rows.write_outcome(
                        db, (run, row, metric), values, rows.evidence_dictionary(told[row - 1])
                    )
        asyncio.run(store.end(run, seconds=0, stopped="", skipped=0))


def cleaned(path):
    assert set(maintenance.clean(path, dry_run=True).rows.values()) == {0}


def verified(path):
    assert maintenance.verify(path).problems == ()


def exported(path):
    with maintenance.Store(path) as store:
        return list(transfer.export(store))


def imported(path):
    lines = exported(path)
    with maintenance.Store(path.with_suffix(".there")) as store:
        transfer.import_runs(store, lines)


def gone_on_with(path):
    with maintenance.Store(path) as store:
        assert list(store.unscored(store.run().id, METRICS)) == []


def listed(path):
    with maintenance.Store(path) as store:
        found = [outcomes for _, _, outcomes in store.scored(store.run().id, METRICS)]
        assert {len(outcomes) for outcomes in found} == {len(METRICS)}


@pytest.mark.slow
@pytest.mark.parametrize("work", [cleaned, verified, exported, imported, gone_on_with, listed])
def test_the_work_grows_as_the_rows_do(tmp_path, monkeypatch, work):
    count = 0

    def step():
        nonlocal count
        count += 1

    class Counted(Store):
        def __init__(self, path):
            super().__init__(path)
            self._db.set_progress_handler(step, STEPS)

    for module in (maintenance, maintenance):
        monkeypatch.setattr(module, "Store", Counted)
    for module in (connection, scores):
        monkeypatch.setattr(module, "PAGE", 8)
    taken = []
    for n in (64, 512):
        filled(tmp_path / f"{n}.db", n)
        count = 0
        work(tmp_path / f"{n}.db")
        taken.append(count)
    assert taken[0] > 0
    assert taken[1] < 1.4 * 8 * taken[0], taken


@pytest.fixture
def read(monkeypatch):
    """The samples that were read whole, by id, since this was asked for."""
    ids, whole = [], rows.read_sample

    def sample(kept, resolve):
        found = whole(kept, resolve)
        ids.append(found.id)
        return found

    monkeypatch.setattr(rows, "read_sample", sample)
    return ids


def test_a_sample_of_which_all_is_scored_is_not_read_to_go_on(db, read):
    filled(db, 4)
    with Store(db) as store:
        run = store.run().id
        with store.changing() as changing:
            changing.execute("DELETE FROM jobs WHERE row = 2")
            changing.execute("UPDATE jobs SET why = 'failed' WHERE row = 3 AND id % 3 = 1")
        found = [(row, sample.id, left) for row, sample, left in store.unscored(run, METRICS)]
    assert found == [(2, "s2", list(METRICS)), (3, "s3", ["m0"])]
    assert read == ["s2", "s3"]


def test_an_import_reads_each_sample_once_however_many_scores_it_has(db, read):
    filled(db, 4)
    lines = exported(db)
    read.clear()
    with Store(db.with_name("there.db")) as store:
        transfer.import_runs(store, lines)
    assert read == ["s1", "s2", "s3", "s4"]


def test_an_import_reads_scores_in_any_order(db):
    filled(db, 4)
    lines = exported(db)
    scores = [line for line in lines if line.startswith('{"score"')]
    first = lines.index(scores[0])
    by_metric = sorted(scores, key=lambda line: line.partition('"metric"')[2])
    assert by_metric != scores
    there = db.with_name("there.db")
    with Store(there) as store:
        transfer.import_runs(store, [*lines[:first], *by_metric, *lines[first + len(scores) :]])
    assert maintenance.verify(there).problems == ()
    assert exported(there) == lines
