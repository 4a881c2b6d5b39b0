"""The metrics over embeddings: their exact numbers on vectors made by hand."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import AnswerRelevancy, AnswerSimilarity, PaperAnswerRelevance
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import embed
from support.scripts import Watched, questions, rating, score

SAMPLE = Sample(id="1", question="asked", answer="answered", reference="right")
VECTORS = {
    "asked": embed.reply((1, 0)),
    "one?": embed.reply((1, 0)),
    "two?": embed.reply((0.6, 0.8)),
    "three?": embed.reply((-1, 0)),
}


class TestAnswerRelevancy:
    async def test_it_is_the_mean_cosine_to_the_questions_made_from_the_answer(self):
        judge = {"generate_questions": questions("one?", "two?", "three?"), "embed": VECTORS}
        found = await score(AnswerRelevancy(), SAMPLE, judge)
        assert found.value == pytest.approx((1 + 0.6 - 1) / 3, abs=1e-6)
        assert [p.text for p in found.parts] == ["one?", "two?", "three?"]
        assert [p.value for p in found.parts] == pytest.approx([1, 0.6, -1], abs=1e-6)

    async def test_a_noncommittal_answer_is_reported_beside_its_score(self):
        said = questions("one?", noncommittal=True)
        judge = {"generate_questions": said, "embed": VECTORS}
        found = await score(AnswerRelevancy(n=1), SAMPLE, judge)
        assert found.details == {"noncommittal": True}
        assert found.value == pytest.approx(1)

    async def test_too_few_questions_are_a_failure_and_never_a_smaller_mean(self):
        judge = {"generate_questions": questions("one?", "two?"), "embed": VECTORS}
        found = await score(AnswerRelevancy(), SAMPLE, judge)
        assert found == Unscored("failed", "2 questions instead of 3")

    async def test_a_judge_that_makes_no_questions_rates_and_the_score_says_so(self):
        judge = {"rate_answer": rating(0.5), "embed": VECTORS}
        found = await score(AnswerRelevancy(), SAMPLE, judge)
        assert found.value == 0.5
        assert "not the cosine definition" in found.method

    async def test_a_judge_that_can_do_both_makes_questions(self):
        judge = {
            "rate_answer": rating(0.5),
            "generate_questions": questions("one?"),
            "embed": VECTORS,
        }
        found = await score(AnswerRelevancy(n=1), SAMPLE, judge)
        assert (found.value, found.method) == (pytest.approx(1), "")

    async def test_the_papers_prompt_is_drawn_n_times(self):
        judge = Watched(Scripted({"paper_question": ["one?", "two?"], "embed": VECTORS}))
        found = await score(PaperAnswerRelevance(n=2), SAMPLE, judge)
        assert found.value == pytest.approx(0.8, abs=1e-6)
        assert [draw for task, draw in judge.asked if task.kind == "paper_question"] == [0, 1]

    @pytest.mark.parametrize("metric", [AnswerRelevancy(), PaperAnswerRelevance()])
    async def test_an_empty_answer_scores_0_and_an_empty_question_is_undefined(self, metric):
        judge = Watched(Scripted({"generate_questions": "", "rate_answer": "", "embed": ""}))
        empty = await score(metric, Sample(id="1", question="asked", answer=" "), judge)
        assert empty.value == 0
        assert (await score(metric, Sample(id="1", question="", answer="a"), judge)).why == (
            "undefined"
        )
        assert judge.asked == []

    @pytest.mark.parametrize("metric", [AnswerRelevancy, PaperAnswerRelevance])
    @pytest.mark.parametrize("n", [0, -1, 2.0, True, 1000, "3"])
    def test_n_is_a_whole_number_that_leaves_room_for_draws_after_a_bad_reply(self, metric, n):
        with pytest.raises(InputError, match="n must be a whole number"):
            metric(n=n)


class TestAnswerSimilarity:
    @pytest.mark.parametrize(
        ("a", "b", "value"),
        [((1, 0), (1, 0), 1), ((1, 0), (0, 2), 0), ((1, 0), (-3, 0), -1), ((1, 0), (3, 4), 0.6)],
    )
    async def test_it_is_the_cosine_between_answer_and_reference(self, a, b, value):
        vectors = {"answered": embed.reply(a), "right": embed.reply(b)}
        found = await score(AnswerSimilarity(), SAMPLE, {"embed": vectors})
        assert found.value == pytest.approx(value, abs=1e-6)

    async def test_an_empty_answer_scores_0_and_an_empty_reference_is_undefined(self):
        judge = {"embed": embed.reply((1, 0))}
        empty = Sample(id="1", answer="", reference="right")
        assert (await score(AnswerSimilarity(), empty, judge)).value == 0
        both = Sample(id="1", answer="", reference="")
        assert (await score(AnswerSimilarity(), both, judge)).why == "undefined"
