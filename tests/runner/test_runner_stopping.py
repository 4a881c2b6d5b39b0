"""What ends a run early, what is refused before it begins, and what is kept all the same."""

import asyncio
from dataclasses import replace

import pytest

from assay import Budget, Limits, Price, Result, Settings, estimate, evaluate, metric
from assay._middleware.health import HOPELESS
from assay._middleware.wrapper import Route
from assay._runner.engine import CANCELLED, USELESS
from assay._store import Store
from assay._store.maintenance import clean, verify
from assay._store.transfer import export, import_runs
from assay.errors import CutShort, Denied, InputError, Unavailable
from assay.judges.llm import LLM, Completion
from assay.judges.scripted import Scripted
from assay.score import Unscored
from support.answers import answer
from support.scripts import CITIES, Watched, plausible, sample, samples

QUICK = Limits(concurrency=2, retries=0)


class Metered(LLM):
    """An LLM that says how many tokens it used: 100 in, 10 out."""

    name = ""

    def __init__(self, name="metered"):
        super().__init__()
        self.name = name
        self.calls = 0

    async def complete(self, prompt, schema, kind, draw):
        self.calls += 1
        return Completion(answer(prompt, kind), 100, 10)


class Refused(Metered):
    """An LLM whose key is refused."""

    async def complete(self, prompt, schema, kind, draw):
        self.calls += 1
        raise Denied("401: the key was refused -> check OPENAI_API_KEY")


class TestUseless:
    """A judge that replies what nobody can read costs as much as one that can judge."""

    def judge(self, readable):
        class Babbling(Metered):
            async def complete(self, prompt, schema, kind, draw):
                self.calls += 1
                text = answer(prompt, kind) if readable(prompt) else "Certainly! Here you go."
                return Completion(text, 100, 10)

        return Babbling()

    def test_it_is_given_up_before_all_is_paid_for(self, db):
        judge = self.judge(lambda prompt: False)
        settings = Settings(limits=QUICK, tries=1)
        with pytest.raises(Denied, match=f"none of the first {USELESS} scores .*'Certainly"):
            evaluate(samples(400), "faithfulness", judge, store=db, settings=settings)
        assert USELESS <= judge.calls <= USELESS + 2 * 4

    def refuser(self, refuses):
        class Refuser(Metered):
            async def complete(self, prompt, schema, kind, draw):
                self.calls += 1
                if refuses(prompt):
                    raise Unavailable("answered 400: credit", permanent=True, cost=(100, 0))
                return Completion(answer(prompt, kind), 100, 10)

        return Refuser()

    def test_one_that_refuses_every_prompt_is_given_up_as_well(self, db):
        judge = self.refuser(lambda prompt: True)
        told = f"none of the first {USELESS} scores could be made: answered 400: credit -> put"
        with pytest.raises(Denied, match=told):
            evaluate(samples(400), "faithfulness", judge, store=db, settings=Settings(limits=QUICK))
        assert USELESS <= judge.calls <= USELESS + 2 * 4
        assert Result(db).cost().tokens_in == 100 * judge.calls  # it was billed for these

    def test_samples_of_which_it_judged_nothing_are_neither_good_nor_bad(self, db):
        rows = [replace(one, reference_contexts=one.contexts[:1]) for one in samples(6)]
        judge = self.refuser(lambda prompt: CITIES[2][1] not in prompt)
        result = evaluate(rows, "faithfulness", judge, store=db, settings=Settings(limits=QUICK))
        found = result.diagnose()
        assert (found.n_samples, found.n_open, found.samples[2].state) == (6, 5, "failed")
        assert found.samples[0].remark == "the judge failed: answered 400: credit"

    def test_one_that_refuses_nearly_every_prompt_goes_on(self, db):
        judge = self.refuser(lambda prompt: "(20)" not in prompt)
        data, settings = samples(USELESS + 10), Settings(limits=QUICK)
        (row,) = evaluate(data, "faithfulness", judge, store=db, settings=settings).summary()
        assert (row.n_scored, row.n_failed, row.n_not_reached) == (1, USELESS + 9, 0)

    def test_one_that_replies_to_some_tasks_goes_on(self, db):
        judge = self.judge(lambda prompt: "Split the text" not in prompt)
        metrics = ["faithfulness", "context_precision"]
        settings = Settings(limits=QUICK, tries=1)
        result = evaluate(samples(USELESS + 10), metrics, judge, store=db, settings=settings)
        failed, scored = result.summary()
        assert (failed.n_failed, scored.n_failed) == (USELESS + 10, 0)
        assert failed.n_not_reached == 0
        assert "not reached" not in str(result.summary())


class TestDenied:
    def judge(self, after):
        async def refuse(task):
            if len(judge.asked) > after:
                raise Denied("401: the key was refused -> check OPENAI_API_KEY")

        judge = Watched(plausible(), before=refuse)
        return judge

    def test_it_is_raised_at_once(self, db):
        judge = self.judge(after=0)
        with pytest.raises(Denied, match="the key was refused"):
            evaluate(samples(50), "faithfulness", judge, store=db, settings=Settings(limits=QUICK))
        assert len(judge.asked) <= 2 * 4  # those that were being worked on

    def test_what_was_done_is_kept_and_the_run_goes_on_with_a_better_key(self, db):
        data, settings = samples(20), Settings(limits=QUICK)
        with pytest.raises(Denied):
            evaluate(data, "faithfulness", self.judge(after=20), store=db, settings=settings)
        stopped = Result(db)
        assert "the key was refused" in stopped.stopped
        paid = stopped.cost().calls
        (row,) = stopped.summary()
        done = row.n_scored
        assert 5 < done < 20
        assert row.n_not_reached == 20 - done
        head, line = str(stopped.summary()).splitlines()
        assert head.endswith("undefined  failed  not reached")
        assert line.split()[-4:] == [str(done), "0", "0", str(20 - done)]
        judge = Watched(plausible())
        result = evaluate(data, "faithfulness", judge, store=db, settings=settings)
        assert result.run.id == stopped.run.id
        assert result.summary()[0].n_scored == 20
        assert len(judge.asked) == 40 - paid

    def test_it_is_no_score(self, db):
        with pytest.raises(Denied):
            evaluate(samples(2), "faithfulness", self.judge(after=0), store=db)
        row = Result(db).summary()[0]
        assert (row.n_scored, row.n_failed, row.n_not_reached, row.mean) == (0, 2, 2, None)

    @pytest.mark.parametrize("metrics", ["faithfulness", ["faithfulness", "context_recall"]])
    def test_calls_that_wait_to_be_sent_are_given_up(self, db, metrics):
        judge = Refused()  # an LLM: what both metrics ask goes into one call
        settings = Settings(limits=Limits(requests_per_minute=20))  # one at once
        with pytest.raises(Denied, match="the key was refused"):
            evaluate(samples(30), metrics, judge, embedder=plausible(), store=db, settings=settings)
        assert judge.calls == 1
        stopped = Result(db)
        assert "the key was refused" in stopped.stopped
        assert {row.n_failed for row in stopped.summary()} == {30}

    def test_calls_on_their_way_are_waited_for_and_kept(self, db):
        all_sent = asyncio.Event()

        async def refuse_the_first(task):
            if len(judge.asked) == 4:
                all_sent.set()
            first = task is judge.asked[0][0]
            await all_sent.wait()
            if first:
                raise Denied("401: the key was refused -> check OPENAI_API_KEY")
            await asyncio.sleep(0.1)

        judge = Watched(plausible(), before=refuse_the_first)
        settings = Settings(limits=Limits(concurrency=4))
        with pytest.raises(Denied):
            evaluate(samples(30), "faithfulness", judge, store=db, settings=settings)
        assert len(judge.asked) <= 5  # the refused one had left its place to another
        assert Result(db).cost().calls == len(judge.asked) - 1

    def test_where_nobody_answers_what_waits_for_another_try_is_given_up(self, db):
        async def lose(task):
            # The first eight are to wait for longer than anybody does, the others for a while.
            early = any(task is asked for asked, _ in judge.asked[:HOPELESS])
            raise Unavailable("lost", retry_after=1000 if early else 5)

        judge = Watched(plausible(), before=lose)
        settings = Settings(limits=Limits(concurrency=16))
        with pytest.raises(Denied, match="8 calls"):
            evaluate(samples(50), "faithfulness", judge, store=db, settings=settings)
        assert len(judge.asked) == len({task for task, _ in judge.asked})


class TestBudget:
    def run(self, db, judge, **budget):
        # One at a time: calls on their way are counted by what they might cost.
        settings = Settings(limits=Limits(concurrency=1), budget=Budget(**budget))
        return evaluate(
            samples(20),
            "faithfulness",
            judge,
            embedder=plausible(),
            store=db,
            settings=settings,
        )

    def test_it_stops_cleanly_below_the_budget_and_says_why(self, db):
        judge = Metered()
        result = self.run(db, judge, tokens=4000)
        assert "the next call could exceed the budget in tokens" in result.stopped
        assert 0 < judge.calls < 40
        assert judge.calls * 110 <= 4000
        row = result.summary()[0]
        assert row.n_scored > 0
        assert row.n_scored + row.n_failed == 20

    def test_samples_that_it_did_not_reach_are_neither_good_nor_bad(self, db):
        rows = [replace(one, reference_contexts=one.contexts[:1]) for one in samples(20)]
        settings = Settings(limits=Limits(concurrency=1), budget=Budget(tokens=4000))
        result = evaluate(
            rows, "faithfulness", Metered(), embedder=plausible(), store=db, settings=settings
        )
        n_scored = result.summary()[0].n_scored
        found = result.diagnose()
        assert 0 < n_scored < 20
        assert found.n_open >= 20 - n_scored
        assert found.n_failed + found.n_fine + found.n_uncertain <= n_scored
        states = {one.remark for one in found.samples if one.state == "open"}
        assert "the run stopped before it was scored" in states

    def test_a_rerun_with_more_goes_on_and_pays_nothing_twice(self, db):
        judge = Metered()
        first = self.run(db, judge, tokens=4000)
        second = self.run(db, judge, tokens=100_000)
        assert second.run.id == first.run.id
        assert second.stopped == ""
        assert second.summary()[0].n_scored == 20
        assert judge.calls == 40
        assert second.cost().calls == 40

    def test_money_is_bounded_by_the_price_of_tokens(self, db):
        judge = Metered()
        result = self.run(db, judge, money=0.004, price=Price(1.0, 2.0))
        assert "budget in money" in result.stopped
        assert 0 < result.cost().money <= 0.004

    def test_calls_are_bounded(self, db):
        judge, told = Metered(), []
        limits, budget = Limits(concurrency=64), Budget(calls=7)
        settings = Settings(limits=limits, budget=budget, on_progress=told.append)
        result = evaluate(
            samples(20),
            "faithfulness",
            judge,
            embedder=plausible(),
            store=db,
            settings=settings,
        )
        assert "budget in calls: 7 spent" in result.stopped
        assert judge.calls == 7
        assert result.cost().calls == 7
        assert told[-1].calls == 7  # what was refused for the budget was never sent

    @pytest.mark.parametrize("concurrency", [8, 64])
    @pytest.mark.parametrize(
        "budget",
        [{"calls": 40}, {"tokens": 40 * 110}, {"money": 40 * 0.00012, "price": Price(1.0, 2.0)}],
    )
    def test_it_buys_scores_and_not_beginnings_of_many(self, db, budget, concurrency):
        judge = Metered()
        limits = Limits(concurrency=concurrency)
        settings = Settings(limits=limits, budget=Budget(**budget), probe=None)
        result = evaluate(samples(150), "faithfulness", judge, store=db, settings=settings)
        assert result.stopped
        assert 30 <= judge.calls <= 40
        assert result.summary()[0].n_scored >= 14  # of two calls each

    def test_mixed_judges_share_one_budget(self, db):
        one, two = Metered("one"), Metered("two")
        self.run(db, Route(one, {"verify_statements": two}), tokens=4000)
        assert (one.calls + two.calls) * 110 <= 4000

    def test_a_call_is_taken_to_cost_what_the_judge_may_write(self, db):
        judge = Metered()
        judge.max_tokens = 4000
        result = self.run(db, judge, tokens=3900)
        assert "0 spent, up to 4" in result.stopped
        assert judge.calls == 0

    def test_a_judge_that_makes_embeddings_as_well_is_bounded_too(self, db):
        judge = Watched(plausible())
        settings = Settings(budget=Budget(tokens=100))
        result = evaluate(samples(5), "faithfulness", judge, store=db, settings=settings)
        assert "budget" in result.stopped
        assert judge.asked == []


class Cutting(Metered):
    """An LLM whose text about Rome never comes whole: 100 tokens in and 10 out are billed."""

    def __init__(self, error=None):
        super().__init__()
        self.error = error

    async def complete(self, prompt, schema, kind, draw):
        found = await super().complete(prompt, schema, kind, draw)
        if "Rome" not in prompt:
            return found
        if self.error:
            raise self.error
        return replace(found, cut=True)


class TestBilledWithoutAReply:
    def run(self, db, judge, metric="paper:faithfulness"):
        settings = Settings(budget=Budget(price=Price(1.0, 2.0)), limits=QUICK)
        return evaluate(
            samples(5), metric, judge, embedder=plausible(), store=db, settings=settings
        )

    def test_free_text_that_was_cut_is_not_paid_for_again(self, db):
        judge = Cutting()
        for _ in range(3):
            result = self.run(db, judge)
            assert judge.calls == 9  # two for each sample, one for that which was cut
            (failed,) = [o for o in result["paper:faithfulness"] if isinstance(o, Unscored)]
            assert failed.why == "failed"
            assert "stopped by the length limit -> raise max_tokens" in failed.detail

    def test_free_text_that_was_cut_belongs_to_the_cost(self, db):
        cost = self.run(db, Cutting()).cost()
        assert (cost.calls, cost.tokens_in, cost.tokens_out) == (8, 900, 90)
        assert cost.money == pytest.approx((900 + 2 * 90) / 1e6)

    def test_what_was_withheld_belongs_to_the_cost_and_is_asked_for_again(self, db):
        judge = Cutting(Unavailable("withheld", permanent=True, cost=(100, 10)))
        for n in (1, 2):
            cost = self.run(db, judge).cost()
            assert (judge.calls, cost.calls, cost.tokens_in) == (8 + n, 8, 800 + n * 100)

    def test_json_that_was_cut_before_its_first_word_is_paid_for_each_time(self, db):
        judge = Cutting(CutShort("cut", raw="", cost=(100, 10)))
        first, second = (self.run(db, judge, "faithfulness").cost() for _ in range(2))
        assert (second.tokens_in, second.tokens_out) == (
            first.tokens_in + 100,
            first.tokens_out + 10,
        )

    def test_what_was_lost_before_a_reply_came_belongs_to_the_cost(self, db):
        class Once(Metered):
            async def complete(self, prompt, schema, kind, draw):
                found = await super().complete(prompt, schema, kind, draw)
                if self.calls == 1:
                    raise Unavailable("a chat completion without a choice", cost=(100, 10))
                return found

        judge = Once()
        settings = Settings(limits=Limits(backoff=0.0))
        data, embedder = samples(1), plausible()
        result = evaluate(
            data, "faithfulness", judge, embedder=embedder, store=db, settings=settings
        )
        assert (judge.calls, result.cost().calls, result.cost().tokens_in) == (3, 2, 300)

    def test_it_moves_to_another_store_with_its_run_and_stays_with_it(self, db, tmp_path):
        result = self.run(db, Cutting())
        with Store(db) as here, Store(tmp_path / "there.db") as there:
            import_runs(there, export(here))
        assert verify(tmp_path / "there.db").problems == ()
        assert Result(tmp_path / "there.db").cost() == result.cost()
        judge = Cutting()
        self.run(tmp_path / "there.db", judge)
        assert judge.calls == 0
        clean(db)
        self.run(db, judge)
        assert judge.calls == 0
        clean(db, [result.run.id])
        self.run(db, judge)
        assert judge.calls == 9


class TestRefusedBeforeAnyCall:
    def test_every_task_that_the_judge_cannot_do_is_named(self, db):
        judge = Watched(Scripted({"split_statements": "x", "embed": "x"}))
        metrics = ["faithfulness", "context_precision", "paper:faithfulness"]
        with pytest.raises(InputError) as caught:
            evaluate(samples(1), metrics, judge, store=db)
        said = str(caught.value)
        assert caught.value.total == 4
        for kind in ("verify_statements", "judge_contexts", "paper_statements", "paper_verdicts"):
            assert f"asks for {kind}, which scripted cannot do" in said
        assert judge.asked == []
        assert not db.exists()
        assert "mix: --judge paper_verdicts=JUDGE" in said

    def test_what_the_embedded_judge_can_do_is_offered(self, db):
        judge = Scripted({"verify_statements": "x", "embed": "x"})
        offered = "split_statements, which scripted cannot do -> .*--judge JUDGE.embedded"
        with pytest.raises(InputError, match=offered):
            evaluate(samples(1), ["faithfulness"], judge, store=db)

    def test_a_metric_that_no_row_can_serve_is_refused(self, db):
        judge = Watched(plausible())
        data = [sample(0, answer=None), sample(1, contexts=None)]
        told = "no row holds all that faithfulness needs .*: row 1 has no 'answer', row 2 has no 'c"
        with pytest.raises(InputError, match=told):
            evaluate(data, ["faithfulness", "answer_relevancy"], judge, store=db)
        assert judge.asked == []

    @pytest.mark.parametrize(
        "judge", ["no such judge", "nothing:at:all", "support.counted:missing", 3, None]
    )
    def test_a_judge_that_does_not_exist_is_refused(self, db, judge):
        with pytest.raises(InputError):
            evaluate(samples(1), "faithfulness", judge, store=db)
        assert not db.exists()

    def test_an_unknown_metric_is_refused(self, db):
        with pytest.raises(InputError, match="did you mean 'faithfulness'"):
            evaluate(samples(1), "faithfulnes", plausible(), store=db)


def test_a_metric_is_undefined_for_a_row_that_lacks_what_it_needs(db):
    data = [sample(0, reference=None), sample(1), sample(2, failure="time-out", reference=None)]
    judge = Watched(plausible())
    before = estimate(data, ["context_recall"], plausible(), store=db)
    first = evaluate(data, ["context_recall", "exact_match"], judge, store=db)
    assert before.samples == 3
    for name in ("context_recall", "exact_match"):
        missing_metrics, scored, unanswered = first[name]
        assert missing_metrics == Unscored("undefined", "the row has no reference")
        assert scored.value == scored.value
        assert unanswered.why == "unanswered"
    asked = len(judge.asked)
    assert asked
    assert evaluate(data, ["context_recall", "exact_match"], judge, store=db).run.id == first.run.id
    assert len(judge.asked) == asked
    filled = [sample(0), *data[1:]]
    second = evaluate(filled, ["context_recall", "exact_match"], judge, store=db)
    assert second.run.id != first.run.id
    assert second["context_recall"][0].value == second["context_recall"][0].value


def test_contexts_that_are_empty_lists_are_data_and_no_gap(db):
    result = evaluate(
        [sample(contexts=(), context_ids=None)], "faithfulness", plausible(), store=db
    )
    assert [o.value for o in result["faithfulness"]] == [0.0]


def test_a_judge_that_fails_on_some_samples_fails_those_and_no_others(db):
    async def sometimes(task):
        if "Rome" in repr(task):
            raise Unavailable("lost", permanent=True)

    judge = Watched(plausible(), before=sometimes)
    result = evaluate(samples(5), ["faithfulness", "context_recall"], judge, store=db)
    for row in result.summary():
        assert (row.n_scored, row.n_failed) == (4, 1)
    assert result.stopped == ""
    assert result.run.finished


class TestCancelledFromWithin:
    """As a client does whose own time-out leaks: nobody asked the run to end."""

    @pytest.mark.slow
    @pytest.mark.parametrize("together", [True, False])
    def test_a_judge_that_is_costs_its_own_score_and_the_run_goes_on(self, db, together):
        async def cancelled(task):
            if "Rome" in repr(task):
                raise asyncio.CancelledError

        judge = Watched(plausible(), before=cancelled)
        metrics = ["faithfulness", "context_recall"] if together else "faithfulness"
        result = evaluate(samples(300), metrics, judge, store=db)
        lost = [o for o in result["faithfulness"] if isinstance(o, Unscored)]
        assert lost
        assert {o.detail for o in lost} == {CANCELLED}
        assert result.summary()[0].n_scored == 300 - len(lost) > 0
        assert verify(db).problems == ()

    def test_a_metric_that_always_is_fails_everywhere_and_is_told(self, db):
        @metric(needs=["question"])
        async def broken(sample):
            raise asyncio.CancelledError

        result = evaluate(samples(300), broken, plausible(), store=db)
        assert {o.detail for o in result["broken"]} == {CANCELLED}
        assert verify(db).problems == ()


class Patchy(Metered):
    """An LLM that gives no reply about one city."""

    async def complete(self, prompt, schema, kind, draw):
        if "Rome" in prompt:
            raise Unavailable("answered 500")
        return await super().complete(prompt, schema, kind, draw)


class Broken(Metered):
    """An LLM with a mistake in it."""

    async def complete(self, prompt, schema, kind, draw):
        raise ZeroDivisionError


@pytest.mark.parametrize("again", [Refused, Broken])
def test_asking_again_for_what_failed_makes_no_finished_run_an_unfinished_one(db, again):
    how = {"store": db, "settings": Settings(limits=QUICK)}
    first = evaluate(samples(5), "faithfulness", Patchy(), **how)
    assert [row.n_failed for row in first.summary()] == [1]
    with pytest.raises((Denied, ZeroDivisionError)):
        evaluate(samples(5), "faithfulness", again(), **how)
    result = Result(db)
    assert (result.run.id, result.stopped) == (first.run.id, "")
    assert result.run.finished
    assert [row.n_failed for row in result.summary()] == [1]


def test_a_run_that_lacks_scores_is_not_finished_whatever_ended_it(db):
    how = {"store": db, "settings": Settings(limits=QUICK)}
    for judge, why in ((Broken(), "interrupted"), (Refused(), "401: the key was refused")):
        with pytest.raises((Denied, ZeroDivisionError)):
            evaluate(samples(5), "faithfulness", judge, **how)
        assert why in Result(db).stopped
        assert Result(db).run.finished is None
