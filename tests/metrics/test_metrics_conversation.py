"""Conversations: messages with what was said before them, goals, topics."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import parse
from assay.metrics.conversation import (
    AgentGoalAccuracy,
    AgentGoalAccuracyWithoutReference,
    TopicAdherence,
    TurnFaithfulness,
    TurnRelevancy,
    exchanges,
    transcript,
)
from assay.metrics.groundedness import Faithfulness
from assay.metrics.relevance import RATED, AnswerRelevancy
from assay.sample import Sample, ToolCall, Turn
from assay.score import Unscored
from assay.tasks import (
    CompareOutcomes,
    Comparison,
    Embed,
    Goal,
    InferGoal,
    JudgeTopics,
    MatchTopics,
    NameTopics,
    TopicAnswer,
    TopicMatch,
)
from support import scripts
from support.over import over
from support.scripts import Watched, score

CURIE = "Marie Curie was born in Warsaw. She won two Nobel Prizes."
TURNS = (
    Turn("system", "Be kind."),
    Turn("user", "Where was Marie Curie born?"),
    Turn("assistant", "Marie Curie was born in Warsaw. She liked penguins.", (CURIE,)),
    Turn("user", "And how many Nobel Prizes did she win?"),
    Turn("assistant", "", tool_calls=(ToolCall("search", {"q": "Nobel"}),)),
    Turn("tool", "Marie Curie won two Nobel Prizes."),
    Turn("assistant", "She won two Nobel Prizes.", (CURIE,)),
    Turn("user", "Thank you!"),
    Turn("assistant", "You are welcome."),
)
SAMPLE = Sample(id="1", turns=TURNS)


def last(*turns):
    return Sample(id="1", turns=turns)


class TestExchanges:
    def test_each_message_goes_with_its_question_and_what_was_said_before(self):
        first, second, third = exchanges(TURNS, 10)
        assert (first.number, first.question, first.earlier) == (3, TURNS[1].text, ())
        assert second.number == 7
        assert second.question == "And how many Nobel Prizes did she win?"
        assert second.earlier == (f"user: {TURNS[1].text}", f"assistant: {TURNS[2].text}")
        assert second.results == ('search(q="Nobel")\nMarie Curie won two Nobel Prizes.',)
        assert third.question == "Thank you!"
        assert third.earlier[-1] == "assistant: She won two Nobel Prizes."
        assert (third.contexts, third.results) == (None, ())

    def test_the_window_keeps_the_last_ones(self):
        assert exchanges(TURNS, 1)[1].earlier == (f"assistant: {TURNS[2].text}",)
        assert exchanges(TURNS, 0)[1].earlier == ()

    def test_a_greeting_has_no_question(self):
        (greeting,) = exchanges([Turn("assistant", "Hello!")], 10)
        assert greeting.question == ""

    def test_a_transcript_tells_tools_too(self):
        assert transcript(TURNS[3:6]) == (
            "user: And how many Nobel Prizes did she win?\n"
            'assistant calls search(q="Nobel")\n'
            "tool: Marie Curie won two Nobel Prizes."
        )


class TestTurnFaithfulness:
    async def test_it_is_the_mean_over_turns_and_each_statement_names_its_turn(self):
        found = await score(TurnFaithfulness(), SAMPLE, scripts.plausible())
        assert found.value == pytest.approx((1 / 2 + 1) / 2)
        assert found.details == {"turn 3": 0.5, "turn 7": 1.0}
        assert [(part.kind, part.label) for part in found.parts] == [
            ("turn 3 statement", "supported"),
            ("turn 3 statement", "unsupported"),
            ("turn 7 statement", "supported"),
        ]

    async def test_evidence_lies_in_the_contexts_of_its_turn_and_not_in_those_of_the_sample(self):
        sample = Sample(id="1", turns=TURNS, contexts=("Bread.",), answer="x")
        found = await score(TurnFaithfulness(), sample, scripts.plausible())
        part = found.parts[-1]
        assert (part.context, part.span) == (None, None)
        assert part.reason.startswith("context 1 of turn 7: ")
        assert part.quote == "She won two Nobel Prizes."

    async def test_later_turns_are_split_with_the_earlier_ones_at_hand(self):
        judge = Watched(scripts.plausible())
        await score(TurnFaithfulness(), SAMPLE, judge)
        first, second = (task for task, _ in judge.asked if task.kind == "split_statements")
        assert first.earlier == ()
        assert second.earlier[0] == "user: Where was Marie Curie born?"
        assert judge.kinds == {"split_statements": 2, "verify_statements": 2}

    async def test_the_first_exchange_asks_what_faithfulness_asks(self):
        whole, single = Watched(scripts.plausible()), Watched(scripts.plausible())
        one = await score(TurnFaithfulness(), last(*TURNS[1:3]), whole)
        sample = Sample(
            id="1", question=TURNS[1].text, answer=TURNS[2].text, contexts=TURNS[2].contexts
        )
        other = await score(Faithfulness(), sample, single)
        assert one.value == other.value
        assert whole.asked == single.asked

    async def test_each_turn_stands_beside_its_own_contexts(self):
        turns = (
            *TURNS[1:3],
            TURNS[3],
            Turn("assistant", "Warsaw is a city.", ("Bread is baked.",)),
        )
        found = await score(TurnFaithfulness(), last(*turns), scripts.plausible())
        assert found.details == {"turn 2": 0.5, "turn 4": 0.0}

    async def test_nothing_retrieved_supports_nothing(self):
        turns = (TURNS[1], Turn("assistant", "In Warsaw.", ()))
        found = await score(TurnFaithfulness(), last(*turns), scripts.plausible())
        assert found.value == 0

    async def test_what_tools_returned_counts_if_asked(self):
        turns = (*TURNS[3:6], Turn("assistant", "Marie Curie won two Nobel Prizes."))
        found = await score(TurnFaithfulness(), last(*turns), scripts.plausible())
        assert isinstance(found, Unscored)
        assert "turn_faithfulness(tool_results=True)" in found.detail
        metric = parse("turn_faithfulness(tool_results=True)")
        assert (await score(metric, last(*turns), scripts.plausible())).value == 1

    @over(
        ("results", "shown"),
        [
            (("24",), ('weather(city="Rome")\n24',)),
            (
                ('{"error": null, "high": 24}',),
                ('weather(city="Rome")\n{"error": null, "high": 24}',),
            ),
            (('{"error": "no such city"}',), ('{"error": "no such city"}',)),
            (("Error: no such city",), ("Error: no such city",)),
            (('{"status": "failed"}',), ('{"status": "failed"}',)),
            (("24", "25"), ("24", "25")),  # one of them has no call
            ((" ",), ()),
        ],
    )
    async def test_a_result_stands_below_its_call_unless_that_failed(self, results, shown):
        calls = Turn("assistant", "", tool_calls=(ToolCall("weather", {"city": "Rome"}),))
        turns = (TURNS[1], calls, *(Turn("tool", text) for text in results))
        (exchange,) = exchanges((*turns, Turn("assistant", "It is 24.")), 10)
        assert exchange.results == shown

    @over(
        ("turns", "why"),
        [
            ((), "the assistant is silent"),
            ((TURNS[1],), "the assistant is silent"),
            ((TURNS[1], Turn("assistant", " ", (CURIE,))), "the assistant is silent"),
            (TURNS[7:], "no message has recorded contexts"),
            (
                (TURNS[1], Turn("assistant", "I do not know.", (CURIE,))),
                "no message makes a statement",
            ),
        ],
    )
    async def test_where_no_message_counts_it_is_undefined(self, turns, why):
        found = await score(TurnFaithfulness(), last(*turns), scripts.plausible())
        assert found == Unscored("undefined", why)


def vectors(**cosines):
    """Embeds the user's messages as (1, 0) and generated questions at these cosines to it."""

    def say(task):
        cosine = cosines.get(task.text, 1.0)
        return Embed.reply((cosine, (1 - cosine**2) ** 0.5))

    return say


ASKING = {
    "generate_questions": lambda task: (
        scripts.questions("half", "full")
        if task.earlier
        else scripts.questions("none", "none", noncommittal=True)
    ),
    "embed": vectors(half=0.5, full=1.0, none=0.0),
}


class TestTurnRelevancy:
    async def test_it_is_the_mean_over_turns_and_each_question_names_its_turn(self):
        found = await score(TurnRelevancy(n=2), last(*TURNS[1:7]), Scripted(ASKING))
        assert found.value == pytest.approx((0 + 0.75) / 2)
        assert found.details == pytest.approx({"turn 2": 0, "turn 6": 0.75})
        assert [part.kind for part in found.parts] == ["turn 2 question"] * 2 + [
            "turn 6 question"
        ] * 2
        assert found.parts[0].reason == "the message is noncommittal"

    async def test_later_questions_are_generated_with_the_earlier_turns_at_hand(self):
        judge = Watched(Scripted(ASKING))
        await score(TurnRelevancy(n=2), last(*TURNS[1:7]), judge)
        first, second = (task for task, _ in judge.asked if task.kind == "generate_questions")
        assert first.earlier == ()
        assert second.earlier == (f"user: {TURNS[1].text}", f"assistant: {TURNS[2].text}")

    async def test_the_first_exchange_asks_what_answer_relevancy_asks(self):
        whole, single = Watched(scripts.plausible()), Watched(scripts.plausible())
        one = await score(TurnRelevancy(), last(*TURNS[1:3]), whole)
        sample = Sample(id="1", question=TURNS[1].text, answer=TURNS[2].text)
        other = await score(AnswerRelevancy(), sample, single)
        assert one.value == pytest.approx(other.value)
        assert whole.asked == single.asked

    async def test_a_judge_that_cannot_generate_rates_each_message(self):
        rate = {"rate_answer": lambda task: scripts.rating(0.5 if "she" in task.question else 1)}
        found = await score(TurnRelevancy(), last(*TURNS[1:7]), Scripted(rate))
        assert (found.value, found.method) == (0.75, RATED)
        assert [part.kind for part in found.parts] == ["turn 2 answer", "turn 6 answer"]

    @over("turns", [(), (Turn("assistant", "Hello!"),), (TURNS[1],)])
    async def test_where_nobody_asked_it_is_undefined(self, turns):
        found = await score(TurnRelevancy(), last(*turns), scripts.plausible())
        assert found.why == "undefined"


GOALS = {
    "infer_goal": InferGoal.reply(Goal("A table is booked.", "A table was booked at eight.")),
    "compare_outcomes": lambda task: CompareOutcomes.reply(
        Comparison("eight" in task.desired, "as told")
    ),
}


class TestGoals:
    async def test_the_outcome_is_compared_with_the_reference(self):
        for reference, value in (("A table at eight.", 1), ("A table at nine.", 0)):
            sample = Sample(id="1", turns=TURNS, reference=reference)
            found = await score(AgentGoalAccuracy(), sample, Scripted(GOALS))
            assert found.value == value
            assert [part.text for part in found.parts] == [
                reference,
                "A table was booked at eight.",
            ]

    async def test_or_with_the_goal_of_the_user(self):
        found = await score(AgentGoalAccuracyWithoutReference(), SAMPLE, Scripted(GOALS))
        assert found.value == 0
        assert found.parts[1].label == "not reached"
        assert found.parts[1].reason == "as told"

    @over("fields", [{"turns": TURNS, "reference": " "}, {"turns": (), "reference": "x"}])
    async def test_without_goal_or_user_it_is_undefined(self, fields):
        found = await score(AgentGoalAccuracy(), Sample(id="1", **fields), scripts.plausible())
        assert found.why == "undefined"


@over("spec", ["turn_faithfulness(window=-1)", "turn_relevancy(n=0)"])
def test_parameters_that_cannot_be_are_refused(spec):
    with pytest.raises(InputError):
        parse(spec)


def test_they_are_found_by_their_other_names():
    assert parse("conversation_faithfulness") == TurnFaithfulness()
    assert parse("conversation_relevancy") == TurnRelevancy()


TURNS_TOPICS = (
    Turn("user", "How do I descale the kettle? And which shares should I buy?"),
    Turn("assistant", "Descale the kettle with vinegar. I cannot advise on shares."),
)
SAMPLE_TOPICS = Sample(id="1", turns=TURNS_TOPICS, reference_topics=("the kettle", "ovens"))


def judge(answered, allowed):
    """Names a topic for each verdict: answered or not, and the place of its reference or None."""
    ids = [f"t{n}" for n in range(1, len(answered) + 1)]
    return Scripted(
        {
            "name_topics": NameTopics.reply([f"topic {i}" for i in ids]),
            "judge_topics": JudgeTopics.reply(
                [TopicAnswer(i, yes, "as said") for i, yes in zip(ids, answered, strict=True)]
            ),
            "match_topics": MatchTopics.reply(
                [TopicMatch(i, place, "near") for i, place in zip(ids, allowed, strict=True)]
            ),
        }
    )


WORKED = [
    # answered, allowed, precision, recall, f1
    ((True, True, False, False), (0, None, 1, None), 1 / 2, 1 / 2, 1 / 2),
    ((True, False), (0, None), 1, 1, 1),
    ((True, True, True), (0, None, None), 1 / 3, 1, 1 / 2),
    ((True, False, False), (0, 0, 1), 1, 1 / 3, 1 / 2),
    ((False,), (0,), None, 0, 0),
    ((True,), (None,), 0, None, 0),
    ((False, False), (None, None), None, None, None),
]


@over(("answered", "allowed", "p", "r", "f"), WORKED)
async def test_worked_examples(answered, allowed, p, r, f):
    for mode, figure in (("precision", p), ("recall", r), ("f1", f)):
        found = await score(TopicAdherence(mode), SAMPLE_TOPICS, judge(answered, allowed))
        if figure is None:
            assert found.why == "undefined"
            assert len(found.parts) == len(answered)
        else:
            assert found.value == pytest.approx(figure)


async def test_every_topic_is_told_with_what_was_done_and_what_it_falls_under():
    found = await score(
        TopicAdherence(), SAMPLE_TOPICS, judge((True, True, False, False), (0, None, 1, None))
    )
    assert [(part.text, part.label, part.value) for part in found.parts] == [
        ("topic t1", "answered", 1.0),
        ("topic t2", "answered, off topic", 0.0),
        ("topic t3", "refused", 0.0),
        ("topic t4", "refused, off topic", None),
    ]
    assert found.parts[0].reason == "answered (as said); falls under: the kettle (near)"
    assert found.parts[3].reason == "refused (as said); falls under: no reference topic (near)"
    assert found.details["answered"] == 1


async def test_a_conversation_that_keeps_to_its_topics_scores_1():
    watched = Watched(scripts.plausible())
    found = await score(TopicAdherence(), SAMPLE_TOPICS, watched)
    assert found.value == 1
    assert [part.label for part in found.parts] == ["answered", "refused, off topic"]
    assert watched.kinds == {"name_topics": 1, "judge_topics": 1, "match_topics": 1}


@over(
    ("changes", "why"),
    [
        ({"turns": ()}, "the user says nothing"),
        ({"turns": (Turn("assistant", "Hello."), Turn("user", " "))}, "the user says nothing"),
        ({"reference_topics": ()}, "there is no reference topic"),
        ({"reference_topics": (" ",)}, "there is no reference topic"),
    ],
)
async def test_where_there_is_nothing_to_judge_nobody_is_asked(changes, why):
    fields = {"turns": TURNS_TOPICS, "reference_topics": ("kettles",), **changes}
    watched = Watched(scripts.plausible())
    assert await score(TopicAdherence(), Sample(id="1", **fields), watched) == Unscored(
        "undefined", why
    )
    assert not watched.asked


async def test_a_user_who_asks_about_nothing_has_no_topics():
    backend = Scripted({"name_topics": NameTopics.reply([])})
    found = await score(TopicAdherence(), SAMPLE_TOPICS, backend)
    assert found == Unscored("undefined", "the user asks about nothing")


def test_an_unknown_mode_is_refused():
    with pytest.raises(InputError, match="mode must be f1, precision or recall"):
        TopicAdherence("accuracy")
    assert parse("topic_adherence(mode=recall)") == TopicAdherence("recall")
