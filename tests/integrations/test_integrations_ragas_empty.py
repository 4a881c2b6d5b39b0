"""Empty fields count in the drop-in for ragas as they do in ragas 0.4.3.

An empty text is a result: only what is None is missing. The expected values were given by
ragas 0.4.3 for the same texts.
"""

import math

import pytest

from assay.errors import InputError
from assay.integrations.ragas import metrics
from assay.integrations.ragas.dataset_schema import SingleTurnSample
from assay.integrations.ragas.evaluation import evaluate
from assay.integrations.ragas.metrics import DistanceMeasure, collections
from support.judges import gullible

SIMILARITIES = [metrics.NonLLMStringSimilarity(distance_measure=kind) for kind in DistanceMeasure]
WORDS = [
    metrics.ExactMatch(),
    metrics.StringPresence(),
    *SIMILARITIES,
    metrics.BleuScore(),
    metrics.ChrfScore(),
    *[metrics.RougeScore(mode=mode) for mode in ("fmeasure", "precision", "recall")],
]
ZERO = "\u200b"  # of width 0: a text that cannot be seen, and that ragas takes for one


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def shown(metric):
    distance = getattr(metric, "distance_measure", None)
    return f"{metric.key}-{distance.value}" if distance else metric.key


@pytest.mark.parametrize("metric", WORDS, ids=shown)
class TestAnEmptyAnswer:
    def test_it_counts_in_the_mean(self, metric):
        rows = [{"response": "", "reference": "The tower is tall."}]
        rows.append({"response": "The tower is tall.", "reference": "The tower is tall."})
        result = evaluate(rows, [metric])
        assert result[metric.key] == [0.0, pytest.approx(1.0)]
        assert float(result[metric.key]) == pytest.approx(0.5)
        assert len(result.assay.summary()) == 1
        assert result.assay.summary()[0].n_scored == 2

    def test_a_single_row_of_it_has_a_score(self, metric):
        row = {"response": "", "reference": "The tower is tall."}
        assert metric.single_turn_score(SingleTurnSample(**row)) == 0.0
        assert evaluate([row], [metric])[metric.key] == [0.0]


# Answer, reference, and what ragas 0.4.3 gives: exact match, presence, similarity by Levenshtein,
# Hamming, Jaro and Jaro-Winkler, BLEU, chrF, and ROUGE-L three times.
EMPTY = [
    ("", "", [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]),
    ("", "x y", [0] * 11),
    ("x y", "", [0, 1, *[0] * 9]),
    (" ", "", [0, 1, *[0] * 9]),
    ("", " ", [0] * 11),
    (" ", " ", [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]),
    ("x y", " ", [0, 1, 1 / 3, 0, 0, 0, 0, 0, 0, 0, 0]),
    (" ", "x y", [0, 0, 1 / 3, 0, 0, 0, 0, 0, 0, 0, 0]),
    (ZERO, ZERO, [1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0]),
    ("x y", ZERO, [0] * 11),
]


@pytest.mark.parametrize(("answer", "reference", "expected"), EMPTY)
def test_empty_texts_are_compared_as_ragas_does(answer, reference, expected):
    sample = SingleTurnSample(response=answer, reference=reference)
    found = [metric.single_turn_score(sample) for metric in WORDS]
    assert found == pytest.approx(expected)
    now = collections.ExactMatch().score(response=answer, reference=reference)
    assert now.value == expected[0]


def test_an_empty_reference_counts_in_the_mean_too():
    rows = [{"response": "x", "reference": ""}, {"response": "x", "reference": "x"}]
    result = evaluate(rows, [metrics.StringPresence(), metrics.ExactMatch()])
    assert (result["string_present"], result["exact_match"]) == ([1.0, 1.0], [0.0, 1.0])


def test_what_is_none_is_missing():
    rows = [{"response": "x", "reference": None}, {"response": "x", "reference": "x"}]
    with pytest.warns(UserWarning, match="1 of 2 rows have no score .* row has no reference"):
        result = evaluate(rows, [metrics.ExactMatch()])
    assert math.isnan(result["exact_match"][0])
    with pytest.raises(InputError, match="no column holds 'reference'"):
        evaluate([{"response": "x", "reference": None}], [metrics.ExactMatch()])


def test_a_context_without_text_keeps_its_rank_and_stops_nothing():
    judge = gullible()
    rows = [
        {
            "user_input": "What colour?",
            "response": "Red.",
            "reference": "Red.",
            "retrieved_contexts": ["", "It is red."],
            "reference_contexts": ["It is red."],
        }
    ]
    ranked = metrics.NonLLMContextPrecisionWithReference()
    result = evaluate(rows, [ranked, metrics.faithfulness], llm=judge)
    assert result[ranked.key][0] == pytest.approx(0.5)
    assert result["faithfulness"] == [1.0]
    assert result.to_pandas()["retrieved_contexts"][0] == ["", "It is red."]
    alone = ranked.single_turn_score(SingleTurnSample(**rows[0]))
    assert alone == pytest.approx(0.5)


# What the judge that finds everything supported is asked for; ragas 0.4.3 gives 0 for each.
JUDGED = {
    "answer": [
        metrics.FactualCorrectness(),
        metrics.FactualCorrectness(mode="precision"),
        metrics.FactualCorrectness(mode="recall"),
        metrics.LLMContextPrecisionWithoutReference(),
        metrics.AnswerRelevancy(),
    ],
    "contexts": [
        metrics.Faithfulness(),
        metrics.LLMContextPrecisionWithReference(),
        metrics.LLMContextPrecisionWithoutReference(),
        metrics.LLMContextRecall(),
        metrics.NonLLMContextPrecisionWithReference(),
        metrics.NonLLMContextRecall(),
    ],
}
FULL = {
    "user_input": "What colour?",
    "response": "It is red.",
    "reference": "It is red.",
    "retrieved_contexts": ["It is red."],
    "reference_contexts": ["It is red."],
}


@pytest.mark.parametrize(
    ("metric", "nothing"),
    [(m, {"response": ""}) for m in JUDGED["answer"]]
    + [(m, {"retrieved_contexts": []}) for m in JUDGED["contexts"]],
    ids=lambda given: getattr(given, "key", None),
)
def test_no_answer_and_nothing_retrieved_count_as_0_in_the_mean(metric, nothing):
    result = evaluate([FULL | nothing, FULL], [metric], llm=gullible())
    assert result[metric.key][0] == 0
    assert result[metric.key][1] == pytest.approx(1.0)
    assert evaluate([FULL | nothing], [metric], llm=gullible())[metric.key] == [0.0]
