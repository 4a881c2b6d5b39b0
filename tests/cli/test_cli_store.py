"""`assay export`, `import`, `verify` and `gc` do what they promise."""

import gzip
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest
from cli_help import FAITHFULNESS, JUDGE, write_rows
from click.testing import CliRunner

from assay._cli import main
from support.once import made_once


def test_a_run_moves_to_another_store_and_goes_on_there_without_a_call(scored, here):
    exported = scored("export", "assay.db")
    assert exported.exit_code == 0, exported.output
    Path("runs.jsonl").write_text(exported.stdout, "utf-8")
    taken = scored("import", "runs.jsonl", "--store", "there.db")
    assert taken.exit_code == 0, taken.output
    assert "1 new: run" in taken.stdout
    assert "assay show" in taken.stdout
    here_and_there = [
        json.loads(scored("show", "--json", "--store", store).stdout)
        for store in ("assay.db", "there.db")
    ]
    assert here_and_there[0] == here_and_there[1]
    again = scored(*FAITHFULNESS, *JUDGE, "--store", "there.db", "--json")
    assert json.loads(again.stdout)["cost"]["calls"] == here_and_there[0]["cost"]["calls"]


def test_a_run_is_piped_from_store_to_store(scored):
    lines = scored("export", "assay.db").stdout
    taken = CliRunner().invoke(main, ["import", "-", "--store", "there.db"], input=lines)
    assert taken.exit_code == 0, taken.output
    twice = CliRunner().invoke(main, ["import", "-", "--store", "there.db"], input=lines)
    assert "0 new: run, 1 were there already" in twice.stdout


def test_one_run_of_several_is_exported(scored, here):
    assert scored(*FAITHFULNESS, *JUDGE, "--limit", "1").exit_code == 0
    runs = [run["run"] for run in json.loads(scored("runs", "--json").stdout)]
    lines = [json.loads(line) for line in scored("export", "assay.db", runs[0]).stdout.splitlines()]
    assert [line["run"]["id"] for line in lines if "run" in line] == [runs[0]]


def test_a_file_that_holds_no_runs_is_refused(scored):
    refused = scored("import", "data.jsonl")
    assert refused.exit_code == 2
    assert (
        "the file holds no runs -> `assay export STORE > runs.jsonl` writes one" in refused.stderr
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"question": "?"}\n', "the file holds no runs"),
        ("", "the file is empty"),
        ("id,answer\n", "row 1: is not as `assay export` writes it"),
        (b"\xff\xfe", "is no text"),
    ],
)
def test_for_a_file_that_holds_no_runs_no_store_is_made(assay, here, text, told):
    (here / "other").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused = assay("import", "other", "--store", "new.db")
    assert (refused.exit_code, told in refused.stderr) == (2, True), refused.stderr
    assert not (here / "new.db").exists()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (
            lambda lines: [lines[0], "damaged\n", *lines[2:]],
            "error: row 2: is not as `assay export`",
        ),
        (lambda lines: lines[:4], "error: the file ends early, after line 4 -> export it anew"),
        (lambda lines: [*lines[:2], "\udcff\n"], "error: 'runs.jsonl' is no text"),
    ],
    ids=["damaged", "cut off", "no text"],
)
def test_for_a_file_that_is_damaged_further_down_no_store_is_left(scored, here, damage, told):
    lines = scored("export", "assay.db").stdout.splitlines(keepends=True)
    text = "".join(damage(lines))
    (here / "runs.jsonl").write_bytes(text.encode("utf-8", "surrogateescape"))
    refused = scored("import", "runs.jsonl", "--store", "new.db")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert told in refused.stderr
    assert not list(here.glob("new.db*"))
    before = (here / "assay.db").read_bytes()
    assert scored("import", "runs.jsonl", "--store", "assay.db").exit_code == 2
    assert (here / "assay.db").read_bytes() == before


def test_a_whole_store_is_verified(scored):
    found = scored("verify")
    assert found.exit_code == 0, found.output
    assert found.stdout.endswith("assay.db is whole\n")
    assert "4 replies, 2 scores, 2 samples" in found.stdout
    assert json.loads(scored("verify", "assay.db", "--json").stdout)["problems"] == []


def test_damage_is_told_with_what_to_do(scored):
    with sqlite3.connect("assay.db") as connection:
        connection.execute("DELETE FROM replies WHERE id = 1")
    connection.close()
    found = scored("verify")
    assert found.exit_code == 2
    assert "problem: run" in found.stderr
    assert "assay.db is damaged -> no run can be read in full: use a copy" in found.stderr
    assert "is whole" not in found.stdout


def test_a_damaged_text_is_told_as_damage_and_no_bug(scored):
    with sqlite3.connect("assay.db") as connection:
        connection.execute("UPDATE jobs SET evidence = x'ff00ff'")
    connection.close()
    shown = scored("show", "--sample", "tower")
    assert shown.exit_code == 2
    assert "the store 'assay.db' is damaged: the score of run" in shown.stderr
    assert "-> `assay verify assay.db` names all that is damaged" in shown.stderr


def test_runs_that_are_whole_can_be_saved_from_a_damaged_store(scored):
    whole, damaged = _two_runs(scored)
    with sqlite3.connect("assay.db") as connection:
        named = f"(SELECT id FROM names WHERE name = '{damaged}')"
        sql = f"UPDATE jobs SET value = value / 2 + 0.1 WHERE run = {named}"
        assert connection.execute(sql).rowcount
    connection.close()
    found = scored("verify")
    assert found.exit_code == 2
    assert f"the score of run {damaged}, row 1 by faithfulness is not what" in found.stderr
    assert f"1 run can be saved: assay export assay.db {whole} > saved.jsonl" in found.stderr
    assert scored("show", damaged).exit_code == scored("export", "assay.db").exit_code == 2
    saved = scored("export", "assay.db", whole)
    assert saved.exit_code == 0, saved.output
    Path("saved.jsonl").write_text(saved.stdout, "utf-8")
    assert scored("import", "saved.jsonl", "--store", "new.db").exit_code == 0
    assert scored("verify", "new.db").exit_code == 0


def _two_runs(scored):
    """Ids of two runs in the store."""
    assert scored(*FAITHFULNESS, *JUDGE, "--limit", "1").exit_code == 0
    return [run["run"] for run in json.loads(scored("runs", "--json").stdout)]


def test_a_run_is_dropped_once_it_is_named(scored):
    (run,) = json.loads(scored("runs", "--json").stdout)
    told = scored("gc", "--delete", run["run"][:6], "--dry-run")
    assert told.exit_code == 0, told.output
    assert "would drop          2 samples" in told.stdout
    assert len(json.loads(scored("runs", "--json").stdout)) == 1
    done = scored("gc", "--delete", run["run"][:6])
    assert "dropped          4 replies" in done.stdout
    assert "MB before" in done.stdout
    assert json.loads(scored("runs", "--json").stdout) == []


def test_without_a_store_there_is_nothing_to_look_after(assay):
    for command in (["verify"], ["gc"], ["export", "assay.db"]):
        refused = assay(*command)
        assert refused.exit_code == 2
        assert "there is no store 'assay.db'" in refused.stderr


WRITER = ("--judge", "openai:writer", "--base-url", "http://127.0.0.1:9/v1", "-n", "1")
# Every command that opens a store, with as much beside it as it asks for first.
OPENS_A_STORE = {
    "run": ("run", "data.jsonl", "-m", "token_f1", "--store", "other.db"),
    "sweep": (
        *("sweep", "data.jsonl", "--target", "http://127.0.0.1:9/", "--set", "k=1,2"),
        *("-m", "token_f1", "--store", "other.db"),
    ),
    "robustness": (
        *("robustness", "data.jsonl", "--target", "system.py:answer", "--vary", "typos=0.5"),
        *("-m", "token_f1", "--store", "other.db"),
    ),
    "show": ("show", "--store", "other.db"),
    "view": ("view", "other.db", "--no-browser"),
    "runs": ("runs", "--store", "other.db"),
    "describe": ("describe", "last", "--name", "x", "--store", "other.db"),
    "diagnose": ("diagnose", "--store", "other.db"),
    "report": ("report", "--out", "report.html", "--store", "other.db"),
    "compare": ("compare", "last", "last", "--store", "other.db"),
    "history": ("history", "--store", "other.db"),
    "items": ("items", "last", "last", "--store", "other.db"),
    "gate": ("gate", "--min", "token_f1=0.5", "--store", "other.db"),
    "watch": ("watch", "data.jsonl", "-m", "token_f1", "--once", "--store", "other.db"),
    "repeat": ("repeat", *JUDGE, "--store", "other.db"),
    "label": ("label", "other.db", "--annotator", "ann"),
    "agree": ("agree", "--labels", "data.jsonl", "--store", "other.db"),
    "correct": ("correct", "--labels", "data.jsonl", "--store", "other.db"),
    "calibrate": ("calibrate", "--labels", "data.jsonl", "--store", "other.db"),
    "bench": ("bench", "attributionbench", "--data", "sets", *JUDGE, "--store", "other.db"),
    "testset": ("testset", "text.md", "--out", "out.jsonl", *WRITER, "--store", "other.db"),
    "testset add": (
        *("testset", "add", "--where", "token_f1<1", "--to", "cases.jsonl"),
        *("--store", "other.db"),
    ),
    "nuggets": ("nuggets", "pool.jsonl", "--out", "out.jsonl", "--store", "other.db"),
    "check": ("check", "data.jsonl", "--design", "--run", "last", "--store", "other.db"),
    "metrics": ("metrics", "token_f1", "rouge", "--compare", "data.jsonl", "--store", "other.db"),
    "doctor": ("doctor", "--store", "other.db"),
    "serve": ("serve", "--port", "0", "--store", "other.db"),
    "mcp": ("mcp", "--store", "other.db"),
    "export": ("export", "other.db"),
    "import": ("import", "runs.jsonl", "--store", "other.db"),
    "verify": ("verify", "other.db"),
    "gc": ("gc", "other.db"),
}
FOREIGN = {
    "tables of the same names": "CREATE TABLE replies (id, post, body); CREATE TABLE jobs (id);"
    " PRAGMA user_version = 3",
    "no table yet": "PRAGMA application_id = 7",
    "a log of writes": "PRAGMA journal_mode = WAL; CREATE TABLE notes (body)",
}


def test_every_command_that_opens_a_store_is_tried_on_foreign_files():
    context = click.Context(main)
    named = {
        name
        for name in main.list_commands(context)
        if any(one.name == "store" for one in main.get_command(context, name).params)
    }
    assert named == set(OPENS_A_STORE)


@made_once
def foreign(scored, here):
    """The command line, in a folder with all that commands ask for before they open a store."""
    Path("runs.jsonl").write_text(scored("export", "assay.db").stdout, "utf-8")
    Path("text.md").write_text("The tower was finished in 1889.\n\n" * 400, "utf-8")
    Path("system.py").write_text("def answer(question, contexts):\n    return contexts[0]\n")
    answers = ("It was built in 1889.", "In 1889 it was built.")
    pool = [json.dumps({"question": "When?", "answer": answer}) for answer in answers]
    Path("pool.jsonl").write_text("\n".join(pool), "utf-8")
    Path("sets/attribution").mkdir(parents=True)
    row = {"id": "a", "dataset": "attributionbench", "contexts": ["It is old."]}
    row |= {"claim": "It is old.", "labels": {"supported": True}}
    file = "sets/attribution/attributionbench_test500.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as out:
        out.write(json.dumps(row) + "\n")
    return scored


@pytest.mark.parametrize("command", OPENS_A_STORE)
def test_no_command_changes_the_database_of_another_program(foreign, command):
    for script in FOREIGN.values():
        _database_stays(foreign, command, script)
        for path in Path().glob("other.db*"):
            path.unlink()


def _database_stays(foreign, command, script):
    with closing(sqlite3.connect("other.db", isolation_level=None)) as connection:
        connection.executescript(script)
        before = {path: path.read_bytes() for path in Path().glob("other.db*")}
        for path, content in before.items():  # as after a crash: the log is not taken over yet
            path.with_name(path.name.replace("other", "left")).write_bytes(content)
    for path in before:
        path.unlink(missing_ok=True)
        path.with_name(path.name.replace("other", "left")).rename(path)
    refused = foreign(*OPENS_A_STORE[command])
    assert refused.exit_code == (4 if command == "doctor" else 2), refused.output
    assert "another program's database" in refused.output
    after = {path: path.read_bytes() for path in Path().glob("other.db*")}
    shared = Path("other.db-shm")  # SQLite's own memory, beside a log only
    assert {**after, shared: b""} == {**before, shared: b""}


@pytest.mark.parametrize("command", OPENS_A_STORE)
def test_no_command_changes_a_file_of_another_kind(foreign, command):
    for content in (b"x", b"SQLite format 3", b"question,answer\n" * 200):
        Path("other.db").write_bytes(content)
        refused = foreign(*OPENS_A_STORE[command])
        assert refused.exit_code == (4 if command == "doctor" else 2), refused.output
        assert Path("other.db").read_bytes() == content
        assert [*Path().glob("other.db*")] == [Path("other.db")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_no_store(assay):
    os.mkfifo("pipe.db")
    refused = assay(*OPENS_A_STORE["run"][:-1], "pipe.db")
    assert "the store 'pipe.db' is a device or a pipe -> name a file" in refused.stderr


def numbers_of(value, *path):
    """The places of the numbers in a line, one of each kind."""
    if isinstance(value, dict):
        found = [numbers_of(item, *path, key) for key, item in value.items()]
        return {kind: place for one in found for kind, place in one.items()}
    if isinstance(value, list):
        found = [numbers_of(item, *path, n) for n, item in enumerate(value)]
        return {kind: place for one in found[::-1] for kind, place in one.items()}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {tuple("n" if isinstance(p, int) else p for p in path): path} if is_number else {}


@pytest.mark.slow
def test_no_number_of_an_import_crashes_what_shows_it(assay):
    """Each number of a file in turn becomes one that cannot be: refused, or shown."""
    row = {"question": "Red?", "answer": "It is red. It is big.", "contexts": ["It is red."]}
    row |= {"latency_ms": 5.0, "cost": 0.1, "tokens": 3, "context_ids": ["a"]}
    row |= {"relevance_grades": {"a": 1, "b": 2}, "reference_context_ids": ["a"]}
    write_rows(Path("data.jsonl"), [row, {**row, "question": "Big?"}])
    metrics = "faithfulness,latency,ndcg_at_k"
    assert assay("run", "data.jsonl", "-m", metrics).exit_code in {0, 3}
    lines = [json.loads(line) for line in assay("export", "assay.db").stdout.splitlines()]
    places = numbers_of(lines)
    assert len(places) > 30
    for place in places.values():
        for value in (1e308, -1.0, float("nan"), 10**400):
            changed = json.loads(json.dumps(lines))
            *way, last = place
            target = changed
            for step in way:
                target = target[step]
            target[last] = value
            Path("changed.jsonl").write_text("".join(json.dumps(one) + "\n" for one in changed))
            Path("new.db").unlink(missing_ok=True)
            taken = assay("import", "changed.jsonl", "--store", "new.db")
            assert taken.exit_code in {0, 2}, (place, value, taken.output)
            for command in (("show",), ("runs",), ("report", "--out", "r.html"), ("diagnose",)):
                if taken.exit_code == 0:
                    told = assay(*command, "--store", "new.db")
                    assert told.exit_code != 1, (place, value, told.output)
