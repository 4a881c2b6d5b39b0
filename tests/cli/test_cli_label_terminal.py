"""`assay label --annotator`: keys in, labels on disk, a line that tells how far it is."""

import csv
import json
import re
import subprocess
import sys

import pytest
from cli_help import write_rows

from support.once import made_once

METRIC = '''
import assay

@assay.metric(needs=("answer",), guide=0.5)
def told(sample, judge):
    """The score that the row tells."""
    return assay.Score(sample.metadata["score"])
'''
N = 40


@made_once
def told(assay, here):
    """A run of forty samples; one answer would turn a terminal upside down."""
    (here / "mine.py").write_text(METRIC, "utf-8")
    rows = [
        {"id": f"s{n}", "answer": f"\x1b[2J<script>{n}", "score": 0.9 if n % 3 else 0.2}
        for n in range(N)
    ]
    write_rows(here / "many.jsonl", rows)
    result = assay("run", "many.jsonl", "-m", "mine:told", "--judge", "scripted:judge.json")
    assert result.exit_code == 0, result.output
    return assay


def labels(here, told, name="labels.csv", *more):
    result = told("label", "--export", name, *more)
    assert result.exit_code == 0, result.output
    with (here / name).open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_without_a_terminal_it_says_so_and_what_else_there_is(told, here):
    line = [sys.executable, "-m", "assay", "label", "-a", "anna", "-m", "told"]
    piped = subprocess.run(
        line,
        check=False,
        input="y\n",
        capture_output=True,
        text=True,
        cwd=here,
        start_new_session=True,
    )
    assert piped.returncode == 2
    assert "there is no terminal" in piped.stderr
    assert "`assay view`" in piped.stderr
    assert "--out FILE" in piped.stderr


def test_keys_label_skip_undo_and_quit(told, here):
    result = told("label", "-a", "anna", "--metric", "told", keys="ynxusyzq")
    assert result.exit_code == 0, result.output
    assert "2 of 40 labelled" in result.stdout
    assert "taken back" in result.stdout
    assert "everything so far is kept" in result.stdout
    assert "\x1b[2J" not in result.stdout
    assert "[U+001B][2J<script>" in result.stdout
    assert "assay label" in result.stderr
    exported = told("label", "--export", "labels.csv")
    assert "2 labels, and 1 left unsure written to labels.csv" in exported.stderr
    rows = labels(here, told)
    assert [row["label"] for row in rows if row["label"]] in (["1", "0"], ["0", "1"])
    assert sum(row["label"] == "" for row in rows) == 1  # unsure; what was skipped is no answer
    assert {row["annotator"] for row in rows} == {"anna"}


def test_what_is_labelled_goes_on_where_it_was_left_and_is_corrected(told, here):
    for keys in ("y" * 10 + "q", "yn" * 12 + "q"):
        assert told("label", "assay.db", "--run", "last", "-a", "anna", keys=keys).exit_code == 0
    result = told("label", "-a", "anna", keys="q")
    assert "34 of 40 labelled" in result.stdout
    # 26 of the 40 score 0.9: a share of samples beside a share of samples.
    assert "the judge calls 0.65 of all good (from 0.50)" in " ".join(result.stdout.split())
    assert "people, corrected 0." in result.stdout
    rows = labels(here, told)
    assert all(0 < float(row["inclusion_probability"]) <= 1 for row in rows)
    corrected = told("correct", "--labels", "labels.csv", "--json")
    assert corrected.exit_code == 0, corrected.output
    assert json.loads(corrected.stdout)[0]["corrected"]["n_labelled"] == 34


def test_it_says_how_many_labels_tell_something(told):
    result = told("label", "-a", "anna", keys="yny" + "q")
    why = "label 17 more: fewer than 20 samples do not tell how many it takes"
    assert why in " ".join(result.stdout.split())


def test_a_reason_goes_with_the_next_label(told, here):
    assert told("label", "-a", "anna", keys="r=wrong number\nnq").exit_code == 0
    (row,) = labels(here, told)
    assert row["reason"] == "'=wrong number"  # for a spreadsheet it is no formula


def test_it_asks_what_the_metric_is_about_as_the_browser_does(scored):
    shown = scored("label", "-a", "anna", "-m", "faithfulness", keys="nq").stdout
    assert "Do the contexts support everything that the answer says?" in shown
    assert "you: no" in shown
    parts = scored("label", "-a", "anna", "--per", "statement", keys="q").stdout
    assert "Do the contexts support this statement?" in parts
    assert "How good is this answer?" in scored("label", "-a", "b", "--grades", keys="q").stdout


def test_grades_are_of_one_s_own_scale(told, here):
    assert told("label", "-a", "anna", "--grades", keys="yq4").exit_code == 0
    assert told("label", "-a", "anna", "--grades", keys="y4q").exit_code == 0
    assert [row["label"] for row in labels(here, told)] == ["4"]


def test_the_judge_is_shown_after_the_label_or_before_it_if_asked_for(told):
    hidden = told("label", "-a", "anna", keys="q").stdout
    assert "the judge " not in " ".join(hidden.split()).replace("the judge calls 0", "")
    assert "the judge 0." in told("label", "-a", "anna", keys="yq").stdout
    assert "the judge  0." in told("label", "-a", "ben", "--show-judge", keys="q").stdout


def test_disagreements_are_settled(told, here):
    for name, keys in (("anna", "y" * N), ("ben", "n" * N)):
        more = ("--second-opinions", "1")
        assert told("label", "-a", name, *more, keys=keys).exit_code == 0
    result = told("label", "-a", "carl", "--settle", keys="yynq")
    assert result.exit_code == 0, result.output
    assert "anna 1, ben 0" in result.stdout
    assert "37 disagreements left" in result.stdout
    assert len(labels(here, told, "all.csv", "--everyone")) == 2 * N
    assert len(labels(here, told, "settled.csv")) == 2 * N - 3


class TestPairs:
    """Which of two answers is better, by the letters under which a person sees them."""

    WORDS = ("--per", "pair", "--against", "last~1")

    @made_once
    def two(self, told, here):
        rows = [
            {"id": f"s{n}", "answer": f"better {n}", "contexts": [f"note {n}"], "score": 0.95}
            for n in range(N)
        ]
        write_rows(here / "better.jsonl", rows)
        result = told("run", "better.jsonl", "-m", "mine:told", "--judge", "scripted:judge.json")
        assert result.exit_code == 0, result.output
        return lambda *words, keys="q": told("label", *self.WORDS, *words, keys=keys)

    @staticmethod
    def letter(output, text="better"):
        """The letter of the answer in which this stands."""
        return re.search(rf"answer ([AB]) ─+╮\n│ {text}", output)[1].lower()

    def test_a_letter_is_the_better_answer_whichever_run_it_is_of(self, two, here, told):
        for _ in range(6):
            key = self.letter(two("-a", "anna").stdout)
            result = two("-a", "anna", keys=f"{key}q")
            assert result.exit_code == 0, result.output
            assert f"{key.upper()} is better; the judge A 0." in result.stdout
        result = two("-a", "anna", keys="0uq")
        assert "you: tie" in result.stdout
        assert "7 of 40 labelled" in result.stdout
        assert "--per pair --against" in result.stderr
        given = [row["label"] for row in labels(here, told, "pairs.csv", *self.WORDS)]
        assert sorted(filter(None, given)) == ["A"] * 6 + ["tie"]

    def test_both_answers_are_shown_with_their_contexts_and_no_run_or_score(self, two):
        shown = two("-a", "anna").stdout
        assert "Which answer is better?" in shown
        assert "a A better   b B better   0 tie" in shown
        assert shown.count("note ") == 1
        assert "the judge " not in shown.partition("labelled")[0]
        assert "0.95" not in shown.partition("labelled")[0]

    @pytest.mark.slow
    def test_disagreements_are_told_and_settled_by_letter(self, two, here, told):
        more = ("--second-opinions", "1", "--order", "random")
        first = two("-a", "anna", *more).stdout
        two("-a", "anna", *more, keys=f"{self.letter(first)}q")
        words = re.search(r"better (\d+)", first)[1]
        for _ in range(N):  # until ben sees the same
            shown = two("-a", "ben", *more).stdout
            if re.search(rf"better {words}\b", shown):
                break
            two("-a", "ben", *more, keys="sq")
        worse = "b" if self.letter(shown) == "a" else "a"
        two("-a", "ben", *more, keys=f"{worse}q")
        settled = two("-a", "carl", "--settle", keys="q").stdout
        key = self.letter(settled)
        assert f"anna {key.upper()} is better, ben " in settled
        assert "0 disagreements left" in two("-a", "carl", "--settle", keys=key).stdout
        (row,) = labels(here, told, "pairs.csv", *self.WORDS)
        assert row["label"] == "A"

    @pytest.mark.parametrize(
        ("words", "why"),
        [(("--per", "pair"), "--against RUN"), ((*WORDS, "--grades"), "single answers")],
    )
    def test_what_does_not_go_together_is_refused(self, told, words, why):
        result = told("label", "-a", "anna", *words, keys="q")
        assert result.exit_code == 2
        assert why in result.stderr


def test_a_file_is_taken_in_once(told, here):
    write_rows(here / "mine.jsonl", [{"id": f"s{n}", "label": n % 2} for n in range(10)])
    for said in ("10 new labels", "0 new labels"):
        result = told("label", "-a", "anna", "--import", "mine.jsonl")
        assert result.exit_code == 0, result.output
        assert said in result.stderr
    assert "10 of 40 labelled" in told("label", "-a", "anna", keys="q").stdout


def test_a_sheet_that_names_its_metrics_needs_no_other_word(scored, here):
    assert scored("run", "data.jsonl", "-m", "faithfulness,answer_relevancy").exit_code == 0
    named = [
        {"id": "tower", "label": 1, "metric": "faithfulness"},
        {"id": "tower", "label": 0, "metric": "answer_relevancy"},
    ]
    write_rows(here / "one.jsonl", named[:1])
    write_rows(here / "both.jsonl", named)
    write_rows(here / "none.jsonl", [{"id": "tower", "label": 1}])
    taken = scored("label", "-a", "anna", "--import", "one.jsonl")
    assert "1 new label about faithfulness of one.jsonl" in taken.stderr
    exported = scored("label", "--export", "labels.csv")  # one metric alone is labelled
    assert exported.exit_code == 0, exported.output
    taken = scored("label", "-a", "anna", "--import", "both.jsonl")
    assert "0 new labels about faithfulness" in taken.stderr
    assert "1 new label about answer_relevancy" in taken.stderr
    refused = scored("label", "-a", "anna", "--import", "none.jsonl")
    assert "which metric? The run has faithfulness, answer_relevancy" in refused.stderr
    assert "which metric?" in scored("label", "--export", "labels.csv").stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "nobody to label"),
        (("--import", "labels.csv"), "say with --annotator NAME whose those are"),
        (("--out", "s.csv", "-a", "anna"), "is for labelling in the terminal"),
        (("-a", "anna", "--random-share", "1"), "is for --out"),
        (("-a", "anna", "--order", "difference"), "is for two runs"),
        (("--export", "labels.csv"), "nobody has labelled"),
        (("-a", "anna", "--import", "absent.csv"), "absent.csv"),
    ],
)
def test_what_cannot_be_done_is_refused(told, words, why):
    result = told("label", *words, keys="q")
    assert result.exit_code == 2
    assert why in result.stderr
