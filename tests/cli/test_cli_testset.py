"""`assay testset`: questions that `assay run` takes, and what became of the rest."""

import json
import os
import re
import shlex

import pytest

from support.over import over

WRITER = r"""
import re

from assay.judges.scripted import Scripted
from assay.tasks import ShortAnswer, Written, answer_questions, write_question
from assay._text.sentences import sentences


def written(task):
    facts = [sentences(text)[-1] for text in task.passages]
    asked = " and ".join(fact.split(" opened")[0].removeprefix("The ") for fact in facts)
    if task.kind == "write_unanswerable":
        return write_question.reply(Written(f"How much did the {asked} cost?"))
    if task.kind == "write_reasoning":
        return write_question.reply(Written("What does the passage say?", facts[0], tuple(facts)))
    return write_question.reply(Written(f"When did the {asked} open?", " ".join(facts), tuple(facts)))


def knows(task):
    towns = re.findall(r"harbour of (\w+)", task.questions[0])
    told = all(town in task.text for town in towns) and "How much" not in task.questions[0]
    answer = "then" if told else None
    return answer_questions.reply([ShortAnswer(i, answer) for i in task.ids])


KINDS = ("write_single_hop", "write_reasoning", "write_multi_hop", "write_unanswerable")
judge = Scripted({**dict.fromkeys(KINDS, written), "answer_questions": knows})
"""
SLOW = """

import asyncio


class Slow(Scripted):
    async def reply(self, task, draw=0):
        if "Rome" in "".join(task.inputs()):
            await asyncio.sleep(60)
        return await super().reply(task, draw)


judge = Slow({**dict.fromkeys(KINDS, written), "answer_questions": knows})
"""
SYSTEM = """
import json
from pathlib import Path

ROWS = map(json.loads, Path("questions.jsonl").read_text("utf-8").splitlines())
KNOWN = {row["question"]: row for row in ROWS}


def answer(question):
    row = KNOWN[question]
    return {"answer": row["reference"], "contexts": row["reference_contexts"]}
"""
PLACES = ("Oslo", "Rome", "Paris", "Lima", "Kyoto", "Accra", "Quito", "Perth")
TESTSET = ("testset", "docs", "--judge", "embedded+writer.py:judge", "--out", "questions.jsonl")


@pytest.fixture
def library(here, assay):
    """The command line in a folder with documents and somebody who writes."""
    (here / "writer.py").write_text(WRITER, "utf-8")
    (here / "system.py").write_text(SYSTEM, "utf-8")
    (here / "docs").mkdir()
    filler = "Nothing else is told of this town by those who wrote about it long ago. " * 3
    for n, place in enumerate(PLACES):
        text = f"# {place}\n\n{filler}\n\nThe harbour of {place} opened in {1800 + 7 * n}.\n"
        (here / "docs" / f"{place.lower()}.md").write_text(text, "utf-8")
    return assay


def test_questions_are_written_told_and_taken_by_run(library, here):
    result = library(*TESTSET, "-n", "5", "--rejected", "rejected.jsonl")
    assert result.exit_code == 3, result.output  # no question of reasoning passed
    assert "8 documents, 8 passages" in result.stdout
    assert ", reused 0\n" in result.stdout  # a script counts no tokens
    assert "not standalone 8" in result.stdout
    assert "next       assay run questions.jsonl --target" in result.stdout
    without_system = re.search(r"no system  assay (sweep docs questions\.jsonl .+)", result.stdout)[
        1
    ]
    swept = library(*shlex.split(without_system))
    assert swept.exit_code == 0, swept.output
    assert "over 4 questions of questions.jsonl, 2 configurations" in " ".join(swept.stdout.split())
    assert "1 question fewer than wanted" in result.stderr
    rows = [json.loads(line) for line in (here / "questions.jsonl").read_text("utf-8").splitlines()]
    assert [row["kind"] for row in rows] == [
        "single_hop",
        "single_hop",
        "multi_hop",
        "unanswerable",
    ]
    rejected = (here / "rejected.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["why"] for line in rejected} == {"not standalone"}
    assert library("check", "questions.jsonl").exit_code == 0
    run = ("run", "questions.jsonl", "--target", "system.py:answer", "-m", "faithfulness", "--json")
    (row,) = json.loads(library(*run).stdout)["metrics"]
    assert (row["n_scored"], row["n_undefined"]) == (3, 1)
    assert row["mean"] > 0.9


def test_without_a_language_model_rules_make_them(library, here):
    result = library("testset", "docs", "--out", "questions.jsonl", "-n", "6")
    assert result.exit_code == 0, result.output
    assert "Made by rules" in " ".join(result.stdout.split())
    assert "fewer than asked for: rules make no more of these documents" in result.stderr
    rows = [json.loads(line) for line in (here / "questions.jsonl").read_text("utf-8").splitlines()]
    assert {row["template"] for row in rows} == {"time"}
    assert rows[0]["question"].endswith("open?")


def test_documents_of_which_rules_make_nothing_end_in_a_failure(library, here):
    (here / "songs.txt").write_text("Oh, how we sang! And how they listened to us! " * 20, "utf-8")
    result = library("testset", "songs.txt", "--out", "questions.jsonl")
    assert result.exit_code == 3
    assert "no question: rules found nothing to ask; give more documents" in result.stderr
    assert "assay run" not in result.stdout
    dry = library("testset", "docs", "--out", "questions.jsonl", "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "reasoning" not in dry.stdout, "rules write none"
    assert "single_hop 35" in " ".join(dry.stdout.split())
    assert "there may be fewer" in " ".join(dry.stdout.split())


SPANISH = "El museo se inauguró en 1819 y tiene más de 8000 cuadros, y la entrada cuesta 15 euros. "


@over(
    ("text", "why"),
    [
        (SPANISH * 3, "in Spanish, and rules write in English -> name a language model"),
        ("Closed.", "too short to ask about -> give texts of 25 words or more"),
    ],
)
def test_documents_that_rules_cannot_ask_about_are_refused(text, why, library, here):
    (here / "museo.txt").write_text(text, "utf-8")
    for further in ((), ("--dry-run",)):
        result = library("testset", "museo.txt", "--out", "questions.jsonl", *further)
        assert result.exit_code == 2
        assert why in result.stderr
    (here / "open.txt").write_text("The museum was opened in 1819 by King Ferdinand. " * 5, "utf-8")
    result = library("testset", "museo.txt", "open.txt", "--out", "questions.jsonl", "-n", "2")
    assert "Spanish" not in result.stderr


def test_the_same_command_asks_nothing_and_writes_the_same(library, here):
    kinds = ("--kind", "single_hop=3", "--kind", "unanswerable=1", "-n", "4", "--json")
    first = json.loads(library(*TESTSET, *kinds).stdout)
    questions = (here / "questions.jsonl").read_bytes()
    second = json.loads(library(*TESTSET, *kinds).stdout)
    assert first["written"] == second["written"] == {"single_hop": 3, "unanswerable": 1}
    assert (here / "questions.jsonl").read_bytes() == questions
    assert first["calls"] > 0
    assert (second["calls"], second["known"]) == (0, first["calls"] + first["known"])


def test_a_dry_run_asks_nobody(library, here):
    result = library(*TESTSET, "-n", "5", "--dry-run", "--price", "1/2")
    assert result.exit_code == 0, result.output
    assert "Nothing was asked" in result.stdout
    assert not (here / "assay.db").exists()
    assert not (here / "questions.jsonl").exists()
    counted = json.loads(library(*TESTSET, "-n", "5", "--dry-run", "--json").stdout)
    assert counted["questions"] == {
        "single_hop": 2,
        "reasoning": 1,
        "multi_hop": 1,
        "unanswerable": 1,
    }
    assert counted["calls"] >= 5


def test_a_budget_stops_it_and_what_was_written_is_there(library, here):
    result = library(*TESTSET, "-n", "4", "--kind", "single_hop", "--budget", "2calls")
    assert result.exit_code == 5, result.output
    assert "stopped: " in result.stderr
    assert (here / "questions.jsonl").exists()
    rest = json.loads(library(*TESTSET, "-n", "4", "--kind", "single_hop", "--json").stdout)
    assert (rest["written"], rest["known"]) == ({"single_hop": 4}, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("testset", "docs", "--out", "questions.jsonl", "--kind", "reasoning"),
            "questions of reasoning take a language model",
        ),
        ((*TESTSET[:-1], "questions.csv"), "in .jsonl"),
        ((*TESTSET[:-1], "writer.jsonl", "--rejected", "writer.jsonl"), "would overwrite"),
        ((*TESTSET, "--kind", "easy"), "there is no kind 'easy'"),
        ((*TESTSET, "--kind", "single_hop=many"), "is not KIND=SHARE"),
        ((*TESTSET, "--kind", "single_hop=inf"), "are no shares"),
        ((*TESTSET, "--kind", "single_hop=1", "--kind", "single_hop=2"), "'single_hop' twice"),
        ((*TESTSET, "-n", 10**26), "100,000 at most"),
        ((*TESTSET, "--rejected", "docs/rejected.txt"), "among the documents in 'docs'"),
        (("testset", "doc", *TESTSET[2:]), "did you mean 'docs'?"),
        ((*TESTSET, "--budget", "5"), "the price of a token is unknown"),
    ],
)
def test_what_cannot_be_used_is_told_before_anybody_is_asked(library, here, arguments, said):
    result = library(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert not (here / "assay.db").exists()


def test_a_plan_is_written_edited_and_kept_to(library, here):
    dry = library(*TESTSET, "-n", "5", "--dry-run", "--plan", "plan.csv")
    assert dry.exit_code == 0, dry.output
    assert "unanswerable" in dry.stdout
    plan = here / "plan.csv"
    assert plan.read_text("utf-8").splitlines()[:2] == [
        "kind,n,style,persona,difficulty",
        "single_hop,2,,,",
    ]
    plan.write_text('kind,n,style,persona\nsingle_hop,2,typos,"a pilot, in fog"\n', "utf-8")
    made = library(*TESTSET, "--plan", "plan.csv", "--json")
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout)
    assert told["wanted"] == {"single_hop": 2}
    assert told["quality"] == {
        "kept": 1.0,
        "unique": 1.0,
        "boilerplate": 1.0,
        "documents": 0.25,
        "passages": 0.25,
    }
    rows = [json.loads(line) for line in (here / "questions.jsonl").read_text("utf-8").splitlines()]
    assert {(row["style"], row["persona"]) for row in rows} == {("typos", "a pilot, in fog")}
    assert not (here / "questions.jsonl.part").exists()
    number = library(*TESTSET, "--plan", "plan.csv", "-n", "3")
    assert (number.exit_code, "-n is said by --plan" in number.stderr) == (2, True)
    both = library(*TESTSET, "--plan", "plan.csv", "--kind", "single_hop")
    assert (both.exit_code, "leave one out" in both.stderr) == (2, True)
    rules = library("testset", "docs", "--out", "q.jsonl", "--plan", "plan.csv")
    assert (rules.exit_code, "take a language model" in rules.stderr) == (2, True)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("kind,n\nsingle_hop,two\n", "line 2 of the plan: n is 'two'"),
        ("kind,n\nsingle_hop,2\neasy,1\n", "line 3 of the plan: there is no kind 'easy'"),
        ("kind,n,style\nsingle_hop,2,loud\n", "there is no style 'loud'"),
        ("kind,n,who\nsingle_hop,2,me\n", "no column 'who'"),
        ("kind,n\nsingle_hop,2,a,b\n", "more cells than its header"),
        ("kind,n\n", "no rows"),
        ("kind\nsingle_hop\n", "the columns kind and n"),
        ("kind,n,n\nsingle_hop,2,3\n", "two columns 'n'"),
        ("kind,n\n\nsingle_hop,two\n", "line 3 of the plan: n is 'two'"),
        ("kind,n\nsingle_hop,9999999999\n", "100,000 at most"),
        (None, "cannot be read"),
    ],
)
def test_a_plan_that_is_none_is_told_line_by_line(library, here, plan, said):
    if plan is not None:
        (here / "plan.csv").write_text(plan, "utf-8")
    result = library(*TESTSET, "--plan", "plan.csv")
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.stderr.split())


def test_what_is_settled_stands_in_a_file_when_it_is_stopped(library, here):
    late = WRITER.replace("def written(task):", "def written(task):\n    wait(task)").replace(
        "import re\n",
        "import re\n\n\ndef wait(task):\n    if 'Rome' in task.passages[0]:\n"
        "        raise KeyboardInterrupt\n",
        1,
    )
    (here / "writer.py").write_text(late, "utf-8")
    only = ("--kind", "single_hop", "-n", "8", "--concurrency", "1")
    library(*TESTSET, *only)
    assert not (here / "questions.jsonl").exists()
    (here / "writer.py").write_text(WRITER, "utf-8")
    rest = json.loads(library(*TESTSET, *only, "--json").stdout)
    assert rest["written"] == {"single_hop": 8}
    assert not (here / "questions.jsonl.part").exists()


def test_a_time_limit_ends_it_with_what_there_is(library, here):
    (here / "writer.py").write_text(WRITER + SLOW, "utf-8")
    only = ("--kind", "single_hop", "-n", "8", "--time-limit", "1.5")
    result = library(*TESTSET, *only)
    assert result.exit_code == 5, result.output
    assert "the time limit of 1.5 s was reached" in result.stderr
    assert (here / "questions.jsonl").exists()


def test_what_the_file_held_before_is_kept_beside_it(library, here):
    (here / "questions.jsonl").write_text('{"id": "mine", "question": "Mine?"}\n', "utf-8")
    only = ("--kind", "single_hop", "-n", "2")
    first = library(*TESTSET, *only)
    assert "questions.jsonl.bak" in first.stderr
    assert "mine" in (here / "questions.jsonl.bak").read_text("utf-8")
    assert "mine" not in (here / "questions.jsonl").read_text("utf-8")
    written = (here / "questions.jsonl").read_text("utf-8")
    (here / "questions.jsonl").write_text(written, "utf-8", newline="\r\n")  # as on Windows
    again = library(*TESTSET, *only)  # writes the same, and leaves the older file alone
    assert ".bak" not in again.stderr
    assert "mine" in (here / "questions.jsonl.bak").read_text("utf-8")


def test_all_documents_that_are_no_text_are_told_at_once(library, here):
    (here / "docs" / "a.md").write_bytes("Lamps are sold.".encode("utf-16"))
    (here / "docs" / "b.md").write_bytes(b"caf\xe9 au lait")
    (here / "docs" / "c.txt").write_bytes(bytes(300))
    told = " ".join(library(*TESTSET).stderr.split())
    assert "3 problems" in told
    assert "'docs/a.md' is UTF-16 text -> save it as UTF-8" in told
    assert "'docs/b.md' is not UTF-8: invalid continuation byte at byte 3 -> save it" in told
    assert "'docs/c.txt' is UTF-32 or binary" in told
    assert not (here / "assay.db").exists()


@pytest.mark.posix
def test_links_that_lead_nowhere_or_to_a_document(library, here):
    (here / "loop.md").symlink_to("loop.md")
    loop = library("testset", "loop.md", *TESTSET[2:])
    assert (loop.exit_code, "it is a link to 'loop.md'" in loop.stderr) == (2, True)
    rome = (here / "docs" / "rome.md").read_text("utf-8")
    (here / "questions.jsonl").symlink_to("docs/rome.md")
    out = library(*TESTSET)
    assert (out.exit_code, "among the documents in 'docs'" in out.stderr) == (2, True)
    assert (here / "docs" / "rome.md").read_text("utf-8") == rome


def test_a_name_that_is_no_text_is_written_by_its_bytes(library, here):
    name = os.fsdecode(b"we\nird [bold] \xff.md")
    try:
        (here / "docs" / "rome.md").rename(here / "docs" / name)
    except OSError:
        pytest.skip("this file system has no such names")
    made = library(*TESTSET, "--kind", "single_hop", "-n", "8")
    assert made.exit_code == 0, made.output
    assert "\\\\xff.md#1" in (here / "questions.jsonl").read_text("utf-8")


def test_ids_that_two_documents_share_are_told(library, here):
    (here / "docs.csv").write_text("id,text\n1,One lamp.\n2,Two lamps.\n1,Three lamps.\n", "utf-8")
    told = library("testset", "docs.csv", *TESTSET[2:])
    assert "two documents are called '1', the ones at 1 and 3" in " ".join(told.stderr.split())


@pytest.mark.parametrize("folder", ["out", "docs/closed"])
def test_what_may_not_be_read_or_written_is_told_first(library, here, folder, monkeypatch):
    (here / folder).mkdir()
    scandir, access = os.scandir, os.access
    denied = os.path.realpath(here / folder)

    def refused(path="."):
        if os.path.realpath(path) == denied:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    def allowed(path, mode, **how):
        return os.path.realpath(path) != denied and access(path, mode, **how)

    monkeypatch.setattr(os, "scandir", refused)
    monkeypatch.setattr(os, "access", allowed)
    out = "out/q.jsonl" if folder == "out" else "q.jsonl"
    told = library(*TESTSET[:-1], out)
    said = "out/q.jsonl cannot be written: it is read-only" if folder == "out" else "docs/closed"
    assert (told.exit_code, said in " ".join(told.stderr.split())) == (2, True), told.stderr
    assert not (here / "assay.db").exists()


def test_files_of_a_folder_that_are_not_read_are_named(assay, here):
    (here / "docs").mkdir()
    (here / "docs" / "a.md").write_text("# Tarn\n\nThe Tarn bridge was opened in 1931.\n", "utf-8")
    for name in ("b.pdf", "c.csv", "d.png"):
        (here / "docs" / name).write_bytes(b"x")
    done = assay("testset", "docs", "--out", "q.jsonl")
    assert "not read: b.pdf, c.csv (convert" in done.stderr
