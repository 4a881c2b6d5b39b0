"""A metric of the user's own, named on the command line."""

import json

import pytest
from cli_help import JUDGE

MINE = """
import assay

@assay.metric(name="brevity", needs=("answer",))
def brevity(sample):
    \"\"\"1 for an answer of at most four words.\"\"\"
    return min(1.0, 4 / len(sample.answer.split()))

@assay.metric(name="nowhere", needs=("answer",))
def nowhere(sample):
    \"\"\"No number.\"\"\"
    return float("nan")

@assay.metric(name="words", needs=("answer",))
def words(sample):
    \"\"\"How many words.\"\"\"
    return len(sample.answer.split())
"""


@pytest.fixture
def mine(here):
    # A module of another name in each test: what was imported stays imported.
    name = f"mine_{here.name.replace('-', '_')}"
    (here / f"{name}.py").write_text(MINE, "utf-8")
    return name


@pytest.mark.parametrize("form", ["{}:brevity", "{}.py:brevity", "./{}.py:brevity"])
def test_it_runs_and_is_shown(assay, mine, form):
    spec = form.format(mine)
    result = assay("run", "data.jsonl", "-m", f"faithfulness,{spec}", *JUDGE, "--json")
    assert result.exit_code == 0, result.output
    rows = {row["metric"]: row for row in json.loads(result.stdout)["metrics"]}
    assert rows["brevity"]["mean"] == pytest.approx((4 / 11 + 4 / 7) / 2, abs=0.1)
    assert "brevity, worst first" in assay("show", "-m", "brevity").stdout
    assert "brevity, worst first" in assay("show", "-m", spec).stdout


def test_it_is_explained(assay, mine):
    shown = assay("explain", f"{mine}:brevity").stdout
    assert "1 for an answer of at most four words." in shown
    assert "needs: answer" in shown


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere", "nowhere returned nan -> where there is no number, return Unscored"),
        ("words", "words returned 10, and its range is 0 to 1 -> return a number within it"),
    ],
)
def test_what_it_returns_and_is_no_score_is_told_as_a_slip_in_it_and_not_as_a_bug(
    assay, mine, name, told
):
    result = assay("run", "data.jsonl", "-m", f"{mine}:{name}", *JUDGE)
    assert result.exit_code == 3
    assert told in " ".join(result.stdout.split())
    assert "bug" not in result.output


@pytest.mark.parametrize("command", [("run", "data.jsonl", "-m"), ("explain",)])
def test_what_cannot_be_found_is_told(assay, mine, command):
    for spec, said in (("no_such:x", "No module named"), (f"{mine}:x", "has no 'x'")):
        result = assay(*command, spec)
        assert result.exit_code == 2
        assert said in result.stderr
