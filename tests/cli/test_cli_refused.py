"""What would lose a file, be ignored, or be no number is refused before anything is done."""

import json

import pytest
from cli_help import FAITHFULNESS, JUDGE, write_rows

from assay._cli.errors import say
from support.given import told
from support.once import made_once

RUN = (*FAITHFULNESS, *JUDGE)
LABELS = ("--labels", "labels.json")
CALIBRATE = ("calibrate", *LABELS)
GATE = ("gate", "--min", "given=0.1")


@made_once
def store(assay, here):
    """The command line beside a store with one run, and labels of it."""
    told([0.1, 0.9, 0.4, 0.6] * 10, here / "assay.db")
    rows = [{"id": f"q{n}", "label": n % 2} for n in range(40)]
    (here / "labels.json").write_text(json.dumps(rows), "utf-8")
    return assay


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ((*RUN, "--skip-invalid", "assay.db"), "assay.db"),
        ((*RUN, "--skip-invalid", "data.jsonl"), "data.jsonl"),
        ((*CALIBRATE, "--out", "labels.json"), "labels.json"),
        ((*GATE, "--junit", "assay.db"), "assay.db"),
        ((*GATE, "--markdown", "assay.db"), "assay.db"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_no_file_that_is_read_is_written_over(store, here, line, file):
    before = (here / file).read_bytes()
    result = store(*line)
    assert result.exit_code == 2, result.output
    assert "overwrit" in result.stderr
    assert (here / file).read_bytes() == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ((*RUN, "--target-timeout", "5"), "--target-timeout needs a target"),
        ((*RUN, "--target-concurrency", "1"), "--target-concurrency needs a target"),
        ((*RUN, "--target-reply", "a=b"), "--target-reply needs a target"),
        ((*RUN, "--draws", "2"), "--draws needs a target"),
        ((*RUN, "--workers", "3"), "--workers is for --engine ray"),
        (("diagnose", "--embedder", "embedded"), "--embedder is for --counterfactual"),
        (("diagnose", "--base-url", "http://x"), "--base-url is for --counterfactual"),
        ((*CALIBRATE, "--card", "c.json", "--objective", "f1"), "--objective is for fitting"),
        ((*CALIBRATE, "--example-count", "3"), "--example-count is for --examples"),
        (("correct", *LABELS, "--threshold", "0.7"), "--threshold is for --checked-on"),
        (("correct", *LABELS, "--checked-on", "last", "--strata", "x"), "--strata is about"),
        (("compare", "last", "--by", "score", "--detect", "1"), "--detect is for whole runs"),
        (("metrics", "--judge", "openai:x"), "--judge is for --compare"),
        (("metrics", "faithfulness", "--limit", "3"), "--limit is for --compare"),
        (("schema", "config", "--list"), '--list is for "data"'),
        ((*GATE, "--margin", "0.1"), "--margin is for --no-regression"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_no_option_is_ignored(store, line, said):
    result = store(*line)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert " -> " in result.stderr


def test_what_a_configuration_sets_for_other_runs_is_no_mistake(assay, here):
    (here / "assay.toml").write_text("[run]\ntarget-timeout = 5.0\nworkers = 3\n", "utf-8")
    assert assay(*RUN).exit_code == 0


@pytest.mark.parametrize(
    "line",
    [
        (*RUN, "--timeout", "nan"),
        (*RUN, "--rpm", "inf"),
        ("agree", *LABELS, "--threshold", "nan"),
        ("correct", *LABELS, "--width", "nan"),
        (*CALIBRATE, "--good", "nan"),
        (*CALIBRATE, "--costs", "nan:1"),
        (*CALIBRATE, "--costs", "1:inf"),
        ("compare", "last", "last", "--level", "nan"),
        ("items", "last", "last", "--threshold", "inf"),
        ("gate", "--min", "given=nan", "--min", "given=0.1"),
    ],
    ids=" ".join,
)
def test_what_is_no_number_is_told(store, line):
    result = store(*line)
    assert result.exit_code == 2, result.output
    assert f"'{line[-2]}'" in result.stderr or line[-2].strip("-") in result.stderr


def test_the_card_says_which_metric_it_is_about(store):
    assert store(*CALIBRATE, "--out", "card.json").exit_code == 0
    applied = store("calibrate", "--card", "card.json", "-m", "given")
    assert applied.exit_code == 0, applied.output
    other = store("calibrate", "--card", "card.json", "-m", "other")
    assert (other.exit_code, "has no 'other'" in other.stderr) == (2, True)


def test_no_share_at_all_may_be_demanded(assay, here):
    told([1.0] * 49 + ["failed"], here / "assay.db")
    assert assay("gate", "--min", "given=0.5", "--max-unscored", "0.05").exit_code == 0
    assert assay("gate", "--min", "given=0.5", "--max-unscored", "0").exit_code == 6


@pytest.mark.slow
def test_a_margin_of_nothing_is_a_margin(assay, here):
    told([0.80] * 40, here / "before.db")
    told([0.78] * 40, here / "assay.db")
    against = ("gate", "--no-regression", "before.db", "--on", "mean")
    assert assay(*against).exit_code == 0
    assert assay(*against, "--margin", "0").exit_code == 6


@pytest.mark.parametrize("order", [(0.4, 0.6), (0.6, 0.4)])
def test_of_two_demands_the_stricter_one_holds(store, order):
    rules = [word for least in order for word in ("--min", f"given={least}")]
    assert store("gate", *rules).exit_code == 6


@pytest.mark.parametrize("option", ["--junit", "--markdown"])
def test_a_file_that_cannot_be_written_is_no_bug(store, here, option):
    (here / "is-a-file").write_text("")
    assert store(*GATE, option, "is-a-file/x").exit_code == 2


def test_what_is_no_export_is_told(assay, here):
    (here / "picture").write_bytes(b"\xff\xd8\xff\xe0")
    result = assay("import", "picture")
    assert result.exit_code == 2
    assert "'picture' is no text" in result.stderr


def test_commands_to_be_copied_name_the_store_and_quote_what_they_name(assay, here):
    (here / "my runs").mkdir()
    rows = [{"id": "it's", "question": "q", "contexts": ["c"], "answer": "He was an ox."}]
    write_rows(here / "odd.jsonl", rows)
    line = ("run", "odd.jsonl", "-m", "faithfulness", *JUDGE, "--store", "my runs/a.db")
    shown = assay(*line).stdout
    assert """--sample 'it'"'"'s' --store 'my runs/a.db'""" in shown
    assert "--sample ID --store 'my runs/a.db'" in assay("show", "--store", "my runs/a.db").stdout


def test_an_id_does_not_steer_the_terminal(assay, here):
    rows = [{"id": "a\x1b]0;x\x07", "question": "q", "contexts": ["c"], "answer": "An ox."}]
    write_rows(here / "odd.jsonl", rows)
    shown = assay("run", "odd.jsonl", "-m", "faithfulness", *JUDGE).stdout
    assert "[U+001B]" in shown
    assert "\x1b" not in shown


def test_what_nobody_sees_is_shown_in_messages(capsys):
    say("a\u200eb\u200bc\u2028d\U000e0041\ttab\nline")
    shown = "a[U+200E]b[U+200B]c[U+2028]d[U+E0041]\ttab\nline\n"
    assert capsys.readouterr().err == shown


def test_only_the_metric_asked_for_is_shown(assay, here):
    assert assay("run", "data.jsonl", "-m", "faithfulness,token_f1", *JUDGE).exit_code == 0
    assert "token_f1" not in assay("show", "-m", "faithfulness").stdout
    found = json.loads(assay("show", "-m", "faithfulness", "--json").stdout)
    assert [row["metric"] for row in found["metrics"]] == ["faithfulness"]
    assert list(found["worst"]) == ["faithfulness"]


def test_the_page_of_a_diagnosis_goes_by_its_options(assay, here):
    row = {
        "id": "deep",
        "question": "Who wrote Faust?",
        "contexts": ["Paris is a city.", "Faust was written by Goethe."],
        "reference_contexts": ["Faust was written by Goethe."],
        "answer": "Goethe wrote it. He was an ox.",
    }
    write_rows(here / "deep.jsonl", [row])
    assert assay("run", "deep.jsonl", "-m", "faithfulness", *JUDGE).exit_code == 0
    for within in ("1", "3"):
        line = ("diagnose", "--within", within, "--out", "d.html", "--out", "d.md")
        assert assay(*line).exit_code == 0
        page, text = ((here / name).read_text("utf-8") for name in ("d.html", "d.md"))
        assert ("ranked too low" in page.lower()) == ("ranked too low" in text.lower())
        assert ("ranked too low" in text.lower()) == (within == "1")


@pytest.mark.parametrize("role", ["--judge", "--embedder"])
def test_an_ollama_that_was_not_started_is_told_once_with_how_to_start_it(
    assay, here, monkeypatch, role
):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    rows = [{"question": "Is it?", "answer": f"{n}.", "reference": f"{n}."} for n in range(20)]
    write_rows(here / "rows.jsonl", rows)
    metric = "answer_relevancy" if role == "--judge" else "answer_similarity"
    result = assay("run", "rows.jsonl", "-m", metric, role, "ollama:llama3")
    assert result.exit_code == 4, result.output
    assert result.stderr.count("ollama:llama3: Ollama does not answer at 127.0.0.1:9") == 1
    assert "-> start it: ollama serve" in result.stderr
    assert "openai:" not in result.output
