"""`assay compare`: the table, the files, and the errors."""

import json

import pytest

from support import graded
from support.once import made_once

A = [0.9, 0.8, 1.0, 0.7, 0.9, 0.8, 0.9, 1.0]
B = [0.3, 0.5, 0.2, 0.4, 0.6, 0.1, 0.9, 0.2]


@made_once
def two(here, assay):
    """The ids of two runs in assay.db."""
    kind = ["yes", "no"] * 4
    metrics = [graded.quality, graded.error_rate]
    runs = [graded.run("assay.db", scores, metrics, kind=kind).run.id for scores in (A, B)]
    return [run[:8] for run in runs]


def test_the_table_says_which_is_worse_and_why(two, assay):
    result = assay("compare", *two)
    assert result.exit_code == 0, result.output
    assert "✗ worse" in result.stdout
    assert result.stdout.startswith("B is worse than A by quality (−0.47, ")
    assert "0/1/7" in result.stdout
    assert "0.80 to 0.10  q5  Question 5?" in result.stdout
    assert "was supported, now unsupported: About q5." in result.stdout


def test_what_falls_is_better_for_an_error_rate(two, assay):
    shown = assay("compare", *two, "-m", "error_rate").stdout
    assert shown.startswith("B is better than A by error_rate (−0.47, ")
    assert "error_rate ↓" in shown


def test_json_is_all_of_it_and_nothing_else(two, assay):
    found = json.loads(assay("compare", *two, "--detect", "0.1", "--json").stdout)
    quality, errors = found["metrics"]
    assert (quality["verdict"], errors["verdict"]) == ("worse", "better")
    assert quality["aim"] == 0.1
    assert quality["paired"]["n"] == 8
    assert [run["name"] for run in found["runs"]] == ["A", "B"]


def test_it_is_written_as_page_markdown_and_json(two, assay, here):
    outs = [arg for name in ("c.html", "c.md", "c.json") for arg in ("--out", name)]
    assert assay("compare", *two, *outs).exit_code == 0
    page, text = (here / "c.html").read_text("utf-8"), (here / "c.md").read_text("utf-8")
    assert "B against A" in page
    assert "About q5." in page
    assert "<script" not in page
    assert "| `quality` | 0.88 | 0.40 | **−0.47** |" in text
    answer = "B is worse than A by quality (−0.47, "
    assert 0 < page.index(answer) < page.index("<dl")
    assert text.splitlines()[2].startswith(f"**{answer}")
    assert json.loads((here / "c.json").read_text("utf-8"))["tests"] == 2


def test_hostile_texts_stay_text(here, assay):
    bad = "<script>alert(1)</script>"
    a = graded.run("assay.db", A, question=bad).run.id
    b = graded.run("assay.db", B, question=bad).run.id
    assert assay("compare", a, b, "--out", "c.html", "--out", "c.md").exit_code == 0
    page, text = (here / "c.html").read_text("utf-8"), (here / "c.md").read_text("utf-8")
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page
    assert "<script" not in text.replace(r"\<script", "")


def test_runs_of_other_stores_are_named_by_file(here, assay):
    a = graded.run("one.db", A).run.id
    graded.run("two.db", B)
    result = assay("compare", f"one.db:{a[:6]}", "two.db")
    assert result.exit_code == 0, result.output
    assert "worse" in result.stdout


def test_groups_of_one_run(two, assay, here):
    result = assay("compare", two[1], "--by", "kind", "-m", "quality", "--out", "g.md")
    assert result.exit_code == 0, result.output
    assert "0.50 (0.32)" in result.stdout
    assert "yes against no: no test, too few scores" in result.stdout
    assert "| `quality` | yes | 0.50 (0.32) | 4 |" in (here / "g.md").read_text("utf-8")
    found = json.loads(assay("compare", two[1], "--by", "kind", "--json").stdout)
    assert found["metrics"][0]["groups"][0]["name"] == "yes"


def test_groups_of_several_runs_are_compared_within_each_and_with_the_first(two, assay, here):
    outs = [arg for name in ("g.html", "g.md") for arg in ("--out", name)]
    result = assay("compare", *two, "--by", "kind", "-m", "quality", *outs)
    assert result.exit_code == 0, result.output
    text = (here / "g.md").read_text("utf-8")
    assert "| quality, yes | A | 0.92 (0.05) | 4 |  |  |" in text
    assert "|  | B | 0.50 (0.32) | 4 | −0.43 (" in text
    assert "A test takes 5 scores in a group, 30 where all are the same: none has them." in text
    assert "<td>0.50 (0.32)</td>" in (here / "g.html").read_text("utf-8")
    found = json.loads(assay("compare", *two, "--by", "kind", "--json").stdout)
    assert {d["paired"]["n"] for d in found["differences"]} == {4}


def test_a_field_whose_name_holds_brackets_and_pipes_is_one_like_any_other(here, assay):
    graded.run("assay.db", A, **{"[/a|b]": ["yes", "no"] * 4})
    result = assay("compare", "last", "--by", "[/a|b]", "--out", "g.md")
    assert result.exit_code == 0, result.output
    assert "[/a|b]" in result.stdout
    text = (here / "g.md").read_text("utf-8")
    assert "by `[/a|b]`" in text
    assert r"| metric | `[/a\|b]` | mean" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["last"], "one run is no comparison -> name two, or the groups of one: --by FIELD"),
        (["last", "last"], "A and B are the same run"),
        (["last", "nonsense"], "no run is called 'nonsense'"),
        (["last", "no.db:3f"], "there is no store 'no.db'"),
        (["no.db", "last"], "there is no store 'no.db'"),
        (["last", "nowhere/no"], "there is no store 'nowhere/no'"),
        (["last", "last", "--by", "kind"], "A and B are the same run"),
        (["last", "last~1", "--by", "kind", "--all"], "--all is for whole runs"),
        (["last", "--by", "kind", "--force"], "--force is for several runs"),
        (["last", "--labels", "l.csv"], "--labels is for --report"),
        (["last", "--report", "telecom"], "have no field 'retrieval'"),
        (["last", "--by", "kind", "--out", "g.html"], "no report ends in '.html'"),
        (["last", "last", "--out", "c.txt"], "no report ends in '.txt'"),
        (["last", "last", "--out", "assay.db"], "no report ends in '.db'"),
    ],
)
def test_what_cannot_be_compared_is_told(two, assay, arguments, words):
    result = assay("compare", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr


def test_help_tells_it_from_the_comparison_of_definitions(assay):
    assert "assay metrics --compare" in assay("compare", "--help").stdout
    assert "`assay compare`" in assay("metrics", "--help").stdout


class TestWhatIsShownFirst:
    @made_once
    def three(self, here):
        """Two runs by a metric that moves, one that does not, and one that is the same."""
        metrics = [graded.right, graded.quality]
        for name, scores in (("before", A), ("after", B)):
            graded.run("assay.db", scores, metrics, reference="right").describe(name=name)

    def test_what_became_worse_is_shown_and_what_is_the_same_counted(self, three, assay):
        shown = assay("compare", "before", "after").stdout
        assert "A  before (" in shown
        assert "right: " not in shown
        assert "The same score on every sample: 1 metric (right)." in shown
        assert "adjusted by Holm" not in shown, "one metric is left to test"
        every = assay("compare", "before", "after", "--all").stdout
        assert "right: No sample scores differently." in every
        assert every.index("✗ worse") < every.index("right: ")

    def test_pages_fold_it(self, three, assay, here):
        assay("compare", "last~1", "last", "--out", "c.html", "--out", "c.md")
        page, text = (here / "c.html").read_text("utf-8"), (here / "c.md").read_text("utf-8")
        assert '<details class="rest"><summary>The same score on every sample' in page
        assert "<details><summary>The same score on every sample: 1 metric (right).<" in text
        assert "`after (" in text

    def test_where_all_is_the_same_all_is_shown(self, here, assay):
        for answer in ("a", "b"):
            graded.run("assay.db", ["1.0"] * 6, graded.right, reference="right", made=answer)
            graded.run("assay.db", [answer == "a", 1, 1], graded.right, reference="right")
        result = assay("compare", "last~2", "last")
        assert "No sample scores differently" in result.stdout


class TestTelecomReport:
    @made_once
    def three(self, here):
        """Two generators over one retriever, and one over another; labels of their answers."""
        right = [i % 3 > 0 for i in range(24)]
        better = [i % 6 > 0 for i in range(24)]
        for name, shift, found in (
            ("base", 0, right),
            ("large", 0.2, right),
            ("adapted", 0, better),
        ):
            scores = [
                round(min(1.0, 0.2 + 0.5 * ok + shift + i / 200), 2) for i, ok in enumerate(found)
            ]
            graded.run(
                "assay.db",
                scores,
                context_ids=[["gold", "x", "y"] if ok else ["x", "y", "z"] for ok in found],
                reference_context_ids=[["gold"]] * 24,
            ).describe(name=name)
            rows = [f"q{i},{'yes' if score > 0.6 else 'no'}" for i, score in enumerate(scores)]
            (here / f"{name}.csv").write_text("\n".join(["id,label", *rows]), "utf-8")
        return ["base", "large", "adapted"]

    def test_all_four_tables_of_several_runs(self, three, assay, here):
        labels = [arg for name in three for arg in ("--labels", f"{name}.csv")]
        outs = [arg for name in ("t.html", "t.md", "t.json") for arg in ("--out", name)]
        result = assay("compare", *three, "--report", "telecom", *labels, *outs)
        assert result.exit_code == 0, result.output
        text = (here / "t.md").read_text("utf-8")
        for row in (
            "| A | 24 | 0.67 (0.47 to 0.82) | 0.67 (0.47 to 0.82) |",
            "| C | 24 | 0.83 (",
            "### Within each run, by retrieval: yes against no",
            "| quality | A | +0.51 (",
            "|  | B | 0.96 (0.03) | 16 | +0.20",
            " | 16 |\n",
            "|  | B | 1.00 (16/16; ",
        ):
            assert row in text
        page = (here / "t.html").read_text("utf-8")
        assert page.count("<table") == 5
        assert "+0.20** (" in page
        data = json.loads((here / "t.json").read_text("utf-8"))
        assert {one["k"] for one in data["accuracy"]} == {1, 3}, "no run retrieves five contexts"
        gaps = {gap["run"]: gap["wrong"] for gap in data["gaps"]}
        assert gaps[2]["low"] <= 0 <= gaps[2]["high"]

    def test_one_run_has_the_tables_that_need_no_other(self, three, assay):
        result = assay("compare", "base", "--report", "telecom")
        assert result.exit_code == 0, result.output
        for text in ("Retrievers", "Within each run", "Scores by group"):
            assert text in result.stdout
        assert "Concordance" not in result.stdout
        assert "run - A" not in result.stdout

    def test_labels_of_some_runs_only_are_refused(self, three, assay):
        result = assay("compare", *three, "--report", "telecom", "--labels", "base.csv")
        assert result.exit_code == 2
        assert "there are labels of 1 runs, and 3 runs" in result.stderr
