"""`assay history`: the scores over runs, in every form."""

import json

import pytest
from cli_help import FAITHFULNESS, JUDGE, ROWS, write_rows

from support import graded
from support.once import made_once


@made_once
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
    assert text.startswith("No run stands beside the newest one, few.jsonl (")
    text = text[text.index("series 1") :]
    assert text.index("one.jsonl") < text.index("two.jsonl") < text.index("few.jsonl")
    assert f"data: 1 sample instead of {len(ROWS)}" in text
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


class TestByAParameter:
    @made_once
    def sweep(self, here):
        """Runs with k = 10, 3, 3 again and 5, one without, by a metric that moves and one not."""
        metrics = [graded.quality, graded.right]
        scores = ((10, 0.9), (3, 0.2), (3, 0.4), (5, 0.6), (None, 0.1))
        for n, (k, score) in enumerate(scores):
            result = graded.run("assay.db", [score, score, score + 0.1], metrics, reference="right")
            result.describe(name=f"run {n}", params={} if k is None else {"k": k})

    def test_one_line_for_each_value_in_order(self, sweep, assay):
        found = json.loads(assay("history", "--by", "k", "-m", "quality", "--json").stdout)
        (series,) = found["metrics"][0]["series"]
        points = series["points"]
        assert [point["values"]["k"] for point in points] == ["3", "5", "10"]
        assert [point["name"] for point in points] == ["run 2", "run 3", "run 0"]
        assert points[0]["n_older"] == 1
        assert found["n_without"] == 1
        shown = " ".join(assay("history", "--by", "k").stdout.split())
        assert "the newest of 2 such runs" in shown
        assert "Left out: 1 run without k." in shown

    def test_pages_and_markdown_have_its_column(self, sweep, assay, here):
        assay("history", "--by", "k", "--out", "h.html", "--out", "h.md")
        assert '<th scope="col">k</th>' in (here / "h.html").read_text("utf-8")
        assert "| k | run | id | n |" in (here / "h.md").read_text("utf-8")

    def test_a_parameter_tells_series_apart_as_well(self, sweep, assay):
        found = json.loads(assay("history", "--config", "k", "-m", "quality", "--json").stdout)
        settings = [one["settings"]["k"] for one in found["metrics"][0]["series"]]
        assert sorted(settings) == ["10", "3", "5", "none"]

    def test_a_parameter_that_no_run_has_is_refused(self, sweep, assay):
        result = assay("history", "--by", "z")
        assert result.exit_code == 2
        assert "no run can be told apart by 'z'" in result.stderr

    def test_runs_are_told_apart_by_names_and_what_never_moved_is_counted(self, sweep, assay):
        shown = assay("history").stdout
        assert "run 3" in shown
        assert "The same mean in every run: 1 metric (right). --all shows more." in shown
        assert "\nright" in assay("history", "--all").stdout
