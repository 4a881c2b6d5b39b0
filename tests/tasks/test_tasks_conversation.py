"""Are conversations asked about as they are meant, and single answers as ever?"""

import pytest

from assay._store.integrity import reply_key
from assay.errors import Unreadable
from assay.prompt import Template
from assay.tasks import (
    CompareOutcomes,
    Comparison,
    GenerateQuestions,
    Goal,
    InferGoal,
    JudgeTopics,
    MatchTopics,
    NameTopics,
    RateAnswer,
    SplitStatements,
    TopicAnswer,
    TopicMatch,
)
from support.over import over

EARLIER = ("user: Who was Marie Curie?", "assistant: A physicist.")
SINGLE = [
    SplitStatements("Where?", "In Warsaw."),
    GenerateQuestions("In Warsaw.", 2),
    RateAnswer("Where?", "In Warsaw."),
]
INSIDE = [
    SplitStatements("Where?", "In Warsaw.", earlier=EARLIER),
    GenerateQuestions("In Warsaw.", 2, EARLIER),
    RateAnswer("Where?", "In Warsaw.", EARLIER),
]


class TestEarlierTurns:
    @over("task", SINGLE)
    def test_without_them_nothing_of_a_conversation_stands_in_prompt_or_key(self, task):
        assert "earlier turns" not in task.prompt()
        assert "conversation" not in task.prompt()
        assert [m.name for m in task.input_texts()][-1] in ("text", "answer")
        assert len(task.inputs()) == 6

    @over("at", range(3))
    def test_with_them_it_is_another_question(self, at):
        assert reply_key("b", SINGLE[at], 0) != reply_key("b", INSIDE[at], 0)
        assert "earlier turns:\n<<<" in INSIDE[at].prompt()
        assert "\n".join(EARLIER) in INSIDE[at].prompt()

    def test_questions_are_those_of_the_user_at_that_point(self):
        assert "at that point of the conversation" in INSIDE[1].prompt()  # type: ignore[attr-defined]

    def test_the_users_own_words_stay(self):
        template = Template("Ask as a pirate would.", GenerateQuestions.template.form)
        prompt = "".join(INSIDE[1].pieces(template))  # type: ignore[attr-defined]
        assert prompt.startswith("Ask as a pirate would. The answer is a message")
        assert "".join(SINGLE[1].pieces(template)).startswith("Ask as a pirate would.\n")  # type: ignore[attr-defined]

    def test_replies_are_read_as_ever(self):
        raw = GenerateQuestions.reply(
            SINGLE[1].read('{"noncommittal": false, "questions": ["a", "b"]}')  # type: ignore[attr-defined]
        )
        assert INSIDE[1].read(raw) == SINGLE[1].read(raw)  # type: ignore[attr-defined]


class TestTopics:
    def test_topics_are_read_in_order_each_once(self):
        raw = NameTopics.reply(["kettles", " shares ", "", "kettles"])
        assert NameTopics("user: ...").read(raw) == ("kettles", "shares")

    def test_verdicts_are_tied_to_ids(self):
        task = JudgeTopics("user: ...", ("a", "b", "c"))
        verdicts = [TopicAnswer(i, answered=i == "t2", reason="r") for i in ("t1", "t2", "t3")]
        assert task.read(JudgeTopics.reply(verdicts[::-1])) == tuple(verdicts)
        left = task.narrow(["t3"])
        assert left.ids == ("t3",)
        assert '{"id": "t3", "text": "c"}' in left.prompt()
        assert '"b"' not in left.input_texts()[1].text

    def test_matches_name_a_reference_topic_or_none(self):
        task = MatchTopics(("a", "b"), ("x", "y"))
        matches = (TopicMatch("t1", 1, "r"), TopicMatch("t2", None))
        assert task.read(MatchTopics.reply(matches)) == matches
        assert task.narrow(["t2"]).ids == ("t2",)
        without_thoughts = '{"matches": [{"id": "t1", "reason": "", "reference": "None"}, %s]}'
        second = '{"id": "t2", "reason": "", "reference": " r1 "}'
        assert [m.reference for m in task.read(without_thoughts % second)] == [None, 0]

    @over("name", ["r3", "r0", "x", "t1"])
    def test_a_reference_topic_that_does_not_exist_spoils_the_reply(self, name):
        raw = f'{{"matches": [{{"id": "t1", "reason": "", "reference": "{name}"}}]}}'
        with pytest.raises(Unreadable, match="does not exist"):
            MatchTopics(("a",), ("x", "y")).read(raw)


class TestGoals:
    def test_goal_and_outcome_are_read(self):
        goal = Goal("A room.", "No room.")
        assert InferGoal("user: ...").read(InferGoal.reply(goal)) == goal

    def test_an_empty_outcome_is_no_reply(self):
        with pytest.raises(Unreadable):
            InferGoal("user: ...").read('{"goal": "A room.", "outcome": " "}')

    def test_a_comparison_is_read(self):
        comparison = Comparison(reached=False, reason="Another day.")
        task = CompareOutcomes("Friday", "Saturday")
        assert task.read(CompareOutcomes.reply(comparison)) == comparison
