"""TruLens' RAG triad, with numbers worked by hand."""

import pytest

from assay.judge import Judge
from assay.judges.scripted import Scripted
from assay.metrics.compat.trulens import (
    TruLensAnswerRelevance,
    TruLensContextRelevance,
    TruLensGroundedness,
)
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import (
    Choice,
    GiveGrade,
    Grade,
    RateAnswer,
    Rating,
    SelectSentences,
    SplitStatements,
    Verdict,
    VerifyStatements,
)
from support import scripts
from support.over import over
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1",
    question="Where is it?",
    contexts=("It is in Rome.", "It is old."),
    answer="Hello there. It is in Rome. It is old. It is blue. I do not know more.",
)

GRADES = {"It is in Rome.": 3, "It is old.": 2, "It is blue.": 0}


def split(task):
    """One statement a sentence, but none of greetings and abstentions."""
    said = [s.strip() + "." for s in task.text.split(".") if s.strip()]
    claims = [s for s in said if not s.startswith(("Hello", "I do"))]
    return SplitStatements.reply([(claim, claim) for claim in claims])


def graded(grades):
    """Grades by the last text shown."""

    def say(task):
        return GiveGrade.reply(Grade(grades[task.shown[-1][1]], "as told"))

    return say


class TestGroundedness:
    async def test_it_is_the_mean_grade_over_3_of_the_sentences_that_claim_something(self):
        judge = {"split_statements": split, "give_grade": graded(GRADES)}
        found = await score(TruLensGroundedness(), SAMPLE, judge)
        # Hello is trivial; the abstention is grounded: (3 + 2 + 0 + 3) / 3 / 4.
        assert found.value == pytest.approx(8 / 12)
        assert [(p.label, p.value) for p in found.parts] == [
            ("trivial", None),
            ("3 of 3", 1.0),
            ("2 of 3", pytest.approx(2 / 3)),
            ("0 of 3", 0.0),
            ("abstention", 1.0),
        ]

    async def test_every_sentence_is_graded_beside_all_contexts(self):
        judge = Watched(Scripted({"split_statements": split, "give_grade": graded(GRADES)}))
        await score(TruLensGroundedness(), SAMPLE, judge)
        shown = [task.shown for task, _ in judge.asked if task.kind == "give_grade"]
        assert shown[0] == (
            ("context 1", "It is in Rome."),
            ("context 2", "It is old."),
            ("statement", "It is in Rome."),
        )
        assert len(shown) == 3

    async def test_without_a_context_only_an_abstention_is_grounded(self):
        sample = Sample(id="1", question="?", contexts=(), answer=SAMPLE.answer)
        found = await score(TruLensGroundedness(), sample, {"split_statements": split})
        assert found.value == 0.25

    @over("answer", ["", "Hello there."])
    async def test_if_nothing_is_claimed_it_is_undefined(self, answer):
        sample = Sample(id="1", question="?", contexts=("x",), answer=answer)
        found = await score(TruLensGroundedness(), sample, {"split_statements": split})
        assert isinstance(found, Unscored)
        assert found.why == "undefined"

    async def test_a_sentence_that_is_said_again_is_graded_again(self):
        sample = Sample(id="1", question="?", contexts=("x",), answer="It is old. It is old.")
        judge = {"split_statements": split, "give_grade": graded(GRADES)}
        found = await score(TruLensGroundedness(), sample, judge)
        assert [p.label for p in found.parts] == ["2 of 3", "2 of 3"]

    async def test_a_sentence_counts_where_the_place_of_a_statement_is_not_known(self):
        judge = {
            "split_statements": SplitStatements.reply([("Rome has it", "")]),
            "give_grade": graded({**GRADES, "Hello there.": 0}),
        }
        found = await score(TruLensGroundedness(), SAMPLE, judge)
        assert found.value == pytest.approx(8 / 15)

    async def test_a_judge_without_grades_gives_probabilities_and_the_score_says_so(self):
        def verify(task):
            chances = dict(zip(task.ids, (0.9, 0.6, 0.0), strict=True))
            return VerifyStatements.reply(
                [Verdict(i, p >= 0.5, probability=p) for i, p in chances.items()]
            )

        judge = Scripted({"split_statements": split, "verify_statements": verify})
        assert not Judge(judge).can(GiveGrade)
        found = await score(TruLensGroundedness(), SAMPLE, judge)
        assert found.value == pytest.approx((0.9 + 0.6 + 0.0 + 1.0) / 4)
        assert "probability of support" in found.method


class TestAnswerRelevance:
    @over("grade", [0, 1, 2, 3])
    async def test_it_is_the_grade_over_3(self, grade):
        judge = {"give_grade": GiveGrade.reply(Grade(grade, "so"))}
        found = await score(TruLensAnswerRelevance(), SAMPLE, judge)
        assert found.value == pytest.approx(grade / 3)
        assert not found.method

    async def test_an_empty_answer_is_0_and_an_empty_question_undefined(self):
        empty = Sample(id="1", question="?", answer=" ")
        assert (await score(TruLensAnswerRelevance(), empty, {})).value == 0.0
        unasked = Sample(id="1", question=" ", answer="x")
        assert isinstance(await score(TruLensAnswerRelevance(), unasked, {}), Unscored)

    @over(("evades", "value"), [(False, 0.8), (True, 0.0)])
    async def test_a_judge_without_grades_rates_and_the_score_says_so(self, evades, value):
        judge = {"rate_answer": RateAnswer.reply(Rating(0.8, evades))}
        found = await score(TruLensAnswerRelevance(), SAMPLE, judge)
        assert found.value == value
        assert "rating" in found.method


class TestContextRelevance:
    async def test_it_is_the_mean_over_the_contexts(self):
        sample = Sample(id="1", question="?", contexts=("Aa.", " ", "Bb.", "Cc."))
        judge = {"give_grade": graded({"Aa.": 3, "Bb.": 1, "Cc.": 2})}
        found = await score(TruLensContextRelevance(), sample, judge)
        assert found.value == pytest.approx((3 + 0 + 1 + 2) / 12)
        assert [part.label for part in found.parts] == ["3 of 3", "0 of 3", "1 of 3", "2 of 3"]

    @over("contexts", [(), ("",)])
    async def test_nothing_retrieved_is_undefined(self, contexts):
        sample = Sample(id="1", question="?", contexts=contexts)
        found = await score(TruLensContextRelevance(), sample, {})
        assert found == Unscored("undefined", "nothing was retrieved")

    async def test_without_grades_the_best_sentence_tells_and_the_score_says_so(self):
        def select(task):
            chosen = {"Bb is.": 0.7, "Cc is.": 0.9}
            return SelectSentences.reply(
                [Choice(s.id, s.text, chosen[s.text]) for s in task.sentences if s.text in chosen]
            )

        sample = Sample(id="1", question="?", contexts=("Aa is. Bb is. Cc is.", "", "Dd is."))
        found = await score(TruLensContextRelevance(), sample, {"select_sentences": select})
        assert found.value == pytest.approx(0.3)
        assert [part.value for part in found.parts] == [0.9, 0.0, 0.0]
        assert "helps" in found.method


async def test_sentences_are_split_once_for_groundedness_and_faithfulness():
    judge = Watched(scripts.plausible())
    await score(TruLensGroundedness(), SAMPLE, judge)
    (task, _) = judge.asked[0]
    assert (task.kind, task.question, task.text) == (
        "split_statements",
        SAMPLE.question,
        SAMPLE.answer,
    )
