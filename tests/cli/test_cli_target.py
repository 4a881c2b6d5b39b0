"""`assay run --target`: a system is asked, and its answers are measured."""

import json
import subprocess
import sys

import pytest
from cli_help import write_rows

from assay._cli.judges import _headers

SYSTEM = """
import os
def answer(question):
    with open("asked.txt", "a") as file:
        file.write(question + "\\n")
    if "Faust" in question and not os.path.exists("mended"):
        raise ValueError("lost")
    return {"answer": "It was finished in 1889. It is made of cheese.",
            "contexts": ["The tower was finished in 1889."]}
"""
RUN = ("run", "data.jsonl", "--target", "my_rag:answer", "--judge", "scripted:judge.json")


@pytest.fixture
def rag(here, assay):
    """The command line in a folder with a system."""
    (here / "my_rag.py").write_text(SYSTEM, "utf-8")
    return assay


def test_it_asks_evaluates_and_does_not_ask_again(rag, here):
    first = rag(*RUN, "-m", "faithfulness", "--json")
    assert first.exit_code == 3, first.output
    found = json.loads(first.stdout)
    assert found["source"].startswith("data.jsonl, answered by my_rag:answer@")
    assert found["calls"]["system"] == {"asked": 2, "reused": 0}
    assert found["calls"]["judge"]["asked"] == found["cost"]["calls"] > 0
    (row,) = found["metrics"]
    assert (row["n_scored"], row["n_failed"], row["n_unanswered"]) == (1, 0, 1)
    listed = " ".join(rag("runs").stdout.split())
    assert " 1/2 " in listed
    assert "finished, 1 unanswered; " in listed
    assert "asked 2, reused 0; 1 of 2 questions answered" in first.stderr
    assert "no answer to faust:" in first.stderr
    (here / "mended").write_text("")
    second = rag(*RUN, "-m", "faithfulness", "--json")
    assert json.loads(second.stdout)["metrics"][0]["n_unanswered"] == 0
    assert json.loads(second.stdout)["calls"]["system"] == {"asked": 1, "reused": 1}
    asked = (here / "asked.txt").read_text("utf-8").splitlines()
    assert [line.split()[-1] for line in sorted(asked)] == ["finished?", "Faust?", "Faust?"]


def test_a_sample_without_an_answer_is_shown_as_such(rag, here):
    rag(*RUN, "-m", "faithfulness", "--out", "report.html")
    shown = rag("show", "--sample", "faust")
    assert "lost" in shown.stdout
    page = (here / "report.html").read_text("utf-8")
    assert "The system gave no answer" in page
    assert "The RAG system gave no answer to 1 of 2 questions" in page
    assert rag("diagnose").exit_code == 0


def test_metrics_are_chosen_by_what_the_system_answers(rag, here):
    (here / "mended").write_text("")
    result = rag(*RUN)
    assert "faithfulness" in result.stderr
    assert "metrics that the data fills" in result.stderr


@pytest.mark.slow
def test_killed_it_goes_on_and_asks_only_what_was_on_its_way_again(here):
    (here / "deadly.py").write_text(
        "import os\n"
        "def answer(question):\n"
        "    with open('asked.txt', 'a') as file:\n"
        "        file.write(question + '\\n')\n"
        "    if question.endswith('6?') and not os.path.exists('mended'):\n"
        "        os._exit(9)\n"
        "    return 'It is so.'\n",
        "utf-8",
    )
    write_rows(here / "many.jsonl", [{"question": f"Is it {n}?"} for n in range(10)])
    run = [sys.executable, "-c", "from assay._cli import main; main()", "run", "many.jsonl"]
    run += ["--target", "deadly:answer", "--target-concurrency", "1", "-m", "latency", "--json"]
    assert subprocess.run(run, capture_output=True, timeout=60, check=False).returncode == 9
    (here / "mended").write_text("")
    done = subprocess.run(run, capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout)["metrics"][0]["n_scored"] == 10
    asked = (here / "asked.txt").read_text("utf-8").splitlines()
    assert len(set(asked)) == 10
    # The call that died, and one whose answer may not have reached the disk.
    assert len(asked) <= 12


def test_a_dry_run_asks_nobody(rag, here):
    result = rag(*RUN, "-m", "faithfulness", "--dry-run", "--json")
    found = json.loads(result.stdout)
    assert (found["ask"], found["known"]) == (2, 0)
    assert not (here / "asked.txt").exists()


def test_a_dry_run_counts_equal_questions_once(rag, here):
    rows = [json.loads(line) for line in (here / "data.jsonl").read_text("utf-8").splitlines()]
    twins = [row | {"id": f"{row['id']}-{n}"} for row in rows for n in range(3)]
    write_rows(here / "data.jsonl", twins)
    assert json.loads(rag(*RUN, "-m", "faithfulness", "--dry-run", "--json").stdout)["ask"] == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--target-body", "{"), "not JSON"),
        (("--target-body", "{}"), "for a target with a URL"),
        (("--target-header", "x"), "not NAME:VALUE"),
        (("--target-reply", "answer"), "not FIELD=PATH"),
        (("--target-reply", "reference=x"), "no 'reference'"),
    ],
)
def test_options_that_make_no_sense_are_told(rag, options, said):
    result = rag(*RUN, "-m", "faithfulness", *options)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize("given", ["X-Key SECRET", "X-Key SECRET:1", "SECRET/: $NO_VAR"])
def test_a_header_that_is_none_is_not_shown(assay, given):
    run = ("run", "data.jsonl", "--target", "http://localhost:9/ask", "-m", "latency")
    result = assay(*run, "--target-header", given)
    assert (result.exit_code, "SECRET" in result.output) == (2, False), result.output
    assert "is not NAME:VALUE" in result.stderr


@pytest.mark.parametrize("option", ["--target-reply", "--target-header", "--target-version"])
def test_options_without_a_target_are_told(assay, option):
    result = assay("run", "data.jsonl", option, "answer=x")
    assert result.exit_code == 2
    assert f"{option} needs a target" in result.stderr


@pytest.mark.parametrize("value", ["Bearer $NO_VAR", "Bearer ${NO_VAR}"])
def test_a_header_takes_no_variable_that_is_not_set(assay, monkeypatch, value):
    monkeypatch.delenv("NO_VAR", raising=False)
    run = ("run", "data.jsonl", "--target", "http://localhost:9/ask", "-m", "latency")
    result = assay(*run, "--target-header", f"Authorization: {value}")
    assert result.exit_code == 2
    assert "'Authorization' takes $NO_VAR, which is not set -> set it" in result.stderr


def test_a_header_keeps_what_is_no_variable(monkeypatch):
    monkeypatch.setenv("MY_KEY", "pa$word")
    given = ["X-Key: $MY_KEY", "X-Price: $5 and ${MY_KEY}s$"]
    assert _headers(given) == {"X-Key": "pa$word", "X-Price": "$5 and pa$words$"}


def test_what_no_answer_holds_is_for_the_system_to_return(rag, here):
    (here / "my_rag.py").write_text("def answer(question):\n    return 'In 1889.'\n", "utf-8")
    result = rag(*RUN, "-m", "faithfulness")
    assert result.exit_code == 2
    assert "holds 'contexts', which faithfulness needs -> let the system return it" in result.stderr
    assert "--target-reply contexts=PATH, send {contexts} in --target-body" in result.stderr
    assert "--map" not in result.stderr
    assert rag(*RUN, "-m", "latency").exit_code == 0


def test_ids_are_not_asked_of_a_system_whose_contexts_do_as_well(rag, here):
    (here / "mended").write_text("")
    row = {"question": "Is it?", "reference_contexts": ["The tower was finished in 1889."]}
    write_rows(here / "data.jsonl", [row])
    assert rag(*RUN, "-m", "recall_at_k").exit_code == 0


def test_a_function_of_a_file_is_a_target_and_stays_one_when_the_file_is_edited(rag, here):
    (here / "mended").write_text("")
    (here / "systems").mkdir()
    file = here / "my_rag.py"
    file.rename(here / "systems/my rag.py")
    file = here / "systems/my rag.py"
    run = [part.replace("my_rag:", "./systems/my rag.py:") for part in RUN]
    first = rag(*run, "-m", "faithfulness", "--json")
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["source"].startswith("data.jsonl, answered by my rag:answer@")
    file.write_text(SYSTEM + "\nUNUSED = 1\n", "utf-8")
    assert json.loads(rag(*run, "-m", "faithfulness", "--json").stdout)["source"]
    assert len((here / "asked.txt").read_text("utf-8").splitlines()) == 2


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("nowhere.py:answer", "the target 'nowhere.py:answer' cannot be imported: "),
        ("my_rag.py:answr", "my_rag.py has no 'answr', which is to be the target -> did you mean"),
        ("my_rag.py:reply", "my_rag.py has no 'reply', which is to be the target -> it has answer"),
        ("my_rags.py:answer", "No such file or directory -> did you mean 'my_rag.py'?"),
        ("broken.py:answer", "(broken.py, line 1)"),
        ("my_rag.py", "give a URL (http://host/ask), MODULE:FUNCTION or FILE.py:FUNCTION"),
    ],
)
def test_a_file_that_holds_no_target_is_told(rag, here, spec, told):
    (here / "broken.py").write_text("def answer(:\n", "utf-8")
    result = rag("run", "data.jsonl", "--target", spec)
    assert (result.exit_code, told in result.stderr) == (2, True), result.stderr
