"""What do noise, wrong contexts and questions without an answer do to the scores?"""

import pytest

from assay.errors import InputError
from assay.judges.embedded import Embedded
from assay.metrics import parse
from assay.sample import Sample, Variant
from assay.score import Score, Unscored
from support.over import over
from support.scripts import Watched, plausible, rating, score, verify_if

REFERENCE = "Tampa, Florida"


def sample(*variants, answer="It took place in Tampa, Florida."):
    return Sample(
        id="1",
        question="Where did Super Bowl 2021 take place?",
        contexts=("It took place in Tampa, Florida.",),
        answer=answer,
        reference=REFERENCE,
        variants=variants,
    )


def noisy(answer, ratio=None):
    return Variant("noise", answer, ratio=ratio)


def misled(answer):
    return Variant("counterfactual", answer)


class TestNoise:
    METRIC = parse("noise_robustness(metric=string_presence)")

    async def test_it_is_the_drop_of_the_score_and_tells_it_by_noise_ratio(self):
        found = await score(
            self.METRIC,
            sample(
                noisy("In Tampa, Florida.", 0.4),
                noisy("In Las Vegas.", 0.8),
                noisy("In Tampa, Florida.", 0.8),
                noisy("I do not know."),
            ),
            {},
        )
        assert found.value == pytest.approx(1 - 2 / 4)
        assert found.details == {
            "without noise": 1.0,
            "noise ratio 0.4": 1.0,
            "noise ratio 0.8": 0.5,
            "with noise": 0.0,
        }
        assert list(found.details)[-1] == "with noise"
        assert [(p.label, p.value) for p in found.parts] == [
            ("without noise", 1.0),
            ("noise ratio 0.4", 1.0),
            ("noise ratio 0.8", 0.0),
            ("noise ratio 0.8", 1.0),
            ("with noise", 0.0),
        ]

    async def test_better_answers_with_noise_are_below_0(self):
        found = await score(self.METRIC, sample(noisy("Tampa, Florida"), answer="Ohio"), {})
        assert found.value == -1.0

    async def test_answers_over_wrong_contexts_are_none_of_its_business(self):
        found = await score(self.METRIC, sample(misled("In Ohio.")), {})
        assert found == Unscored("undefined", "no answer over noisy contexts is given")

    async def test_factual_correctness_compares_if_none_is_chosen(self):
        judge = Watched(plausible())
        found = await score(parse("noise_robustness"), sample(noisy("It is in Ohio.")), judge)
        assert set(judge.kinds) == {"split_statements", "verify_statements"}
        assert isinstance(found, Score)

    async def test_an_undefined_comparison_is_undefined_and_says_why(self):
        nothing = plausible(split_statements='{"statements": []}')
        found = await score(parse("noise_robustness"), sample(noisy("Hm.")), nothing)
        assert isinstance(found, Unscored)
        assert "factual_correctness is undefined: neither answer nor reference" in found.detail

    def test_it_asks_what_the_chosen_metric_asks(self):
        asked = parse("noise_robustness(metric=answer_similarity)").asks(lambda kind: True)
        assert [kind.kind for kind in asked] == ["embed"]
        assert self.METRIC.asks(lambda kind: True) == ()


class TestCounterfactual:
    METRIC = parse("counterfactual_robustness(metric=string_presence)")

    async def test_it_is_the_mean_score_of_the_answers_over_wrong_contexts(self):
        found = await score(
            self.METRIC,
            sample(misled("In Ohio."), misled("Not Ohio but Tampa, Florida."), noisy("x")),
            {},
        )
        assert found.value == 0.5
        assert [p.value for p in found.parts] == [0.0, 1.0]

    async def test_a_judge_tells_whether_the_answers_say_that_the_contexts_are_wrong(self):
        metric = parse("counterfactual_robustness(metric=string_presence,detection=True)")
        judge = {"verify_statements": verify_if(lambda text, contexts: "errors" in contexts[0])}
        found = await score(
            metric,
            sample(
                misled("In Ohio."),
                misled("The documents contain errors: it was in Tampa, Florida."),
                misled("There are errors in it; it was in Ohio."),
                misled("Tampa, Florida"),
            ),
            judge,
        )
        assert found.value == 0.5
        assert found.details == {"detected": 0.5, "corrected": 0.5}
        assert [p.label.endswith(", says so") for p in found.parts] == [False, True, True, False]

    async def test_where_nothing_was_detected_nothing_was_corrected(self):
        metric = parse("counterfactual_robustness(metric=string_presence,detection=True)")
        judge = {"verify_statements": verify_if(lambda text, contexts: False)}
        found = await score(metric, sample(misled("In Ohio.")), judge)
        assert found.details == {"detected": 0.0}

    async def test_without_such_answers_it_is_undefined(self):
        assert isinstance(await score(self.METRIC, sample(noisy("x")), {}), Unscored)

    async def test_the_usual_answer_is_neither_needed_nor_looked_at(self):
        assert "answer" not in self.METRIC.needs
        found = await score(self.METRIC, sample(misled("In Tampa, Florida."), answer=None), {})
        assert found.value == 1.0


@over("name", ["noise_robustness", "counterfactual_robustness"])
def test_a_metric_that_compares_with_no_reference_is_refused(name):
    with pytest.raises(InputError, match=f"{name}: metric must be one of factual_correctness"):
        parse(f"{name}(metric=faithfulness)")


class TestRejection:
    def asked(self, *, answerable, answer="I do not know."):
        return Sample(id="1", question="Who?", answer=answer, answerable=answerable)

    @over(("metric", "answerable"), [("negative_rejection", False), ("over_refusal", True)])
    @over("declines", [True, False])
    async def test_it_is_1_if_the_answer_declines_with_the_judges_reason(
        self, metric, answerable, declines
    ):
        judge = {"rate_answer": rating(0.5, noncommittal=declines)}
        found = await score(parse(metric), self.asked(answerable=answerable), judge)
        assert found.value == float(declines)
        (part,) = found.parts
        assert part.label == ("declined" if declines else "answered")
        assert part.reason == "as told"

    @over(
        ("metric", "answerable"),
        [("negative_rejection", True), ("over_refusal", False), ("over_refusal", None)],
    )
    async def test_the_other_kind_of_question_is_undefined_and_nobody_is_asked(
        self, metric, answerable
    ):
        judge = Watched(plausible())
        assert isinstance(
            await score(parse(metric), self.asked(answerable=answerable), judge), Unscored
        )
        assert not judge.asked

    @over("metric", ["negative_rejection", "over_refusal"])
    async def test_an_empty_answer_is_no_refusal_but_undefined(self, metric):
        sample = self.asked(answerable=metric == "over_refusal", answer=" ")
        assert isinstance(await score(parse(metric), sample, plausible()), Unscored)

    @over(
        ("answer", "declined"),
        [
            ("I'm sorry, but I do not have that information.", 1.0),
            ("The provided context does not mention who built it.", 1.0),
            ("It was built by the Romans.", 0.0),
            ("It is not known who built it; the oldest stones are Roman.", 0.0),
        ],
    )
    async def test_the_embedded_judge_tells_a_refusal(self, answer, declined):
        found = await score(
            parse("negative_rejection"), self.asked(answerable=False, answer=answer), Embedded()
        )
        assert found.value == declined
