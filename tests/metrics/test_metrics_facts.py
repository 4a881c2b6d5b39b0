"""Entity recall and RAGQuestEval, with numbers worked by hand."""

from dataclasses import replace

import pytest

from assay.metrics.compat.papers import QuestEvalPrecision, QuestEvalRecall
from assay.metrics.contexts import ContextEntityRecall
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import ShortAnswer, answer_questions, ask_about_facts, name_entities
from support import scripts
from support.scripts import Watched, score


class TestContextEntityRecall:
    SAMPLE = Sample(
        id="1",
        contexts=("The EIFFEL tower is old.", "It stands in Paris and has 1000 lamps."),
        reference="The Eiffel Tower, 330 metres tall, stands in Paris and has 1,000 lamps.",
    )

    async def of(self, *entities, **changes):
        judge = {"name_entities": name_entities.reply(entities)}
        return await score(ContextEntityRecall(), replace(self.SAMPLE, **changes), judge)

    async def test_three_of_four_entities_stand_in_the_contexts(self):
        found = await self.of("Eiffel Tower", "330 metres", "Paris", "1,000")
        assert found.value == 0.75
        assert [(p.text, p.label, p.context, p.quote) for p in found.parts] == [
            ("Eiffel Tower", "found", 0, "EIFFEL tower"),
            ("330 metres", "not found", None, ""),
            ("Paris", "found", 1, "Paris"),
            ("1,000", "found", 1, "1000"),
        ]

    async def test_an_entity_that_the_judge_makes_up_does_not_count(self):
        assert (await self.of("Paris", "London")).value == 1.0

    async def test_a_name_in_capitals_is_no_common_word(self):
        of = {"reference": "The US left WHO because of IT.", "contexts": ("Tell us who did it.",)}
        found = await self.of("US", "WHO", "IT", **of)
        assert (found.value, len(found.parts)) == (0.0, 3)
        assert (await self.of("US", "WHO", "IT", **of | {"contexts": ("US! WHO? IT",)})).value == 1

    async def test_an_entity_that_is_named_twice_counts_once(self):
        found = await self.of(
            "Eiffel Tower",
            "Lyon",
            "the Eiffel Tower",
            reference="""
            The Eiffel Tower is not in Lyon.""",
        )
        assert [p.text for p in found.parts] == ["Eiffel Tower", "Lyon"]
        assert found.value == 0.5

    async def test_without_a_context_nothing_is_found(self):
        assert (await self.of("Paris", contexts=())).value == 0.0

    async def test_a_reference_without_entities_is_undefined(self):
        undefined = Unscored("undefined", "the reference names no entity")
        assert await self.of() == undefined
        assert await self.of("Paris", reference="") == undefined


class TestQuestEval:
    """Four questions, of which the reference answers three and the answer two of these."""

    SAMPLE = Sample(id="1", answer="mine", reference="right")
    RIGHT = ("in May 1932", "six lanes", None, "Rome")
    MINE = ("May 1932", None, "Oslo", "Rome")

    def judge(self, right=RIGHT, mine=MINE, questions=("When?", "How many?", "Who?", "Where?")):
        def say(task):
            said = dict(
                zip(("q1", "q2", "q3", "q4"), right if task.text == "right" else mine, strict=True)
            )
            return answer_questions.reply([ShortAnswer(i, said[i]) for i in task.ids])

        scripts_ = {"ask_about_facts": ask_about_facts.reply(questions), "answer_questions": say}
        return Watched(scripts.plausible(**scripts_))

    async def test_recall_is_the_share_of_good_questions_that_the_answer_answers(self):
        found = await score(QuestEvalRecall(), self.SAMPLE, self.judge())
        assert found.value == pytest.approx(2 / 3)
        assert [(p.text, p.label) for p in found.parts] == [
            ("When?", "answered"),
            ("How many?", "not answered"),
            ("Where?", "answered"),
        ]

    async def test_precision_is_the_mean_token_f1_of_what_both_answer(self):
        found = await score(QuestEvalPrecision(), self.SAMPLE, self.judge())
        # "May 1932" against "in May 1932": P = 1, R = 2/3, F1 = 0.8; "Rome" against "Rome": 1.
        assert found.value == pytest.approx(0.9)
        assert [p.value for p in found.parts] == [pytest.approx(0.8), None, 1.0]
        assert "reference: 'in May 1932'; answer: 'May 1932'" in found.parts[0].reason

    async def test_if_the_answer_answers_nothing_both_are_0(self):
        judge = self.judge(mine=(None,) * 4)
        assert (await score(QuestEvalRecall(), self.SAMPLE, judge)).value == 0.0
        assert (await score(QuestEvalPrecision(), self.SAMPLE, judge)).value == 0.0

    async def test_an_empty_answer_is_0_and_is_not_asked_anything(self):
        judge = self.judge()
        sample = Sample(id="1", answer=" ", reference="right")
        assert (await score(QuestEvalRecall(), sample, judge)).value == 0.0
        assert judge.kinds == {"ask_about_facts": 1, "answer_questions": 1}

    async def test_null_in_quotation_marks_is_no_answer(self):
        judge = self.judge(mine=("null",) * 4)
        assert (await score(QuestEvalRecall(), self.SAMPLE, judge)).value == 0.0

    @pytest.mark.parametrize(
        ("language", "right", "mine"),
        [
            ("de", "der Turm", "Turm"),
            ("fr", "L'eau", "eau"),
            (None, "the tower", "Tower."),
            (None, "A", "A."),
        ],
    )
    async def test_articles_are_those_of_the_samples_language(self, language, right, mine):
        judge = self.judge(right=(right,) * 4, mine=(mine,) * 4)
        sample = Sample(id="1", answer="mine", reference="right", language=language)
        assert (await score(QuestEvalPrecision(), sample, judge)).value == 1.0

    @pytest.mark.parametrize("metric", [QuestEvalRecall(), QuestEvalPrecision()])
    async def test_without_a_good_question_it_is_undefined(self, metric):
        for judge in (self.judge(right=(None,) * 4), self.judge(questions=())):
            found = await score(metric, self.SAMPLE, judge)
            assert found == Unscored("undefined", "the reference answers no question")

    async def test_both_ask_the_same_tasks(self):
        one, other = self.judge(), self.judge()
        await score(QuestEvalRecall(), self.SAMPLE, one)
        await score(QuestEvalPrecision(), self.SAMPLE, other)
        assert one.asked == other.asked
