"""Which patterns do the means of a run show, and is none claimed that its interval does not bear?"""

from dataclasses import dataclass

import pytest

from assay import InputError, Metric, Sample, Score, Scripted, evaluate
from assay.analysis.diagnosis import counterfactual, diagnose
from assay.analysis.diagnosis.counts import share
from assay.analysis.diagnosis.patterns import PATTERNS


def told(name, guide):
    """A metric of that name whose scores are told by the samples."""

    @dataclass(frozen=True)
    class Told(Metric):
        needs = ()

        async def score(self, sample, judge):
            return Score(sample.metadata[type(self).name])

    Told.name, Told.guide = name, guide
    return Told()


def run(store, n=30, **scores):
    """The diagnosis of n samples that all have these scores, with a little spread."""
    samples = [
        Sample(id=f"q{i}", metadata={m: v + 0.02 * (i % 3 - 1) for m, v in scores.items()})
        for i in range(n)
    ]
    metrics = [told(name, None if name == "factual_correctness" else 0.75) for name in scores]
    return diagnose(evaluate(samples, metrics, Scripted({}), store=store))


def states(found):
    return {pattern.pattern: pattern.state for pattern in found.patterns}


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.name)
def test_each_is_claimed_where_every_mean_clears_its_guide(pattern, db):
    scores = {**dict.fromkeys(pattern.low, 0.3), **dict.fromkeys(pattern.high, 0.95)}
    found = run(db, **scores)
    assert states(found)[pattern.name] == "claimed"
    (shown,) = [one for one in found.patterns if one.pattern == pattern.name]
    assert shown.samples == tuple(f"q{i}" for i in range(30))
    assert {mean.metric: mean.wanted for mean in shown.means} == {
        **dict.fromkeys(pattern.low, "low"),
        **dict.fromkeys(pattern.high, "high"),
    }


def test_a_mean_on_the_wrong_side_settles_it_even_where_another_metric_is_missing(db):
    assert states(run(db, faithfulness=0.95))["contexts_ignored"] == "not so"
    assert states(run(db, faithfulness=0.3))["contexts_ignored"] == "cannot tell"


def test_an_interval_that_spans_the_guide_claims_nothing(db):
    found = states(run(db, n=3, faithfulness=0.74, context_precision=0.95))
    assert found["contexts_ignored"] == "undecided"


def test_one_sample_claims_nothing(db):
    assert states(run(db, n=1, faithfulness=0.1, context_precision=0.9))["contexts_ignored"] == (
        "undecided"
    )


def test_without_reference_contexts_there_is_no_counterfactual(db):
    samples = [Sample(id="q", question="Why?", contexts=("a",), answer="b.")]
    judge = Scripted({"split_statements": '{"statements": []}', "verify_statements": "{}"})
    result = evaluate(samples, "faithfulness", judge, store=db)
    with pytest.raises(InputError, match="has reference_contexts"):
        counterfactual(result, judge)


def test_nor_one_by_another_judge(db):
    sample = Sample(
        id="q", question="Why?", contexts=("a",), answer="b.", reference_contexts=("c",)
    )
    script = {"split_statements": '{"statements": []}', "verify_statements": "{}"}
    result = evaluate([sample], "faithfulness", Scripted(script, name="first"), store=db)
    with pytest.raises(InputError, match="was judged by first, not by second"):
        counterfactual(result, Scripted(script, name="second"))


def test_samples_of_one_document_count_as_far_as_they_tell_more():
    flags = [n % 20 < 8 for n in range(100)]
    alone = share(flags, range(100))
    assert (alone.low, alone.high) == pytest.approx((0.3094, 0.4980), abs=1e-4)  # Wilson, 40/100
    together = share(flags, [n % 20 for n in range(100)])  # five copies of twenty
    assert together.low < alone.low < alone.high < together.high
    one = share(flags, [0] * 100)
    assert (one.low, one.high) == (0, 1)  # one group tells nothing of others


def test_the_rank_that_is_high_enough_is_a_rank(db):
    result = evaluate(
        [Sample(id="q", metadata={"m": 1.0})], told("m", None), Scripted({}), store=db
    )
    with pytest.raises(InputError, match="within is 0"):
        diagnose(result, within=0)
