"""`assay gate`: the exit code of its verdict, and everyone who wants to know is told."""

import json
from xml.etree import ElementTree as ET

import pytest
from cli_help import write_rows

from assay import Result
from support.given import Given, Loss, told
from support.once import made_once
from support.over import over

MIXED = [0.4, 0.6] * 20
CASE = {"question": "why?", "answer": "old", "failed_in": "abc", "failed_by": "given"}
FAIR = """
import assay

@assay.metric(needs=("answer",), guide=0.8)
def fair(sample, judge):
    return assay.Score(sample.metadata["score"])
"""


@pytest.fixture(autouse=True)
def _in_no_workflow(monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@made_once
def gated(assay, here):
    """The command, over a store with one run whose mean is 0.5."""
    told(MIXED, here / "assay.db")
    told(MIXED, here / "same.db")
    return lambda *options: assay("gate", *options)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--min", "given=0.4"), 0),
        (("--min", "given=0.6"), 6),
        (("--min", "given=0.5"), 7),
        (("--min", "given=0.5", "--min", "given=0.6"), 6),
        (("--min", "given=0.5", "--undecided", "pass"), 0),
        (("--min", "given=0.5", "--on", "mean"), 0),
        (("--max", "given=0.6"), 0),
        (("--min", "other=0.5"), 6),
        (("--no-regression", "same.db:last"), 0),
        (("--no-regression", "same.db"), 0),
        (("--no-regression", "last"), 2),
        ((), 2),
        (("--min", "0.5"), 2),
        (("--min", "given=high"), 2),
        (("--min", "given=50"), 2),
        (("--min", "given=0.4", "--max-unscored", "2"), 2),
        (("--min", "given=0.4", "--junit", "nowhere/x.xml"), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_the_exit_code_is_the_verdict(gated, options, code):
    result = gated(*options)
    assert result.exit_code == code, result.output


def test_numbers_for_all_and_for_one_metric(assay, here):
    told([1.0] * 45 + ["failed"] * 5, here / "assay.db")
    assert assay("gate", "--min", "given=0.5").exit_code == 0
    assert assay("gate", "--min", "given=0.5", "--max-unscored", "0.05").exit_code == 6
    both = ("--max-unscored", "0.05", "--max-unscored", "given=0.2")
    assert assay("gate", "--min", "given=0.5", *both).exit_code == 0


def test_a_baseline_in_another_store(gated, assay, here):
    told([0.8, 1.0] * 20, here / "before.db")
    result = gated("--no-regression", "before.db:last")
    assert result.exit_code == 6
    assert "0.90 before, 0.50 now" in " ".join(result.stdout.split())
    compared = result.stdout.splitlines()[-1].removeprefix("next  assay ").split()
    assert compared[:2] == ["compare", "before.db:last"]
    assert assay(*compared).exit_code == 0
    assert "next  assay show" in gated("--min", "given=0.6").stdout


def test_rules_of_a_file_and_options_that_go_before_it(gated, here):
    (here / "pyproject.toml").write_text("[tool.assay.gate]\nmin = { given = 0.6 }\n")
    assert gated().exit_code == 6
    assert gated("--min", "given=0.4").exit_code == 0


@pytest.mark.parametrize(
    ("of_file", "options", "code"),
    [
        ("max-unscored = 0.05", (), 6),
        ("max-unscored = 0.05", ("loss=0.2",), 6),
        ("max-unscored = 0.05", ("given=0.2",), 0),
        ("max-unscored = { given = 0.05 }", ("loss=0.2",), 6),
        ("max-unscored = { given = 0.05 }", ("0.2",), 0),
        ('max-unscored = "much"', ("loss=0.2",), 2),
    ],
)
def test_an_option_for_a_metric_leaves_the_others_as_the_file_has_them(
    assay, here, of_file, options, code
):
    told([1.0] * 45 + ["failed"] * 5, here / "assay.db", [Given(), Loss()])
    (here / "assay.toml").write_text(f"[gate]\nmin = {{ given = 0.5 }}\n{of_file}\n")
    found = assay("gate", *(part for one in options for part in ("--max-unscored", one)))
    assert found.exit_code == code, found.output


@pytest.mark.parametrize("option", ["--margin", "--max-unscored"])
def test_a_metric_that_is_misspelt_is_refused(gated, here, option):
    told([0.6] * 40, here / "before.db")
    found = gated("--min", "given=0.4", "--no-regression", "before.db", option, "gven=0.05")
    assert found.exit_code == 2
    assert f"{option[2:]} is given for 'gven'" in " ".join(found.stderr.split())
    (here / "assay.toml").write_text(f"[gate]\n{option[2:]} = {{ gven = 0.05 }}\n")
    assert gated("--min", "given=0.4").exit_code == 2


@over("option", ["--min", "--max"])
def test_a_threshold_of_a_misspelt_metric_is_refused_with_the_one_meant(gated, option):
    for misspelt, meant in (("gven", "given"), ("faithfullness", "faithfulness")):
        found = gated(option, f"{misspelt}=0.4")
        assert found.exit_code == 2
        assert f"no metric '{misspelt}' -> did you mean '{meant}'?" in found.stderr
    for another in ("faithfulness", "politeness"):  # may be a metric of somebody's own
        assert gated("--min", f"{another}=0.4").exit_code == 6


def test_a_metric_whose_label_has_an_equals_sign(assay, here):
    from assay.metrics import METRICS

    assert "factual_correctness" in METRICS
    told(MIXED, here / "assay.db")
    result = assay("gate", "--min", "factual_correctness(mode=recall)=0.5")
    assert "the run has no factual_correctness(mode=recall)" in " ".join(result.stdout.split())


def test_junit_counts_what_failed(gated, here):
    gated("--min", "given=0.6", "--min", "other=1", "--max", "given=0.6", "--junit", "gate.xml")
    suite = ET.parse(here / "gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    failed = [
        case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None
    ]
    assert sorted(failed) == [">= 0.6", ">= 1"]


def test_junit_says_of_what_is_let_through_that_it_was_skipped(gated, here):
    gated("--min", "given=0.5", "--undecided", "pass", "--junit", "gate.xml")
    suite = ET.parse(here / "gate.xml").getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")


def test_hostile_names_break_neither_xml_nor_markdown(gated, here):
    name = "a|b</testcase>\x00<script>"
    gated("--min", f"{name}=1", "--junit", "gate.xml", "--markdown", "gate.md")
    assert ET.parse(here / "gate.xml").getroot().get("failures") == "1"
    row = next(line for line in (here / "gate.md").read_text().splitlines() if "testcase" in line)
    assert row.replace("\\|", "").count("|") == 5


def test_the_summary_is_added_to_the_page_of_a_github_job(gated, here, monkeypatch):
    page = here / "summary.md"
    page.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    assert gated("--min", "given=0.4", "--markdown", "gate.md").exit_code == 0
    assert page.read_text() == "before\n" + (here / "gate.md").read_text()
    assert "## assay gate passed: 2 rules, all hold" in page.read_text()


def test_a_summary_that_cannot_be_written_changes_no_verdict(gated, here, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / "nowhere" / "x.md"))
    result = gated("--min", "given=0.4")
    assert result.exit_code == 0
    assert "cannot be written to $GITHUB_STEP_SUMMARY" in result.stderr


def test_json_has_all_of_it(gated, here):
    found = json.loads(gated("--min", "given=0.5", "--json").stdout)
    assert (found["verdict"], found["passed"]) == ("undecided", False)
    assert found["run"] == Result(here / "assay.db").run.id
    low, high = found["checks"][0]["interval"]
    assert low < found["checks"][0]["value"] < high


class TestWhatIsShownFirst:
    RULES = ("--min", "given=0.4", "--max", "given=0.1")

    def test_rules_that_fail_stand_alone_and_the_others_are_counted(self, gated):
        shown = gated(*self.RULES).stdout
        assert "✗ fail" in shown
        assert "✓ pass" not in shown
        assert "2 rules hold (given). --all shows what was found." in shown

    def test_all_shows_them_after_those_that_fail(self, gated):
        shown = gated(*self.RULES, "--all").stdout
        assert shown.index("✗ fail") < shown.index("✓ pass")

    def test_markdown_folds_them_and_json_and_junit_have_them_all(self, gated, here):
        found = json.loads(
            gated(*self.RULES, "--markdown", "g.md", "--junit", "g.xml", "--json").stdout
        )
        text = (here / "g.md").read_text("utf-8")
        assert "<details><summary>2 rules hold (given).</summary>" in text
        assert len(found["checks"]) == 3
        assert len(ET.parse(here / "g.xml").findall("testcase")) == 3

    def test_runs_are_called_by_their_names(self, gated, here):
        Result("same.db").describe(name="release 1")
        shown = gated("--no-regression", "same.db:release 1", "--all").stdout
        assert "against release 1 (" in shown
        assert "than release 1" in " ".join(shown.split())


class TestCases:
    """A regression set: what people called bad must hold, sample by sample."""

    @pytest.fixture
    def gated(self, assay, here):
        """The gate over a run with these scores and answers, and these cases of it."""

        def call(scores, cases, *options, answer="new", kind=Given):
            told(scores, here / "assay.db", kind(), answer=answer)
            write_rows(here / "cases.jsonl", [{**CASE, **case} for case in cases])
            return assay("gate", "--cases", "cases.jsonl", *options)

        return call

    @pytest.mark.parametrize(
        ("case", "found"),
        [
            ({"id": "q0"}, ""),
            ({"id": "q0 (abc)", "failed_in": "abc"}, ""),
            ({"id": "q1"}, "q1: 0.40"),
            ({"id": "q2"}, "q2: no score (failed)"),
            ({"id": "q9"}, "q9: the run does not have it"),
            ({"id": "q0", "question": "who?"}, "q0: the run does not have it"),
            ({"id": "q0", "answer": "new"}, "q0: still the answer that failed"),
            ({"id": "q0", "answer": "new", "contexts": ["other"]}, ""),
        ],
    )
    def test_each_is_held_by_itself(self, gated, case, found):
        result = gated([0.9, 0.4, "failed"], [case], "--min", "given=0.5", "--json")
        (check,) = [one for one in json.loads(result.stdout)["checks"] if "cases" in one["rule"]]
        assert check["rule"] == "cases of cases.jsonl >= 0.5"
        assert check["verdict"] == ("fail" if found else "pass")
        assert check["why"] == "; ".join(filter(None, [f"{int(not found)} of 1 hold", found]))

    def test_one_broken_case_among_many_fails_and_few_of_them_are_named(self, gated):
        cases = [{"id": f"q{n}"} for n in range(10)]
        assert gated([0.9] * 10, cases, "--min", "given=0.5").exit_code == 0
        result = gated([0.9] * 9 + [0.1], cases, "--min", "given=0.5")
        assert result.exit_code == 6
        assert "9 of 10 hold; q9: 0.10" in " ".join(result.output.split())
        result = gated([0.1] * 10, cases, "--min", "given=0.5")
        assert "0 of 10 hold; q0: 0.10; q1: 0.10; q2: 0.10; 7 more" in " ".join(
            result.output.split()
        )

    def test_low_scores_are_good_of_an_error_rate(self, gated):
        case = {"id": "q0", "failed_by": "loss"}
        assert gated([0.1] * 60, [case], "--max", "loss=0.2", kind=Loss).exit_code == 0
        assert gated([0.9] + [0.0] * 60, [case], "--max", "loss=0.2", kind=Loss).exit_code == 6

    def test_without_a_threshold_the_guide_value_counts(self, assay, here):
        (here / "fair.py").write_text(FAIR, "utf-8")
        rows = [{"id": "q0", "question": "why?", "answer": "x", "score": 0.6}]
        write_rows(here / "rows.jsonl", rows)
        assert assay("run", "rows.jsonl", "-m", "./fair.py:fair").exit_code == 0
        write_rows(here / "cases.jsonl", [{**CASE, "id": "q0", "failed_by": "fair"}])
        assert assay("gate", "--cases", "cases.jsonl").exit_code == 6
        assert assay("gate", "--cases", "cases.jsonl", "--min", "fair=0.5").exit_code == 7

    def test_another_metric_fails(self, gated):
        result = gated([0.9] * 9, [{"id": "q0", "failed_by": "other"}])
        assert result.exit_code == 6
        assert "the run has no other" in " ".join(result.output.split())

    @pytest.mark.parametrize(
        ("case", "why"),
        [
            ({"id": "q0"}, "has no guide value"),
            ({"id": "q0", "failed_by": None}, "case 1 of"),
            ({"id": 7}, "case 1 of"),
        ],
    )
    def test_what_cannot_be_held_is_refused(self, gated, case, why):
        result = gated([0.9] * 9, [case])
        assert result.exit_code == 2
        assert why in " ".join(result.output.split())

    def test_a_set_that_is_not_there_is_refused(self, gated, assay):
        gated([0.9] * 9, [])
        for name in ("cases.jsonl", "nowhere.jsonl"):
            result = assay("gate", "--cases", name)
            assert result.exit_code == 2
            assert f"there are no cases in '{name}'" in result.output

    def test_they_may_stand_in_the_file_of_rules(self, gated, assay, here):
        gated([0.4] * 9, [{"id": "q0"}])
        (here / "assay.toml").write_text('[gate]\ncases = "cases.jsonl"\nmin = {given = 0.3}\n')
        assert assay("gate").exit_code == 0
        assert assay("gate", "--min", "given=0.5").exit_code == 6
        (here / "assay.toml").write_text("[gate]\ncases = 3\n")
        assert "name a file" in assay("gate").output


def test_no_judge_is_named_where_none_was_asked(assay, here):
    write_rows(here / "rows.jsonl", [{"answer": "Anna built it.", "reference": "Anna built it."}])
    assert "no judge asked" in assay("run", "rows.jsonl", "-m", "exact_match").output
    for options in ((), ("--markdown", "gate.md", "--junit", "gate.xml")):
        shown = assay("gate", "--min", "exact_match=0.5", *options).output
        assert "embedded" not in shown
    assert "embedded" not in (here / "gate.md").read_text() + (here / "gate.xml").read_text()
