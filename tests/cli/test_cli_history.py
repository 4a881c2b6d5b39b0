"""Does `assay history` show the scores over runs, in every form?"""

import json

import pytest
from cli_help import FAITHFULNESS, JUDGE, ROWS, write_rows


@pytest.fixture
def three(assay, here):
    """A store with two runs over the same questions and one over fewer."""
    versions = (
        ("one", ROWS),
        ("two", [{**row, "contexts": row["contexts"][:1] * 2} for row in ROWS]),
        ("few", ROWS[:1]),
    )
    for name, rows in versions:
        write_rows(here / f"{name}.jsonl", rows)
        command = ["run", f"{name}.jsonl", *FAITHFULNESS[2:], *JUDGE, "--quiet"]
        assert assay(*command).exit_code == 0
    return assay


def test_runs_stand_below_each_other_and_apart_in_words(three):
    result = three("history")
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert text.index("one.jsonl") < text.index("two.jsonl") < text.index("few.jsonl")
    assert f"data: 1 samples instead of {len(ROWS)}" in text
    assert "series 2" in text
    assert "●" in text


def test_every_form_holds_the_same(three, here):
    done = three("history", "--out", "h.html", "--out", "h.md", "--out", "h.json")
    assert done.exit_code == 0, done.output
    data = json.loads((here / "h.json").read_text("utf-8"))
    assert data == json.loads(three("history", "--json").stdout)
    runs = [p["run"][:8] for m in data["metrics"] for s in m["series"] for p in s["points"]]
    assert len(runs) == 3
    for name in ("h.html", "h.md"):
        text = (here / name).read_text("utf-8")
        assert all(run in text for run in runs)


def test_options_reach_the_analysis(three):
    data = json.loads(three("history", "--json", "--limit", "1", "--config", "source").stdout)
    (metric,) = data["metrics"]
    (series,) = metric["series"]
    assert series["settings"] == {"source": "few.jsonl"}
    assert (data["n_runs"], data["n_older"]) == (1, 2)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("-m", "nope"), "no run has nope"),
        (("--config", "nope"), "no run can be told apart by 'nope'"),
        (("--out", "h.txt"), "no report ends in '.txt'"),
        (("--out", "nowhere/h.md"), "cannot be written"),
        (("--store", "none.db"), "there is no store"),
    ],
)
def test_what_cannot_be_done_is_said(three, more, told):
    result = three("history", *more)
    assert result.exit_code == 2
    assert told in result.stderr
