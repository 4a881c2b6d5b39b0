"""The summary score: what is told, weighed against how long the telling takes."""

import json

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics.summary import STATED, SummaryScore
from assay.sample import Sample
from assay.score import Score, Unscored
from assay.tasks import (
    AskClosedQuestions,
    ClosedAnswer,
    ClosedQuestion,
    answer_closed_questions,
    ask_closed_questions,
)
from support import scripts
from support.scripts import Watched, score

# 40 characters with the line break between, summed up in 10.
SAMPLE = Sample(
    id="1",
    contexts=("Apple was founded in 1976.", "It is large."[:12] + "."),
    answer="Apple, '76",
)
LENGTH = len("\n".join(SAMPLE.contexts))


def says(*verdicts):
    """A judge that writes as many questions, and answers them by these verdicts."""
    questions = [ClosedQuestion(f"p{n}", f"Is it {n}?") for n in range(len(verdicts))]

    def answer(task):
        return answer_closed_questions.reply(
            [ClosedAnswer(i, bool(verdicts[int(i[1:]) - 1]), "so") for i in task.ids]
        )

    return {
        "ask_closed_questions": ask_closed_questions.reply(questions),
        "answer_closed_questions": answer,
    }


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("length", "brevity"), [(4, 0.9), (20, 0.5), (40, 0.0), (400, 0.0)])
async def test_an_answer_as_long_as_its_source_or_longer_is_not_brief_at_all(length, brevity):
    sample = Sample(id="1", contexts=("x" * 40,), answer="z" * length)
    found = await score(SummaryScore(coeff=1.0), sample, says(1))
    assert found.value == pytest.approx(brevity)


async def test_it_is_the_formula_of_ragas():
    told, text, summary = 2 / 3, "\n".join(SAMPLE.contexts), SAMPLE.answer
    conciseness = 1 - min(len(summary), len(text)) / (len(text) + 1e-10)
    found = await score(SummaryScore(), SAMPLE, says(1, 0, 1))
    assert found.value == pytest.approx(told * 0.5 + conciseness * 0.5, abs=1e-9)


async def test_questions_come_from_the_source_and_are_answered_from_the_summary_alone():
    judge = Watched(Scripted(says(1, 0)))
    found = await score(SummaryScore(), SAMPLE, judge)
    (ask, _), (answer, _) = judge.asked
    assert ask.text == "\n".join(SAMPLE.contexts)
    assert answer.text == SAMPLE.answer
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


@pytest.mark.parametrize(
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
    assert await score(SummaryScore(), SAMPLE, judge) == Unscored("failed", "0 of 2 verdicts")


class TestAJudgeThatWritesNoQuestions:
    async def test_it_verifies_the_statements_of_the_source_and_the_score_says_so(self):
        judge = {
            "split_statements": scripts.split("Apple was founded in 1976.", "It is large."),
            "verify_statements": scripts.verify(1, 0),
        }
        found = await score(SummaryScore(length_penalty=False), SAMPLE, judge)
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


@pytest.mark.parametrize("given", [{"coeff": -0.1}, {"coeff": 1.1}, {"of": "answers"}])
def test_what_cannot_be_computed_is_refused(given):
    with pytest.raises(InputError):
        SummaryScore(**given)
