"""Metrics that ask about the same texts do so in one call, unless they are told not to."""

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from assay import Limits, Settings, evaluate
from assay._analysis.diagnosis.counterfactual import counterfactual
from assay._analysis.repeat import repeat
from assay._runner.estimate import estimate
from assay._runner.plan import signature
from assay._runner.stack import (
    MIN_UNREADABLE,
    Coalescer,
    CoalescingPolicy,
    choose,
    coalesced_kinds,
    coalesced_metrics,
)
from assay._store import Store
from assay.errors import TooLong
from assay.judges.llm import LLM, Completion
from assay.metrics import resolve
from assay.prompt import Template
from assay.tasks import RateAnswer, SplitStatements, Statement, VerifyStatements
from assay.tasks.joint import JOINTS
from support import answers
from support.scripts import Watched, plausible, samples

METRICS = ("faithfulness", "context_recall")
APART = Settings(together=False)
ALL = CoalescingPolicy(frozenset(JOINTS))
MOST = JOINTS[VerifyStatements].max_items


class Told(LLM):
    """An LLM that says what is plausible, after a moment, and keeps what it was asked."""

    name = "told"

    def __init__(self, spoil=None):
        super().__init__()
        self.prompts_of = []
        self._spoil = spoil or (lambda text, draw: text)

    async def complete(self, prompt, schema, kind, draw):
        self.prompts_of.append((kind, prompt))
        # Statements of some texts come later than those of others.
        await asyncio.sleep(0.001 * (len(prompt) % 5))
        text = answers.answer(prompt, kind, schema, draw)
        return Completion(self._spoil(text, draw) if kind == "verify_statements" else text)

    def count(self, kind):
        return sum(asked == kind for asked, _ in self.prompts_of)


def scores(result):
    return {name: [score.value for score in result[name]] for name in METRICS}


def run(db, judge, settings=None, metrics=METRICS, n=6):
    return evaluate(samples(n), metrics, judge, embedder=plausible(), store=db, settings=settings)


def test_the_scores_are_the_same_and_the_calls_fewer(db, tmp_path):
    alone, together = Told(), Told()
    apart = run(tmp_path / "apart.db", alone, APART)
    found = run(db, together)
    assert scores(found) == scores(apart)
    assert alone.count("verify_statements") == 12
    assert together.count("verify_statements") == 6
    assert (together.count("split_statements"), alone.count("split_statements")) == (6, 12)


def test_a_trace_shows_the_call_as_it_was(db):
    found = run(db, Told(), n=1)
    with Store(db) as store:
        traces = [store.replies(found.run.id, 1, name)[-1] for name in METRICS]
    assert traces[0].key == traces[1].key
    assert len(json.loads(traces[0].raw)["verdicts"]) == 3  # two of each, one of them the same


def test_what_a_metric_finds_is_its_own_statements_only(db):
    found = run(db, Told(), n=1)
    for name in METRICS:
        (score,) = found[name]
        assert len(score.parts) == 2


def test_a_verdict_that_is_missing_is_asked_for_again_by_the_one_that_misses_it(db):
    def forget(text, draw):
        made = json.loads(text)
        if not draw:
            made["verdicts"].pop()
        return json.dumps(made)

    judge = Told(forget)
    found = run(db, judge)
    assert found.summary()[0].n_failed == found.summary()[1].n_failed == 0
    assert judge.count("verify_statements") == 12


def test_a_reply_that_nobody_can_read_is_asked_for_again_alone(db):
    judge = Told(lambda text, draw: text if draw else "Well.")
    found = run(db, judge, n=MIN_UNREADABLE - 1)
    assert [row.n_scored for row in found.summary()] == [MIN_UNREADABLE - 1] * 2
    assert judge.count("verify_statements") == 3 * (MIN_UNREADABLE - 1)


def test_a_dry_run_counts_what_is_asked_together(db):
    asked = estimate(samples(6), METRICS, Told(), store=db)
    apart = estimate(samples(6), METRICS, Told(), store=db, settings=APART)
    assert (asked.calls, apart.calls) == (12, 24)
    assert asked.tokens_in < 0.7 * apart.tokens_in


def test_signatures_say_who_was_asked_with_whom():
    route = choose(Told(), plausible(), Settings())
    metrics = resolve([*METRICS, "context_precision"])
    company = coalesced_metrics(metrics, route)
    assert company == sorted(METRICS)
    with_others = [signature(metric, route, company) for metric in metrics]
    assert "|together=context_recall+faithfulness|" in with_others[0]
    assert "together" not in with_others[2]
    assert "together" not in signature(metrics[0], route)


@pytest.mark.parametrize("judge", [plausible(), "embedded"])
def test_a_judge_that_reads_no_prompts_gains_nothing_and_is_asked_as_ever(judge):
    route = choose(judge, None, Settings())
    assert coalesced_metrics(resolve(METRICS), route) == []


def test_one_metric_has_no_company(db):
    assert coalesced_metrics(resolve("faithfulness"), choose(Told(), plausible(), Settings())) == []


def check(*texts, contexts=("A context.",)):
    found = (Statement(f"s{n}", text) for n, text in enumerate(texts, start=1))
    return VerifyStatements(tuple(found), contexts)


def kinds(watched):
    return [len(t.statements) for t, _ in watched.asked if isinstance(t, VerifyStatements)]


async def gathered(*members_tasks):
    watched = Watched(plausible())
    party = Coalescer(watched, ALL)
    members = [party.member() for _ in members_tasks]

    async def ask(member, tasks):
        replies = await asyncio.gather(*map(member.reply, tasks))
        member.leave()
        return replies

    asked = (ask(m, tasks) for m, tasks in zip(members, members_tasks, strict=True))
    return watched, await asyncio.wait_for(asyncio.gather(*asked), 5)


async def test_texts_about_one_question_are_split_in_one_call_and_each_gets_its_own():
    one, two = SplitStatements("Q?", "Rome is old."), SplitStatements("Q?", "Oslo is new.")
    other = SplitStatements("Another?", "Rome is old.")
    told = Told()
    party = Coalescer(told, ALL)
    members = [party.member() for _ in range(3)]
    asked = zip(members, (one, two, other), strict=True)
    replies = await asyncio.gather(*(member.reply(task) for member, task in asked))
    found = [task.read(r.raw) for task, r in zip((one, two, other), replies, strict=True)]
    assert [[s.text for s in statements] for statements in found] == [
        ["Rome is old."],
        ["Oslo is new."],
        ["Rome is old."],
    ]
    assert told.count("split_statements") == 2


async def test_texts_split_at_other_levels_are_another_call():
    watched, _ = await gathered(
        [SplitStatements("Q?", "A is b.", "low")], [SplitStatements("Q?", "C is d.", "low")]
    )
    assert len(watched.asked) == 2


async def test_what_is_too_long_together_is_asked_apart():
    async def refuse(task):
        if len(getattr(task, "statements", ())) > 1:
            raise TooLong("too long")

    party = Coalescer(Watched(plausible(), before=refuse), ALL)
    asked = zip([party.member(), party.member()], [check("A."), check("B.")], strict=True)
    replies = await asyncio.gather(*(member.reply(task) for member, task in asked))
    assert [len(json.loads(reply.raw)["verdicts"]) for reply in replies] == [1, 1]


async def test_one_text_that_is_too_long_costs_no_other_its_reply():
    async def refuse(task):
        if "Long." in repr(task):
            raise TooLong("too long")

    party = Coalescer(Watched(plausible(), before=refuse), ALL)
    asked = zip([party.member(), party.member()], [check("Long."), check("B.")], strict=True)
    found = await asyncio.gather(
        *(member.reply(task) for member, task in asked), return_exceptions=True
    )
    assert isinstance(found[0], TooLong)
    assert len(json.loads(found[1].raw)["verdicts"]) == 1


def test_a_judge_that_mixes_the_texts_up_is_asked_about_each_alone(db):
    class Mixing(Told):
        async def complete(self, prompt, schema, kind, draw):
            made = await super().complete(prompt, schema, kind, draw)
            found = json.loads(made.text)
            if "text t1:" not in prompt:
                return made
            return Completion(
                json.dumps({"statements": [["0", "Of no sentence."], *found["statements"]]})
            )

    judge = Mixing()
    found = run(db, judge, settings=Settings(limits=Limits(concurrency=1)), n=12)
    for score in found["faithfulness"]:
        assert len(score.parts) == 2
    together = sum("text t1:" in prompt for _, prompt in judge.prompts_of)
    assert judge.count("split_statements") == together + 2 * 12
    assert MIN_UNREADABLE <= together < 12, "it is asked about each alone once that is clear"


def test_a_text_that_the_judge_left_out_is_split_alone(db):
    class Forgetful(Told):
        async def complete(self, prompt, schema, kind, draw):
            made = await super().complete(prompt, schema, kind, draw)
            found = json.loads(made.text)
            if "text t1:" in prompt:
                found["statements"].pop()
            return Completion(json.dumps(found))

    judge = Forgetful()
    found = run(db, judge)
    assert [row.n_scored for row in found.summary()] == [6, 6]
    assert judge.count("split_statements") == 12


def test_what_was_answered_alone_before_is_not_paid_for_again(db):
    judge = Told()
    first = run(db, judge, metrics=METRICS[:1])
    before = len(judge.prompts_of)
    both = run(db, judge)
    assert len(judge.prompts_of) == before + 12  # the reference alone: split and checked
    assert both["faithfulness"] == first["faithfulness"]


def test_a_run_cut_off_between_two_of_a_company_puts_the_same_questions(db):
    judge = Told()
    found = run(db, judge)
    before = len(judge.prompts_of)
    with closing(sqlite3.connect(db)) as base:
        where = "metric = (SELECT id FROM names WHERE name = 'context_recall')"
        assert base.execute(f"DELETE FROM jobs WHERE {where}").rowcount == 6
        base.commit()
    again = run(db, judge)
    assert len(judge.prompts_of) == before
    assert again.run.id == found.run.id
    assert scores(again) == scores(found)


def test_texts_whose_splitting_the_user_has_worded_are_split_one_by_one():
    settings = Settings(prompts={"split_statements": Template(instruction="Split it my way.")})
    assert coalesced_kinds(choose(Told(), plausible(), settings)) == {VerifyStatements}


async def test_other_contexts_are_another_call():
    one, two = check("A."), check("B.", contexts=("Another.",))
    watched, _ = await gathered([one], [two])
    assert kinds(watched) == [1, 1]


async def test_one_that_asks_twice_or_never_holds_nobody_up():
    watched, _ = await gathered([check("A."), check("B.")], [], [check("A.", "C.")])
    assert kinds(watched) == [3]


async def test_very_many_statements_are_not_put_into_one_call():
    many = check(*(f"{n}." for n in range(MOST)))
    watched, _ = await gathered([many], [check("A.")])
    assert kinds(watched) == [MOST, 1]


async def test_only_splits_and_checks_wait():
    watched = Watched(plausible())
    party = Coalescer(watched, ALL)
    member, _other = party.member(), party.member()
    await asyncio.wait_for(member.reply(RateAnswer("Q?", "A.")), 5)
    await asyncio.wait_for(member.reply(check("A."), 1), 5)  # another draw is asked alone
    assert len(watched.asked) == 2


async def test_an_error_reaches_all_who_asked():
    async def refuse(task):
        raise ValueError("down")

    party = Coalescer(Watched(plausible(), before=refuse), ALL)
    members = [party.member() for _ in range(2)]
    found = await asyncio.gather(
        *(member.reply(check("A.")) for member in members), return_exceptions=True
    )
    assert [str(error) for error in found] == ["down", "down"]


def test_a_run_that_asked_together_is_asked_again_and_re_scored_the_same_way(db):
    given = [replace(sample, reference_contexts=sample.contexts) for sample in samples(3)]
    found = evaluate(given, METRICS, Told(), embedder=plausible(), store=db)
    judge = Told()
    again = repeat(found, judge, embedder=plausible(), draws=1)
    assert set(again.metrics) == set(METRICS)
    assert judge.count("verify_statements") == 3, "one call for both metrics of a sample"
    assert counterfactual(found, Told(), embedder=plausible()).run.metrics == found.run.metrics
