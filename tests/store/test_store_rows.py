"""What goes into the store comes out of it unchanged, each text once."""

import sqlite3
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._middleware.cache import ReplyCache, Served
from assay._store import Store
from assay._store.integrity import digest, reply_key, seal, text_key
from assay._store.maintenance import verify
from assay._store.rows import outcome_values, write_outcome
from assay.errors import InputError, Problem
from assay.judge import Reply
from assay.judges.scripted import Scripted
from assay.sample import Sample, ToolCall, Turn, Variant
from assay.score import Part, Score, Unscored
from assay.tasks import Embed, GenerateQuestions, SplitStatements
from support import scripts

CONFIG = {"metrics": {"faithfulness": "signature"}}
LONG = "A context of more than forty-eight characters, which is kept only once. "


def rows(path, sql):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def reply(key="k1", **changes):
    fields = {"pieces": ("Do it.\n", LONG), "raw": "done", "key": key, "kind": "embed"}
    return Reply(**{**fields, **changes})


class TestReplies:
    async def test_a_reply_survives_reopening(self, db):
        kept = reply(tokens_in=3, tokens_out=2, ms=1.5, backend="b#1", draw=1000)
        with Store(db) as store:
            await store.keep_reply(kept, "run1")
        with Store(db) as store:
            assert store.reply("k1") == kept
            assert store.reply("k2") is None

    async def test_the_first_reply_under_a_key_stays(self, db):
        with Store(db) as store:
            await store.keep_reply(reply(raw="first"), "run1")
            await store.keep_reply(reply(raw="second"), "run2")
            assert store.reply("k1").raw == "first"
            assert (store.spent("run1").calls, store.spent("run2").calls) == (1, 0)

    async def test_what_two_runs_paid_for_one_reply_counts_for_both(self, db):
        with Store(db) as store:
            await store.keep_reply(reply(tokens_in=10, tokens_out=2), "run1")
            for _ in range(2):
                await store.keep_reply(reply(tokens_in=11, tokens_out=3), "run2")
            spent = store.spent("run1"), store.spent("run2")
            assert [(one.tokens_in, one.tokens_out) for one in spent] == [(10, 2), (22, 6)]
            assert [one.calls for one in spent] == [1, 0]
            assert store.usual("", "embed") == (1, 2.0)
        assert verify(db).problems == ()

    async def test_a_text_in_many_prompts_is_stored_once(self, db):
        with Store(db) as store:
            for n in range(100):
                await store.keep_reply(reply(f"k{n}", pieces=(f"short {n}", LONG * 50)), "r")
            assert store.reply("k99").prompt == "short 99" + LONG * 50
        assert len(rows(db, "SELECT * FROM texts")) == 1

    @given(pieces=st.lists(st.text() | st.text(min_size=60), max_size=4), raw=st.text())
    async def test_any_text_comes_back_as_it_was(self, tmp_path, pieces, raw):
        with Store(tmp_path / "any.db") as store:
            kept = reply(digest([*pieces, raw]), pieces=tuple(pieces), raw=raw)
            await store.keep_reply(kept, "r")
            assert store.reply(kept.key) == kept

    @pytest.mark.parametrize("raw", ["half \ud83d", "\udcff", "a \x00 b", "\U0001f600", "\u2028"])
    async def test_whatever_a_judge_says_is_kept_and_read_as_it_was_kept(self, db, raw):
        with Store(db) as store:
            ledger = ReplyCache(Scripted({"split_statements": raw}), store, "r", Served())
            seen = await ledger.reply(SplitStatements("?", "x"))
        with Store(db) as store:
            assert store.reply(seen.key) == seen
            assert seen.raw.encode() == raw.encode("utf-8", "replace")

    async def test_what_a_run_paid_for_is_added_up(self, db):
        with Store(db) as store:
            for n in range(3):
                await store.keep_reply(reply(f"k{n}", tokens_in=10, tokens_out=2, ms=5.0), "r")
            spent = store.spent("r")
            assert (spent.calls, spent.tokens_in, spent.tokens_out, spent.ms) == (3, 30, 6, 15)
            assert store.spent("nobody").calls == 0

    async def test_a_write_that_fails_is_told_to_whoever_waits_and_spoils_no_other(self, db):
        with Store(db) as store:
            bad = store.keep_reply(reply("bad", raw=object()), "r")
            good = store.keep_reply(reply("good"), "r")
            with pytest.raises(AttributeError):
                await bad
            await good
            assert store.reply("good") == reply("good")

    async def test_a_closed_store_refuses_to_keep_instead_of_waiting_for_ever(self, db):
        store = Store(db)
        store.close()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            await store.keep_reply(reply(), "r")
        store.close()


class TestKeys:
    def test_a_key_names_back_end_task_texts_and_draw(self):
        task = GenerateQuestions("x", 2)
        keys = [
            reply_key("a", task, 0),
            reply_key("b", task, 0),
            reply_key("a", task, 1),
            reply_key("a", GenerateQuestions("x", 3), 0),
            reply_key("a", GenerateQuestions("y", 2), 0),
            reply_key("a", Embed("x"), 0),
        ]
        assert len(set(keys)) == len(keys)
        assert reply_key("a", GenerateQuestions("x", 2), 0) == keys[0]

    @given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
    def test_no_two_lists_share_a_digest_by_shifting_a_boundary(self, a, b):
        assert (digest(a) == digest(b)) == (a == b)

    @given(st.text(), st.text())
    def test_texts_are_named_by_their_content(self, a, b):
        assert (text_key(a) == text_key(b)) == (a == b)


class TestSamples:
    FULL = Sample(
        id="q1",
        question="What?",
        contexts=(LONG, "", "short"),
        answer=LONG + "!",
        reference="R",
        accepted=("R", "r"),
        reference_contexts=(LONG,),
        context_ids=("1", "2", "3"),
        reference_context_ids=(),
        relevance_grades={"1": 2.0, "=": 0.0},
        further_answers=("a", "", LONG),
        other_answer="b",
        answerable=False,
        rubric={"1": "wrong", "2": LONG},
        turns=(
            Turn("system", ""),
            Turn("user", "=What?"),
            Turn("assistant", LONG, (LONG, "#"), (ToolCall("f", {"x": [1, {"y": None}]}),)),
            Turn("tool", "{}", ()),
        ),
        reference_tool_calls=(ToolCall("f"),),
        reference_topics=("rivers",),
        variants=(Variant("noise", "x", (LONG,), 0.5), Variant("counterfactual", LONG)),
        latency_ms=12.5,
        cost=0.01,
        tokens=7,
        group="g",
        language="pt-BR",
        metadata={"nested": {"list": [1, 2.5, None, "x"]}, "=": "#"},
    )

    @pytest.mark.parametrize(
        "sample",
        [
            FULL,
            Sample(id="bare"),
            Sample(id="none", contexts=None),
            Sample(id="nothing", further_answers=(), turns=(), reference_tool_calls=(), rubric={}),
            Sample(id="empty", contexts=(), reference_contexts=(), answer=""),
            Sample(id="=#", question="=x", answer="#y", reference="#" * 80, contexts=("=", "#")),
            Sample(id="\U0001f600", answer="\u2028\x00 e\u0301", metadata={"\u00e9": "\u00e9"}),
        ],
        ids=lambda sample: sample.id,
    )
    def test_a_sample_comes_back_as_it_was(self, db, sample):
        with Store(db) as store:
            run = store.begin([sample], CONFIG, "x")
        with Store(db) as store:
            assert list(store.samples(run.id)) == [(1, sample)]
            assert store.sample(run.id, sample.id) == (1, sample)

    def test_nothing_retrieved_and_not_recorded_are_different_runs(self, db):
        with Store(db) as store:
            none = store.begin([Sample(id="1")], CONFIG, "x")
            empty = store.begin([Sample(id="1", contexts=())], CONFIG, "x")
        assert none.id != empty.id

    def test_a_sample_that_is_not_there_is_refused(self, db):
        with Store(db) as store:
            run = store.begin([Sample(id="1")], CONFIG, "x")
            with pytest.raises(InputError, match="has no sample '2'"):
                store.sample(run.id, "2")

    def test_a_context_in_many_samples_is_stored_once(self, db):
        with Store(db) as store:
            turns = (Turn("assistant", "It is.", (LONG,)),)
            samples = [Sample(id=str(n), contexts=(LONG,), turns=turns) for n in range(50)]
            store.begin(samples, CONFIG, "x")
        assert len(rows(db, "SELECT * FROM texts")) == 1


class TestRuns:
    def test_the_same_content_is_the_same_run_whatever_the_data_are_called(self, db):
        with Store(db) as store:
            one = store.begin(scripts.samples(3), CONFIG, "a.jsonl")
            two = store.begin(scripts.samples(3), {**CONFIG, "judge": "other words"}, "b.csv")
            assert one == two
            assert [sample.id for _, sample in store.samples(one.id)] == ["q0", "q1", "q2"]
        assert len(rows(db, "SELECT * FROM samples")) == 3

    @pytest.mark.parametrize(
        ("samples", "config"),
        [
            (scripts.samples(2), CONFIG),
            (scripts.samples(3)[::-1], CONFIG),
            ([*scripts.samples(2), scripts.sample(2, answer="Other.")], CONFIG),
            (scripts.samples(3), {"metrics": {"faithfulness": "other judge"}}),
            (scripts.samples(3), {"metrics": {"faithfulness": "signature", "b": "signature"}}),
            (scripts.samples(3), {"metrics": {}}),
        ],
        ids=["fewer", "order", "answer", "judge", "metrics", "none"],
    )
    def test_whatever_could_change_a_score_makes_another_run(self, db, samples, config):
        with Store(db) as store:
            first = store.begin(scripts.samples(3), CONFIG, "x")
            assert store.begin(samples, config, "x").id != first.id
            assert len(store.runs()) == 2

    def test_invalid_rows_leave_nothing_behind(self, db):
        def rows_then_error():
            yield scripts.sample(contexts=(LONG * 2,))
            raise InputError([Problem("is missing", row=2)])

        with Store(db) as store:
            with pytest.raises(InputError, match="row 2"):
                store.begin(rows_then_error(), CONFIG, "x")
            assert store.runs() == []
            store.begin(scripts.samples(1), CONFIG, "x")
        assert len(rows(db, "SELECT * FROM samples")) == 1
        assert (LONG * 2,) not in rows(db, "SELECT body FROM texts")

    def test_a_run_is_found_by_any_unique_beginning_of_its_id(self, db):
        with Store(db) as store:
            runs = [store.begin(scripts.samples(n), CONFIG, "x") for n in (1, 2, 3)]
            for run in runs:
                assert len(run.id) == 12
                assert store.run(run.id[:8]) == store.run(run.id) == run
            assert store.run() == store.run("last") == runs[-1]
            assert [run.id for run in store.runs()] == [run.id for run in runs[::-1]]

    def test_the_last_run_is_the_one_that_was_last_asked_for(self, db):
        with Store(db) as store:
            old, new = (store.begin(scripts.samples(n), CONFIG, "x") for n in (1, 2))
            assert store.run("last") == new
            assert store.begin(scripts.samples(1), CONFIG, "x") == old
            assert store.run("last") == old
            assert store.runs() == [new, old]  # by when they began

    def test_the_last_run_is_so_after_the_clock_went_back_too(self, db):
        with Store(db) as store:
            old = store.begin(scripts.samples(1), CONFIG, "x")
            with store.changing() as file:
                file.execute("UPDATE runs SET asked = '2999-12-31T23:59:59.999Z'")
                seal(file, "runs", "1")
            new = store.begin(scripts.samples(2), CONFIG, "x")
            assert store.run("last") == new
            assert store.begin(scripts.samples(1), CONFIG, "x").id == old.id
            assert store.run("last").id == old.id

    def test_what_asks_again_about_another_run_is_not_the_last_one(self, db):
        with Store(db) as store:
            again = store.begin(scripts.samples(1), {**CONFIG, "repeats": "x"}, "x")
            assert store.run("last") == again  # there is no other
            own = store.begin(scripts.samples(2), CONFIG, "x")
            time.sleep(0.002)
            store.begin(scripts.samples(1), {**CONFIG, "repeats": "x"}, "x")
            assert store.run("last") == own

    @pytest.mark.parametrize(
        ("name", "why"), [("zzz", "no run is called"), ("", "several runs begin with")]
    )
    def test_a_name_without_exactly_one_run_is_refused(self, db, name, why):
        with Store(db) as store:
            store.begin(scripts.samples(1), CONFIG, "x")
            store.begin(scripts.samples(2), CONFIG, "x")
            with pytest.raises(InputError, match=f"{why} '{name}'"):
                store.run(name)

    def test_an_empty_store_has_no_last_run(self, db):
        with Store(db) as store, pytest.raises(InputError, match="there is no run"):
            store.run()

    async def test_how_a_run_ended_is_recorded_and_its_seconds_add_up(self, db):
        with Store(db) as store:
            run = store.begin(scripts.samples(1), CONFIG, "x")
            await store.end(run.id, seconds=2.0, stopped="interrupted", skipped=1)
            stopped = store.run(run.id)
            await store.end(run.id, seconds=3.0, stopped="", skipped=1)
            ended = store.run(run.id)
        assert (stopped.stopped, stopped.finished, stopped.seconds) == ("interrupted", None, 2)
        assert (ended.stopped, ended.seconds, ended.skipped) == ("", 5, 1)
        assert ended.finished > run.created


PART = Part("statement", "x", "supported", 1.0, "why", 0, "quote", 0.75, (0, 1))


class TestOutcomes:
    @pytest.mark.parametrize(
        "outcome",
        [
            Score(0.5),
            Score(-1.0, (PART, Part("statement", "y")), "method", {"precision": 0.5, "n": 3}),
            Unscored("undefined", "why"),
            Unscored("failed", "why", (PART,)),
        ],
    )
    async def test_an_outcome_comes_back_with_its_evidence(self, db, outcome):
        with Store(db) as store:
            await store.keep_reply(reply("k1"), "r")
            await store.keep_outcome("r", 1, "m", outcome, ["k1"])
        with Store(db) as store:
            assert store.outcome("r", 1, "m") == outcome
            assert store.outcome("r", 2, "m") is None

    async def test_the_replies_of_a_score_are_those_it_rests_on_in_order(self, db):
        with Store(db) as store:
            for key in ("a", "b", "c"):
                await store.keep_reply(reply(key), "r")
            await store.keep_outcome("r", 1, "m", Score(1.0), ["c", "a", "c"])
            assert [r.key for r in store.replies("r", 1, "m")] == ["c", "a", "c"]
            assert store.replies("r", 2, "m") == []

    @pytest.mark.parametrize("kept", [Score(0.5, (PART,)), Unscored("undefined", "x")])
    async def test_what_another_process_has_scored_outlasts_a_failure_here(self, db, kept):
        with Store(db) as here, Store(db) as there:
            await there.keep_reply(reply("k"), "r")
            await there.keep_outcome("r", 1, "m", kept, ["k"])
            await here.keep_outcome("r", 1, "m", Unscored("failed", "late"), [])
            assert here.outcome("r", 1, "m") == kept
            assert here.reply_keys("r", 1, "m") == ["k"]

    async def test_a_failed_score_is_not_done_and_may_be_replaced(self, db):
        with Store(db) as store:
            for row, outcome in enumerate(
                [Score(0.0), Unscored("undefined", "x"), Unscored("failed", "x")], start=1
            ):
                await store.keep_outcome("r", row, "m", outcome, [])
            assert store.done("r", 1, 3) == {(1, "m"), (2, "m")}
            assert store.counts("r") == {"m": {"": 1, "undefined": 1, "failed": 1}}
            await store.keep_outcome("r", 3, "m", Score(1.0), [])
            assert store.counts("r") == {"m": {"": 2, "undefined": 1}}
            assert store.values("r", "m") == [(1, 0.0, ""), (2, None, "undefined"), (3, 1.0, "")]

    async def test_methods_other_than_the_definition_are_listed_once(self, db):
        with Store(db) as store:
            for row, method in enumerate(["", "rated", "rated"], start=1):
                await store.keep_outcome("r", row, "m", Score(1.0, (), method), [])
            assert store.methods("r", "m") == ["rated"]


@pytest.mark.parametrize("metrics", [1, 3])
def test_what_is_done_of_a_page_is_found_without_reading_the_whole_run(db, metrics):
    steps = []
    with Store(db) as store:
        for n in (200, 4000):
            with store.changing() as changing:
                for metric in range(metrics):
                    for row in range(1, n + 1):
                        values = outcome_values(Score(1.0), ())
                        write_outcome(changing, (f"r{n}", row, f"m{metric}"), values, b"")
            count = 0

            def step():
                nonlocal count
                count += 1

            store._db.set_progress_handler(step, 10)
            assert len(store.done(f"r{n}", 1, 50)) == 50 * metrics
            store._db.set_progress_handler(None, 0)
            steps.append(count)
    assert steps[1] < 1.5 * steps[0]
