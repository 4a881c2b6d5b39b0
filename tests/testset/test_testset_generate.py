"""Only sound questions are kept, nothing is paid for twice, and the account of them is true."""

import asyncio
import itertools
import json
import re

import pytest

import assay
from assay import Budget, Denied, InputError, Limits, Settings, Unavailable
from assay._middleware.wrapper import Route
from assay._store.maintenance import clean, verify
from assay.judges import backend
from assay.judges.scripted import Scripted
from assay.tasks import AnswerQuestions, ShortAnswer, WriteQuestion, WriteSingleHop, Written
from assay.tasks.contexts import NO_ANSWER
from assay.testset import Document, Plan, PlanRow, agenerate, checks, estimate, generate
from assay.testset.passages import Passage, cut
from support.over import over

KINDS = ("write_single_hop", "write_reasoning", "write_multi_hop", "write_unanswerable")
PLACES = [
    "Oslo",
    "Rome",
    "Paris",
    "Lima",
    "Kyoto",
    "Accra",
    "Quito",
    "Perth",
    "Delhi",
    "Cairo",
    "Turku",
    "Lyon",
    "Basel",
    "Porto",
]
FACTS = "The harbour of {0} was opened in {1}. The mayor of {0} earns {1} crowns a year."
PADDING = " ".join(f"{word} is a word of no weight here." for word in ("Alpha", "Beta", "Gamma"))
DOCUMENTS = [
    {"id": place, "text": f"# {place}\n\n{FACTS.format(place, 1800 + 7 * n)} {PADDING}"}
    for n, place in enumerate(PLACES)
]


def fact(text):
    return re.search(r"The harbour of (\w+) was opened in (\d+)\.", text)


def plain_question(task):
    """What a good writer would reply."""
    found = [fact(text) for text in task.passages]
    names = " and ".join(f"{match[1]}" for match in found)
    if task.kind == "write_unanswerable":
        return WriteQuestion.reply(Written(f"How deep is the harbour of {names}?"))
    extra = "".join(f" ({number})" for number in range(len(task.asked)))
    return WriteQuestion.reply(
        Written(
            f"{task.kind}: when was the harbour of {names} opened{extra}?",
            " ".join(match[0] for match in found),
            tuple(match[0] for match in found),
        )
    )


def knows(task):
    """It answers when harbours that the text names were opened, and nothing else."""
    asked = [place for place in PLACES if place in task.questions[0]]
    told = all(place in task.text for place in asked) and "How" not in task.questions[0]
    answer = "then" if told else None
    return AnswerQuestions.reply([ShortAnswer(i, answer) for i in task.ids])


def writer(name="writer", answer=knows, **scripts):
    """The embedded judge with somebody who writes."""
    script = {**dict.fromkeys(KINDS, plain_question), "answer_questions": answer, **scripts}
    written = Scripted(script, name=name)
    return Route(backend("embedded"), dict.fromkeys(script, written))


def said(question, answer="", quotes=()):
    return lambda _task: WriteQuestion.reply(Written(question, answer, tuple(quotes)))


def only(kind, n=3):
    return Plan(n=n, kinds={kind: 1.0})


class TestWhatIsKept:
    def test_each_kind_in_its_share_with_reference_and_evidence(self, db):
        made = generate(DOCUMENTS, Plan(n=10), judge=writer(), store=db)
        assert made.written() == {
            "single_hop": 4,
            "reasoning": 2,
            "multi_hop": 2,
            "unanswerable": 2,
        }
        assert (made.documents, made.passages, made.rejected) == (14, 14, ())
        assert len({question.id for question in made.questions}) == 10
        texts = {document["id"]: document["text"] for document in DOCUMENTS}
        for row in made.rows():
            for place, context in zip(row["source"], row["reference_contexts"], strict=False):
                assert texts[place["document"]][place["start"] : place["end"]] == context
            assert row["group"] in texts
            if row["answerable"]:
                assert all(q in " ".join(row["reference_contexts"]) for q in row["quotes"])
                assert len(row["reference_contexts"]) == (2 if row["kind"] == "multi_hop" else 1)
            else:
                assert (row["reference"], row["reference_contexts"]) == (NO_ANSWER, [])

    @pytest.mark.slow
    def test_the_rows_are_data_for_evaluate(self, db):
        rows = generate(DOCUMENTS, Plan(n=10), judge=writer(), store=db).rows()
        answered = [
            {**row, "answer": row["reference"], "contexts": row["reference_contexts"]}
            for row in rows
        ]
        metrics = ["faithfulness", "context_recall", "negative_rejection"]
        summary = {row.metric: row for row in assay.evaluate(answered, metrics, store=db).summary()}
        assert summary["faithfulness"].n_scored == summary["context_recall"].n_scored == 8
        assert summary["negative_rejection"].n_scored == 2
        assert all(row.mean > 0.8 for row in summary.values())

    @pytest.mark.parametrize(
        ("kind", "script", "why", "detail"),
        [
            ("single_hop", said(""), "empty", "nothing to ask"),
            (
                "single_hop",
                said("What does the text say?", "x"),
                "not standalone",
                "'does the text'",
            ),
            ("single_hop", said("When?", "In 1800."), "no quote", "quotes nothing"),
            (
                "single_hop",
                said("When?", "In 1800.", ["it says so"]),
                "no quote",
                "not in the text",
            ),
            ("single_hop", said("How?", "In 1800.", ["The harbour of"]), "unanswered", "no answer"),
            (
                "single_hop",
                said("When?", "In 1492 Columbus sailed.", ["The harbour of"]),
                "unsupported",
                "1492",
            ),
            (
                "multi_hop",
                said("When in Oslo?", "x", ["The harbour of Oslo", "The harbour of Rome"]),
                "one is enough",
                "Oslo#1: then",
            ),
            ("multi_hop", said("When?", "x", ["The harbour of Oslo"]), "no quote", "nothing is"),
            ("reasoning", lambda _task: "no JSON", "judge failed", "no JSON object"),
        ],
    )
    def test_what_fails_a_check_is_told_and_not_kept(self, db, kind, script, why, detail):
        judge = writer(name=why, **{f"write_{kind}": script})
        documents = DOCUMENTS[:2]
        made = generate(documents, only(kind, 1), judge=judge, store=db)
        assert made.questions == ()
        assert {found.why for found in made.rejected} == {why}
        assert detail in made.rejected[0].detail
        assert len(made.rejected) == 3 + 5  # three tries for each that is wanted, and five more

    def test_a_question_that_another_passage_answers_is_not_unanswerable(self, db):
        def deep(task):
            knows = "Oslo" in task.text
            return AnswerQuestions.reply(
                [ShortAnswer(i, "9 metres" if knows else None) for i in task.ids]
            )

        judge = writer(answer=deep, write_unanswerable=said("How deep is the sea at Oslo?"))
        made = generate(DOCUMENTS, only("unanswerable", 1), judge=judge, store=db)
        assert made.questions == ()
        assert made.rejected[0].why == "answered"
        assert made.rejected[0].detail == "Oslo#1: 9 metres"

    def test_the_same_question_in_nearly_the_same_words_is_kept_once(self, db):
        numbers = itertools.count()

        def again(task):
            match = fact(task.passages[0])
            asked = ("When was the port opened?", "When was the port opening?")[next(numbers) % 2]
            return WriteQuestion.reply(Written(asked, match[0], (match[0],)))

        made = generate(
            DOCUMENTS, only("single_hop", 2), judge=writer(write_single_hop=again), store=db
        )
        assert len(made.questions) == 1
        assert {found.why for found in made.rejected} == {"repeated"}

    def test_a_passage_is_asked_about_again_with_what_was_asked(self, db):
        asked = []

        def note(task):
            asked.append(task.asked)
            return plain_question(task)

        made = generate(
            DOCUMENTS[:1], only("single_hop"), judge=writer(write_single_hop=note), store=db
        )
        assert [len(known) for known in asked][:2] == [0, 1]
        assert all(question.kind == "single_hop" for question in made.questions)


@over(
    ("question", "points"),
    [
        ("What is the refund period according to the passage?", True),
        ("What does this article say about fees?", True),
        ("Which of the steps described above comes first?", True),
        ("What does the author mean by a fence?", True),
        ("Based on the provided information, what is the fee?", True),
        ("Which fee is named in the previous paragraph?", True),
        ("Which fee follows from text 1 and text 2?", True),
        ("What do both passages have in common?", True),
        ("What does the author of Emma say in this text?", True),
        ("What does the author of Emma say of marriage?", False),
        ("Which fee is named in the article about ferries?", False),
        ("Where can I find information on fees?", False),
        ("How long is the maximum context of a judge?", False),
        ("How is the text of a reply kept?", False),
        ("Which document do I need to board the ferry?", False),
        ("What is the format of the documents that are read?", False),
    ],
)
def test_questions_that_only_make_sense_beside_their_text(question, points):
    assert bool(checks.points_at_text(question)) == points


@over(
    ("quote", "held"),
    [
        ("Card: 2 euros", True),
        ("[...] Cash: 1.5 euros", True),
        ("Card: 2 euros Cash: 1.5 euros", True),
        ("Kind Fee A 3", True),
        ("„Sale“ is_final", True),
        ("Cash: 15 euros", False),
        ("Card: 3 euros", False),
        ("|", False),
    ],
)
def test_a_quote_may_lack_the_mark_up_of_its_text(quote, held):
    text = "- [Card](http://x/y): 2 euros\n- **Cash**: 1.5 euros\n\n| Kind | Fee |\n| A | 3 |\n"
    passage = Passage("d", 1, "", text + "'Sale' is_final.", 0, 9)
    assert (not checks.unquoted(Written("?", "x", (quote,)), [passage])) == held


class TestWhatItCosts:
    def test_the_same_call_asks_nothing_and_finds_the_same(self, db):
        first = generate(DOCUMENTS, Plan(n=10), judge=writer(), store=db)
        clean(db)
        second = generate(DOCUMENTS, Plan(n=10), judge=writer(), store=db)
        assert second.rows() == first.rows()
        assert second.calls == 0
        assert second.known == first.calls + first.known
        verify(db)

    def test_another_seed_asks_about_other_passages(self, db):
        few = [generate(DOCUMENTS, Plan(n=4, seed=s), judge=writer(), store=db) for s in (1, 2)]
        assert few[0].rows() != few[1].rows()

    def test_an_estimate_is_what_a_test_set_without_rejections_takes(self, db):
        counts = estimate(DOCUMENTS, Plan(n=10), judge=writer(), store=db)
        assert not db.exists()
        made = generate(DOCUMENTS, Plan(n=10), judge=writer(), store=db)
        assert counts.calls + counts.local == made.calls
        assert counts.tokens_in > 0
        after = estimate(DOCUMENTS, Plan(n=10), judge=writer(), store=db)
        assert (after.calls + after.local, after.known) == (0, made.calls)

    def test_an_estimate_takes_no_passage_for_one_that_fails(self, db):
        told = "What is described in this document of {0} holds for {0}berg, {0}ville and {0}ton."
        pointing = [{**d, "text": f"{d['text']} {told.format(d['id'])}"} for d in DOCUMENTS]
        plain, there = (
            estimate(given, Plan(n=10), judge=writer(), store=db) for given in (DOCUMENTS, pointing)
        )
        assert there.calls + there.local == plain.calls + plain.local

    def test_a_budget_ends_it_with_what_there_is(self, db):
        settings = Settings(budget=Budget(calls=3), limits=Limits(concurrency=1))
        made = generate(
            DOCUMENTS, only("single_hop", 9), judge=writer(), store=db, settings=settings
        )
        assert "budget" in made.stopped
        assert len(made.questions) < 9
        whole = generate(DOCUMENTS, only("single_hop", 9), judge=writer(), store=db)
        assert whole.written() == {"single_hop": 9}
        assert whole.known >= 3

    def test_a_refusal_is_raised_and_what_came_before_is_kept(self, db):
        class Refusing(Scripted):
            async def reply(self, task, draw=0):
                if self.calls >= 2:
                    raise Denied("the key is refused")
                return await super().reply(task, draw)

        script = dict.fromkeys(KINDS, plain_question) | {"answer_questions": knows}
        refusing = Refusing(script, name="writer")
        judge = Route(backend("embedded"), dict.fromkeys(script, refusing))
        with pytest.raises(Denied, match="the key is refused"):
            generate(DOCUMENTS, only("single_hop", 9), judge=judge, store=db)
        assert generate(DOCUMENTS, only("single_hop", 9), judge=writer(), store=db).known >= 2

    def test_a_server_that_fails_at_times_spoils_only_those_questions(self, db):
        class Failing(Scripted):
            async def reply(self, task, draw=0):
                if "Oslo" in "".join(task.inputs()):
                    raise Unavailable("gone", permanent=True)
                return await super().reply(task, draw)

        script = dict.fromkeys(KINDS, plain_question) | {"answer_questions": knows}
        judge = Route(backend("embedded"), dict.fromkeys(script, Failing(script)))
        made = generate(DOCUMENTS, only("single_hop", 14), judge=judge, store=db)
        assert len(made.questions) >= 13
        assert {(found.why, found.passages) for found in made.rejected} == {
            ("judge failed", ("Oslo#1",))
        }

    @pytest.mark.slow
    async def test_it_runs_within_a_loop_and_can_be_cancelled(self, db):
        class Slow(Scripted):
            async def reply(self, task, draw=0):
                await asyncio.sleep(60)
                return await super().reply(task, draw)

        script = dict.fromkeys(KINDS, plain_question) | {"answer_questions": knows}
        judge = Route(backend("embedded"), dict.fromkeys(script, Slow(script)))
        work = asyncio.create_task(agenerate(DOCUMENTS, only("single_hop"), judge=judge, store=db))
        await asyncio.sleep(0.3)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(work, 20)


class TestWhatIsRefused:
    @over(
        ("changes", "said"),
        [
            ({"n": 0}, "0 questions are wanted"),
            ({"words": 10}, "passages of 10 words"),
            ({"kinds": {"easy": 1.0}}, "no kind 'easy'"),
            ({"kinds": {"single_hop": -1.0}}, "are no shares"),
            ({"kinds": {}}, "are no shares"),
        ],
    )
    def test_plans_that_make_no_sense(self, changes, said):
        with pytest.raises(InputError, match=said):
            Plan(**changes)

    def test_a_judge_that_cannot_write(self, db):
        with pytest.raises(InputError, match="name a language model"):
            generate(DOCUMENTS, judge=Scripted({}), store=db)
        assert not db.exists()

    def test_documents_without_a_passage(self, db):
        with pytest.raises(InputError, match="too short"):
            generate(["Hello.\n"], judge=writer(), store=db)
        with pytest.raises(InputError, match="there is one passage"):
            generate(DOCUMENTS[:1], judge=writer(), store=db)

    @over("n", [1, 2, 3, 7, 50])
    def test_shares_add_up_to_what_is_wanted(self, n):
        assert sum(Plan(n=n).wanted().values()) == n


def test_a_reply_is_read_strictly():
    task = WriteSingleHop(("Text.",))
    raw = json.dumps({"question": " When? ", "answer": "Now. ", "quotes": ["a", "a", " "]})
    assert task.read(raw) == Written("When?", "Now.", ("a",))
    with pytest.raises(assay.Unreadable):
        task.read('{"question": "When?"}')


class TestEvidence:
    text = (
        "# Ferry\n\nIt [sails](http://x/y) at **nine**.\n\n```\nfare = 12\n```\n\nThe fare is low."
    )

    def test_quotes_are_found_in_whatever_mark_up(self):
        ((start, end),) = checks.places("it sails at nine", self.text)
        assert self.text[start:end] == "It [sails](http://x/y) at **nine"
        assert len(checks.places("It sails ... The fare is low", self.text)) == 2
        assert checks.places("It sails at ten", self.text) == []

    @pytest.mark.parametrize(("quote", "code"), [("fare = 12", True), ("The fare is low", False)])
    def test_what_only_code_says_is_no_fact(self, quote, code):
        passages = cut(Document("d", f"{self.text} {PADDING}"), 200)
        assert bool(checks.from_code(Written("?", "x", (quote,)), passages)) == code


def test_a_persona_and_a_style_are_told_and_hard_questions_checked(db):
    rows = (
        PlanRow("single_hop", 1, persona="a pilot", style="keywords"),
        PlanRow("single_hop", 1, difficulty="hard"),
    )
    asked = []

    def note(task):
        asked.append(task.asker)
        if "everyday words" not in task.asker:
            return plain_question(task)
        match = fact(task.passages[0])
        question = f"When was the harbour of {match[1]} opened?"
        return WriteQuestion.reply(Written(question, match[0], (match[0],)))

    drafts = []
    made = generate(
        DOCUMENTS,
        Plan(rows=rows),
        judge=writer(write_single_hop=note),
        store=db,
        on_draft=drafts.append,
    )
    assert "a pilot. Types search keywords, not a sentence." in asked
    assert [q.row()["persona"] for q in made.questions] == ["a pilot"]
    assert {draft.why for draft in made.rejected} == {"too easy"}
    assert sorted(map(id, drafts)) == sorted(map(id, (*made.questions, *made.rejected)))


def test_what_the_documents_say_how_to_find_out_is_not_unanswerable(db):
    def ways(task):
        return AnswerQuestions.reply(
            [ShortAnswer(i, "ask the port" if n else None) for n, i in enumerate(task.ids)]
        )

    made = generate(DOCUMENTS, only("unanswerable", 1), judge=writer(answer=ways), store=db)
    assert {draft.why for draft in made.rejected} == {"answered"}
