"""Relevance, completeness and summaries, with numbers worked by hand."""

import json

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics import AnswerRelevancy, AnswerSimilarity, PaperAnswerRelevance
from assay.metrics.compat.deepeval import DeepEvalAnswerRelevancy
from assay.metrics.correctness import FactualCorrectness
from assay.metrics.relevance import (
    STATED,
    AnswerRelevanceByStatement,
    Completeness,
    CompletenessWithoutReference,
    Conciseness,
    SummaryScore,
)
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import (
    AnswerClosedQuestions,
    AnswerQuestions,
    AskClosedQuestions,
    ClosedAnswer,
    ClosedQuestion,
    Embed,
    ShortAnswer,
    SplitQuestion,
)
from support import scripts
from support.over import over
from support.scripts import Watched, questions, rating, score

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

    @over(("question", "answer"), [("", "x"), ("?", " ")])
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
            "split_question": SplitQuestion.reply(["When?", "Where?", "Why?"]),
            "answer_questions": AnswerQuestions.reply(
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


@over("metric", [Conciseness(), Completeness()])
async def test_an_empty_question_is_undefined(metric):
    sample = Sample(id="1", question=" ", answer="Aa.", reference="Bb.")
    assert await score(metric, sample, judge()) == Unscored("undefined", "the question is empty")


SAMPLE_MEANING = Sample(id="1", question="asked", answer="answered", reference="right")
VECTORS = {
    "asked": Embed.reply((1, 0)),
    "one?": Embed.reply((1, 0)),
    "two?": Embed.reply((0.6, 0.8)),
    "three?": Embed.reply((-1, 0)),
}


class TestAnswerRelevancy:
    async def test_it_is_the_mean_cosine_to_the_questions_made_from_the_answer(self):
        judge = {"generate_questions": questions("one?", "two?", "three?"), "embed": VECTORS}
        found = await score(AnswerRelevancy(), SAMPLE_MEANING, judge)
        assert found.value == pytest.approx((1 + 0.6 - 1) / 3, abs=1e-6)
        assert [p.text for p in found.parts] == ["one?", "two?", "three?"]
        assert [p.value for p in found.parts] == pytest.approx([1, 0.6, -1], abs=1e-6)

    async def test_a_noncommittal_answer_is_reported_beside_its_score(self):
        said = questions("one?", noncommittal=True)
        judge = {"generate_questions": said, "embed": VECTORS}
        found = await score(AnswerRelevancy(n=1), SAMPLE_MEANING, judge)
        assert found.details == {"noncommittal": True}
        assert found.value == pytest.approx(1)

    async def test_too_few_questions_are_a_failure_and_never_a_smaller_mean(self):
        judge = {"generate_questions": questions("one?", "two?"), "embed": VECTORS}
        found = await score(AnswerRelevancy(), SAMPLE_MEANING, judge)
        assert found == Unscored("failed", "2 questions instead of 3")

    async def test_a_judge_that_makes_no_questions_rates_and_the_score_says_so(self):
        judge = {"rate_answer": rating(0.5), "embed": VECTORS}
        found = await score(AnswerRelevancy(), SAMPLE_MEANING, judge)
        assert found.value == 0.5
        assert "not the cosine definition" in found.method

    async def test_a_judge_that_can_do_both_makes_questions(self):
        judge = {
            "rate_answer": rating(0.5),
            "generate_questions": questions("one?"),
            "embed": VECTORS,
        }
        found = await score(AnswerRelevancy(n=1), SAMPLE_MEANING, judge)
        assert (found.value, found.method) == (pytest.approx(1), "")

    async def test_the_papers_prompt_is_drawn_n_times(self):
        judge = Watched(Scripted({"paper_question": ["one?", "two?"], "embed": VECTORS}))
        found = await score(PaperAnswerRelevance(n=2), SAMPLE_MEANING, judge)
        assert found.value == pytest.approx(0.8, abs=1e-6)
        assert [draw for task, draw in judge.asked if task.kind == "paper_question"] == [0, 1]

    @over("metric", [AnswerRelevancy(), PaperAnswerRelevance()])
    async def test_an_empty_answer_scores_0_and_an_empty_question_is_undefined(self, metric):
        judge = Watched(Scripted({"generate_questions": "", "rate_answer": "", "embed": ""}))
        empty = await score(metric, Sample(id="1", question="asked", answer=" "), judge)
        assert empty.value == 0
        assert (await score(metric, Sample(id="1", question="", answer="a"), judge)).why == (
            "undefined"
        )
        assert judge.asked == []

    @over("metric", [AnswerRelevancy, PaperAnswerRelevance])
    @over("n", [0, -1, 2.0, True, 1000, "3"])
    def test_n_is_a_whole_number_that_leaves_room_for_draws_after_a_bad_reply(self, metric, n):
        with pytest.raises(InputError, match="n must be a whole number"):
            metric(n=n)


class TestAnswerSimilarity:
    @over(
        ("a", "b", "value"),
        [((1, 0), (1, 0), 1), ((1, 0), (0, 2), 0), ((1, 0), (-3, 0), -1), ((1, 0), (3, 4), 0.6)],
    )
    async def test_it_is_the_cosine_between_answer_and_reference(self, a, b, value):
        vectors = {"answered": Embed.reply(a), "right": Embed.reply(b)}
        found = await score(AnswerSimilarity(), SAMPLE_MEANING, {"embed": vectors})
        assert found.value == pytest.approx(value, abs=1e-6)

    async def test_an_empty_answer_scores_0_and_an_empty_reference_is_undefined(self):
        judge = {"embed": Embed.reply((1, 0))}
        empty = Sample(id="1", answer="", reference="right")
        assert (await score(AnswerSimilarity(), empty, judge)).value == 0
        both = Sample(id="1", answer="", reference="")
        assert (await score(AnswerSimilarity(), both, judge)).why == "undefined"


# 40 characters with the line break between, summed up in 10.
SAMPLE_SUMMARY = Sample(
    id="1",
    contexts=("Apple was founded in 1976.", "It is large."[:12] + "."),
    answer="Apple, '76",
)


def says(*verdicts):
    """A judge that writes as many questions, and answers them by these verdicts."""
    questions = [ClosedQuestion(f"p{n}", f"Is it {n}?") for n in range(len(verdicts))]

    def answer(task):
        return AnswerClosedQuestions.reply(
            [ClosedAnswer(i, bool(verdicts[int(i[1:]) - 1]), "so") for i in task.ids]
        )

    return {
        "ask_closed_questions": AskClosedQuestions.reply(questions),
        "answer_closed_questions": answer,
    }


@over(
    ("given", "value"),
    [
        ({}, 0.5 * 0.75 + 0.5 * 0.75),
        ({"coeff": 0.2}, 0.8 * 0.75 + 0.2 * 0.75),
        ({"coeff": 0.0}, 0.75),
        ({"length_penalty": False}, 0.75),
    ],
)
async def test_what_is_told_and_brevity_are_weighed(given, value):
    sample = Sample(id="1", contexts=("x" * 19, "y" * 20), answer="z" * 10)  # 40 with the break
    found = await score(SummaryScore(**given), sample, says(1, 1, 0, 1))
    assert isinstance(found, Score)
    assert found.value == pytest.approx(value)
    assert found.details == {"told": 0.75, "brevity": 0.75}


@over(("length", "brevity"), [(4, 0.9), (20, 0.5), (40, 0.0), (400, 0.0)])
async def test_an_answer_as_long_as_its_source_or_longer_is_not_brief_at_all(length, brevity):
    sample = Sample(id="1", contexts=("x" * 40,), answer="z" * length)
    found = await score(SummaryScore(coeff=1.0), sample, says(1))
    assert found.value == pytest.approx(brevity)


async def test_it_is_the_formula_of_ragas():
    told, text, summary = 2 / 3, "\n".join(SAMPLE_SUMMARY.contexts), SAMPLE_SUMMARY.answer
    conciseness = 1 - min(len(summary), len(text)) / (len(text) + 1e-10)
    found = await score(SummaryScore(), SAMPLE_SUMMARY, says(1, 0, 1))
    assert found.value == pytest.approx(told * 0.5 + conciseness * 0.5, abs=1e-9)


async def test_questions_come_from_the_source_and_are_answered_from_the_summary_alone():
    judge = Watched(Scripted(says(1, 0)))
    found = await score(SummaryScore(), SAMPLE_SUMMARY, judge)
    (ask, _), (answer, _) = judge.asked
    assert ask.text == "\n".join(SAMPLE_SUMMARY.contexts)
    assert answer.text == SAMPLE_SUMMARY.answer
    assert answer.questions == ("Is it 0?", "Is it 1?")
    labels = {part.text: part.label for part in found.parts if part.kind == "yes-or-no question"}
    assert labels == {"Is it 0?": "told", "Is it 1?": "not told"}


async def test_reference_contexts_are_summed_up_on_demand():
    metric = SummaryScore(of="reference_contexts")
    assert metric.needs == ("reference_contexts", "answer")
    judge = Watched(Scripted(says(1)))
    sample = Sample(id="1", reference_contexts=("Known.",), answer="K.")
    await score(metric, sample, judge)
    assert judge.asked[0][0].text == "Known."


@over(
    ("changes", "judge", "detail"),
    [
        ({"answer": ""}, says(1), "the field 'answer' is empty"),
        ({"contexts": ()}, says(1), "the field 'contexts' is empty"),
        ({}, says(), "the contexts give no question"),
    ],
)
async def test_nothing_to_sum_up_and_no_summary_are_undefined(changes, judge, detail):
    sample = Sample(**{"id": "1", "contexts": ("X.",), "answer": "Y.", **changes})
    assert await score(SummaryScore(), sample, judge) == Unscored("undefined", detail)


async def test_a_question_without_an_answer_is_a_failure():
    judge = {**says(1, 1), "answer_closed_questions": '{"answers": []}'}
    assert await score(SummaryScore(), SAMPLE_SUMMARY, judge) == Unscored(
        "failed", "the judge gave 0 of 2 verdicts"
    )


class TestAJudgeThatWritesNoQuestions:
    async def test_it_verifies_the_statements_of_the_source_and_the_score_says_so(self):
        judge = {
            "split_statements": scripts.split("Apple was founded in 1976.", "It is large."),
            "verify_statements": scripts.verify(1, 0),
        }
        found = await score(SummaryScore(length_penalty=False), SAMPLE_SUMMARY, judge)
        assert (found.value, found.method) == (0.5, STATED)
        stated = [part for part in found.parts if part.kind == "source statement"]
        assert [part.label for part in stated] == ["told", "not told"]
        assert {part.context for part in stated} == {None}  # the summary is no context

    def test_a_judge_that_writes_them_is_asked_for_them(self):
        asked = SummaryScore().asks(lambda kind: True)
        assert [kind.kind for kind in asked] == ["ask_closed_questions", "answer_closed_questions"]


class TestAskClosedQuestions:
    def test_questions_are_read_once_each_and_empty_ones_left_out(self):
        items = [("a", "Is it?"), ("b", " Is it? "), ("c", " "), ("d", "Was it?")]
        raw = json.dumps({"questions": [{"phrase": p, "question": q} for p, q in items]})
        assert AskClosedQuestions("x").read(raw) == (
            ClosedQuestion("a", "Is it?"),
            ClosedQuestion("d", "Was it?"),
        )


@over("given", [{"coeff": -0.1}, {"coeff": 1.1}, {"of": "answers"}])
def test_what_cannot_be_computed_is_refused(given):
    with pytest.raises(InputError):
        SummaryScore(**given)
