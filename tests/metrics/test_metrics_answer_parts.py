"""What of an answer is needed and what is missing, with numbers worked by hand."""

import pytest

from assay.judges.scripted import Scripted
from assay.metrics.answer_parts import (
    AnswerRelevanceByStatement,
    Completeness,
    CompletenessWithoutReference,
    Conciseness,
)
from assay.metrics.deepeval import DeepEvalAnswerRelevancy
from assay.metrics.factual_correctness import FactualCorrectness
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import ShortAnswer, answer_questions, split_question
from support import scripts
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1",
    question="How old is it?",
    answer="Aa. Bb. Cc. Aa again.",
    reference="Dd. Ee. Ff. Gg.",
)


def judge(relevant=(), found=lambda _statement, _contexts: False):
    return Watched(
        Scripted(
            {
                "split_statements": scripts.by_sentence,
                "select_sentences": scripts.select(*relevant),
                "verify_statements": scripts.verify_if(found),
            }
        )
    )


class TestAnswerRelevanceByStatement:
    async def test_it_is_the_share_of_statements_that_help(self):
        found = await score(AnswerRelevanceByStatement(), SAMPLE, judge(("s1",)))
        assert found.value == 0.25
        assert [part.label for part in found.parts] == ["relevant"] + ["not relevant"] * 3

    async def test_it_asks_what_deepeval_asks(self):
        one, other = judge(("s1",)), judge(("s1",))
        await score(AnswerRelevanceByStatement(), SAMPLE, one)
        await score(DeepEvalAnswerRelevancy(), SAMPLE, other)
        assert one.asked == other.asked

    async def test_an_answer_that_states_nothing_answers_nothing(self):
        sample = Sample(id="1", question="?", answer="Well")
        script = {"split_statements": scripts.split()}
        found = await score(AnswerRelevanceByStatement(), sample, script)
        assert (found.value, found.parts[0].label) == (0.0, "no statement")

    @pytest.mark.parametrize(("question", "answer"), [("", "x"), ("?", " ")])
    async def test_without_a_question_or_an_answer_it_is_undefined(self, question, answer):
        sample = Sample(id="1", question=question, answer=answer)
        found = await score(AnswerRelevanceByStatement(), sample, judge())
        assert found == Unscored("undefined", "the question or the answer is empty")


class TestConciseness:
    @staticmethod
    def said_before(statement, contexts):
        return statement == "Aa again." and "Aa." in contexts[0]

    async def test_two_of_four_are_needed_one_beside_the_point_and_one_repeated(self):
        found = await score(Conciseness(), SAMPLE, judge(("s1", "s2", "s4"), self.said_before))
        assert found.value == 0.5
        assert [part.label for part in found.parts] == [
            "needed",
            "needed",
            "beside the point",
            "repeated",
        ]

    async def test_each_one_that_helps_is_verified_against_those_before_it(self):
        watched = judge(("s1", "s2", "s4"))
        await score(Conciseness(), SAMPLE, watched)
        asked = [task for task, _ in watched.asked if task.kind == "verify_statements"]
        assert [(task.ids, task.contexts) for task in asked] == [
            (("s2",), ("Aa.",)),
            (("s4",), ("Aa.\nBb.\nCc.",)),
        ]

    async def test_the_same_statement_again_is_repeated_and_nobody_is_asked(self):
        watched = judge(("s1", "s2"))
        sample = Sample(id="1", question="How old is it?", answer="Aa. Bb. Aa. Aa.")
        found = await score(Conciseness(), sample, watched)
        assert found.value == 0.5
        assert [(p.text, p.label, p.span) for p in found.parts] == [
            ("Aa.", "needed", (0, 3)),
            ("Aa.", "repeated", (8, 11)),
            ("Aa.", "repeated", (12, 15)),
            ("Bb.", "needed", (4, 7)),
        ]
        assert watched.kinds["verify_statements"] == 1

    async def test_an_answer_without_a_statement_is_undefined(self):
        sample = Sample(id="1", question="?", answer="")
        found = await score(Conciseness(), sample, judge())
        assert found == Unscored("undefined", "the answer makes no statement")


class TestCompleteness:
    @staticmethod
    def covered(statement, _contexts):
        return statement in ("Dd.", "Gg.")

    async def test_it_is_the_covered_share_of_what_is_needed(self):
        found = await score(Completeness(), SAMPLE, judge(("s1", "s2", "s3"), self.covered))
        assert found.value == pytest.approx(1 / 3)
        assert [(part.label, part.value) for part in found.parts] == [
            ("covered", 1.0),
            ("not covered", 0.0),
            ("not covered", 0.0),
            ("not needed", None),
        ]

    async def test_if_the_judge_finds_none_needed_all_count(self):
        found = await score(Completeness(), SAMPLE, judge((), self.covered))
        assert found.value == 0.5

    async def test_its_verdicts_are_those_of_factual_correctness(self):
        mine, theirs = judge(("s1",)), judge()
        await score(Completeness(), SAMPLE, mine)
        await score(FactualCorrectness(), SAMPLE, theirs)
        kinds = ("split_statements", "verify_statements")
        asked = [task for task, _ in mine.asked if task.kind in kinds]
        assert all(task in [other for other, _ in theirs.asked] for task in asked)

    async def test_an_empty_answer_is_0_and_an_empty_reference_undefined(self):
        empty = Sample(id="1", question="?", answer="", reference="Dd.")
        assert (await score(Completeness(), empty, judge(("s1",)))).value == 0.0
        without = Sample(id="1", question="?", answer="Aa.", reference="")
        found = await score(Completeness(), without, judge())
        assert found == Unscored("undefined", "the reference makes no statement")


class TestCompletenessWithoutReference:
    async def test_it_is_the_share_of_the_parts_of_the_question_that_are_answered(self):
        script = {
            "split_question": split_question.reply(["When?", "Where?", "Why?"]),
            "answer_questions": answer_questions.reply(
                [ShortAnswer("q1", "in May"), ShortAnswer("q2", None), ShortAnswer("q3", "rain")]
            ),
        }
        found = await score(CompletenessWithoutReference(), SAMPLE, script)
        assert found.value == pytest.approx(2 / 3)
        assert [(p.text, p.label, p.quote) for p in found.parts] == [
            ("When?", "answered", "in May"),
            ("Where?", "not answered", ""),
            ("Why?", "answered", "rain"),
        ]

    async def test_an_empty_answer_is_0_and_an_empty_question_undefined(self):
        empty = Sample(id="1", question="?", answer=" ")
        assert (await score(CompletenessWithoutReference(), empty, {})).value == 0.0
        unasked = Sample(id="1", question="", answer="x")
        assert isinstance(await score(CompletenessWithoutReference(), unasked, {}), Unscored)


@pytest.mark.parametrize("metric", [Conciseness(), Completeness()])
async def test_an_empty_question_is_undefined(metric):
    sample = Sample(id="1", question=" ", answer="Aa.", reference="Bb.")
    assert await score(metric, sample, judge()) == Unscored("undefined", "the question is empty")
