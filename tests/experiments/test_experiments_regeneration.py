"""What would better retrieval alone fix? The system is asked again with the right contexts."""

import pytest

from assay import Denied, InputError, evaluate, regenerate
from support import towers

PRESENT = "string_presence"


def badly_retrieved(n):
    """Samples whose right context was retrieved last, and answered by the weak system."""
    rows = []
    for row in towers.rows(n):
        right, *others = row["contexts"]
        contexts = [*others, right]
        answer = towers.weak(row["question"], contexts)
        rows.append({**row, "contexts": contexts, "answer": answer})
    return rows


def gains(found):
    (curve,) = found.curves
    return {point.level: point for point in curve.points}


def test_a_system_that_retrieval_alone_lets_down_gains_all_of_it(db):
    result = evaluate(badly_retrieved(20), PRESENT, store=db)
    found = regenerate(result, towers.weak)
    (point,) = gains(found).values()
    assert (point.baseline, point.mean, point.difference, point.n) == (0.0, 1.0, 1.0, 20)
    assert 0.5 < point.difference_interval.low < point.difference_interval.high == 1.0
    assert (found.n, found.asked, found.failures) == (20, 40, 0)
    again = regenerate(result, towers.weak)
    assert (again.asked, again.reused, again.curves) == (0, 40, found.curves)


def test_one_that_retrieval_does_not_harm_gains_nothing(db):
    result = evaluate(badly_retrieved(20), PRESENT, store=db)
    (point,) = gains(regenerate(result, towers.careful)).values()
    assert point.difference == 0.0


def test_each_wrong_context_is_left_out_by_itself(db):
    # Without the market or the river the right one is among the two that are read.
    result = evaluate(badly_retrieved(6), PRESENT, store=db)
    found = regenerate(result, towers.weak, each_wrong=True)
    point = gains(found)["without a wrong one"]
    assert (point.difference, point.n) == (1.0, 6)
    assert found.asked == 6 + 6 + 12


def test_samples_without_reference_contexts_are_left_out(db):
    rows = badly_retrieved(6)
    del rows[0]["reference_contexts"]
    assert regenerate(evaluate(rows, PRESENT, store=db), towers.weak).n == 5


@pytest.mark.parametrize(
    ("metric", "lacks", "target", "said"),
    [
        (PRESENT, "reference_contexts", towers.weak, "both contexts and reference_contexts"),
        (PRESENT, "", lambda question: "1889", "is given no contexts"),
        ("latency", "", towers.weak, "no metric that another answer can be scored by"),
    ],
)
def test_what_cannot_be_asked_again_is_refused(db, metric, lacks, target, said):
    rows = [{**row, "latency_ms": 3.0} for row in badly_retrieved(3)]
    for row in rows:
        row.pop(lacks, None)
    result = evaluate(rows, metric, store=db)
    with pytest.raises(InputError, match=said):
        regenerate(result, target)


def test_a_system_that_refuses_ends_it(db):
    def denies(question, contexts):
        raise Denied("no")

    with pytest.raises(Denied):
        regenerate(evaluate(badly_retrieved(2), PRESENT, store=db), denies)
