"""A judge that answers for some of the items is asked again, for the missing ones only."""

import pytest

from assay.errors import Unavailable, Unreadable
from assay.judge import RETRY_STRIDE, Judge
from assay.judges.scripted import Scripted
from assay.tasks import (
    GenerateQuestions,
    JudgeContexts,
    Statement,
    Usefulness,
    Verdict,
    VerifyStatements,
)
from support import scripts
from support.over import over

FOUR = VerifyStatements(tuple(Statement(f"s{n}", f"Claim {n}.") for n in range(1, 5)), ("c",))


def said(*ids):
    return VerifyStatements.reply([Verdict(i, supported=True) for i in ids])


def judge_of(*replies, kind="verify_statements", tries=3):
    backend = scripts.Watched(Scripted({kind: list(replies)}))
    return Judge(backend, tries=tries), backend


async def test_a_complete_reply_needs_no_second_draw():
    judge, backend = judge_of(said("s4", "s2", "s1", "s3"))
    assert [v.id for v in await judge(FOUR)] == ["s1", "s2", "s3", "s4"]
    assert len(backend.asked) == 1


async def test_only_the_missing_statements_are_asked_again():
    judge, backend = judge_of(said("s1", "s2", "s4"), said("s3"))
    assert len(await judge(FOUR)) == 4
    again, draw = backend.asked[1]
    assert again.ids == ("s3",)
    assert again.contexts == FOUR.contexts
    assert draw == RETRY_STRIDE
    assert len(judge.replies) == 2


async def test_what_stays_missing_is_a_failure_that_says_how_many_there_were():
    judge, backend = judge_of(said("s1", "s2", "s4"), said())
    with pytest.raises(Unreadable, match=r"^the judge gave 3 of 4 verdicts$"):
        await judge(FOUR)
    assert [task.ids for task, _ in backend.asked] == [FOUR.ids, ("s3",), ("s3",)]


async def test_verdicts_of_an_earlier_draw_are_kept_through_an_unreadable_one():
    judge, _ = judge_of(said("s1"), "oops", said("s2", "s3", "s4"))
    assert len(await judge(FOUR)) == 4


async def test_a_surplus_id_spoils_its_reply_but_not_the_others():
    judge, backend = judge_of(said("s1", "s2", "s5"), said("s1", "s2", "s3", "s4"))
    assert len(await judge(FOUR)) == 4
    assert backend.asked[1][0].ids == FOUR.ids


async def test_contexts_that_miss_a_verdict_keep_their_rank_and_name():
    task = JudgeContexts("?", "!", ("one", "two", "three"))
    some = JudgeContexts.reply([Usefulness("c1", useful=True), Usefulness("c3", useful=False)])
    rest = JudgeContexts.reply([Usefulness("c2", useful=True)])
    judge, backend = judge_of(some, rest, kind="judge_contexts")
    assert [v.useful for v in await judge(task)] == [True, True, False]
    again = backend.asked[1][0]
    assert again.shown() == {"c2": "two"}
    assert [(m.name, m.text) for m in again.input_texts()] == [
        ("question", "?"),
        ("answer", "!"),
        ("context c2", "two"),
    ]


async def test_an_unreadable_reply_to_another_task_is_asked_for_again_whole():
    good = scripts.questions("a?", "b?")
    judge, backend = judge_of("no", "{}", good, kind="generate_questions")
    assert (await judge(GenerateQuestions("x", 2))).questions == ("a?", "b?")
    assert [draw for _, draw in backend.asked] == [0, RETRY_STRIDE, 2 * RETRY_STRIDE]


@over("tries", [1, 2, 5])
async def test_an_unreadable_reply_is_worth_as_many_draws_as_were_allowed(tries):
    judge, backend = judge_of("no", tries=tries)
    with pytest.raises(Unreadable):
        await judge(FOUR)
    assert len(backend.asked) == tries
    assert len(judge.replies) == tries


async def test_draws_on_purpose_never_meet_draws_after_a_bad_reply():
    judge, backend = judge_of("no", kind="generate_questions")
    with pytest.raises(Unreadable):
        await judge.draws(GenerateQuestions("x", 2), 3)
    draws = [draw for _, draw in backend.asked]
    assert len(set(draws)) == len(draws) == 9


async def test_replies_are_kept_in_the_order_of_asking_even_when_one_task_fails():
    tasks = [GenerateQuestions(text, 1) for text in ("first", "second", "third")]
    script = {"first": "no", "second": scripts.questions("2?"), "third": scripts.questions("3?")}
    judge, _ = judge_of(kind="generate_questions")
    judge = Judge(Scripted({"generate_questions": script}), tries=2)
    with pytest.raises(Unreadable):
        await judge.each(tasks)
    assert ["".join(r.pieces).split("answer:\n")[1].strip() for r in judge.replies] == [
        "first",
        "first",
        "second",
        "third",
    ]


async def test_a_call_without_a_reply_is_not_asked_again_here():
    async def refuse(task):
        raise Unavailable("gone")

    backend = scripts.Watched(Scripted({"verify_statements": ""}), before=refuse)
    with pytest.raises(Unavailable):
        await Judge(backend)(FOUR)
    assert len(backend.asked) == 1


async def test_a_back_end_that_calls_its_own_reply_unreadable_fails_the_sample_alone():
    class Refuses(Scripted):
        async def reply(self, task, draw=0):
            raise Unreadable("no verdict to be had", raw="hm")

    with pytest.raises(Unreadable, match=r"^the judge gave 0 of 4 verdicts: no verdict to be had$"):
        await Judge(Refuses({}))(FOUR)
