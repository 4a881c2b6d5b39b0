"""Follow-ups lean on the messages before them, and what a model knows anyway is told."""

import pytest

import assay
from assay import InputError
from assay._middleware.wrapper import Route
from assay.judges import backend
from assay.judges.scripted import Scripted
from assay.target.ask import ask
from assay.tasks import (
    AnswerClosedBook,
    AnswerQuestions,
    FollowUp,
    ShortAnswer,
    WriteFollowUp,
    WriteQuestion,
    Written,
)
from assay.testset import Plan, PlanRow, check_design, estimate, generate
from support.over import over

TEXT = (
    "The harbour of Oslo was opened in 1834. The mayor of Oslo earns 4000 crowns a year. "
    "Every ship that enters the port has to pay a fee, and the money is spent on new quays."
)
DOCUMENTS = [{"id": "oslo", "text": TEXT}]
QUESTION = "When was the harbour of Oslo opened?"
ANSWER = "The harbour of Oslo was opened in 1834."
TALK = FollowUp("Does Oslo have a harbour?", "Yes, ships pay a fee there.", "When was it opened?")
FOLLOW_UP = Plan(rows=(PlanRow("single_hop", 1, style="follow-up"),))


def judge(talk=TALK, answer="1834", known=()):
    """The embedded judge with a writer who turns the question into this conversation."""
    script = {
        "write_single_hop": lambda _: WriteQuestion.reply(
            Written(QUESTION, ANSWER, ("The harbour of Oslo was opened in 1834",))
        ),
        "write_follow_up": lambda _: WriteFollowUp.reply(talk),
        "answer_questions": lambda task: AnswerQuestions.reply(
            [ShortAnswer("q1", answer if "conversation" in task.text else "in 1834")]
        ),
        "answer_closed_book": lambda _: AnswerClosedBook.reply(known),
    }
    return Route(backend("embedded"), dict.fromkeys(script, Scripted(script)))


def test_a_follow_up_comes_with_the_messages_that_it_leans_on(db):
    (row,) = generate(DOCUMENTS, FOLLOW_UP, judge=judge(), store=db).rows()
    assert (row["question"], row["standalone"]) == (TALK.question, QUESTION)
    assert [turn["role"] for turn in row["turns"]] == ["user", "assistant", "user"]
    (sample,) = assay.data.samples(assay.data.read([row]), needs={})
    assert (sample.question, sample.answer) == (TALK.question, None)
    assert not [f for f in check_design([row]).findings if f.check == "stands alone"]


@over(
    ("talk", "answer", "why"),
    [
        (FollowUp(""), "1834", "empty"),
        (FollowUp("Is there a port?", "Yes.", QUESTION), "1834", "stands alone"),
        (FollowUp("Is there a port?", ANSWER, "When was it opened?"), "1834", "answer given"),
        (TALK, None, "unanswered"),
        (TALK, "4000 crowns", "asks for something else"),
    ],
)
def test_what_is_no_follow_up_is_rejected(talk, answer, why, db):
    made = generate(DOCUMENTS, FOLLOW_UP, judge=judge(talk, answer), store=db)
    assert (made.questions, {draft.why for draft in made.rejected}) == ((), {why})


@over(("known", "share"), [([ANSWER], 1.0), (["In 1492."], 0.0), ([], 0.0)])
def test_what_is_answered_without_any_text_is_told(known, share, db):
    plan = Plan(n=1, kinds={"single_hop": 1.0}, closed_book=True)
    made = generate(DOCUMENTS, plan, judge=judge(known=known), store=db)
    assert made.quality()["closed_book"] == share
    assert [row["closed_book"] for row in made.rows()] == [known[0] if share else ""]


def test_the_dry_run_counts_what_both_take(db):
    def calls(**plan):
        return estimate(DOCUMENTS, Plan(**plan), judge=judge(), store=db).calls

    plain, talk = (PlanRow("single_hop", 1),), FOLLOW_UP.rows
    assert calls(rows=talk) == calls(rows=plain) + 2
    assert calls(rows=plain, closed_book=True) > calls(rows=plain)


@over("plan", [FOLLOW_UP, Plan(closed_book=True)])
def test_rules_do_neither(plan, db):
    with pytest.raises(InputError, match="language model"):
        generate(DOCUMENTS, plan, judge="embedded", store=db)


def test_the_answer_of_a_system_ends_the_conversation(db):
    row = generate(DOCUMENTS, FOLLOW_UP, judge=judge(), store=db).rows()[0]
    answers = ask([row], _count, store=db)
    (sample,) = assay.data.samples(assay.data.read(answers), needs={})
    assert (sample.question, sample.answer) == (TALK.question, "3 messages")
    assert [turn.role for turn in sample.turns] == ["user", "assistant", "user", "assistant"]


def _count(sample):
    return f"{len(sample.turns)} messages"
