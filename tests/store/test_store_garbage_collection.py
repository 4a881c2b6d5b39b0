"""Is damage found, and is what no run needs dropped, and nothing else?"""

import asyncio
import random
import sqlite3

import pytest

from assay import Result, evaluate
from assay._store import Store
from assay._store.judges import Fingerprint
from assay._store.maintenance import clean, verify
from assay.errors import InputError
from assay.judge import Reply
from assay.sample import Sample
from assay.score import Score
from support import sealed
from support.once import store_of
from support.scripts import Watched, plausible, samples

METRICS = ["faithfulness", "context_precision"]
LONG = "A context of more than forty-eight characters, which only one run needs. "


@store_of
def whole(db):
    """A store with one run."""
    evaluate(samples(3), METRICS, plausible(), store=db)


def change(path, sql):
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(sql).rowcount
    connection.close()


def read(path, sql):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


async def test_what_judges_said_for_a_dropped_run_goes_with_it(whole):
    with Store(whole) as store:
        run = store.run().id
        await store.judges.keep_fingerprint(Fingerprint(run, "judge", 1, {"probe": ("digest",)}))
        await store.keep_reply(Reply(("?",), "!", 9, 1, key="ab" * 16, cached_in=4), run)
    clean(whole, [run])
    for table in ("fingerprints", "prompt_cache", "replies"):
        assert read(whole, f"SELECT count(*) FROM {table}") == [(0,)], table


class TestVerify:
    def test_a_whole_store_has_no_problem(self, whole):
        found = verify(whole)
        assert (found.problems, found.remarks) == ((), ())
        assert found.counts["samples"] == 3
        assert found.counts["scores"] == 6
        assert found.counts["replies"] == read(whole, "SELECT count(*) FROM replies")[0][0]

    @pytest.mark.parametrize(
        ("damage", "said"),
        [
            ("UPDATE texts SET body = 'other' WHERE id = 2", "text 2 is not what its hash says"),
            ("UPDATE texts SET body = x'ff00ff' WHERE id = 2", "text 2 is not what its hash says"),
            ("DELETE FROM texts WHERE id = 2", "cannot be read"),
            ("UPDATE replies SET raw = x'ff00ff' WHERE id = 1", "cannot be read"),
            ("UPDATE replies SET pieces = '[3]' WHERE id = 1", "cannot be read"),
            ("DELETE FROM replies WHERE id = 1", "that it rests on is not there"),
            ("UPDATE jobs SET evidence = x'ff00ff' WHERE row = 2", "the evidence cannot be read"),
            ("UPDATE jobs SET evidence = '{' WHERE row = 2", "the evidence cannot be read"),
            ("DELETE FROM jobs WHERE row = 2", "has finished, and 2 of its scores are missing"),
            ("DELETE FROM samples WHERE row = 3", "has 2 of its 3 samples"),
            (
                'UPDATE samples SET body = \'{"id":"q"}\' WHERE row = 3',
                "those that it was named by",
            ),
            ("UPDATE texts SET body = x'' WHERE id = 1", "text 1 is not what its hash says"),
            ("UPDATE texts SET body = 7 WHERE id = 1", "text 1 is not what its hash says"),
            ("UPDATE replies SET pieces = '[\"#x\"]' WHERE id = 1", "cannot be read"),
            (
                'UPDATE samples SET body = \'{"id":"q","question":"#x"}\' WHERE row = 3',
                "after 2 samples",
            ),
            ("UPDATE runs SET config = replace(config, 'assay=', 'a=')", "was named by"),
        ],
    )
    def test_damage_is_named_though_each_checksum_is_right(self, whole, damage, said):
        sealed.change(whole, damage)
        assert any(said in problem for problem in verify(whole).problems), verify(whole).problems

    def test_pages_that_were_overwritten_are_noticed(self, whole):
        read(whole, "PRAGMA wal_checkpoint(TRUNCATE)")
        content = bytearray(whole.read_bytes())
        for at in range(8192, len(content) - 4096, 4096):
            content[at + 2000 : at + 4096] = b"x" * 2096
        whole.write_bytes(content)
        try:
            assert verify(whole).problems
        except InputError as error:
            assert "cannot be used as a store" in str(error)  # noqa: PT017 - either will do

    def test_names_of_tables_that_cannot_be_read_are_damage(self, whole):
        read(whole, "PRAGMA wal_checkpoint(TRUNCATE)")
        content = whole.read_bytes()
        for damaged in (b"noisenoise", b"CREATE TABLE noise"):
            assert damaged in content
            content = content.replace(damaged, b"\xff\xfe" + damaged[2:])
        whole.write_bytes(content)
        with pytest.raises(InputError, match=r"cannot be used as a store.*the file is damaged"):
            verify(whole)

    def test_a_run_that_did_not_finish_is_no_damage(self, db):
        async def stop(task):
            raise KeyError("a bug")

        with pytest.raises(KeyError):
            evaluate(samples(3), METRICS, Watched(plausible(), before=stop), store=db)
        found = verify(db)
        assert found.problems == ()
        assert "has not finished (interrupted): 6 scores to go" in found.remarks[0]

    def test_rows_of_no_run_are_remarked_upon(self, whole):
        change(whole, "DELETE FROM runs")
        assert "3 rows of 'samples' belong to no run" in verify(whole).remarks[0]

    def test_no_store(self, db):
        with pytest.raises(InputError, match="there is no store"):
            verify(db)


class TestCleaning:
    @pytest.fixture
    def two(self, whole):
        """A store with a second run, which shares a sample's replies and has a text of its own."""
        more = [*samples(1), Sample(id="own", question="?", contexts=(LONG * 9,), answer="It is.")]
        evaluate(more, "faithfulness", plausible(), store=whole)
        return whole

    def runs(self, path):
        with Store(path) as store:
            return [run.id for run in store.runs()]

    def test_nothing_is_dropped_where_all_is_needed(self, two):
        before = [Result(two, run).summary() for run in self.runs(two)]
        assert set(clean(two).rows.values()) == {0}
        assert [Result(two, run).summary() for run in self.runs(two)] == before
        assert verify(two).problems == ()

    def test_a_run_goes_with_what_only_it_needs(self, two):
        second, first = self.runs(two)
        done = clean(two, [second[:8]])
        assert self.runs(two) == [first]
        assert (done.rows["runs"], done.rows["samples"], done.rows["jobs"]) == (1, 2, 2)
        assert done.rows["replies"] == 2
        assert done.rows["texts"] >= 1
        assert verify(two).problems == ()
        assert verify(two).remarks == ()

    def test_replies_that_another_run_rests_on_stay_though_their_payer_goes(self, two):
        second, first = self.runs(two)
        clean(two, [first])
        assert verify(two).problems == ()
        judge = Watched(plausible())
        assert Result(two, second)["faithfulness"]
        more = [*samples(1), Sample(id="own", question="?", contexts=(LONG * 9,), answer="It is.")]
        evaluate(more, "faithfulness", judge, store=two)
        assert judge.asked == []

    def test_a_run_that_was_dropped_can_be_begun_again(self, two):
        _, first = self.runs(two)
        clean(two, [first])
        again = evaluate(samples(3), METRICS, plausible(), store=two)
        assert again.run.id == first
        assert verify(two).problems == ()

    def test_a_dry_run_drops_nothing_and_says_the_same(self, two):
        second, _ = self.runs(two)
        told = clean(two, [second], dry_run=True)
        assert told.after is None
        assert len(self.runs(two)) == 2
        assert clean(two, [second]).rows == told.rows

    def test_the_room_is_given_back(self, db):
        big = [Sample(id=str(n), answer=random.Random(n).randbytes(2000).hex()) for n in range(200)]
        with Store(db) as store:
            run = store.begin(big, {"metrics": {"m": "s"}}, "x")
            store.begin(samples(1), {"metrics": {"m": "s"}}, "x")
        done = clean(db, [run.id])
        assert done.after < done.before / 2
        assert db.stat().st_size == done.after

    def test_what_stands_in_the_log_alone_counts_as_room_that_was_taken(self, db):
        big = [Sample(id=str(n), answer=random.Random(n).randbytes(2000).hex()) for n in range(200)]
        with Store(db) as store:
            store.begin(big, {"metrics": {"m": "s"}}, "x")
            assert db.stat().st_size < 200 * 2000  # as a run that was killed leaves it
            assert clean(db, dry_run=True).before > 200 * 2000

    def test_what_another_process_left_behind_half_done_goes(self, whole):
        with Store(whole) as store:
            reply = Reply((LONG,), "r", key="k", kind="x", backend="b")
            asyncio.run(store.keep_reply(reply, "no such run"))
        assert clean(whole).rows["replies"] == 1

    @pytest.mark.parametrize("name", ["zzz", ""])
    def test_a_run_that_is_not_named_uniquely_is_not_dropped(self, two, name):
        with pytest.raises(InputError, match="with"):
            clean(two, [name])
        assert len(self.runs(two)) == 2


class TestCleaningBesideARun:
    """Another process cleans the store while a run is under way."""

    def case(self, context):
        said = "It is 330 metres high."
        return Sample(id="1", question="How high is it?", answer=said, contexts=(context,))

    def cleaning(self, path, run):
        """A judge that has a run dropped before it first checks statements."""
        todo = [run]

        async def clean_once(task):
            if task.kind == "verify_statements" and todo:
                clean(path, [todo.pop()])

        return Watched(plausible(), before=clean_once)

    def test_a_reply_that_goes_after_it_was_read_is_asked_for_anew(self, db):
        first = evaluate([self.case("Over 300 metres.")], "faithfulness", plausible(), store=db)
        judge = self.cleaning(db, first.run.id)
        second = evaluate([self.case("It is high.")], "faithfulness", judge, store=db)
        assert dict(judge.kinds) == {"verify_statements": 1, "split_statements": 1}
        assert [type(score) for score in second["faithfulness"]] == [Score]
        assert verify(db).problems == ()

    def test_a_run_that_is_dropped_while_it_is_under_way_says_so(self, db):
        judge = self.cleaning(db, "last")
        with pytest.raises(InputError, match="no run is called"):
            evaluate([self.case("It is high.")], "faithfulness", judge, store=db)
        assert read(db, "SELECT * FROM jobs") == []

    async def test_a_score_is_not_kept_without_the_replies_that_it_rests_on(self, db):
        with Store(db) as store:
            await store.keep_reply(Reply((LONG,), "r", key="there", kind="x", backend="b"), "r")
            assert await store.keep_outcome("r", 1, "m", Score(1.0), ["there"])
            assert not await store.keep_outcome("r", 2, "m", Score(1.0), ["there", "gone"])
            assert store.values("r", "m") == [(1, 1.0, "")]

    async def test_a_reply_is_read_whole_while_another_process_drops_it(self, db, monkeypatch):
        kept = Reply((LONG, LONG[::-1]), "r", key="k", kind="x", backend="b")
        look_up, todo = Store._text, ["DELETE FROM texts", "DELETE FROM replies"]

        def dropping(self, number):
            while todo:
                change(db, todo.pop())
            return look_up(self, number)

        with Store(db) as writer, Store(db) as store:
            await writer.keep_reply(kept, "no such run")
            monkeypatch.setattr(Store, "_text", dropping)
            assert store.reply("k") == kept
            assert store.reply("k") is None
            assert writer.reply("k") is None  # remembered, but it is not there any more
