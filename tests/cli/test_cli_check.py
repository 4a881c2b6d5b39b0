"""`assay check`: what is wrong with data; the action and the hook call it right."""

import os
import re
import subprocess
from pathlib import Path

import click
import pytest
from cli_help import write_rows

from assay._cli import main

ROOT = Path(__file__).parents[2]


def test_files_in_order_are_counted(assay):
    result = assay("check", "data.jsonl")
    assert (result.exit_code, result.stdout) == (0, "data.jsonl: 2 rows, nothing wrong\n")


def test_columns_of_other_names_are_said_to_be_read(assay, here):
    case = {"input": "Q?", "actual_output": "A.", "retrieval_context": ["R."], "context": ["C."]}
    write_rows(here / "cases.jsonl", [case])
    read = "question from 'input', answer from 'actual_output', contexts from 'retrieval_context'"
    told = f"  note: reading {read}, reference_contexts from 'context'\n"
    assert assay("check", "cases.jsonl").stdout == f"cases.jsonl: 1 row, nothing wrong\n{told}"


def test_data_that_nothing_can_be_computed_from_are_refused_as_by_a_run(assay, here):
    write_rows(here / "two.jsonl", [{"a": 1, "b": 2}])
    for command in ("check", "run"):
        result = assay(command, "two.jsonl")
        assert result.exit_code == 2
        assert "no metric can be computed from two.jsonl" in result.stderr
        assert "columns found: a, b" in result.stderr


def test_one_row_is_one_row_and_questions_alone_are_for_a_system(assay, here):
    write_rows(here / "one.jsonl", [{"question": "When?"}])
    assert assay("check", "one.jsonl").stdout == "one.jsonl: 1 row, nothing wrong\n"
    refused = assay("run", "one.jsonl").stderr
    assert "or let your system answer the questions (assay run --target)" in refused


def test_where_columns_are_renamed_what_is_left_over_is_told(assay, here):
    (here / "de.csv").write_text(
        "frage,antwort,belege,nr\nAlt?,Es ist alt.,Es ist alt.,7\n", "utf-8"
    )
    renamed = ("check", "de.csv", "--map", "question=frage", "--map", "answer=antwort")
    told = "no row holds contexts; columns that stand for no field: belege -> --map contexts=belege"
    assert told in assay(*renamed).stdout
    assert "de.csv: 1 row, no contexts found" in assay(*renamed).stdout
    assert "note:" not in assay(*renamed, "--map", "contexts=belege").stdout
    assert "note:" not in assay("check", "data.jsonl").stdout


def test_columns_that_probably_hold_what_is_missing_are_told_with_options_to_paste(assay, here):
    rows = "questions,answers,context,ground_truths\nHow old is it?,It is old.,Old.,Old.\n"
    (here / "plural.csv").write_text(rows, "utf-8")
    told = assay("check", "plural.csv").stdout
    assert "plural.csv: 1 row, no question or answer found" in told
    assert "-> --map question=questions --map answer=answers, if it holds them" in told
    (here / "blank.csv").write_text(rows.replace("questions,answers", "Test Cases,answer"), "utf-8")
    assert "-> --map 'question=Test Cases', if it" in assay("check", "blank.csv").stdout


def test_answers_without_contexts_are_not_called_whole(assay, here):
    write_rows(here / "bare.jsonl", [{"question": "Old?", "answer": "It is old."}])
    told = assay("check", "bare.jsonl").stdout
    assert "bare.jsonl: 1 row, no contexts found" in told
    assert "no row holds contexts: what needs them is not computed" in told


def test_several_columns_that_may_be_several_fields_are_told_with_all_options(assay, here):
    (here / "odd.csv").write_text(
        "user msg,kb,Bot reply\nHow old?,It is old.,It is old.\n", "utf-8"
    )
    told = assay("check", "odd.csv").stdout
    assert "odd.csv: 1 row, no question or contexts found" in told
    assert "kb, user msg -> --map question=COLUMN --map contexts=COLUMN, if it" in told
    refused = assay("run", "odd.csv").stderr
    assert "name columns with --map question=COLUMN --map contexts=COLUMN\n" in refused


def test_what_some_rows_lack_is_noted_without_naming_a_metric(assay, here):
    row = {"question": "Old?", "contexts": ["It is old."], "answer": "It is old."}
    gap = {**row, "id": "gap", "contexts": None}
    write_rows(here / "gaps.jsonl", [row, gap, {**row, "failure": "timeout", "answer": None}])
    result = assay("check", "gaps.jsonl")
    note = "note: 1 of 3 rows has no 'contexts' (the first is gap)"
    assert result.exit_code == 0
    assert note in result.stdout
    assert "'answer'" not in result.stdout, "why there is none is told"
    assert "'reference'" not in result.stdout, "no row has one"


def test_all_files_are_looked_at_and_every_fault_is_told(assay, here):
    (here / "bad.jsonl").write_text('{"question": 5}\n{"question": "x"}\n', "utf-8")
    result = assay("check", "bad.jsonl", "none.jsonl", "data.jsonl", "-m", "faithfulness")
    assert result.exit_code == 2
    assert "data.jsonl: 2 rows" in result.stdout
    assert "question" in result.stderr
    assert "no file 'none.jsonl'" in result.stderr


def test_contexts_that_are_too_long_are_named_before_anything_is_paid(assay, here):
    row = {"question": "Old?", "answer": "It is old.", "contexts": ["It is old. " * 400_000]}
    write_rows(here / "long.jsonl", [row])
    result = assay("check", "long.jsonl")
    assert result.exit_code == 2
    what = "long.jsonl: row 1, field 'contexts': the sample has 4.4 million characters"
    assert what in result.stderr
    assert "1.1 million tokens" in result.stderr
    assert "give the passages that were retrieved, not whole documents" in result.stderr


def test_contexts_that_are_too_long_for_the_embedded_judge_are_noted(assay, here):
    row = {"question": "Old?", "answer": "It is old.", "contexts": ["It is old. " * 200_000]}
    write_rows(here / "long.jsonl", [row])
    result = assay("check", "long.jsonl")
    assert result.exit_code == 0
    note = "note: 1 row of more than 1.2 million characters: too long for --judge embedded"
    assert note in result.stdout


@pytest.mark.posix
def test_links_in_circles_pipes_and_devices_are_no_data(assay, here):
    (here / "loop.jsonl").symlink_to("loop.jsonl")
    result = assay("check", "loop.jsonl")
    assert result.exit_code == 2
    assert "it is a link to 'loop.jsonl': link it to a file" in result.stderr
    os.mkfifo(here / "pipe.jsonl")
    (here / "zero.jsonl").symlink_to("/dev/zero")
    for name in ("pipe.jsonl", "zero.jsonl"):
        result = assay("check", name)
        assert result.exit_code == 2
        assert f"'{name}' is no file, but a pipe, a socket or a device -> save" in result.stderr


@pytest.mark.posix
def test_pipes_and_devices_are_no_documents_either(assay, here):
    (here / "corpus").mkdir()
    (here / "corpus" / "self").symlink_to("../corpus")
    (here / "corpus" / "zero.txt").symlink_to("/dev/zero")
    os.mkfifo(here / "corpus" / "pipe.txt")
    (here / "corpus" / "a.txt").write_text("Paris is the capital of France.", "utf-8")
    write_rows(
        here / "one.jsonl", [{"question": "Where?", "answer": "There.", "contexts": ["It."]}]
    )
    assert (
        "a.txt  1 passage" in assay("check", "one.jsonl", "--design", "--corpus", "corpus").stdout
    )
    for name in ("zero.txt", "pipe.txt"):
        result = assay("check", "data.jsonl", "--design", "--corpus", f"corpus/{name}")
        assert result.exit_code == 2
        assert f"'corpus/{name}' is no file, but a pipe" in result.stderr


@pytest.mark.parametrize("brackets", [3000, 200_000])
def test_settings_and_prompts_nested_without_end_are_refused(assay, here, brackets):
    nested = "[" * brackets + "]" * brackets
    (here / "prompts.toml").write_text(f"a = {nested}\n", "utf-8")
    result = assay("run", "data.jsonl", "--prompts", "prompts.toml")
    assert result.exit_code == 2
    assert "'prompts.toml' is no prompt file: maximum recursion depth" in result.stderr
    (here / "assay.toml").write_text(f"[run]\na = {nested}\n", "utf-8")
    result = assay("run", "data.jsonl")
    assert result.exit_code == 2
    assert "'assay.toml' cannot be read: maximum recursion depth" in result.stderr


def test_rows_can_be_skipped_by_a_run_and_no_other_command_speaks_of_it(assay, here):
    span = {"trace_id": "c" * 32, "span_id": "1" * 16, "name": "quiet"}
    span["attributes"] = {"openinference.span.kind": "CHAIN"}
    asked = {**span, "trace_id": "d" * 32, "span_id": "2" * 16}
    asked["attributes"] = {**span["attributes"], "input.value": "x", "output.value": "y"}
    twice = [{"id": "a", "question": "x", "answer": "y"}] * 2
    write_rows(here / "twice.jsonl", twice)
    repeated = "give each row an id of its own, or remove one"
    skip = ", or skip such rows with --skip-invalid FILE"
    assert repeated + skip in assay("run", "twice.jsonl").stderr
    assert f"{repeated}\n" in assay("check", "twice.jsonl").stderr
    two = ("faithfulness", "deepeval:faithfulness")
    remedy = "-> record the input of its outermost step"
    write_rows(here / "gap.jsonl", [asked, span])
    told = assay("run", "gap.jsonl", "-m", two[0])
    assert f"{remedy}, or skip such rows with --skip-invalid FILE" in told.stderr
    for other in (
        ("check", "gap.jsonl", "-m", two[0]),
        ("metrics", "--compare", "gap.jsonl", *two),
    ):
        result = assay(*other)
        assert result.exit_code == 2
        assert f"{remedy}\n" in result.stderr


def scripts():
    """The scripts of the action's steps."""
    text = (ROOT / "action.yml").read_text("utf-8")
    return [
        re.sub(r"^ {8}", "", found, flags=re.MULTILINE)
        for found in re.findall(r"run: \|\n((?: {8}.*\n)+)", text)
    ]


def called(folder, script, **inputs):
    """(what assay was called with, how the script ended), by an assay that ends with 3."""
    calls, fake = folder / "calls", folder / "assay"
    fake.write_text(f'#!/bin/sh\nfor a in "$@"; do echo "$a" >> {calls}; done\nexit 3\n')
    fake.chmod(0o755)
    env = {
        "PATH": f"{folder}:/usr/bin:/bin",
        "DATA": "my data.jsonl",
        "METRICS": "a,b",
        "JUDGE": "embedded",
        "TARGET": "",
        "STORE": "assay.db",
        "REPORT": "r.html",
        "ARGUMENTS": "--junit\nmy file.xml\n\n",
        **inputs,
    }
    done = subprocess.run(["bash", "-e", "-c", script], check=False, env=env, timeout=30)
    return calls.read_text("utf-8").splitlines(), done.returncode


@pytest.mark.skipif(os.name == "nt", reason="the script that stands for assay is one of a shell")
class TestTheAction:
    def test_it_runs_with_what_it_is_given_and_leaves_missing_scores_to_the_gate(self, tmp_path):
        told, code = called(tmp_path, scripts()[0])
        assert told == [
            *("run", "--out", "r.html", "--judge", "embedded", "--store", "assay.db"),
            *("-m", "a,b", "--junit", "my file.xml", "--", "my data.jsonl"),
        ]
        assert code == 0

    def test_what_the_gate_says_counts(self, tmp_path):
        told, code = called(tmp_path, scripts()[1])
        assert told == ["gate", "--store", "assay.db", "--junit", "my file.xml"]
        assert code == 3

    def test_what_is_not_set_is_left_to_the_configuration(self, tmp_path):
        run, gate = scripts()
        unset = {"JUDGE": "", "STORE": "", "METRICS": "", "ARGUMENTS": ""}
        told = ["run", "--out", "r.html", "--", "my data.jsonl"]
        assert called(tmp_path, run, **unset)[0] == told
        (tmp_path / "calls").unlink()
        assert called(tmp_path, gate, **unset)[0] == ["gate"]
        text = (ROOT / "action.yml").read_text("utf-8")
        for name in ("judge", "store"):
            assert re.search(rf'\n  {name}:\n    description: .*\n    default: ""\n', text)

    def test_no_input_stands_within_a_script(self):
        assert not any("${{" in script for script in scripts())


def test_the_hooks_name_commands_that_exist():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    for command in re.findall(r"entry: assay (\w+)", text):
        assert main.get_command(click.Context(main), command) is not None


def test_the_hook_is_given_every_file_that_may_hold_a_data_set():
    # By their names: pre-commit knows no type for JSON lines, and refuses one that it does not know.
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    assert "types" not in text
    (pattern,) = re.findall(r"^  files: (\S+)", text, re.MULTILINE)
    for name in ("evals/rows.jsonl", "rows.json", "rows.csv", "rows.tsv"):
        assert re.search(pattern, name)
    assert not re.search(pattern, "README.md")


def test_contexts_that_are_empty_and_ids_of_two_kinds_are_noted(assay, here):
    row = {"question": "Why?", "answer": "So.", "contexts": []}
    ids = {"contexts": ["So it is."], "context_ids": ["d1"], "reference_context_ids": [1]}
    write_rows(here / "rows.jsonl", [row, row | ids, row | ids])
    told = " ".join(assay("check", "rows.jsonl").stdout.split())
    assert "note: 1 of 3 rows has an empty list of contexts (the first is row 1)" in told
    assert "note: in none of 2 rows is a right document among the retrieved ones" in told
