"""Which patterns do the means of a run show, and is none claimed that its interval does not bear?"""

import json
from dataclasses import dataclass

import pytest

from assay import InputError, Metric, Sample, Score, Scripted, evaluate
from assay._analysis.diagnosis import counterfactual, diagnose
from assay._analysis.diagnosis.statistics import PATTERNS
from assay._report import diagnosis as report
from assay.stats.intervals import share_interval


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


def beds(task):
    """Verdicts of a judge that believes what stands word for word in the evidence."""
    shown = "".join(task.inputs())
    verdicts = [
        {"id": i, "supported": "52" in shown.partition("statements:")[0], "reason": "so"}
        for i in task.ids
    ]
    return json.dumps({"verdicts": verdicts})


def test_a_counterfactual_says_nothing_of_samples_that_its_judge_failed_on(db):
    samples = [
        Sample(
            id=name,
            question=f"How many beds has {name}?",
            contexts=("It is red.",),
            answer="It has 52 beds.",
            reference="It has 52 beds.",
            reference_contexts=(f"{name} has 52 beds.",),
        )
        for name in ("alp", "hut", "inn")
    ]
    said = {"statements": [{"text": "It has 52 beds.", "source": "It has 52 beds."}]}
    broken = {"hut has": "no JSON", "inn has": "no JSON", "": beds}
    judge = Scripted({"split_statements": json.dumps(said), "verify_statements": broken})
    metrics = ["faithfulness", "context_recall", "factual_correctness"]
    result = evaluate(samples, metrics, judge, store=db)
    counterfactual(result, judge)
    found = diagnose(result).counterfactual
    assert found is not None
    assert (found.n, found.failed) == (1, 2)
    assert (found.unsupported, found.borne_out, found.missing, found.found) == (1, 1, 1, 1)
    assert [(c.cause, c.n, c.well) for c in found.changes] == [("not_retrieved", 1, 1)]
    ((words, _),) = report.what_ifs(report.collect(diagnose(result)))
    assert words.endswith("(1 sample re-scored; 2 more without a verdict, since the judge failed)")


def test_samples_of_one_document_count_as_far_as_they_tell_more():
    flags = [n % 20 < 8 for n in range(100)]
    alone = share_interval(flags, range(100))
    assert (alone.low, alone.high) == pytest.approx((0.3094, 0.4980), abs=1e-4)  # Wilson, 40/100
    together = share_interval(flags, [n % 20 for n in range(100)])  # five copies of twenty
    assert together.low < alone.low < alone.high < together.high
    one = share_interval(flags, [0] * 100)
    assert (one.low, one.high) == (0, 1)  # one group tells nothing of others


def test_the_rank_that_is_high_enough_is_a_rank(db):
    result = evaluate(
        [Sample(id="q", metadata={"m": 1.0})], told("m", None), Scripted({}), store=db
    )
    with pytest.raises(InputError, match="within is 0"):
        diagnose(result, within=0)
