"""Is the comparison with other libraries itself right: its oracle, its rows, its names of differences?

The comparison needs an environment for each library and is run by `make test-peers`; this needs none.
"""

from pathlib import Path

import compare
import oracle
import pytest
import run_assay
from cases import CASES, Look, malformed
from pairs import PAIRS
from rows import EMPTIED, FIELDS, FULL, rows, twin

from assay.metrics import parse

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    name: (DOCS / f"{name}-differences.md").read_text("utf-8")
    for name in ("ragas", "deepeval", "trulens", "ragchecker")
}


@pytest.mark.parametrize(
    ("statement", "premise", "supported", "contradicted"),
    [
        ("Ada is red.", "Bob is old. Ada is red.", True, False),
        ("Ada is red.", "Ada is blue.", False, True),
        ("Ada is red.", "Ada is blue. Ada is red.", True, False),
        ("Ada is red.", "Bob is red.", False, False),
        ("Ada is red.", "", False, False),
        ("red", "Ada is red.", True, False),
        ("What is Ada? red", "Ada is red.", True, False),
        ("", "Ada is red.", False, False),
        ("Mum is red.", "Mum is red.", None, False),
    ],
)
def test_the_oracle_goes_by_the_facts(statement, premise, supported, contradicted):
    assert oracle.supported(statement, premise) is supported
    assert oracle.contradicted(statement, premise) is (supported is None or contradicted)


def test_only_what_claims_something_is_a_statement():
    text = "Good morning! Ada is red. I do not know. What is Bob? Ada is red. old"
    assert oracle.statements(text) == ["Ada is red.", "Ada is red.", "old"]


def test_the_classes_add_up_to_the_statements():
    found = oracle.classified(["Ada is red.", "Bob is old."], ["Ada is red.", "Eve is old."])
    assert found == {"TP": ["Ada is red."], "FP": ["Bob is old."], "FN": ["Eve is old."]}


def test_cosines_stand_exactly_on_thresholds():
    vectors = [oracle.vector(row["answer"] or "") for row in rows()]
    cosines = {sum(a * b for a, b in zip(one, vectors[0], strict=True)) / 4 for one in vectors}
    assert cosines <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert 0.5 in cosines


def test_edit_similarities_stand_exactly_on_the_threshold_and_beside_it():
    distance = pytest.importorskip("rapidfuzz.distance")
    found = {
        row["id"].removeprefix("similarity "): distance.Levenshtein.normalized_similarity(
            row["contexts"][0], row["reference_contexts"][0]
        )
        for row in rows()
        if row["id"].startswith("similarity ")
    }
    assert found == {"exactly half": 0.5, "below half": 0.25, "above half": 0.75}


def test_every_field_is_emptied_in_every_way():
    known = {row["id"] for row in rows()}
    assert len(known) == len(rows())
    for field in FIELDS:
        assert {f"base 0, {field} {how}" for how in ("missing", "empty", "blank")} <= known
    assert set(EMPTIED) == {"missing", "empty", "blank", "empty item"}


def test_only_rows_that_are_to_be_malformed_are():
    """What is refused is compared with nothing: no other row may hide behind that."""
    refused = {row["id"] for row in rows() if malformed(Look(row, "", ("", ""), {}, {}))}
    meant = (" blank", " empty item", "an empty context first", "more contexts than ids")
    assert refused
    assert not [name for name in refused if not name.endswith(meant)]


def test_rows_are_the_same_every_time():
    assert rows() == rows()
    assert rows(seed=8) != rows()


def test_every_case_is_explained_under_its_id():
    told = "\n".join(PAGES.values())
    assert not [case.id for case in CASES if f"`{case.id}`" not in told]


def test_every_id_of_the_pages_is_a_case():
    named = {
        line.split("`")[1]
        for page in PAGES.values()
        for line in page.partition("## Cases")[2].partition("\n## ")[0].splitlines()
        if line.startswith("| `")
    }
    assert named == {case.id for case in CASES}


def test_each_pair_names_a_metric_of_ours():
    for peer, pairs in PAIRS.items():
        for name in pairs.values():
            assert peer == "drop-in" or parse(name)


def test_our_side_asks_the_oracle():
    row = {"id": "1", **FULL}
    found = run_assay.values([row], ["ragas:faithfulness", "deepeval:faithfulness"])
    assert found["ragas:faithfulness"] == {"1": 0.5}
    assert found["deepeval:faithfulness"] == {"1": 0.5}


def _compared(ours, theirs, row, metric=("Faithfulness", "ragas:faithfulness")):
    found = compare.Comparison("ragas4")
    found.add(metric, {row["id"]: ours}, {row["id"]: theirs, twin(row): theirs}, [row])
    return found


def test_a_difference_that_no_case_names_is_one():
    found = _compared(0.5, 0.25, {"id": "1", **FULL})
    assert found.unnamed == ["Faithfulness: 1: 0.5 not 0.25"]


def test_a_number_where_they_have_none_is_a_difference():
    found = _compared(0.5, {"none": "nan", "why": ""}, {"id": "1", **FULL})
    assert len(found.unnamed) == 1


def test_a_judge_that_failed_us_is_a_difference_even_where_they_have_no_number():
    failed = {"none": "failed", "why": ""}
    assert _compared(failed, {"none": "nan", "why": ""}, {"id": "1", **FULL}).unnamed


def test_a_case_holds_for_its_rows_only():
    lacking = {"none": "undefined", "why": ""}
    assert _compared(lacking, 0.0, {"id": "1", **FULL, "answer": " "}).named == {"lacking-field": 1}
    assert _compared(lacking, 0.0, {"id": "1", **FULL}).unnamed


def test_neither_side_without_a_number_counts_as_no_number():
    none = {"none": "undefined", "why": ""}, {"none": "ValueError", "why": ""}
    found = _compared(*none, {"id": "1", **FULL})
    assert sum(found.counts.values(), compare.Counter()) == {"no number": 1}
