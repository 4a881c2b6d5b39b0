"""`assay robustness`: a system asked again with perturbed questions and contexts."""

import inspect
import json

import pytest
from cli_help import write_rows

from support import towers
from support.llm_server import LLMServer

ROBUSTNESS = ("robustness", "towers.jsonl", "--target", "my_rag.py:weak", "-m", "string_presence")


@pytest.fixture
def rag(here, assay):
    """The command line in a folder with a system and questions."""
    (here / "my_rag.py").write_text(inspect.getsource(towers), "utf-8")
    write_rows(here / "towers.jsonl", towers.rows(30))
    return assay


def test_it_shows_where_a_system_drops_in_80_columns_and_writes_every_form(rag, here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    outs = ("--out", "curves.html", "--out", "curves.md", "--out", "curves.json")
    result = rag(*ROBUSTNESS, "--vary", "position=last", "--vary", "letters=upper", *outs)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "string_presence  █▁" in result.stdout
    assert "string_presence  ██" in result.stdout
    assert result.stdout.count("position: drops at last by 1.00 (string_presence)") == 1
    assert "position=last: 30 samples; system asked 30, reused 0" in result.stderr
    page = (here / "curves.html").read_text("utf-8")
    assert page.count("<svg viewBox") == 2
    assert "drops at last" in page
    assert "| last | 30 | 0.00 (" in (here / "curves.md").read_text("utf-8")
    curves = json.loads((here / "curves.json").read_text("utf-8"))["curves"]
    assert [one["perturbation"] for one in curves] == ["position", "letters"]


def test_what_many_perturbations_have_in_common_is_said_once(rag, here):
    harmless = ("--vary", "letters=upper", "--vary", "keywords", "--out", "curves.md")
    result = rag(*ROBUSTNESS, *harmless)
    assert result.exit_code == 0, result.output
    for written in (result.stdout, (here / "curves.md").read_text("utf-8").replace("\\", "")):
        assert written.count("no drop seen: letters, keywords (string_presence)") == 1
        assert written.count("no drop seen:") == 1


def test_json_has_every_number_and_nothing_is_asked_twice(rag):
    vary = ("--vary", "noise=0.4", "--vary", "keywords", "--name", "rag")
    first = json.loads(rag(*ROBUSTNESS, *vary, "--json").stdout)
    assert [one["asked"] for one in first["levels"]] == [30, 30]
    again = json.loads(rag(*ROBUSTNESS, *vary, "--json").stdout)
    assert (again["asked"], again["reused"]) == (0, 30)
    assert [one["asked"] for one in again["levels"]] == [0, 0]
    assert again["curves"] == first["curves"]
    listed = json.loads(rag("runs", "--tag", "robustness", "--json").stdout)
    assert {one["name"] for one in listed} == {
        *("rag/unperturbed", "rag/noise=0.4", "rag/keywords=only"),
    }


def test_samples_that_a_perturbation_does_not_apply_to_are_told(rag, here):
    rows = [
        {**row, "contexts": row["contexts"][: 1 + at % 3]} for at, row in enumerate(towers.rows(9))
    ]
    write_rows(here / "towers.jsonl", rows)
    result = rag(*ROBUSTNESS, "--vary", "position=last")
    text = " ".join(result.stdout.split())
    assert "last: made of 3 of 9 samples. Left out: 6 (it has too few other contexts)" in text


def test_one_budget_holds_for_all_levels_and_the_same_command_goes_on(rag):
    with LLMServer().in_thread() as server:
        judge = ("--judge", "openai:m", "--api-key", "", "--base-url", server.url)
        vary = ("--limit", "4", "--vary", "typos=0.9", *judge)
        asked = (*ROBUSTNESS, "-m", "faithfulness", *vary)
        assert rag(*asked, "-q", "--store", "free.db").exit_code == 0
        all_calls = server.count()
        stopped = rag(*asked, "--budget", f"{all_calls - 1}calls", "-q")
        assert stopped.exit_code == 5, stopped.output
        assert "stopped: typos=0.9: " in stopped.stderr
        assert server.count() == 2 * all_calls - 1
        assert rag(*asked, "-q").exit_code == 0
        assert server.count() == 2 * all_calls


def test_a_dry_run_counts_and_asks_nobody(rag):
    counted = rag(*ROBUSTNESS, "--vary", "noise=0.4,0.8", "--dry-run")
    assert "90 questions to send in 3 levels. Nothing was asked." in counted.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--vary", "noise=,"), "has an empty value"),
        (("--vary", "noise=0.4", "--vary", "noise"), "--vary names noise twice"),
        (("--vary", "nose"), "'nose' is not a perturbation"),
        (("--vary", "noise=many"), "'many' is no level of noise"),
        (("--target-body", "{}"), "body and headers are for a target with a URL"),
        (("--out", "curves.pdf"), "no report ends in '.pdf'"),
        (("-m", "noise_robustnes"), "noise_robustness"),
    ],
)
def test_what_cannot_be_varied_is_refused(rag, options, said):
    result = rag(*ROBUSTNESS, *options)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.stderr.split())
