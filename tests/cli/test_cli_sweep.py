"""`assay sweep`: a system in many configurations, and whether one of them is best."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from cli_help import write_rows

from support.once import made_once

SYSTEM = """
import random
def answer(question, k=3, chunk=256):
    with open("asked.txt", "a") as file:
        file.write(f"{question} {k} {chunk}\\n")
    right = random.Random(f"{question} {k}").random() < (0.97 if k == 5 else 0.5)
    return "In 1889." if right else "In 1900."
"""
GRID = ("--set", "k=3,5", "--set", "chunk=256,512")
SWEEP = ("sweep", "towers.jsonl", "--target", "my_rag.py:answer", "-m", "exact_match")


@pytest.fixture
def rag(here, assay):
    """The command line in a folder with a system and questions."""
    (here / "my_rag.py").write_text(SYSTEM, "utf-8")
    rows = [
        {"id": f"q{n}", "question": f"When was tower {n} finished?", "reference": "In 1889."}
        for n in range(20)
    ]
    write_rows(here / "towers.jsonl", rows)
    return assay


@made_once
def leaderboards(rag):
    """The leaderboards of a sweep that is called "rag" and stands in the store."""
    return json.loads(rag(*SWEEP, *GRID, "--name", "rag", "--json").stdout)["leaderboards"]


def test_it_shows_the_winner_the_ties_and_the_effects_in_80_columns(rag, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = rag(*SWEEP, *GRID, "--name", "rag")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert re.search(r"\n5 256 +0\.\d\d \(.* tied\n", result.stdout), "one line a configuration"
    assert result.stdout.startswith("No winner: 2 configurations cannot be told apart")
    assert "Effect of k, averaged over the rest: 5 is best." in result.stdout
    assert "Effect of chunk, averaged over the rest: none found." in result.stdout
    assert result.stderr.count("system asked 20, reused 0") == 4
    again = rag(*SWEEP, *GRID, "--name", "rag")
    assert again.stderr.count("system asked 0, reused 20") == 4


def test_a_race_says_what_was_dropped_goes_no_further_with_it_and_is_read_again_as_one(
    rag, here, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    rows = [
        {"id": f"q{n}", "question": f"When was tower {n} finished?", "reference": "In 1889."}
        for n in range(100)
    ]
    write_rows(here / "towers.jsonl", rows)
    values = ("--set", "k=3,5,8", "--race")
    counted = rag(*SWEEP, *values, "--dry-run")
    assert "At most 300 questions to send in 3 configurations" in counted.stderr
    result = rag(*SWEEP, *values)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "k=5 is best: every other configuration is worse." in result.stdout
    assert "All of it holds whenever the race ended." in " ".join(result.stdout.split())
    found = json.loads(rag(*SWEEP, *values, "--json").stdout)
    assert found["race"]
    three, five, eight = found["configurations"]
    assert f"k=3: system asked {three['n']}, reused 0" in result.stderr
    assert f"dropped after {three['dropped_after']} questions" in result.stderr
    assert five["dropped_after"] is None
    asked = len((here / "asked.txt").read_text("utf-8").splitlines())
    assert asked == three["n"] + five["n"] + eight["n"] < 300
    assert [one["verdict"] for one in found["leaderboards"][0]["standings"]][1:] == ["dropped"] * 2
    assert [one["asked"] for one in found["configurations"]] == [0, 0, 0]
    again = json.loads(rag("compare", "sweep", "--json").stdout)
    places = [
        [(one["name"], one["mean"], one["n"]) for one in shown["leaderboards"][0]["standings"]]
        for shown in (found, again)
    ]
    assert again["race"]
    assert again["leaderboards"][0]["winner"] == "k=5"
    assert places[0] == places[1]


def test_json_has_every_number_and_other_commands_take_the_runs(rag):
    found = json.loads(rag(*SWEEP, "--set", "k=3,5", "--name", "rag", "--json").stdout)
    (board,) = found["leaderboards"]
    assert board["winner"] == "k=5"
    runs = [one["run"] for one in found["configurations"]]
    assert [one["params"] for one in found["configurations"]] == [{"k": 3}, {"k": 5}]
    compared = json.loads(rag("compare", *runs, "--json").stdout)
    assert compared["metrics"][0]["verdict"] == "better"
    assert rag("history", "--by", "k").exit_code == 0
    assert rag("gate", "rag/k=5", "--min", "exact_match=0.5").exit_code == 0
    listed = json.loads(rag("runs", "--tag", "sweep", "--json").stdout)
    assert {one["name"] for one in listed} == {"rag/k=3", "rag/k=5"}


def test_the_page_says_how_to_make_it_again_without_what_is_secret(rag, here):
    secret = ("--judge", "openai:m", "--api-key", "sk-very-secret")
    result = rag(*SWEEP, *GRID, *secret, "--out", "s.html", "--out", "s.json", "--name", "a b")
    assert result.exit_code == 0, result.output
    page = (here / "s.html").read_text("utf-8")
    command = "assay sweep towers.jsonl --set k=3,5 --set chunk=256,512 --metric exact_match "
    assert command in page
    assert "--target my_rag.py:answer --judge openai:m --name &#39;a b&#39;" in page
    assert "very-secret" not in page
    board = json.loads((here / "s.json").read_text("utf-8"))["leaderboards"][0]
    assert {one["name"] for one in board["standings"]} >= {"k=5,chunk=256"}
    assert rag(*SWEEP, *GRID, "--out", "s.md").exit_code == 2


def test_a_dry_run_counts_and_asks_nobody(rag, here):
    result = rag(*SWEEP, *GRID, "--dry-run", "--json")
    assert [one["ask"] for one in json.loads(result.stdout)["configurations"]] == [20] * 4
    assert not (here / "asked.txt").exists()


@pytest.mark.slow
def test_a_budget_stops_all_configurations_and_a_dry_run_tells_what_the_judge_would_cost(rag, here):
    judged = ('binary_criterion(definition="Is it a year?")', "--judge", "scripted:judge.json")
    (here / "judge.json").write_text(
        json.dumps({"give_grade": '{"reason": "r", "grade": 1}'}), "utf-8"
    )
    command = (*SWEEP[:-1], *judged, "--set", "k=3,5", "--price", "1/2")
    counted = rag(*command, "--dry-run")
    assert "40 questions to send in 2 configurations. What the judge would be" in counted.stderr
    stopped = rag(*command, "--budget", "25calls")
    assert (stopped.exit_code, ": the next call could exceed" in stopped.stderr) == (5, True)
    counted = rag(*command, "--dry-run")
    assert "judge calls" in counted.stdout
    assert "0 questions to send in 2 configurations. About " in counted.stderr
    assert "at the price given. Nothing was asked." in counted.stderr
    assert rag(*command).exit_code == 0


def test_questions_without_an_answer_are_said_and_left_out_of_all(rag, here):
    fails = SYSTEM.replace("    right =", "    assert k == 3 or '7' not in question\n    right =")
    (here / "my_rag.py").write_text(fails, "utf-8")
    result = rag(*SWEEP, "--set", "k=3,5")
    assert result.exit_code == 3, result.output
    assert "k=5: system asked 20, reused 0; judge asked 0, reused 0; 2 questions" in result.stderr
    assert "2 of 20 questions with a score lack one" in result.stdout
    assert "no answer" in result.stdout
    # A question without an answer is asked again, all others are known.
    assert "k=5: system asked 2, reused 18" in rag(*SWEEP, "--set", "k=3,5").stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no parameter is varied"),
        (("--set", "k"), "is not KEY=VALUE,VALUE"),
        (("--set", "k=3,"), "has an empty value"),
        (("--set", "k=3", "--set", "k=5"), "gives that key values again"),
        (("--set", "k=[3"), "is no JSON"),
        (("--set", "k=[null]"), "a list, an object or null"),
        (("--set", "depth=1,2"), "my_rag.py:answer takes no argument 'depth'"),
        (("--set", "k=1,2,3", "--max-configurations", "2"), "3 configurations"),
        (("--set", "k=1,2,3", "--random", "4"), "4 configurations are to be drawn"),
        (("--set", "k=1,2,3", "--seed", "4"), "--seed"),
        (("--set", "k=3", "-m", "faithfulnes"), "faithfulness"),
        (("--set", "k=3", "--target-body", "{}"), "for a target with a URL"),
        (("--set", "k=3", "--map", "reference=gone"), "gone"),
        (("--set", "k=3,5", "--race", "-m", "exact_match", "--map", "group=id"), "groups"),
    ],
)
def test_bad_input_is_one_error_before_anything_is_asked(rag, here, options, said):
    result = rag(*SWEEP, *options)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
    assert not (here / "asked.txt").exists()


def test_the_history_that_it_names_is_by_what_varies(rag):
    shown = rag(*SWEEP, "--set", "k=3", "--set", "chunk=256,512").stdout
    assert "assay history --by chunk" in shown


def test_a_value_with_commas_is_written_as_json(rag, here):
    result = rag(*SWEEP, "--set", 'k=["3, or more", 5]', "--json")
    assert result.exit_code == 0, result.stderr
    assert {line.split("? ")[1] for line in (here / "asked.txt").read_text().splitlines()} == {
        "3, or more 256",
        "5 256",
    }


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_and_asks_only_what_was_on_its_way_again(rag, here):
    slow = SYSTEM.replace("import random", "import random, time").replace(
        "    right =", "    time.sleep(0.02)\n    right ="
    )
    (here / "my_rag.py").write_text(slow, "utf-8")
    run = [sys.executable, "-c", "from assay._cli import main; main()"]
    run += [*SWEEP, *GRID, "--target-concurrency", "1", "--json"]
    asked = here / "asked.txt"
    process = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not asked.exists() or len(asked.read_text("utf-8").splitlines()) < 45:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    done = subprocess.run(run, capture_output=True, timeout=120, check=True)
    found = json.loads(done.stdout)["configurations"]
    assert sum(one["asked"] for one in found) <= 38
    lines = asked.read_text("utf-8").splitlines()
    assert len(set(lines)) == 80
    # The calls that were on their way, and whose answers may not have reached the disk.
    assert len(lines) <= 83
    whole = subprocess.run([*run, "--store", "whole.db"], capture_output=True, check=True)
    boards = json.loads(whole.stdout)["leaderboards"]
    for one, other in zip(json.loads(done.stdout)["leaderboards"], boards, strict=True):
        assert one | {"fronts": []} == other | {"fronts": []}  # which are against latency


@pytest.mark.slow
def test_killed_in_the_middle_of_a_race_it_takes_the_same_decisions(rag, here):
    slow = SYSTEM.replace("import random", "import random, time").replace(
        "    right =", "    time.sleep(0.01)\n    right ="
    )
    (here / "my_rag.py").write_text(slow, "utf-8")
    rows = [
        {"id": f"q{n}", "question": f"When was tower {n} finished?", "reference": "In 1889."}
        for n in range(120)
    ]
    write_rows(here / "towers.jsonl", rows)
    asked, run = here / "asked.txt", [sys.executable, "-c", "from assay._cli import main; main()"]
    run += [*SWEEP, "--set", "k=3,5,8", "--race", "--target-concurrency", "1", "--json"]
    for least in (40, 90):  # in the second look, and in a later one
        process = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not asked.exists() or len(asked.read_text("utf-8").splitlines()) < least:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
    done = json.loads(subprocess.run(run, capture_output=True, timeout=120, check=True).stdout)
    lines = asked.read_text("utf-8").splitlines()
    # A call at a time was on its way: no other answer is asked for twice.
    assert len(lines) <= len(set(lines)) + 6
    assert sum(one["n"] for one in done["configurations"]) == len(set(lines))
    whole = json.loads(
        subprocess.run(
            [*run, "--store", "whole.db"], capture_output=True, timeout=120, check=True
        ).stdout
    )
    kept = ("name", "n", "dropped_after")
    assert [[one[key] for key in kept] for one in done["configurations"]] == [
        [one[key] for key in kept] for one in whole["configurations"]
    ]
    assert done["leaderboards"] == whole["leaderboards"]
    left = json.loads(rag("runs", "--json").stdout)
    assert sorted(one["params"]["k"] for one in left) == [3, 5, 8]


def test_compare_gate_and_history_take_a_sweep_by_its_name(rag, leaderboards):
    assert json.loads(rag("compare", "rag", "--json").stdout)["leaderboards"] == leaderboards
    shown = rag("compare", "sweep", "--out", "s.html")
    assert (shown.exit_code, "No winner" in shown.stdout) == (0, True), shown.output
    assert rag("compare", "rag", "--detect", "0.1").exit_code == 2
    gated = rag("gate", "rag", "--min", "exact_match=0.5")
    assert (gated.exit_code, "of 4 configurations k=5,chunk=" in gated.stderr) == (0, True)
    assert rag("gate", "rag/k=3,chunk=256", "--min", "exact_match=0.9").exit_code == 6
    found = json.loads(rag("history", "--json").stdout)
    (point,) = found["metrics"][0]["series"][0]["points"]
    assert (point["best_of"], found["n_swept"]) == (4, 3)
    assert json.loads(rag("history", "--by", "k", "--by", "chunk", "--json").stdout)["n_runs"] == 4


def test_the_telecom_study_in_one_command(rag, here, monkeypatch):
    """Which retriever finds the passage, and what of it in the answers; again by the sweep's name."""
    monkeypatch.setenv("COLUMNS", "80")
    (here / "docs").mkdir()
    rows = []
    for n, town in enumerate(("Rome", "Oslo", "Bonn", "Riga", "Bern", "Lima") * 2):
        name = f"{town}{n}"
        text = f"The tower of {name} was finished in {1880 + n}. It is made of iron."
        (here / "docs" / f"{name}.txt").write_text(text, "utf-8")
        rows.append({"id": f"q{n}", "question": f"When was the tower of {name} finished?"})
        rows[-1] |= {"reference": f"In {1880 + n}.", "reference_context_ids": [name]}
    write_rows(here / "q.jsonl", rows)
    grid = ("--set", "retriever=bm25,embedding", "--set", "k=3", "--set", "generator=passage")
    study = ("sweep", "docs", "q.jsonl", *grid, "-m", "token_f1,hit_at_k", "--name", "study")
    result = rag(*study, "--report", "telecom", "--out", "study.html")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "data  q.jsonl, answered by pipeline on 12 documents, 12 samples" in result.stdout
    assert re.search(r"\nA  retriever=bm25 \([0-9a-f]{8}\), the base\n", result.stdout)
    assert re.search(r"\nA +12  1.00 \(0.76 to 1.00\)  1.00 \(0.76 to 1.00\)\n", result.stdout)
    assert "accuracy@5" not in result.stdout, "three are retrieved"
    assert "token_f1, yes" in result.stdout
    assert "hit_at_k" not in result.stdout, "what retrieval is, it cannot tell by retrieval"
    assert (here / "study.html").read_text("utf-8").count("<table") == 3
    again = rag("compare", "study", "--report", "telecom")
    assert again.stdout == result.stdout.replace("report  study.html\n", "")
    assert "Concordance (table 4) takes labels of the answers" in result.stderr
    for name, right in (("a", 9), ("b", 7)):
        labels = [f"q{n},{'yes' if n < right else 'no'}" for n in range(12)]
        (here / f"{name}.csv").write_text("\n".join(["id,label", *labels]), "utf-8")
    labels = ("--labels", "a.csv", "--labels", "b.csv")
    whole = rag(*study, "--report", "telecom", *labels)
    assert whole.exit_code == 0, whole.output
    assert whole.stdout.startswith(again.stdout.rstrip())
    assert "Concordance with labels" in whole.stdout
    assert "system asked 0, reused 12" in whole.stderr
    assert rag(*study, *labels).exit_code == 2
    by_retrieval = rag("compare", "study", "--by", "retrieval")
    assert by_retrieval.exit_code == 0, by_retrieval.output
    for options, said in (
        (("--race",), "a race asks its configurations different questions"),
        (("--map", "reference_context_ids=none"), "no question names any"),
    ):
        refused = rag(*study, "--report", "telecom", *options)
        assert refused.exit_code == 2
        assert said in refused.stderr


@pytest.mark.usefixtures("leaderboards")
def test_effects_of_a_sweep_that_was_stopped_are_fitted_and_interactions_left_out(rag):
    assert rag("gc", "--delete", "rag/k=3,chunk=256").exit_code == 0
    (board,) = json.loads(rag("compare", "rag", "--json").stdout)["leaderboards"]
    assert (len(board["standings"]), board["interactions"]) == (3, [])
    assert [effect["parameter"] for effect in board["effects"]] == ["k", "chunk"]


@pytest.mark.slow
def test_retrieval_is_judged_without_gold_labels_and_every_output_says_so(rag, here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    (here / "corpus").mkdir()
    for n in range(6):
        text = f"Tower {n} was finished in {1880 + n}. It is made of iron."
        (here / "corpus" / f"t{n}.txt").write_text(text, "utf-8")
    words = ("sweep", "corpus", "towers.jsonl", "--limit", "4", "--set", "k=1,2")
    words += ("--set", "generator=passage", "--set", "retriever=bm25", "-m", "mrr,recall_at_k")
    result = rag(*words, "--judge-retrieval", "--out", "sweep.html", "--name", "judged")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "4 questions, by a judged pool" in result.stdout
    assert "Passages asked about 8, reused 0" in " ".join(result.stdout.split())
    assert "by a judged pool" in (here / "sweep.html").read_text("utf-8")
    again = json.loads(rag(*words, "--judge-retrieval", "--json", "--name", "judged").stdout)
    assert (again["pool"]["asked"], again["pool"]["reused"]) == (0, 8)
    assert "by a judged pool" in rag("compare", "judged").stdout
    assert "judged pool" in rag("show", "judged/k=1,generator=passage,retriever=bm25").stdout
    for option in ("--dry-run", "--race"):
        assert rag(*words, "--judge-retrieval", option).exit_code == 2
