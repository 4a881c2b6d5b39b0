"""Every command that writes files says which, in the same words."""

import json
from types import SimpleNamespace

import pytest
from cli_help import FAITHFULNESS, JUDGE, write_rows

from assay import Result
from assay._cli import scoring
from support.once import made_once

METRIC = '''
import assay

@assay.metric(needs=("answer",), guide=0.5)
def told(sample, judge):
    """The score that the row tells."""
    return assay.Score(sample.metadata["score"])
'''
COMMANDS = {
    "run": ("run", "a.jsonl", "-m", "mine:told", "--out", "r.html", "--out", "r.md"),
    "report": ("report", "last", "--out", "r.html", "--out", "r.md"),
    "diagnose": ("diagnose", "last", "--out", "r.html", "--out", "r.md"),
    "history": ("history", "--out", "r.html", "--out", "r.md"),
    "compare": ("compare", "A", "B", "--out", "r.html", "--out", "r.md"),
    "items": ("items", "A", "B", "--out", "r.html", "--out", "r.md"),
    "agree": ("agree", "last", "--labels", "labels.jsonl", "--out", "r.html", "--out", "r.md"),
    "calibrate": ("calibrate", "--labels", "labels.jsonl", "--out", "r.html", "--out", "r.md"),
    "gate": ("gate", "--min", "told=0", "--junit", "r.html", "--markdown", "r.md"),
}
# Of these --json is data of the run alone, which says what it wrote, or there is none.
WITHOUT_JSON = ("run", "report")


@made_once
def two(assay, here):
    """Two runs over the same thirty questions, labels of them, and the names of the runs."""
    (here / "mine.py").write_text(METRIC, "utf-8")
    for name, step in (("a", 7), ("b", 11)):
        rows = [{"id": f"s{n}", "answer": "a", "score": n * step % 30 / 30} for n in range(30)]
        write_rows(here / f"{name}.jsonl", rows)
        done = assay("run", f"{name}.jsonl", "-m", "mine:told", "--quiet")
        assert done.exit_code == 0, done.output
    write_rows(
        here / "labels.jsonl", [{"id": f"s{n}", "label": int(n * 11 % 30 > 12)} for n in range(30)]
    )
    found = [row["run"] for row in json.loads(assay("runs", "--json").stdout)]
    return dict(zip("AB", found, strict=True))


def named(line, runs):
    return [runs.get(word, word) for word in line]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_in_the_same_words_which_files_it_wrote(assay, here, two, command):
    result = assay(*named(COMMANDS[command], two))
    assert result.exit_code == 0, result.output
    # The names stand in a column, which is wider where "skipped" or "store" stand below it.
    said = [line.split() for line in result.stdout.splitlines() if line.startswith("report ")]
    assert said == [["report", "r.html"], ["report", "r.md"]]
    assert (here / "r.html").is_file()
    assert (here / "r.md").is_file()


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in WITHOUT_JSON])
def test_json_stays_json_where_files_are_written_too(assay, two, command):
    json.loads(assay(*named(COMMANDS[command], two), "--json").stdout)


def test_nothing_overwrites_the_judge_or_the_configuration(assay, here):
    run = (*FAITHFULNESS, *JUDGE)
    (here / "assay.toml").write_text('[run]\nstore = "assay.db"\n', "utf-8")
    before = {name: (here / name).read_bytes() for name in ("judge.json", "assay.toml")}
    for command in (
        (*run, "--out", "judge.json"),
        (*run, "--skip-invalid", "judge.json"),
        (*run, "--skip-invalid", "assay.toml"),
        ("gate", "--min", "faithfulness=0", "--markdown", "assay.toml"),
        ("gate", "--min", "faithfulness=0", "--junit", "assay.toml"),
        ("bench", "wikieval", "--data", ".", *JUDGE, "--out", "judge.json"),
    ):
        refused = assay(*command)
        assert refused.exit_code == 2, command
        assert "would overwrite what this command reads -> name another" in refused.stderr
    assert assay(*run).exit_code == 0
    refused = assay("diagnose", "--counterfactual", *JUDGE, "--out", "judge.json")
    assert (refused.exit_code, "would overwrite" in refused.stderr) == (2, True)
    assert before == {name: (here / name).read_bytes() for name in before}


def test_json_names_a_file_in_an_object_store_without_its_password(scored):
    (run,) = json.loads(scored("runs", "--json").stdout)
    request = SimpleNamespace(
        outs=("s3://KEY:SECRET@bucket/r.html", "r.md"), store="assay.db", data="data.jsonl"
    )
    told = scoring.as_json(Result("assay.db", run["run"]), request)
    assert told["out"] == ["s3://KEY@bucket/r.html", "r.md"]
