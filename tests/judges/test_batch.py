"""Are requests asked in batches, each paid once, whatever befalls the batches?"""

import dataclasses

import pytest
from msgspec import Raw

from assay import Budget, Limits, OpenAI, OpenAIBatch, Result, Settings, evaluate
from assay._middleware.budget import BudgetTracker
from assay._runner.estimate import estimate
from assay._store import Store
from assay.errors import Denied, InputError, Unavailable
from assay.judges.openai import batch_queue
from assay.judges.openai.batch import Batched
from assay.judges.openai.batch_api import Line, Response
from assay.tasks import RateAnswer
from support.batch_server import Batching, BatchServer
from support.faults import Faults
from support.scripts import samples

METRICS = ["faithfulness", "context_recall", "context_precision"]
DATA = samples(8)
# Each of three kinds of task, in two stages: splits and contexts, then checks.
STAGES, KINDS = 2, 3


@pytest.fixture
def served():
    with BatchServer().in_thread() as server:
        yield server


def judge(server, **options):
    address = {"base_url": server.url, "api_key": "key"}
    return OpenAIBatch("m", quiet=0.05, poll=0.05, **address, **options)


def run(server, db, data=DATA, settings=None, **options):
    return evaluate(data, METRICS, judge(server, **options), store=db, settings=settings)


def scores(result):
    return {metric: result[metric] for metric in METRICS}


def replies(db):
    with Store(db) as store:
        return store.spent(store.run().id).calls


@pytest.mark.slow
def test_a_stage_is_a_batch_and_the_first_of_each_kind_goes_out_at_once(served, db):
    run(served, db)
    assert len(served.sizes) == STAGES
    assert served.stats()["calls"] == KINDS
    assert served.paid + KINDS == replies(db)


@pytest.mark.slow
def test_scores_and_run_are_those_of_the_model_asked_one_by_one(served, db, tmp_path):
    batched = run(served, db)
    single = OpenAI("m", base_url=served.url, api_key="key")
    one_by_one = evaluate(DATA, METRICS, single, store=tmp_path / "single.db")
    assert batched.run.id == one_by_one.run.id
    assert scores(batched) == scores(one_by_one)


@pytest.mark.slow
def test_once_all_is_known_no_batch_is_remembered_and_nobody_is_asked(served, db):
    run(served, db)
    with Store(db) as store:
        assert store.batches.open() == []
    before = (served.sizes, served.arrived)
    run(served, db)
    assert (served.sizes, served.arrived) == before


async def test_a_line_that_was_billed_without_a_reply_is_counted():
    class Model:
        name = "m"

        def identity(self, kind):
            return "m#1"

        def read(self, status, body, task, draw):
            raise Unavailable("cut short", permanent=True, cost=(500, 1000))

    class BatchQueue:
        def knows(self, key):
            return True

        async def ask(self, key, line):
            return Line("key", Response(200, Raw(b"{}")))

    budget = BudgetTracker()
    with pytest.raises(Unavailable):
        await Batched(Model(), None, BatchQueue(), budget).reply(RateAnswer("Who?", "Anna."))
    assert (budget.usage.calls, budget.usage.tokens_in, budget.usage.tokens_out) == (0, 500, 1000)


class TestLimits:
    def test_no_batch_has_more_requests_than_may_be(self, served, db):
        expected = run(served, db, most=5)
        assert max(served.sizes) == 5
        assert served.paid + KINDS == replies(db)
        assert len(expected["faithfulness"]) == len(DATA)

    @pytest.mark.slow
    def test_no_file_is_larger_than_may_be(self, served, db):
        model = judge(served)
        model.policy = dataclasses.replace(model.policy, most_bytes=6_000)
        evaluate(DATA, METRICS, model, store=db)
        sizes = [len(content) for content in served.files.values() if b'"method"' in content]
        assert len(sizes) > STAGES
        assert max(sizes) <= 6_000
        assert served.paid + KINDS == replies(db)

    def test_a_request_that_is_too_large_by_itself_is_left_to_the_provider(self, served, db):
        model = judge(served)
        model.policy = dataclasses.replace(model.policy, most_bytes=1)
        evaluate(DATA[:3], "context_precision", model, store=db)
        assert served.sizes == [1, 1]

    @pytest.mark.slow
    def test_where_too_much_is_enqueued_batches_become_smaller_one_after_another(self, served, db):
        served.batching = Batching(most_enqueued=6)
        result = run(served, db)
        assert all(row.n_failed == 0 for row in result.summary())
        taken = [len(b["lines"]) for b in served.batches.values() if b["status"] == "completed"]
        assert 0 < max(taken) <= 6
        assert served.paid + KINDS == replies(db)


class TestPartOfABatchFails:
    @pytest.mark.slow
    def test_only_failed_lines_are_asked_again(self, served, db):
        served.lines = Faults(share_500=0.1)
        result = run(served, db, data=samples(12))
        assert all(row.n_failed == 0 for row in result.summary())
        assert len(served.sizes) > STAGES
        assert set(served.done.values()) == {1}

    @pytest.mark.slow
    def test_lines_that_always_fail_are_given_up_after_three_batches(self, served, db):
        served.lines = Faults(share_500=1.0)
        result = evaluate(DATA, "context_precision", judge(served), store=db)
        (row,) = result.summary()
        assert (row.n_scored, row.n_failed) == (1, len(DATA) - 1)
        assert len(served.sizes) == 3

    @pytest.mark.slow
    def test_an_unreadable_reply_is_asked_for_as_another_draw(self, served, db):
        served.lines = Faults(share_malformed=0.4)
        result = run(served, db)
        failed = sum(row.n_failed for row in result.summary())
        assert failed < len(DATA)
        assert len(served.sizes) > STAGES

    @pytest.mark.slow
    def test_what_the_server_does_not_take_is_left_out_of_the_next_batch(self, served, db):
        served.faults = Faults(reject=("seed",))  # draw 0, which goes out at once, has none
        served.lines = Faults(reject=("seed",), share_malformed=0.4)
        result = run(served, db)
        details = [getattr(outcome, "detail", "") for name in METRICS for outcome in result[name]]
        assert not [detail for detail in details if "seed" in detail]

    @pytest.mark.slow
    @pytest.mark.parametrize("done", [0, 3])
    def test_what_an_expired_batch_did_not_do_is_asked_again(self, served, db, done):
        served.batching = Batching(expire=(done,))
        result = run(served, db)
        assert all(row.n_failed == 0 for row in result.summary())
        assert len(served.sizes) == STAGES + 1
        assert set(served.done.values()) == {1}

    @pytest.mark.slow
    def test_a_batch_that_always_expires_is_given_up_after_three(self, served, db):
        served.batching = Batching(expire=(0,) * 9)
        result = evaluate(DATA, "context_precision", judge(served), store=db)
        (row,) = result.summary()
        assert (row.n_scored, row.n_failed) == (1, len(DATA) - 1)
        assert len(served.sizes) == 3
        failed = [o for o in result["context_precision"] if not hasattr(o, "value")]
        assert "batch_expired" in failed[0].detail


class TestABatchIsRefused:
    @pytest.mark.slow
    def test_cancelled_the_run_stops_with_what_was_done_and_goes_on_with_the_rest(self, served, db):
        served.batching = Batching(cancel=(4,))
        with pytest.raises(Denied, match=r"batch_0 was cancelled .* the same command submits"):
            run(served, db)
        assert served.sizes[1:] == []
        assert served.paid == 4
        result = run(served, db)
        assert all(row.n_failed == 0 for row in result.summary())
        assert set(served.done.values()) == {1}

    @pytest.mark.slow
    def test_a_batch_that_does_not_pass_validation_stops_the_run(self, served, db):
        served.batching = Batching(fail=("invalid_model",))
        with pytest.raises(Denied, match=r"batch_0 was refused: .*\(invalid_model\)"):
            run(served, db)
        assert served.paid == 0
        assert all(row.n_failed == 0 for row in run(served, db).summary())

    def test_a_wrong_key_shows_before_anything_is_submitted(self, served, db):
        served.faults = Faults(deny=True)
        with pytest.raises(Denied, match="key"):
            run(served, db)
        assert served.files == {}
        assert served.arrived <= KINDS

    def test_a_server_without_batches_says_what_to_do(self, served, db):
        served.batching = Batching(missing=True)
        with pytest.raises(Denied, match="openai: instead of openai-batch: asks one by one"):
            run(served, db)

    def test_a_server_that_answers_no_single_request_gets_no_batch(self, served, db):
        served.faults = Faults(share_500=1.0)
        with pytest.raises(Denied, match="a single request brought nothing"):
            run(served, db, settings=Settings(limits=Limits(retries=0)))
        assert served.files == {}
        assert served.arrived <= KINDS

    def test_azure_deployments_are_refused_in_words(self):
        with pytest.raises(InputError, match="cannot ask an Azure deployment -> take openai:"):
            OpenAIBatch("m", base_url="https://x.openai.azure.com/openai/deployments/m")


class TestTheProviderIsHardToReach:
    @pytest.mark.slow
    def test_a_submission_whose_answer_is_lost_is_not_made_twice(self, served, db):
        served.batching = Batching(lost_answers=1)
        run(served, db)
        assert len(served.sizes) == STAGES
        assert set(served.done.values()) == {1}

    @pytest.mark.slow
    def test_looks_that_fail_are_made_again(self, served, db):
        served.batching = Batching(broken_looks=3)
        result = run(served, db)
        assert all(row.n_failed == 0 for row in result.summary())

    @pytest.mark.slow
    def test_who_cannot_be_reached_for_long_is_given_up_and_asked_later(
        self, served, db, monkeypatch
    ):
        monkeypatch.setattr(batch_queue, "UNREACHABLE_S", 0.1)
        served.batching = Batching(broken_looks=10_000)
        with pytest.raises(Denied, match=r"cannot be had: .* the same command goes on"):
            run(served, db)
        served.batching = Batching()
        run(served, db)
        assert len(served.sizes) == STAGES
        assert set(served.done.values()) == {1}

    @pytest.mark.slow
    def test_a_batch_that_is_not_there_is_not_silently_asked_anew(self, served, db, monkeypatch):
        monkeypatch.setattr(batch_queue, "UNREACHABLE_S", 0.1)
        served.batching = Batching(broken_looks=10_000)
        with pytest.raises(Denied):
            run(served, db)
        served.batching = Batching()
        served.batches["batch_9"] = served.batches.pop("batch_0")
        with pytest.raises(Denied, match="batch_0 is not known there -> give the key"):
            run(served, db)
        assert served.paid == 0


class TestWhatIsSaid:
    @pytest.mark.slow
    def test_progress_tells_the_batch_what_is_done_and_how_long_it_has_been(self, served, db):
        served.batching = Batching(looks=16)
        seen = []
        settings = Settings(on_progress=lambda progress: seen.append(progress.batches))
        run(served, db, settings=settings)
        n = served.sizes[0]
        assert any(f"batch 1: {n // 2} of {n} done, waiting 00:00:0" in said for said in seen)
        assert seen[-1] == ""

    def test_an_estimate_counts_batches(self, served, db):
        found = estimate(DATA, METRICS, judge(served), store=db)
        assert found.batches == STAGES
        assert estimate(DATA, METRICS, judge(served, most=5), store=db).batches > STAGES
        single = OpenAI("m", base_url=served.url, api_key="key")
        assert estimate(DATA, METRICS, single, store=db).batches == 0
        assert served.arrived == 0


def test_a_budget_that_is_ample_makes_no_further_batches(served, db):
    result = run(served, db, settings=Settings(budget=Budget(tokens=10**6)))
    assert not result.stopped
    assert len(served.sizes) == STAGES
    assert served.stats()["calls"] == KINDS


@pytest.mark.slow
def test_a_budget_in_tokens_holds_for_what_is_in_batches(served, db):
    result = run(served, db, settings=Settings(budget=Budget(tokens=6000)))
    cost = result.cost()
    assert "budget in tokens" in result.stopped
    assert 0 < cost.tokens_in + cost.tokens_out <= 6000
    whole = run(served, db, settings=Settings(budget=Budget(tokens=10**6)))
    assert all(row.n_failed == 0 for row in whole.summary())
    assert set(served.done.values()) == {1}


@pytest.mark.slow
def test_a_budget_holds_for_what_is_in_batches(served, db):
    result = run(served, db, settings=Settings(budget=Budget(calls=6)))
    assert "allowed" in result.stopped
    assert replies(db) <= 6
    whole = run(served, db)
    assert all(row.n_failed == 0 for row in whole.summary())
    assert set(served.done.values()) == {1}
    assert Result(db).run.id == result.run.id
