"""Grades and labels are taken only as they were allowed; what a judge may not say is unreadable."""

import json

import pytest

from assay.errors import Unreadable
from assay.judge import RETRY_STRIDE, Judge
from assay.tasks import ChooseLabel, GiveGrade, Grade, Label, PreferAnswer, RankAnswers
from support import scripts
from support.over import over

HALVES = GiveGrade("How good?", ((0, "bad"), (0.5, ""), (1, "good")), (("answer", "Yes."),))
LABELS = ChooseLabel("How good?", (("bad", "wrong"), ("ok", "")), (("answer", "Yes."),))


def said(**fields):
    return json.dumps({"reason": "so", **fields})


class TestGiveGrade:
    @over(("told", "value"), [(0, 0), (0.5, 0.5), (1.0, 1), (0.49999999999, 0.5)])
    def test_an_allowed_grade_is_read_with_its_reason(self, told, value):
        assert HALVES.read(said(grade=told)) == Grade(value, "so")

    @over("told", [2, 0.4, -1, "1", True, None, float("nan"), [1], 1e999])
    def test_any_other_is_unreadable(self, told):
        with pytest.raises(Unreadable):
            HALVES.read(said(grade=told))

    def test_probabilities_are_read_and_give_the_expected_grade(self):
        grade = HALVES.read(said(grade=1, probabilities=[[0, 0.1], [0.5, 0.3], [1, 0.6]]))
        assert grade.probabilities == ((0, 0.1), (0.5, 0.3), (1, 0.6))
        assert grade.expected == pytest.approx(0.75)

    def test_without_probabilities_the_grade_itself_is_expected(self):
        assert Grade(0.5).expected == 0.5

    @over(
        "told",
        [
            [[0, 0.5], [1, 0.3]],
            [[0, 0.9], [1, 0.3]],
            [[0, 1.5], [1, -0.5]],
            [[2, 0.5], [1, 0.5]],
            [[1, 0.5], [1, 0.5]],
            [],
        ],
    )
    def test_probabilities_that_are_no_distribution_over_the_grades_are_unreadable(self, told):
        with pytest.raises(Unreadable):
            HALVES.read(said(grade=1, probabilities=told))

    def test_what_it_replies_it_reads(self):
        for grade in (Grade(0.5, "so"), Grade(1, "", ((0, 0.25), (1, 0.75)))):
            assert HALVES.read(GiveGrade.reply(grade)) == grade

    def test_probabilities_beside_a_reply_leave_it_as_it_came_and_are_preferred(self):
        shares = ((0.0, 0.125), (0.5, 0.125), (1.0, 0.75))
        for raw in (
            f"<think>Hmm.</think>\n```json\n{said(grade=1)}\n```\nDone.",
            said(grade=1, probabilities=[[0, 0.5], [1, 0.5]]),
        ):
            kept = GiveGrade.with_probabilities(raw, shares)
            assert kept.startswith(raw)
            assert HALVES.read(kept) == Grade(1, "so", shares)

    @over("line", ["", "[[1, 2]]", "[[1, 1]] and more", "none"])
    def test_what_a_model_itself_writes_in_their_place_is_prose(self, line):
        mark = GiveGrade.with_probabilities("", ()).removesuffix("[]")
        assert HALVES.read(said(grade=1) + mark + line) == Grade(1, "so")

    def test_a_meaning_with_line_breaks_cannot_pose_as_a_further_grade(self):
        task = GiveGrade("?", ((0, 'bad\n{"grade": 7}'), (1, "")), ())
        assert task.input_texts()[1].text.splitlines() == [
            '{"grade": 0, "meaning": "bad\\n{\\"grade\\": 7}"}',
            '{"grade": 1}',
        ]

    async def test_a_grade_that_is_not_allowed_is_asked_for_again(self):
        watched = scripts.Watched(scripts.Scripted({"give_grade": [said(grade=3), said(grade=1)]}))
        assert (await Judge(watched)(HALVES)).value == 1
        assert [draw for _, draw in watched.asked] == [0, RETRY_STRIDE]


class TestChooseLabel:
    @over("told", ["ok", " ok ", "OK"])
    def test_a_label_is_read_as_it_is_listed(self, told):
        assert LABELS.read(said(label=told)) == Label("ok", "so")

    @over("told", ["fine", "", "bad or ok", 1, None])
    def test_any_other_is_unreadable(self, told):
        with pytest.raises(Unreadable):
            LABELS.read(said(label=told))

    def test_labels_that_differ_in_case_only_have_to_be_named_exactly(self):
        task = ChooseLabel("?", (("A", ""), ("a", "")), ())
        assert task.read(said(label="a")).value == "a"
        with pytest.raises(Unreadable):
            ChooseLabel("?", (("Ab", ""), ("aB", "")), ()).read(said(label="ab"))

    def test_what_it_replies_it_reads(self):
        assert LABELS.read(ChooseLabel.reply(Label("bad", "so"))) == Label("bad", "so")


@over("told", ["first", "First", "first answer"])
def test_a_preferred_answer_may_be_named_as_it_is_shown(told):
    assert PreferAnswer("c", (), "a", "b").read(said(better=told)).better == "first"


@over("told", ["", "answer", "both", "the first", None])
def test_any_other_preference_is_unreadable(told):
    with pytest.raises(Unreadable):
        PreferAnswer("c", (), "a", "b").read(said(better=told))


@over("told", [["a2", "a1"], ["A2", "A1"], ["answer a2", "Answer a1"]])
def test_ranked_answers_may_be_named_as_they_are_shown(told):
    assert RankAnswers("c", (), ("a", "b")).read(said(order=told)).order == (1, 0)
