"""Are calls and tokens counted as they are asked, alone and shared?"""

import pytest

from assay.metrics import METRICS
from benchmarks import calls


@pytest.fixture(scope="module")
def data():
    return calls.samples()


def test_the_samples_are_as_long_as_they_are_said_to_be(data):
    assert len(data) == calls.SAMPLES
    for sample in data:
        assert [len(text.split()) for text in sample.contexts] == [120] * 5
        assert 3 <= len(calls._SENTENCE_END.split(sample.answer)) <= 5


def test_one_metric_alone_asks_as_often_as_it_is_defined_to(data):
    alone, shared, joint = calls.measured(["faithfulness"], data)
    assert alone == shared == joint
    assert alone.calls == 2 * calls.SAMPLES
    prompts = sum(len(text) // 4 for sample in data for text in sample.contexts)
    assert alone.tokens > prompts


def test_what_two_metrics_ask_alike_is_counted_once_where_it_is_shared(data):
    alone, shared, joint = calls.measured(["faithfulness", "factual_correctness"], data)
    assert alone.calls == 6 * calls.SAMPLES
    assert shared.calls == 5 * calls.SAMPLES
    assert joint.calls == 4 * calls.SAMPLES  # both texts are split in one call
    assert joint.tokens < shared.tokens < alone.tokens


def test_embeddings_are_no_calls(data):
    _, shared, _ = calls.measured(["answer_similarity"], data)
    assert (shared.calls, shared.tokens, shared.embeddings) == (0, 0, 2 * calls.SAMPLES)


@pytest.mark.slow
def test_every_set_and_every_metric_that_asks_has_its_line():
    sets, metrics = calls.sets(), calls.metrics()
    assert all(f"| {title} | " in sets for title in calls.SETS)
    assert all((f"| {name} | " in metrics) is bool(m.tasks) for name, m in METRICS.items())
