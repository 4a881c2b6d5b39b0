"""Runs are named, tagged and found again on the command line."""

import json

import pytest
from cli_help import FAITHFULNESS, JUDGE

from assay import Result
from support.once import made_once


@made_once
def named(assay):
    """A store with two runs that have names, the second over one row."""
    said = ("--tag", "sweep", "--note", "first of all", "--param", "k=5")
    assert assay(*FAITHFULNESS, *JUDGE, "--name", "two rows", *said).exit_code == 0
    more = ("--tag", "sweep", "--tag", "small", "--param", "k=3")
    done = assay(*FAITHFULNESS, *JUDGE, "--limit", "1", "--name", "one row", *more)
    assert done.exit_code == 0
    return assay


def test_what_is_said_of_a_run_stands_where_it_is_shown(named):
    rows = json.loads(named("runs", "--json").stdout)
    assert [row["name"] for row in rows] == ["one row", "two rows"]
    assert (rows[1]["tags"], rows[1]["params"]) == (["sweep"], {"k": 5})
    shown = named("runs").stdout
    assert "two rows" in shown
    assert "k=5; sweep; first of all" in shown
    for command in (("show", "two rows"), ("diagnose", "two rows")):
        assert f"run two rows ({rows[1]['run'][:8]})" in named(*command).stdout


def test_names_stand_whole_in_a_list_of_80_columns(assay, monkeypatch):
    names = ["support bot, reranker on, prompt 2", "chunks of 512 words with 64 of overlap, bm25"]
    for name, rows in zip(names, "12", strict=True):
        assay(*FAITHFULNESS, *JUDGE, "--limit", rows, "--name", name, "--tag", "nightly")
    monkeypatch.setenv("COLUMNS", "80")
    lines = assay("runs").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert names[0] in lines[3]
    assert " ".join(line[:30].strip() for line in lines[1:3]) == names[1]
    assert "1 metric, " in " ".join(" ".join(lines).split())


def test_hints_name_the_run_as_its_user_does(assay):
    shown = assay(*FAITHFULNESS, *JUDGE, "--name", "two rows").stdout
    assert "assay show 'two rows' --sample" in shown
    assert "assay diagnose 'two rows'" in shown


def test_runs_of_a_tag(named):
    rows = json.loads(named("runs", "--tag", "small", "--json").stdout)
    assert [row["name"] for row in rows] == ["one row"]
    assert len(json.loads(named("runs", "--tag", "sweep", "--json").stdout)) == 2
    assert "no run with that tag" in named("runs", "--tag", "other").stdout


@pytest.mark.slow
@pytest.mark.parametrize("run", ["two rows", "last~1"])
@pytest.mark.parametrize(
    "command", [["show"], ["diagnose"], ["gate", "--min", "faithfulness=0"], ["report"]]
)
def test_every_command_takes_a_name(named, here, command, run):
    outs = ["--out", "r.html"] if command == ["report"] else []
    result = named(command[0], run, *command[1:], *outs)
    assert result.exit_code in (0, 7), result.output
    if outs:
        assert "Run two rows <code>" in (here / "r.html").read_text("utf-8")


def test_a_run_of_another_store_is_named_too(named):
    result = named("gate", "assay.db:two rows", "--min", "faithfulness=0", "--json")
    assert json.loads(result.stdout)["title"] == "two rows"


def test_names_may_hold_colons_and_dots(named):
    assert named("describe", "two rows", "--name", "v1.2 openai:gpt").exit_code == 0
    for spec in ("v1.2 openai:gpt", "assay.db:v1.2 openai:gpt"):
        result = named("gate", spec, "--min", "faithfulness=0", "--json")
        assert json.loads(result.stdout)["title"] == "v1.2 openai:gpt"


class TestDescribe:
    def test_a_run_is_renamed_and_nothing_else_about_it_changes(self, named):
        before = Result("assay.db", "two rows")
        summary = before.summary()
        named("describe", "two rows", "--name", "renamed")
        after = Result("assay.db", "renamed")
        assert after.run.id == before.run.id
        assert after.summary() == summary
        assert after.run.params == {"k": 5}
        assert named("show", "two rows").exit_code == 2

    def test_tags_and_parameters_are_added_and_taken_off(self, named):
        change = ("--tag", "new", "--untag", "sweep", "--param", "m=s", "--unset", "k")
        found = json.loads(named("describe", "two rows", *change, "--json").stdout)
        assert (found["tags"], found["params"]) == (["new"], {"m": "s"})
        assert found["note"] == "first of all"

    def test_a_name_and_a_note_are_taken_away(self, named):
        found = json.loads(
            named("describe", "two rows", "--name", "", "--note", "", "--json").stdout
        )
        assert (found["name"], found["note"]) == ("", "")
        assert found["title"].startswith("data.jsonl, ")

    def test_alone_it_only_shows(self, named):
        shown = named("describe", "one row").stdout
        assert "sweep, small" in shown
        assert "k=3" in shown

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("more", "why"),
        [
            (("--untag", "none"), "has no tag 'none': it has sweep"),
            (("--unset", "z"), "has no parameter 'z'"),
            (("--name", "last"), "cannot be called 'last'"),
            (("--param", "k"), "is not KEY=VALUE"),
            (("--param", "k=1", "--param", "k=2"), "a second value"),
            (("--tag", "a", "--untag", "a"), "is given and taken off"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, named, more, why):
        result = named("describe", "two rows", *more)
        assert result.exit_code == 2
        assert why.split(":")[0] in result.stderr


def test_the_same_run_under_another_name_is_told(named):
    told = named(*FAITHFULNESS, *JUDGE, "--name", "other", "--param", "k=6").stderr
    assert "is known already: same data, metrics and judge" in told
    assert "name 'two rows' by 'other', k '5' by '6'" in told
    assert Result("assay.db", "other").run.params == {"k": 6}


def test_a_name_that_cannot_be_is_refused_before_anybody_is_asked(assay, here):
    result = assay(*FAITHFULNESS, *JUDGE, "--name", "last")
    assert result.exit_code == 2
    assert not (here / "assay.db").exists()


def test_the_configuration_may_tag_every_run(assay, here):
    (here / "assay.toml").write_text('[run]\ntag = ["ci"]\nparam = "k=5"\n', "utf-8")
    assay(*FAITHFULNESS, *JUDGE)
    run = Result("assay.db").run
    assert (run.tags, run.params) == (("ci",), {"k": 5})


def test_names_do_not_steer_the_terminal_or_the_page(named, here):
    named("describe", "two rows", "--name", "<script>x</script>")
    named("report", "last~1", "--out", "r.html")
    assert "<script>x" not in (here / "r.html").read_text("utf-8")
