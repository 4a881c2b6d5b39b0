"""Tests of other projects fail and pass as they should; who asks nothing is not disturbed."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
import scipy.special

from assay import Result
from assay._analysis import gate
from assay._report import gate as shown
from assay._report import run as views
from assay._report.run import collect
from assay._runner import evaluate
from assay.pytest_plugin import holds
from assay.stats import comparison
from support import scripts
from support.over import over

# A test run within a test forgets the modules that it loaded first. These cannot be loaded twice,
# or take long to.
LOADED = (np, scipy.special, evaluate, gate, collect, views, shown, comparison)

pytest_plugins = ("pytester",)

ROOT = Path(__file__).parents[2]
CONFTEST = """
import pytest
from support.scripts import Watched, plausible

@pytest.fixture(scope="session")
def assay_judge():
    return plausible()
"""
# Plausibly judged: what is said of the capital is supported, what is said of penguins is not.
ROW = """
ROW = {
    "id": "france",
    "question": "What is the capital of France?",
    "contexts": ["Paris is the capital of France. It lies on the Seine."],
    "answer": "Paris is the capital of France. It was founded by penguins.",
}
"""
HEAD = "import pytest\nfrom assay.pytest_plugin import *\nfrom assay.pytest_plugin import faithfulness\n"


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with a judge; called with the text of a test module it runs its tests."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    pytester.makeconftest(CONFTEST)

    def call(text, *options, plugins=("assay.pytest_plugin",), inside=True):
        pytester.makepyfile(test_it=HEAD.replace("import *", "import measured") + ROW + text)
        given = [word for plugin in plugins for word in ("-p", plugin)]
        start = pytester.runpytest_inprocess if inside else pytester.runpytest_subprocess
        return start(*given, *options)

    return call


class TestAssertScore:
    def test_a_demand_that_is_met_passes(self, project):
        text = "def test_it(assert_score):\n    assert_score(ROW, faithfulness >= 0.5)\n"
        project(text).assert_outcomes(passed=1)

    @pytest.mark.parametrize(
        ("demand", "met"),
        [(">= 0.5", 1), ("> 0.5", 0), ("<= 0.5", 1), ("< 0.5", 0), (">= 0.8", 0), ("<= 0.2", 0)],
    )
    def test_signs_mean_what_they_say(self, project, demand, met):
        text = f"def test_it(assert_score):\n    assert_score(ROW, faithfulness {demand})\n"
        project(text).assert_outcomes(passed=met, failed=1 - met)

    def test_a_failure_shows_the_evidence_and_no_insides(self, project):
        result = project("def test_it(assert_score):\n    assert_score(ROW, faithfulness >= 0.8)\n")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [
                "*assert_score(ROW, faithfulness >= 0.8)",
                "E*faithfulness >= 0.8: it is 0.50",
                "E*Paris is the capital of France. It was founded by penguins.",
                "E*Paris is the capital of France.",
                "E*supported, context 1",
                "E*It was founded by penguins.",
                "E*unsupported",
                "E*assay show * --store *",
                "test_it.py:*: AssertionError",
            ]
        )
        result.stdout.no_fnmatch_line("*asyncio*")
        result.stdout.no_fnmatch_line("*pytest_plugin.py*")

    def test_no_score_is_a_failure_with_its_reason(self, project):
        result = project(
            "def test_it(assert_score):\n"
            "    assert_score({**ROW, 'answer': 'I do not know.'}, faithfulness >= 0.0)\n"
        )
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            ["E*faithfulness >= 0: no score, undefined: the answer makes no statement"]
        )

    def test_several_demands_are_all_told_if_missed(self, project):
        result = project(
            "OLD = 'deepeval:hallucination(version=4.1)'\n"
            "def test_it(assert_score):\n"
            "    assert_score(ROW, faithfulness > 0.9, measured(OLD) <= 0,\n"
            "                 measured('context_relevance') >= 0)\n"
        )
        result.stdout.fnmatch_lines(
            ["E*faithfulness > 0.9: it is*", "E*deepeval:hallucination(version=4.1) <= 0: it is*"]
        )
        result.stdout.no_fnmatch_line("*context_relevance >= 0: it is*")

    def test_what_is_no_demand_is_a_mistake_of_the_test(self, project):
        result = project("def test_it(assert_score):\n    assert_score(ROW, True)\n")
        result.stdout.fnmatch_lines(["*TypeError: assert_score takes a sample and demands*"])

    def test_a_metric_that_does_not_exist_cannot_be_imported(self, project):
        result = project("from assay.pytest_plugin import faithfullness\n")
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*ImportError: cannot import name 'faithfullness'*"])

    def test_an_async_test_awaits_it(self, project):
        text = """
@pytest.mark.asyncio
async def test_it(aassert_score):
    await aassert_score(ROW, faithfulness >= 0.5)
    with pytest.raises(AssertionError, match="it is 0.50"):
        await aassert_score(ROW, faithfulness >= 0.8)

@pytest.mark.asyncio
async def test_the_other_one_works_there_too(assert_score):
    assert_score(ROW, faithfulness >= 0.5)
"""
        plugins = ("assay.pytest_plugin", "pytest_asyncio.plugin")
        scope = ("-o", "asyncio_default_fixture_loop_scope=function")
        project(text, *scope, plugins=plugins).assert_outcomes(passed=2)


class TestSession:
    TWICE = """
def test_one(assert_score, assay_judge):
    before = assay_judge.calls
    assert_score(ROW, faithfulness >= 0.5)
    assert assay_judge.calls - before == {paid}

def test_two(assert_score, assay_judge):
    before = assay_judge.calls
    assert_score(ROW, faithfulness >= 0.1)
    assert_score({{**ROW, "id": "other"}}, faithfulness >= 0.1)
    assert assay_judge.calls == before
"""

    def test_what_was_asked_once_is_known_to_all_tests_and_to_the_next_session(self, project):
        project(self.TWICE.format(paid=2)).assert_outcomes(passed=2)
        project(self.TWICE.format(paid=0)).assert_outcomes(passed=2)

    def test_what_was_paid_is_told(self, project, pytester):
        result = project(self.TWICE.format(paid=2))
        store = pytester.path / "assay-tests.db"
        result.stdout.fnmatch_lines([f"assay: 2 scored, 2 judge calls paid for, kept in {store}"])
        result = project(self.TWICE.format(paid=0))
        result.stdout.fnmatch_lines([f"assay: 2 scored, 0 judge calls paid for, kept in {store}"])

    def test_judge_and_store_from_the_command_line(self, project, pytester):
        pytester.makeconftest("")
        verdict = '{"verdicts": [{"id": "s1", "supported": true}]}'
        script = {"split_statements": scripts.split("x"), "verify_statements": verdict}
        (pytester.path / "judge.json").write_text(json.dumps(script))
        text = "def test_it(assert_score):\n    assert_score(ROW, faithfulness >= 1)\n"
        given = ("--assay-judge", "scripted:judge.json", "--assay-store", "mine.db")
        project(text, *given).assert_outcomes(passed=1)
        assert (
            Result(pytester.path / "mine.db").run.config["judge"].startswith("scripted:judge.json")
        )

    def test_judge_and_store_from_the_ini_file(self, project, pytester):
        pytester.makeconftest("")
        pytester.makeini("[pytest]\nassay_judge = judge_of_mine:JUDGE\nassay_store = mine.db\n")
        pytester.makepyfile(
            judge_of_mine="from support.scripts import plausible\nJUDGE = plausible('mine')\n"
        )
        text = "def test_it(assert_score):\n    assert_score(ROW, faithfulness >= 0.5)\n"
        project(text).assert_outcomes(passed=1)
        assert Result(pytester.path / "mine.db").run.config["judge"] == "mine"

    @pytest.mark.slow
    def test_processes_of_xdist_share_the_store(self, project, pytester):
        text = """
@pytest.mark.parametrize("n", range(8))
def test_it(assert_score, n):
    assert_score({**ROW, "id": f"q{n}"}, faithfulness >= 0.5)
"""
        plugins = ("assay.pytest_plugin", "xdist")
        result = project(text, "-n", "2", plugins=plugins, inside=False)
        result.assert_outcomes(passed=8)
        from assay._store import Store

        with Store(pytester.path / "assay-tests.db") as store:
            assert len(store.runs()) == 8
        result.stdout.fnmatch_lines(["assay: 8 scored, * judge calls paid for, kept in *"])
        result = project(text, "-n", "1", plugins=plugins, inside=False)
        result.stdout.fnmatch_lines(["assay: 8 scored, 0 judge calls paid for, kept in *"])


class TestSamples:
    @pytest.fixture
    def data(self, pytester):
        rows = [
            {
                "id": f"q{n}",
                "question": "why?",
                "output": "Paris is big.",
                "contexts": ["Paris is big."],
            }
            for n in range(4)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (pytester.path / "rows.jsonl").write_text(text)

    def test_a_test_is_called_with_every_sample(self, project, data):
        result = project(
            '@pytest.mark.assay_samples("rows.jsonl", mapping={"answer": "output"})\n'
            "def test_it(sample, assert_score):\n"
            "    assert_score(sample, faithfulness >= 0.5)\n",
            "-v",
            "--strict-markers",
        )
        result.assert_outcomes(passed=4)
        result.stdout.fnmatch_lines(["*test_it[[]q0] PASSED*", "*test_it[[]q3] PASSED*"])

    def test_the_first_ones_under_another_name(self, project, data):
        result = project(
            '@pytest.mark.assay_samples("rows.jsonl", limit=2, name="row")\n'
            "def test_it(row):\n    assert row.question\n"
        )
        result.assert_outcomes(passed=2)

    def test_a_file_that_is_not_there_is_told_in_words(self, project):
        result = project('@pytest.mark.assay_samples("no.jsonl")\ndef test_it(sample): pass\n')
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*assay_samples: there is no file*no.jsonl*"])
        result.stdout.no_fnmatch_line("*Traceback*")

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("marker", "told"),
        [
            ("", "*assay_samples: missing a required argument: 'path'*"),
            (
                '("rows.jsonl", limt=2)',
                "*assay_samples: got an unexpected keyword argument 'limt'*",
            ),
        ],
    )
    def test_a_marker_that_is_misused_is_told_in_words(self, project, marker, told):
        result = project(f"@pytest.mark.assay_samples{marker}\ndef test_it(sample): pass\n")
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines([told])
        result.stdout.no_fnmatch_line("*pytest_plugin.py*")


class TestMistakes:
    @pytest.mark.parametrize(
        ("call", "told"),
        [
            (
                'assert_score({"qestion": "Why?"}, faithfulness >= 0)',
                "*no column holds 'question'*",
            ),
            ("assert_score(ROW, measured('faithfulnes') >= 0)", "*did you mean*faithfulness*"),
            ('assay_gate("no.jsonl", ["faithfulness"])', "*there is no file*no.jsonl*"),
            ('assay_gate("no.jsonl", minn={})', "*knows no rule 'minn' -> its rules: min, max*"),
            ("assert_score(ROW, faithfulness <= 20)", "*<= 20: its values are 0 to 1"),
            ("assert_score(ROW, faithfulness > 1)", "*> 1: its values are 0 to 1"),
            ("assert_score(ROW, faithfulness < 0)", "*< 0: its values are 0 to 1"),
            ("assert_score(ROW, faithfulness >= float('nan'))", "*>= nan: its values are 0 to 1"),
            ("assert_score(ROW, faithfulness >= '1')", "*>= '1' -> compare it with a number"),
        ],
    )
    def test_they_are_told_in_words_at_the_line_of_the_test(self, project, call, told):
        result = project(f"def test_it(assert_score, assay_gate):\n    {call}\n")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([f">*{call}".replace("[", "[[]"), f"E {told}"])
        result.stdout.no_fnmatch_line("*asyncio*")
        result.stdout.no_fnmatch_line("*pytest_plugin.py*")

    def test_in_an_async_test_too(self, project):
        result = project(
            "@pytest.mark.asyncio\nasync def test_it(aassert_score):\n"
            "    await aassert_score({}, faithfulness >= 0)\n",
            *("-o", "asyncio_default_fixture_loop_scope=function"),
            plugins=("assay.pytest_plugin", "pytest_asyncio.plugin"),
        )
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["E *faithfulness*needs*"])
        result.stdout.no_fnmatch_line("*pytest_plugin.py*")


class TestGate:
    ROWS = 'ROWS = [{**ROW, "id": f"q{n}"} for n in range(30)]\n'

    @pytest.mark.slow
    @pytest.mark.parametrize("folder", [".", "tests"])
    def test_files_are_looked_for_beside_the_test_then_in_the_root_folder(
        self, project, pytester, monkeypatch, folder
    ):
        names = {}
        exec(ROW, names)
        place = pytester.path / folder
        place.mkdir(exist_ok=True)
        (place / "rows.jsonl").write_text(json.dumps(names["ROW"]) + "\n")
        evaluate.evaluate(
            [names["ROW"]], "faithfulness", scripts.plausible(), store=place / "before.db"
        )
        tests = pytester.mkdir("tests") if folder == "." else place
        monkeypatch.chdir(pytester.mkdir("elsewhere"))
        (tests / "test_gate.py").write_text(
            "def test_it(assay_gate):\n"
            '    assay_gate("rows.jsonl", ["faithfulness"], baseline="before.db", on="mean")\n'
            '    assay_gate("rows.jsonl", ["faithfulness"], baseline="before.db:last", on="mean")\n'
        )
        ini = pytester.path / "pytest.ini"
        ini.write_text("[pytest]\n")
        result = pytester.runpytest_inprocess(
            "-p", "assay.pytest_plugin", "-c", ini, tests / "test_gate.py"
        )
        result.assert_outcomes(passed=1)

    def test_a_whole_data_set_passes_or_fails(self, project):
        result = project(
            self.ROWS + "def test_good(assay_gate):\n"
            '    result = assay_gate(ROWS, min={"faithfulness": 0.3})\n'
            '    assert len(result["faithfulness"]) == 30\n'
            "def test_bad(assay_gate):\n"
            '    assay_gate(ROWS, min={"faithfulness": 0.9})\n'
        )
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["E*gate not passed: 2 rules, 1 failed"])
        result.stdout.fnmatch_lines(["E*pass *unscored*", "E*assay show * --store *"])
        result.stdout.no_fnmatch_line("*--all*")  # which pytest does not have

    def test_a_run_is_named_and_a_baseline_found_by_its_name(self, project):
        result = project(
            self.ROWS + "def test_it(assay_gate, assay_session):\n"
            '    said = {"name": "release 1", "tags": ["ci"], "params": {"k": 5}}\n'
            '    found = assay_gate(ROWS, min={"faithfulness": 0.3}, **said)\n'
            '    assert (found.run.title, found.run.params) == ("release 1", {"k": 5})\n'
            '    assay_gate(ROWS[:-1], ["faithfulness"], baseline="release 1")\n'
            '    assay_gate(found, min={"faithfulness": 0.3}, name="renamed")\n'
            '    assert found.run.name == "renamed"\n'
        )
        result.assert_outcomes(passed=1)

    @pytest.mark.slow
    def test_against_a_baseline(self, project):
        result = project(
            self.ROWS + "def test_it(assay_gate, assay_session):\n"
            '    before = assay_gate(ROWS, ["faithfulness"], max={"faithfulness": 0.9})\n'
            '    better = [{**row, "answer": "Paris is the capital of France."} for row in ROWS]\n'
            '    after = assay_gate(better, ["faithfulness"], baseline=before)\n'
            '    run = f"{assay_session.store}:{before.run.id}"\n'
            "    assay_gate(after, baseline=run)\n"
            '    with pytest.raises(AssertionError, match="not worse by more than 0.05"):\n'
            "        assay_gate(before, baseline=after)\n"
        )
        result.assert_outcomes(passed=1)


class TestThoseWhoDoNotUseIt:
    TEXT = """
import sys

def test_it():
    loaded = sorted(name for name in sys.modules if name.split(".")[0] == "assay")
    assert loaded == ["assay", "assay._lazy", "assay._version", "assay.pytest_plugin"]
    assert not {"numpy", "rich", "click", "aiohttp", "msgspec"} & set(sys.modules)
"""

    def test_nothing_is_imported_written_or_said(self, pytester, monkeypatch):
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        pytester.makepyfile(self.TEXT)
        result = pytester.runpytest_subprocess("-p", "assay.pytest_plugin", "-W", "error")
        result.assert_outcomes(passed=1)
        assert "assay" not in result.stdout.str().replace(str(ROOT), "").lower()
        assert not list(pytester.path.glob("*.db"))

    def test_pytest_finds_it_by_its_entry_point(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        assert project["entry-points"]["pytest11"] == {"assay": "assay.pytest_plugin"}


def test_a_chain_of_comparisons_is_refused_since_python_would_keep_its_last_half_only():
    from assay.pytest_plugin import faithfulness

    with pytest.raises(TypeError, match="give two demands"):
        0.5 <= faithfulness <= 0.9  # noqa: B015


@over(
    ("sign", "value", "met"),
    [(">=", 0.3, True), ("<=", 0.3, True), (">", 0.3, False), ("<", 0.3, False), (">", 0.2, True)],
)
def test_a_demand_that_differs_by_rounding_only_is_met_exactly(sign, value, met):
    for score in (0.1 + 0.2, 0.3, 0.6 - 0.3):
        assert holds(score, sign, value) is met
