"""Does a diagnosis find every failure that was planted, and none that was not?"""

import pytest
from benchmarks.diagnosis import EITHER, FINE, figures

import assay
from assay._analysis.diagnosis import CAUSES, counterfactual, diagnose
from benchmarks import planted

ROWS = planted.rows()


def test_every_cause_is_planted_in_ten_samples_or_more():
    made = [row["planted"] for row in ROWS]
    assert {*made} == {*CAUSES, FINE} - {"unsupported"}
    assert all(made.count(cause) >= 10 for cause in {*made})


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    store = tmp_path_factory.mktemp("planted") / "planted.db"
    return assay.evaluate(ROWS, planted.SHARPER, planted.knowing(), store=store)


@pytest.mark.slow
def test_by_a_judge_that_is_never_wrong_all_are_found_and_no_alarm_is_false(judged):
    for cause, row in figures(diagnose(judged), ROWS).items():
        assert row == {"planted": row["planted"], "found": row["planted"], "open": 0, "false": 0}, (
            cause
        )


def test_with_the_usual_metrics_what_cannot_be_told_is_left_open_and_nothing_is_wrong(tmp_path):
    rows = [row for row in ROWS if row["group"] in ("ferry", "library")]
    result = assay.evaluate(rows, planted.USUAL, planted.knowing(), store=tmp_path / "usual.db")
    found = diagnose(result)
    table = figures(found, rows)
    assert {row["false"] for row in table.values()} == {0}
    left_open = {cause for cause, row in table.items() if row["open"]}
    assert left_open == {*EITHER["unsupported"]}
    gaps = {gap.cause: gap.needs for gap in found.gaps}
    assert all(gaps[cause].startswith("hallucination_spans") for cause in left_open)


@pytest.mark.slow
def test_the_right_contexts_bear_out_no_planted_lie_and_show_what_retrieval_lost(judged):
    again = counterfactual(judged, planted.knowing())
    # Statements are known: only their verdicts against other contexts are asked for.
    assert again.cost().calls < judged.cost().calls / 4
    found = diagnose(judged)
    what_if = found.counterfactual
    assert what_if.run == again.run.id
    assert what_if.n == sum(bool(row["reference_contexts"]) for row in ROWS)
    assert what_if.borne_out == 0 < what_if.unsupported
    # Two statements of each reference, of ten samples that were not retrieved and ten cut apart.
    assert (what_if.missing, what_if.found) == (40, 40)
    changes = {change.cause: (change.n, change.well) for change in what_if.changes}
    assert changes["not_retrieved"] == (5, 0)  # the other five decline
    assert changes["cut_apart"] == (5, 0)
    # Whoever diagnoses it again gets the same causes.
    assert found.causes == diagnose(judged).causes


def test_what_is_right_from_memory_is_borne_out_by_the_right_contexts(tmp_path):
    lost, good = (
        next(row for row in ROWS if row["id"] == f"ferry-{planted_cause}")
        for planted_cause in ("not_retrieved", FINE)
    )
    judge = planted.knowing()
    row = {**lost, "answer": good["answer"]}
    result = assay.evaluate([row], planted.SHARPER, judge, store=tmp_path / "memory.db")
    counterfactual(result, judge)
    found = diagnose(result)
    (one,) = found.samples
    assert one.causes == ("not_retrieved", "over_claimed")
    assert one.contributing[0].evidence[0].why.startswith("right by the reference")
    what_if = found.counterfactual
    assert (what_if.unsupported, what_if.borne_out) == (2, 2)
    assert [(change.cause, change.n, change.well) for change in what_if.changes] == [
        ("not_retrieved", 1, 1)
    ]
