"""The backend stack of a run: its limits, and what several runs share of it."""

import asyncio

import pytest

from assay import Limits, Settings, Template, evaluate
from assay._middleware.cache import ReplyCache, Served
from assay._middleware.wrapper import Route
from assay._runner.stack import MAX_LOCAL, build_stack, choose
from assay._store import Store
from assay.errors import InputError, Unavailable
from assay.judges.llm import LLM, Completion, Function
from assay.judges.scripted import Scripted
from assay.tasks import GenerateQuestions, SplitStatements
from support import answers
from support.answers import answer
from support.scripts import Watched, plausible, sample, samples


class Busy(LLM):
    """An LLM that notes how often it is asked at once."""

    name = ""

    def __init__(self, name, limits=None):
        super().__init__()
        self.name, self.limits = name, limits
        self.now = self.most = 0

    async def complete(self, prompt, schema, kind, draw):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        return Completion(answers.answer(prompt, kind, schema, draw), 100, 10)


def test_a_back_end_with_limits_of_its_own_keeps_them(db):
    free, slow = Busy("free"), Busy("slow", Limits(concurrency=2))
    evaluate(
        samples(20),
        ["faithfulness", "context_precision"],
        Route(free, {"verify_statements": slow}),
        embedder=plausible(),
        store=db,
        settings=Settings(limits=Limits(concurrency=8)),
    )
    assert (free.most, slow.most) == (8, 2)


def test_as_much_work_is_begun_as_the_widest_back_end_takes(db):
    with Store(db) as store:
        judge = Route(Busy("a", Limits(concurrency=100)), {"verify_statements": Busy("b")})
        route = choose(judge, plausible(), Settings(limits=Limits(concurrency=3)))
        assert build_stack(route, Settings(), store, "run").max_in_flight == 100
        local = choose("embedded", None, Settings())
        assert build_stack(local, Settings(), store, "run").max_in_flight == MAX_LOCAL


@pytest.fixture
def store(db):
    with Store(db) as opened:
        yield opened


class TestTheLedger:
    async def test_equal_tasks_in_flight_are_asked_once(self, store):
        judge = Watched(plausible())
        served = Served()
        ledger = ReplyCache(judge, store, "r", served)
        task = SplitStatements("?", "A. B.")
        replies = await asyncio.gather(*(ledger.reply(task) for _ in range(20)))
        assert len(judge.asked) == 1
        assert len({reply.key for reply in replies}) == 1
        assert (served.asked, served.known) == (1, 19)

    async def test_another_draw_is_another_reply(self, store):
        judge = Watched(plausible())
        ledger = ReplyCache(judge, store, "r", Served())
        task = SplitStatements("?", "A. B.")
        assert len({(await ledger.reply(task, draw)).key for draw in (0, 1, 1000)}) == 3
        assert len(judge.asked) == 3

    async def test_one_who_is_cancelled_does_not_take_the_reply_from_the_others(self, store):
        release = asyncio.Event()

        async def wait(task):
            await release.wait()

        judge = Watched(plausible(), before=wait)
        ledger = ReplyCache(judge, store, "r", Served())
        task = SplitStatements("?", "A. B.")
        first, second = (asyncio.create_task(ledger.reply(task)) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        release.set()
        assert (await second).raw
        assert len(judge.asked) == 1

    async def test_a_lost_call_is_lost_for_all_who_wait_and_asked_anew_by_the_next(self, store):
        lost = True

        async def lose(task):
            if lost:
                raise Unavailable("gone")

        judge = Watched(plausible(), before=lose)
        ledger = ReplyCache(judge, store, "r", Served())
        task = SplitStatements("?", "A. B.")
        found = await asyncio.gather(
            *(ledger.reply(task) for _ in range(3)), return_exceptions=True
        )
        assert [type(error) for error in found] == [Unavailable] * 3
        assert len(judge.asked) == 1
        lost = False
        assert (await ledger.reply(task)).raw
        assert len(judge.asked) == 2

    async def test_a_reply_is_on_disk_before_anyone_sees_it(self, store, db):
        ledger = ReplyCache(plausible(), store, "r", Served())
        reply = await ledger.reply(SplitStatements("?", "A. B."))
        with Store(db) as other:
            assert other.reply(reply.key) == reply

    async def test_of_two_who_ask_at_once_one_calls_and_both_go_by_its_reply(self, store, db):
        async def wait(task):
            await asyncio.sleep(0.05)

        task = SplitStatements("?", "A. B.")
        judges = [
            Watched(Scripted({"split_statements": text}, name="judge"), before=wait)
            for text in ('{"statements": ["A."]}', '{"statements": ["B."]}')
        ]
        with Store(db) as other:
            ledgers = [
                ReplyCache(judge, kept, "r", Served())
                for judge, kept in zip(judges, (store, other), strict=True)
            ]
            replies = await asyncio.gather(*(ledger.reply(task) for ledger in ledgers))
        assert sorted(len(judge.asked) for judge in judges) == [0, 1]
        assert replies[0] == replies[1] == store.reply(replies[0].key)

    async def test_scripts_without_names_share_no_replies_unless_they_say_the_same(self, store):
        said = lambda text: lambda task: text  # noqa: E731 - two functions of one line
        scripts = ["a", "b", ["a", "b"], {"A": "a"}, {"A": "b"}, said("a"), said("b"), "a"]
        judges = [Scripted({"split_statements": script}) for script in scripts]
        task = SplitStatements("?", "A. B.")
        replies = [await ReplyCache(judge, store, "r", Served()).reply(task) for judge in judges]
        assert [reply.raw for reply in replies] == ["a", "b", "a", "a", "b", "a", "b", "a"]
        assert [judge.calls for judge in judges] == [1] * 7 + [0]

    async def test_the_same_task_to_another_judge_is_another_reply(self, store):
        task = SplitStatements("?", "A. B.")
        keys = [
            (await ReplyCache(plausible(name), store, "r", Served()).reply(task)).key
            for name in ("one", "two")
        ]
        assert len(set(keys)) == 2


class TestSharedTasks:
    def test_an_answer_is_split_once_for_all_metrics_that_need_its_statements(self, db):
        judge = Watched(plausible())
        metrics = ["faithfulness", "factual_correctness", "answer_correctness"]
        evaluate([sample()], metrics, judge, store=db)
        # Answer and reference are split once each; three checks: contexts, and both directions.
        assert judge.kinds == {"split_statements": 2, "verify_statements": 3, "embed": 2}

    def test_a_text_that_many_samples_share_is_embedded_once(self, db):
        judge = Watched(plausible())
        data = [sample(id=str(n), reference="The same.") for n in range(5)]
        evaluate(data, "answer_similarity", judge, store=db)
        assert judge.kinds == {"embed": 2}

    def test_scores_that_share_a_reply_all_name_it_as_evidence(self, db):
        result = evaluate(
            [sample()], ["faithfulness", "factual_correctness"], plausible(), store=db
        )
        keys = [
            {reply.key for reply in result.trace("q0", metric).replies}
            for metric in ("faithfulness", "factual_correctness")
        ]
        assert keys[0] & keys[1]
        assert result.cost().calls == len(keys[0] | keys[1])


def ask(prompt):
    return answer(prompt)


class TestPrompts:
    NEW = Template("Name the claims of the text.", form='{"statements": [{"text": "..."}]}')

    def run(self, db, prompts):
        prompts_seen = []

        def judge(prompt):
            prompts_seen.append(prompt)
            return ask(prompt)

        result = evaluate(
            samples(2),
            ["faithfulness", "context_precision"],
            Function(judge, name="judge"),
            embedder=plausible(),
            store=db,
            settings=Settings(prompts=prompts),
        )
        return result, prompts_seen

    def test_a_replaced_prompt_is_asked_and_only_its_task_is_asked_anew(self, db):
        _, before = self.run(db, {})
        _, after = self.run(db, {"split_statements": self.NEW})
        assert len(before) == 6
        assert [p.startswith("Name the claims of the text.") for p in after] == [True] * 2

    def test_it_changes_the_signature_of_the_metrics_that_ask_it_and_of_no_other(self, db):
        old, _ = self.run(db, {})
        new, _ = self.run(db, {"split_statements": self.NEW})
        assert old.run.id != new.run.id
        changed = {m for m, s in old.run.metrics.items() if new.run.metrics[m] != s}
        assert changed == {"faithfulness"}

    def test_an_equal_prompt_changes_nothing(self, db):
        old, _ = self.run(db, {})
        again, asked = self.run(db, {"split_statements": SplitStatements.template})
        assert (again.run.id, asked) == (old.run.id, [])

    @pytest.mark.parametrize(
        ("kind", "message"),
        [("split", "which is no task"), ("embed", "reads no prompts")],
    )
    def test_a_prompt_that_nobody_reads_is_refused(self, db, kind, message):
        with pytest.raises(InputError, match=message):
            self.run(db, {kind: self.NEW})

    def test_a_judge_of_the_user_is_not_changed_by_it(self, db):
        judge = Function(ask, name="judge")
        settings = Settings(prompts={"split_statements": self.NEW})
        evaluate(
            samples(1), "faithfulness", judge, embedder=plausible(), store=db, settings=settings
        )
        assert judge.prompts == {}


class TestMixedJudges:
    def test_each_task_goes_to_the_judge_that_was_named_for_it(self, db):
        one, two = Watched(plausible("one")), Watched(plausible("two"))
        route = Route(one, {"verify_statements": two})
        result = evaluate(samples(3), "faithfulness", route, store=db)
        assert (one.kinds, two.kinds) == ({"split_statements": 3}, {"verify_statements": 3})
        signature = result.run.metrics["faithfulness"]
        assert "split_statements=one|verify_statements=two" in signature
        assert result.run.config["routes"] == {"verify_statements": "two"}

    def test_what_the_unmixed_judge_said_is_known_to_the_mixed_one(self, db):
        one, two = Watched(plausible("one")), Watched(plausible("two"))
        evaluate(samples(3), "faithfulness", one, store=db)
        one.asked.clear()
        evaluate(samples(3), "faithfulness", Route(one, {"verify_statements": two}), store=db)
        assert one.asked == []
        assert two.kinds == {"verify_statements": 3}

    def test_an_embedder_of_its_own_makes_the_embeddings(self, db):
        judge, embedder = Watched(plausible("j")), Watched(plausible("e"))
        evaluate(samples(1), "answer_similarity", judge, embedder=embedder, store=db)
        assert (judge.asked, embedder.kinds) == ([], {"embed": 2})

    def test_an_embedder_that_makes_no_embeddings_is_refused(self, db):
        with pytest.raises(InputError, match="makes no embeddings"):
            evaluate(samples(1), "answer_similarity", plausible(), embedder=Function(ask), store=db)


async def test_draws_of_one_task_are_different_replies(store):
    judge = Watched(plausible())
    ledger = ReplyCache(judge, store, "r", Served())
    from assay.judge import Judge

    await Judge(ledger).draws(GenerateQuestions("x", 1), 3)
    assert [draw for _, draw in judge.asked] == [0, 1, 2]
