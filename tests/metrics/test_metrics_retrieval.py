"""Are the retrieval metrics those of trec_eval, and what do they say of edges?"""

import math
import random
import sys

import pytest
import pytrec_eval

from assay.errors import InputError
from assay.metrics import parse
from assay.sample import Sample
from assay.score import Score, Unscored
from support.over import over
from support.scripts import score

CASES = 500
# Ours -> the name of trec_eval's measure.
MEASURES = {
    "hit_at_k(k=1)": "success_1",
    "hit_at_k": "success_5",
    "precision_at_k": "P_5",
    "precision_at_k(k=10)": "P_10",
    "recall_at_k": "recall_5",
    "mrr": "recip_rank",
    "map": "map",
    "map(k=5)": "map_cut_5",
    "ndcg_at_k": "ndcg_cut_10",
    "ndcg_at_k(k=5)": "ndcg_cut_5",
    "ndcg_at_k(k=0)": "ndcg",
}
ASKED = {
    "success.1,5",
    "P.5,10",
    "recall.5",
    "recip_rank",
    "map",
    "map_cut.5",
    "ndcg_cut.5,10",
    "ndcg",
}


async def outcome(metric, **fields):
    return await score(parse(metric), Sample(id="1", **fields), {})


async def value(metric, **fields):
    found = await outcome(metric, **fields)
    return found.value if isinstance(found, Score) else found


def case(seed):
    """A random ranking of 0 to 14 ids, some repeated, some unknown, and grades of 0 to 3."""
    chance = random.Random(seed)
    corpus = [f"d{n}" for n in range(20)]
    graded = {
        i: chance.choice((0, 1, 1, 2, 3)) for i in chance.sample(corpus, chance.randint(1, 9))
    }
    graded[chance.choice(list(graded))] = chance.randint(1, 3)
    retrieved = [chance.choice([*corpus, "unknown"]) for _ in range(chance.randint(0, 14))]
    return retrieved, graded


def trec(retrieved, graded):
    """What trec_eval says; to it a repeated id is an unknown one, as it refuses repetitions."""
    names = [i if i not in retrieved[:n] else f"again{n}" for n, i in enumerate(retrieved)]
    names = names or ["nothing"]
    run = {"q": {i: float(-n) for n, i in enumerate(names)}}
    return pytrec_eval.RelevanceEvaluator({"q": graded}, ASKED).evaluate(run)["q"]


@pytest.mark.slow
async def test_they_are_those_of_trec_eval_on_500_random_rankings():
    for seed in range(CASES):
        retrieved, graded = case(seed)
        wanted = trec(retrieved, graded)
        fields = {"context_ids": tuple(retrieved), "relevance_grades": graded}
        for ours, theirs in MEASURES.items():
            found = await value(ours, **fields)
            assert found == pytest.approx(wanted[theirs], abs=1e-9), (seed, ours)


async def test_exponential_gain_is_trec_eval_on_grades_turned_into_gains():
    for seed in range(CASES):
        retrieved, graded = case(seed)
        wanted = trec(retrieved, {i: 2**grade - 1 for i, grade in graded.items()})
        fields = {"context_ids": tuple(retrieved), "relevance_grades": graded}
        found = await value("ndcg_at_k(gain=exponential)", **fields)
        assert found == pytest.approx(wanted["ndcg_cut_10"], abs=1e-9), seed


async def test_f1_is_the_harmonic_mean_of_trec_evals_precision_and_recall():
    for seed in range(CASES):
        retrieved, graded = case(seed)
        wanted = trec(retrieved, graded)
        p, r = wanted["P_5"], wanted["recall_5"]
        fields = {"context_ids": tuple(retrieved), "relevance_grades": graded}
        found = await value("f1_at_k", **fields)
        assert found == pytest.approx(2 * p * r / (p + r) if p + r else 0.0, abs=1e-9), seed


async def test_plain_ids_are_grades_of_1():
    for seed in range(50):
        retrieved, graded = case(seed)
        right = tuple(i for i, grade in graded.items() if grade)
        ids = {"context_ids": tuple(retrieved)}
        for ours in [*MEASURES, "f1_at_k", "ndcg_at_k(gain=exponential)"]:
            found = await value(ours, reference_context_ids=right, **ids)
            assert found == await value(ours, relevance_grades=dict.fromkeys(right, 1), **ids)


# Relevant: a and b. Ranks: x a y a b; the second a brings nothing.
IDS = {"context_ids": ("x", "a", "y", "a", "b"), "reference_context_ids": ("a", "b")}
TEXTS = {
    "contexts": (
        "Bread is baked.",
        "The Nile is a long river.",
        "The Nile is a long, long river.",
    ),
    "reference_contexts": ("The Nile is a long river!", "Cairo lies on the Nile."),
}


async def test_grades_that_differ_by_the_last_digit_make_no_gain_beyond_the_best():
    grades = dict(zip("abcdef", [1 + 1e-15, 1, 1, 1 + 2e-16, 1, 1], strict=True))
    fields = {"context_ids": tuple(grades), "relevance_grades": grades}
    assert await value("ndcg_at_k(k=0)", **fields) == 1.0


async def test_with_both_a_list_counts_for_all_but_ndcg_which_takes_the_grades():
    fields = {
        "context_ids": ("a", "b"),
        "reference_context_ids": ("b",),
        "relevance_grades": {"a": 1.0, "b": 3.0},
    }
    assert await value("mrr", **fields) == 0.5
    assert 0.5 < await value("ndcg_at_k", **fields) < 1
    assert await value("recall_at_k(k=1)", **fields) == 0.0


class TestByHand:
    @over(
        ("metric", "wanted"),
        [
            ("hit_at_k(k=1)", 0.0),
            ("hit_at_k(k=2)", 1.0),
            ("precision_at_k(k=4)", 1 / 4),
            ("precision_at_k(k=10)", 2 / 10),
            ("recall_at_k(k=4)", 1 / 2),
            ("f1_at_k(k=4)", 1 / 3),
            ("mrr", 1 / 2),
            ("mrr(k=1)", 0.0),
            ("map", (1 / 2 + 2 / 5) / 2),
            ("map(k=3)", 1 / 4),
            (
                "ndcg_at_k",
                (1 / math.log2(3) + 1 / math.log2(6)) / (1 + 1 / math.log2(3)),
            ),
        ],
    )
    async def test_the_number_is_the_one_computed_by_hand(self, metric, wanted):
        assert await value(metric, **IDS) == pytest.approx(wanted)

    async def test_the_parts_tell_rank_by_rank_what_was_found_and_then_what_was_not(self):
        found = await outcome(
            "recall_at_k(k=4)", context_ids=("x", "a", "a"), reference_context_ids=("a", "b")
        )
        assert [(p.kind, p.text, p.label, p.value) for p in found.parts] == [
            ("context", "x", "not relevant", 0.0),
            ("context", "a", "relevant", 1.0),
            ("context", "a", "repeated", 0.0),
            ("reference context", "b", "not found", 0.0),
        ]
        assert found.details == {"retrieved": 3, "relevant": 2, "found": 1}

    async def test_what_lies_below_the_first_k_is_told(self):
        found = await outcome("hit_at_k(k=1)", **IDS)
        assert [p.reason for p in found.parts][:2] == ["rank 1", "rank 2, below the first 1"]

    async def test_higher_grades_first_is_the_best_order(self):
        grades = {"a": 3.0, "b": 1.0, "c": 0.0}
        best = {"context_ids": ("a", "b", "c"), "relevance_grades": grades}
        worse = {"context_ids": ("b", "a"), "relevance_grades": grades}
        assert await value("ndcg_at_k", **best) == 1.0
        linear = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
        assert await value("ndcg_at_k", **worse) == pytest.approx(linear)
        exponential = (1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3))
        found = await value("ndcg_at_k(gain=exponential)", **worse)
        assert found == pytest.approx(exponential)

    @over("gain", ["linear", "exponential"])
    @over("high", [2.0, 1023.0, 1024.0, 5000.0, 1e308])
    async def test_no_grade_is_too_high_to_compare(self, gain, high):
        grades = {"a": high, "b": high, "c": high / 2, "d": high - 1}
        best = {"context_ids": ("a", "b", "d", "c"), "relevance_grades": grades}
        assert await value(f"ndcg_at_k(gain={gain})", **best) == 1.0
        worse = {"context_ids": ("c", "d", "b", "a"), "relevance_grades": grades}
        assert 0 < await value(f"ndcg_at_k(gain={gain})", **worse) < 1

    async def test_of_very_high_grades_one_more_is_twice_the_gain(self):
        grades = {"a": 2000.0, "b": 2001.0}
        found = await value(
            "ndcg_at_k(gain=exponential)", context_ids=("a", "b"), relevance_grades=grades
        )
        assert found == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))

    async def test_of_very_low_grades_gains_are_linear(self):
        fields = {"context_ids": ("a", "b"), "relevance_grades": {"a": 1e-20, "b": 3e-20}}
        linear = await value("ndcg_at_k", **fields)
        assert await value("ndcg_at_k(gain=exponential)", **fields) == pytest.approx(linear)


NAMES = ["hit_at_k", "precision_at_k", "recall_at_k", "f1_at_k", "mrr", "map", "ndcg_at_k"]


@pytest.mark.parametrize("metric", NAMES)
class TestEdges:
    async def test_nothing_retrieved_is_0(self, metric):
        assert await value(metric, context_ids=(), reference_context_ids=("a",)) == 0.0
        assert await value(metric, contexts=(), reference_contexts=("A text.",)) == 0.0

    async def test_nothing_relevant_is_undefined(self, metric):
        ids = {"context_ids": ("a",)}
        for fields in ({"reference_context_ids": ()}, {"relevance_grades": {"a": 0, "b": -1}}):
            assert isinstance(await value(metric, **ids, **fields), Unscored)
        assert isinstance(await value(metric, contexts=("A",), reference_contexts=()), Unscored)

    async def test_without_anything_to_compare_it_is_undefined(self, metric):
        found = await value(metric, contexts=("A",), reference_context_ids=("a",))
        assert isinstance(found, Unscored)

    @pytest.mark.parametrize("given", ["k=-1", "threshold=0.0", "threshold=1.5"])
    def test_a_parameter_that_makes_no_sense_is_refused(self, metric, given):
        with pytest.raises(InputError, match=metric):
            parse(f"{metric}({given})")


class TestByWording:
    async def test_a_context_counts_as_the_reference_context_that_it_is_worded_like(self):
        found = await outcome("recall_at_k", **TEXTS)
        assert found.value == 0.5
        assert [p.label for p in found.parts] == [
            "not relevant",
            "relevant",
            "repeated",
            "not found",
        ]
        assert [p.context for p in found.parts] == [0, 1, 2, None]

    async def test_the_threshold_is_a_parameter(self):
        assert await value("hit_at_k(threshold=1.0)", **TEXTS) == 0.0

    async def test_ids_go_before_wording(self):
        ids = {"context_ids": ("a", "b", "c"), "reference_context_ids": ("a",)}
        assert await value("mrr", **TEXTS) == 0.5
        assert await value("mrr", **TEXTS, **ids) == 1.0


def test_the_telecom_papers_accuracy_is_a_hit():
    assert parse("retriever_accuracy_at_k(k=3)") == parse("hit_at_k(k=3)")


async def test_wording_without_its_package_says_what_to_do_and_ids_do_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(InputError, match="rapidfuzz") as refused:
        await value("mrr", **TEXTS)
    assert "[text]'" in str(refused.value)
    assert await value("mrr", **IDS) == 0.5


async def test_a_reference_text_that_is_given_twice_is_wanted_once():
    given = Sample(id="a", contexts=("alpha beta",), reference_contexts=("alpha beta",) * 2)
    for name in ("recall_at_k", "map", "ndcg_at_k", "mrr"):
        assert (await score(parse(name), given, {})).value == 1.0


class TestAgainstReferenceContexts:
    """ragas 0.4.3 asks for >= in the precision by wording, for > in the recall."""

    @over(
        ("one", "other", "similarity"),
        [("abcd", "abxy", 0.5), ("abcdefghij", "abcdefgxyz", 0.7), ("abcde", "abxyz", 0.4)],
    )
    async def test_exactly_at_the_threshold_there_is_precision_and_no_recall(
        self, one, other, similarity
    ):
        texts = {"contexts": (one,), "reference_contexts": (other,)}
        assert await value(f"non_llm_context_precision(threshold={similarity})", **texts) == 1.0
        assert await value(f"non_llm_context_recall(threshold={similarity})", **texts) == 0.0

    async def test_above_the_threshold_both_find_it(self):
        texts = {"contexts": ("abcde",), "reference_contexts": ("abcxy", "vwxyz")}
        assert await value("non_llm_context_precision", **texts) == 1.0
        recall = await outcome("non_llm_context_recall", **texts)
        assert recall.value == 0.5
        assert [(p.label, p.context) for p in recall.parts] == [("found", 0), ("not found", None)]

    @pytest.mark.parametrize("given", ["precision(threshold=0)", "recall(threshold=1)"])
    def test_a_threshold_by_which_every_or_no_context_counts_is_refused(self, given):
        with pytest.raises(InputError, match=r"with [01] (every|no) context would count"):
            parse(f"non_llm_context_{given}")
