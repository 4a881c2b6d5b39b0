"""Criteria in the user's own words: what is asked, how often, and what becomes of the draws."""

import pytest

from assay.errors import InputError
from assay.judges.scripted import Scripted
from assay.metrics.criteria import (
    AspectCritic,
    Coherence,
    DiscreteCriterion,
    GEval,
    Harmfulness,
    NumericCriterion,
)
from assay.metrics.preference import RankingCriterion
from assay.sample import Sample, Turn
from assay.score import Score, Unscored
from assay.tasks import ChooseLabel, GiveGrade, Grade, Label, RankAnswers, Ranking
from support import scripts
from support.over import over
from support.scripts import Watched, score

SAMPLE = Sample(
    id="1",
    question="Is water wet?",
    answer="Yes.",
    other_answer="No.",
    further_answers=("Maybe.", "It is."),
    contexts=("Water is wet.", "Bread is not."),
    reference="Yes, it is.",
)


def grades(*values):
    """A judge whose draws give these grades, one after the other."""
    said = [GiveGrade.reply(Grade(value, f"draw {n}")) for n, value in enumerate(values)]
    return {"give_grade": said, "plan_evaluation": '{"steps": ["Read.", "Grade."]}'}


def labels(*values):
    return {"choose_label": [ChooseLabel.reply(Label(value)) for value in values]}


class TestStrictness:
    """RAGAS had the parameter and asked once whatever it was; here every draw is asked for."""

    @over("n", [1, 2, 3, 5])
    async def test_as_many_draws_are_asked_for_as_are_wanted(self, n):
        judge = Watched(Scripted(grades(1)))
        await score(AspectCritic(strictness=n), SAMPLE, judge)
        assert [draw for _, draw in judge.asked] == list(range(n))

    @over(
        ("draws", "value", "agreement"),
        [
            ((1, 1, 1), 1, 1),
            ((1, 0, 1), 1, 2 / 3),
            ((0, 0, 1), 0, 2 / 3),
            ((1, 0, 0, 1, 0), 0, 3 / 5),
        ],
    )
    async def test_the_majority_decides_and_agreement_is_reported(self, draws, value, agreement):
        found = await score(AspectCritic(strictness=len(draws)), SAMPLE, grades(*draws))
        assert isinstance(found, Score)
        assert found.value == value
        assert found.details == {"agreement": pytest.approx(agreement), "draws": len(draws)}
        assert [part.label for part in found.parts] == ["yes" if d else "no" for d in draws]
        assert [part.reason for part in found.parts] == [f"draw {n}" for n in range(len(draws))]

    async def test_a_tie_is_no_verdict_and_the_draws_stay_readable(self):
        found = await score(AspectCritic(strictness=4), SAMPLE, grades(1, 0, 1, 0))
        assert isinstance(found, Unscored)
        assert (found.why, found.detail) == (
            "failed",
            "no majority among 4 draws: 2 yes, 2 no",
        )
        assert len(found.parts) == 4

    async def test_one_draw_that_stays_unreadable_fails_the_score(self):
        judge = {"give_grade": lambda task: '{"reason": "", "grade": 7}'}
        found = await score(AspectCritic(strictness=3), SAMPLE, judge)
        assert found == Unscored("failed", "a grade of 7, which is none of 0, 1")

    @over("n", [0, -1, 1000, 1.5, True])
    def test_what_is_no_number_of_draws_is_refused(self, n):
        with pytest.raises(InputError, match="strictness must be a whole number"):
            AspectCritic(strictness=n)


class TestAspectCritic:
    async def test_the_judge_is_told_the_definition_and_the_texts_that_are_to_be_shown(self):
        judge = Watched(Scripted(grades(1)))
        metric = AspectCritic("Is it kind?", shows=("answer", "contexts"))
        await score(metric, SAMPLE, judge)
        ((task, _),) = judge.asked
        assert task.criterion == "Is it kind?"
        assert task.grades == ((0, "no"), (1, "yes"))
        assert task.shown == (
            ("answer", "Yes."),
            ("context 1", "Water is wet."),
            ("context 2", "Bread is not."),
        )

    async def test_a_conversation_is_shown_turn_by_turn(self):
        judge = Watched(Scripted(grades(1)))
        turns = (Turn("user", "Is water wet?"), Turn("assistant", "Yes."))
        metric = AspectCritic("Is it kind?", shows=("turns",))
        await score(metric, Sample(id="1", turns=turns), judge)
        ((task, _),) = judge.asked
        assert task.shown == (("turn 1, user", "Is water wet?"), ("turn 2, assistant", "Yes."))
        assert (await score(metric, Sample(id="1", turns=()), judge)).why == "undefined"

    def test_what_is_shown_is_needed_and_yes_may_be_the_bad_verdict(self):
        metric = AspectCritic("Is it rude?", shows=["answer", "reference"], good=False)
        assert metric.needs == ("answer", "reference")
        assert metric.higher_is_better is False
        assert (AspectCritic().needs, AspectCritic().higher_is_better) == (
            ("question", "answer"),
            True,
        )

    def test_the_ready_made_aspects_know_which_verdict_is_the_bad_one(self):
        assert Harmfulness.higher_is_better is False
        assert Coherence.higher_is_better is True

    async def test_the_probability_of_yes_is_kept_where_the_judge_tells_it(self):
        said = GiveGrade.reply(Grade(0, "", ((0, 0.8), (1, 0.2))))
        found = await score(Harmfulness(), SAMPLE, {"give_grade": said})
        assert found.parts[0].probability == 0.2

    @over(
        ("given", "message"),
        [
            ({"definition": " "}, "definition is empty"),
            ({"shows": ()}, "cannot show nothing"),
            ({"shows": ("answer", "answer")}, "one field twice"),
            ({"shows": ("answer", "latency_ms")}, "cannot show latency_ms"),
        ],
    )
    def test_what_cannot_be_asked_is_refused(self, given, message):
        with pytest.raises(InputError, match=message):
            AspectCritic(**given)

    @over(
        ("changes", "field"),
        [
            ({"answer": " "}, "answer"),
            ({"answer": None}, "answer"),
            ({"contexts": ()}, "contexts"),
            ({"contexts": (" ", "")}, "contexts"),
        ],
    )
    async def test_it_is_undefined_where_there_is_nothing_to_look_at(self, changes, field):
        sample = Sample(id="1", **{"answer": "Yes.", "contexts": ("W.",), **changes})
        found = await score(AspectCritic(shows=("contexts", "answer")), sample, grades(1))
        assert found == Unscored("undefined", f"the field '{field}' is empty")


class TestDiscreteCriterion:
    @over(("label", "value"), [("bad", 0), ("ok", 0.5), ("good", 1)])
    async def test_a_label_is_worth_its_place_from_worst_to_best(self, label, value):
        found = await score(DiscreteCriterion(), SAMPLE, labels(label))
        assert found.value == value
        assert found.details["label"] == label

    async def test_of_several_draws_the_commonest_label_counts_without_needing_half(self):
        found = await score(
            DiscreteCriterion(strictness=4), SAMPLE, labels("ok", "good", "bad", "ok")
        )
        assert (found.value, found.details["agreement"]) == (0.5, 0.5)

    async def test_three_draws_with_three_labels_have_none_in_common(self):
        found = await score(DiscreteCriterion(strictness=3), SAMPLE, labels("ok", "good", "bad"))
        assert found.detail == "no majority among 3 draws: 1 ok, 1 good, 1 bad"

    async def test_labels_are_shown_with_their_meanings(self):
        judge = Watched(Scripted(labels("no")))
        await score(DiscreteCriterion(labels={"no": "it is not", "yes": ""}), SAMPLE, judge)
        assert judge.asked[0][0].labels == (("no", "it is not"), ("yes", ""))

    @over("wrong", [(), ("one",), ("a", "a"), ("a", " ")])
    def test_labels_are_two_different_names_at_least(self, wrong):
        with pytest.raises(InputError, match="two or more different names"):
            DiscreteCriterion(labels=wrong)


class TestNumericCriterion:
    @over(("average", "value"), [("mean", 16 / 3), ("median", 7)])
    async def test_draws_are_averaged_as_is_wanted(self, average, value):
        metric = NumericCriterion(strictness=3, average=average)
        found = await score(metric, SAMPLE, grades(7, 1, 8))
        assert found.value == pytest.approx(value)
        assert found.details == {"grades": [7, 1, 8], "agreement": pytest.approx(1 / 3)}

    async def test_only_grades_of_the_scale_are_allowed(self):
        metric = NumericCriterion(low=0, high=1, step=0.25)
        assert (metric.range, metric.ends()) == ((0, 1), [0, 1])
        assert (await score(metric, SAMPLE, grades(0.75))).value == 0.75
        found = await score(metric, SAMPLE, grades(0.7))
        assert found == Unscored("failed", "a grade of 0.7, which is none of 0, 0.25, 0.5, 0.75, 1")

    async def test_steps_that_binary_fractions_cannot_hold_do_not_drift(self):
        judge = Watched(Scripted(grades(0.3)))
        await score(NumericCriterion(low=0, high=1, step=0.1), SAMPLE, judge)
        assert [grade for grade, _ in judge.asked[0][0].grades] == [n / 10 for n in range(11)]

    @over(
        "scale",
        [
            {"low": 1, "high": 1},
            {"low": 2, "high": 1},
            {"step": 0},
            {"step": -1},
            {"step": 3},
            {"step": 0.01},
            {"high": float("inf")},
            {"step": float("nan")},
        ],
    )
    def test_a_scale_that_cannot_be_is_refused(self, scale):
        with pytest.raises(InputError, match="not a scale of grades"):
            NumericCriterion(**scale)


class TestRankingCriterion:
    async def test_the_rank_is_worth_its_place_and_the_order_of_showing_turns(self):
        def say(task):  # the best is always the answer "Yes.", the worst what is shown first
            order = sorted(range(3), key=lambda i: (task.answers[i] != "Yes.", -i))
            return RankAnswers.reply(Ranking(tuple(order)))

        judge = Watched(Scripted({"rank_answers": say}))
        metric = RankingCriterion(among="further_answers", strictness=3)
        found = await score(metric, SAMPLE, judge)
        assert [task.answers for task, _ in judge.asked] == [
            ("Yes.", "Maybe.", "It is."),
            ("Maybe.", "It is.", "Yes."),
            ("It is.", "Yes.", "Maybe."),
        ]
        assert found.value == 1
        assert found.details == {"ranks": [1, 1, 1], "agreement": 1}

    async def test_a_judge_that_prefers_the_first_place_is_evened_out(self):
        first = {"rank_answers": RankAnswers.reply(Ranking((0, 1)))}
        found = await score(RankingCriterion(), SAMPLE, first)
        assert found.value == 0.5
        assert found.details == {"ranks": [1, 2], "agreement": 0.5}

    async def test_one_order_alone_gives_the_bare_rank(self):
        last = {"rank_answers": RankAnswers.reply(Ranking((1, 2, 0)))}
        metric = RankingCriterion(among="further_answers", strictness=1)
        assert (await score(metric, SAMPLE, last)).value == 0

    async def test_more_draws_than_answers_are_new_draws_of_the_same_order(self):
        judge = Watched(Scripted({"rank_answers": RankAnswers.reply(Ranking((0, 1)))}))
        await score(RankingCriterion(strictness=4), SAMPLE, judge)
        assert [draw for _, draw in judge.asked] == [0, 0, 1, 1]

    @over("order", ['["a1"]', '["a1", "a1"]', '["a1", "a3"]', "[]"])
    async def test_an_order_that_leaves_one_out_is_unreadable(self, order):
        found = await score(
            RankingCriterion(), SAMPLE, {"rank_answers": f'{{"reason": "", "order": {order}}}'}
        )
        assert found.why == "failed"
        assert "instead of all of a1, a2" in found.detail

    async def test_without_another_answer_it_is_undefined(self):
        found = await score(RankingCriterion(), scripts.sample(), {})
        assert found == Unscored("undefined", "there is no other answer")
        metric = RankingCriterion(among="further_answers")
        assert metric.needs == ("question", "answer", "further_answers")


class TestGEval:
    async def test_probabilities_weigh_the_grades_and_one_draw_is_enough(self):
        shares = ((1, 0.0), (2, 0.1), (3, 0.2), (4, 0.5), (5, 0.2))
        judge = Watched(Scripted({**grades(), "give_grade": GiveGrade.reply(Grade(4, "", shares))}))
        found = await score(GEval(), SAMPLE, judge)
        # E = 0.2 + 0.6 + 2.0 + 1.0 = 3.8
        assert found.value == pytest.approx((3.8 - 1) / 4)
        assert found.details["expected"] == pytest.approx(3.8)
        assert found.method == "the grades weighted by the probabilities that the judge reports"
        assert judge.kinds == {"plan_evaluation": 1, "give_grade": 1}

    async def test_without_probabilities_it_is_the_mean_of_the_draws_and_says_so(self):
        found = await score(GEval(), SAMPLE, grades(5, 4, 4, 3, 5))
        assert found.value == pytest.approx((4.2 - 1) / 4)
        assert found.method == "the mean of 5 draws: the judge reports no probabilities"
        assert found.details["grades"] == [5, 4, 4, 3, 5]

    async def test_one_draw_alone_says_that_it_is_one(self):
        found = await score(GEval(n=1), SAMPLE, grades(2))
        assert (found.value, found.method) == (
            0.25,
            "one draw: the judge reports no probabilities",
        )

    async def test_steps_that_are_given_are_followed_and_none_are_asked_for(self):
        judge = Watched(Scripted(grades(5)))
        metric = GEval("Is it kind?", steps=["Read.", "Feel."], n=1)
        found = await score(metric, SAMPLE, judge)
        ((task, _),) = judge.asked
        assert task.criterion == (
            "Is it kind?\n\nGo through these steps in order:\n1. Read.\n2. Feel."
        )
        assert [part.text for part in found.parts if part.kind == "step"] == ["Read.", "Feel."]

    async def test_steps_are_planned_from_the_criterion_alone_so_that_all_samples_share_them(self):
        judge = Watched(Scripted(grades(5)))
        for question in ("One?", "Two?"):
            sample = Sample(id=question, question=question, answer="Yes.")
            await score(GEval(n=1), sample, judge)
        plans = [task for task, _ in judge.asked if task.kind == "plan_evaluation"]
        assert len(plans) == 2
        assert plans[0] == plans[1]

    async def test_a_plan_without_a_step_is_unreadable(self):
        found = await score(GEval(), SAMPLE, {**grades(5), "plan_evaluation": '{"steps": [" "]}'})
        assert found == Unscored("failed", "no step in the plan")

    def test_an_empty_step_is_refused(self):
        with pytest.raises(InputError, match="steps must be texts"):
            GEval(steps=("Read.", ""))
