"""Are our numbers those of ragas 0.4.3 where the definitions agree, and why not where they differ?

The file of its outputs is not part of the project: without it these tests are skipped.
`docs/ragas-differences.md` explains every difference that is tested here.
"""

import json
import os
from pathlib import Path

import pytest

from assay.metrics.context_precision import average_precision
from assay.metrics.factual_correctness import f_beta

ROOT = Path(__file__).parents[2]
FILE = Path(os.environ.get("ASSAY_GOLDEN", ROOT.parent / "shared" / "golden" / "ragas_0_4_3.json"))

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="no recorded outputs of ragas here")

EPSILON = 1e-10  # ragas divides by (sum of verdicts + this)


@pytest.fixture(scope="module")
def golden():
    return json.loads(FILE.read_text("utf-8"))


def test_average_precision_is_that_of_ragas_up_to_its_epsilon(golden):
    for case in golden["average_precision"]:
        useful = [bool(v) for v in case["verdicts"]]
        ours = average_precision(useful)
        assert ours == pytest.approx(case["ragas"], abs=1e-6)
        hits = sum(useful)
        assert ours * hits / (hits + EPSILON) == pytest.approx(case["ragas"], abs=1e-15)


def test_a_perfect_ranking_is_1_here_and_never_there(golden):
    perfect = [
        case
        for case in golden["average_precision"]
        if any(case["verdicts"]) and case["verdicts"] == sorted(case["verdicts"], reverse=True)
    ]
    assert perfect
    for case in perfect:
        assert average_precision([bool(v) for v in case["verdicts"]]) == 1.0
        assert case["ragas"] < 1.0


def _f(case):
    tp, fp, fn = case["tp"], case["fp"], case["fn"]
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    return f_beta(precision, recall, case["beta"])


def test_f_beta_is_that_of_ragas(golden):
    for case in golden["fbeta"]:
        assert _f(case) == pytest.approx(case["legacy"], abs=1e-6), case


def test_no_statement_at_all_is_0_there_and_undefined_here(golden):
    empty = [c for c in golden["fbeta"] if not c["tp"] + c["fp"] + c["fn"]]
    assert empty
    assert {case["legacy"] for case in empty} == {0.0}
