"""`assay agree`: agreement with people in every form, and what is refused."""

import json
import re

import pytest
from cli_help import write_rows


@pytest.fixture
def labelled(scored, here):
    """A run of two samples with two statements each, and labels of the statements."""
    (here / "labels.csv").write_text(
        "sample,statement,label_anna,label_bob\n"
        "tower,It was finished in 1889.,yes,yes\n"
        "tower,It is made of cheese.,no,no\n"
        "faust,Goethe wrote Faust.,yes,yes\n"
        "faust,He was an ox.,yes,no\n",
        "utf-8",
    )
    return scored


def test_the_table_shows_value_floor_and_people(labelled):
    result = labelled("agree", "--labels", "labels.csv")
    assert result.exit_code == 0, result.output
    assert "faithfulness  3 statements in 2 independent groups, 2 annotators" in result.stdout
    for words in (
        "AUROC",
        "best trivial rule",
        "people (95 % CI)",
        "Left out: 1 (annotators undecided)",
    ):
        assert words in result.stdout
    assert "Among people: Krippendorff's alpha, nominal" in result.stdout


def test_json_holds_the_numbers_and_nothing_else(labelled):
    data = json.loads(labelled("agree", "--labels", "labels.csv", "--json").stdout)
    (metric,) = data["metrics"]
    assert metric["kind"] == "statement"
    assert metric["confusion"] == {"good_good": 2, "good_bad": 0, "bad_good": 0, "bad_bad": 1}
    auroc = metric["measures"][0]
    assert (auroc["name"], auroc["value"], auroc["interval"]) == ("AUROC", 1.0, None)


@pytest.mark.parametrize(
    ("column", "arguments", "told"),
    [
        ("label", (), "name no metric, so they stand beside 2 of them -> name the one"),
        ("label", ("-m", "faithfulness"), ""),
        ("faithfulness", (), ""),
    ],
)
def test_labels_that_name_no_metric_are_said_to_stand_beside_all(
    assay, here, column, arguments, told
):
    assay("run", "data.jsonl", "-m", "faithfulness,answer_relevancy", "--quiet")
    (here / "samples.csv").write_text(f"id,{column}\ntower,yes\nfaust,no\n", "utf-8")
    result = assay("agree", "--labels", "samples.csv", *arguments)
    assert result.exit_code == 0, result.output
    assert told in result.stderr if told else "name no metric" not in result.stderr


def test_files_in_every_form(labelled, here):
    (here / "samples.csv").write_text("id,label\ntower,yes\nfaust,no\n", "utf-8")
    outs = [part for form in ("html", "md", "json") for part in ("--out", f"a.{form}")]
    result = labelled("agree", "--labels", "samples.csv", "--concordance", *outs)
    assert result.exit_code == 0, result.output
    page = (here / "a.html").read_text("utf-8")
    assert "<dt>Judge</dt><dd>" in page
    assert "<svg" in page
    assert not re.search(r"(src|href)=", page)
    text = (here / "a.md").read_text("utf-8")
    assert "### Concordance" in text
    # faithfulness is 0.5 of both: one is called correct, above thresholds of up to 0.4.
    at = "at other thresholds:"
    grid = dict(
        line.split(" | ", 1) for line in text[text.index(at) :].splitlines() if " | " in line
    )
    assert [grid[f"| {t}"][:10] for t in ("0.40", "0.50")] == ["0.50 (1/2;", "– (0) | – "]
    assert "at other thresholds, in numbers" in page
    assert json.loads((here / "a.json").read_text("utf-8"))["concordance"]["above"] == 0.7


@pytest.mark.parametrize("threshold", ["7", "-0.1"])
def test_a_threshold_that_no_score_can_have_is_refused(labelled, threshold):
    result = labelled("agree", "--labels", "labels.csv", f"--threshold={threshold}")
    assert result.exit_code == 2
    assert f"--threshold {threshold}: the values of faithfulness are 0 to 1" in result.stderr
    assert labelled("agree", "--labels", "labels.csv", "--threshold", "0.5").exit_code == 0


def test_thresholds_of_the_concordance_are_options(labelled, here):
    (here / "samples.csv").write_text("id,label\ntower,yes\nfaust,no\n", "utf-8")
    given = ("agree", "--labels", "samples.csv")
    found = labelled(*given, "--concordance", "--above", "0.4", "--below", "0.6")
    assert found.exit_code == 0, found.output
    # faithfulness is 0.5 of both samples.
    shown = " ".join(found.stdout.split())
    assert "P(correct | all > 0.40)" in shown
    assert shown.count("0.50 (1/2;") == 2
    own = labelled(*given, "--concordance", "--above", "faithfulness=0.4", "--json")
    table = json.loads(own.stdout)["concordance"]
    assert (table["above"], table["thresholds"]["faithfulness"]["above"]) == (0.7, 0.4)
    for wrong, why in (
        (("--above", "high"), "--above 'high' ends in no number"),
        (("--above", "0.4", "--above", "0.5"), "--above is given twice without a metric"),
        (("--below", "faithfulnes=0.4"), "has no 'faithfulnes'"),
        (("--below", "nan"), "below nan parts no scores"),
    ):
        refused = labelled(*given, "--concordance", *wrong)
        assert refused.exit_code == 2
        assert why in refused.stderr
    out_of_range = labelled(*given, "--concordance", "--above", "1")
    assert out_of_range.exit_code == 2
    assert "above 1 parts no scores" in out_of_range.stderr
    alone = labelled(*given, "--above", "0.4")
    assert alone.exit_code == 2
    assert "--above is for --concordance" in alone.stderr


def test_what_a_label_says_is_shown_as_text(labelled, here):
    text = "<script>alert(1)</script>"
    (here / "labels.jsonl").write_text(
        json.dumps({"id": "tower", "label": 1, "annotator": text})
        + "\n"
        + json.dumps({"id": "faust", "label": 0, "annotator": "bob"}),
        "utf-8",
    )
    result = labelled("agree", "--labels", "labels.jsonl", "--out", "a.html", "--out", "a.md")
    assert result.exit_code == 0, result.output
    assert text not in (here / "a.html").read_text("utf-8") + (here / "a.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--labels", "nowhere.csv"), "there is no file 'nowhere.csv'"),
        (("--labels", "labels.csv", "--out", "labels.csv"), "--out labels.csv"),
        (("--labels", "labels.csv", "--out", "x.pdf"), ".html, .md, .json"),
        (("--labels", "labels.csv", "--metric", "nonsense"), "has no 'nonsense'"),
        (("--labels", "labels.csv", "--concordance"), "not of statements"),
        (("--labels", "data.jsonl"), "there is no label"),
    ],
)
def test_what_cannot_be_done_is_said(labelled, arguments, told):
    result = labelled("agree", *arguments)
    assert result.exit_code == 2
    assert told in result.stderr


@pytest.mark.parametrize("options", [(), ("-m", "faithfulness"), ("--concordance",)])
def test_labels_of_another_run_are_refused_with_what_to_do(labelled, here, options):
    (here / "others.csv").write_text("sample,label\nx,yes\ny,no\n", "utf-8")
    result = labelled("agree", "--labels", "others.csv", *options)
    assert result.exit_code == 2
    assert "2 not in the run ('x', 'y') -> name the run that was labelled" in result.stderr
    assert "label samples of this one: assay label" in result.stderr


def test_labels_by_another_column_than_the_id_are_told_which(assay, here):
    rows = [
        {"Ticket": n, "question": "Why?", "contexts": ["It is red."], "answer": "It is red."}
        for n in (4711, 4712)
    ]
    write_rows(here / "tickets.jsonl", rows)
    assert assay("run", "tickets.jsonl", "-m", "faithfulness").exit_code == 0
    (here / "labels.csv").write_text("id,label\n4711,yes\n4712,no\n", "utf-8")
    refused = assay("agree", "--labels", "labels.csv")
    assert refused.exit_code == 2
    assert "by the column 'Ticket': run the data again with --map 'id=Ticket'" in refused.stderr
    again = ("run", "tickets.jsonl", "-m", "faithfulness", "--map", "id=Ticket")
    assert assay(*again).exit_code == 0
    assert assay("agree", "--labels", "labels.csv").exit_code == 0


def test_labels_of_other_answers_are_named_with_what_to_do(labelled, here):
    (here / "others.csv").write_text("sample,label,answer\ntower,yes,In 1900.\n", "utf-8")
    result = labelled("agree", "--labels", "others.csv")
    assert "! 1 samples of others.csv have another 'answer'" in result.stderr
    assert "('tower'): labels of other answers say nothing of these -> " in result.stderr
    assert "name the run that was labelled (`assay runs` lists them), or remove" in result.stderr


def test_metrics_that_no_label_is_about_are_not_listed(assay, here):
    assay("run", "data.jsonl", "-m", "exact_match,token_f1")
    (here / "about.csv").write_text(
        "id,metric,label\ntower,token_f1,1\nfaust,token_f1,0\n", "utf-8"
    )
    result = assay("agree", "--labels", "about.csv")
    assert result.exit_code == 0, result.output
    assert "token_f1  2 samples" in result.stdout
    assert "exact_match" not in result.stdout


def test_labels_about_no_metric_of_the_run_are_named(assay, here):
    assay("run", "data.jsonl", "-m", "exact_match,token_f1")
    (here / "about.csv").write_text(
        "id,metric,label\ntower,token_f1,1\nfaust,token_f1,0\ntower,exact_mach,1\n", "utf-8"
    )
    result = assay("agree", "--labels", "about.csv", "--json")
    assert result.exit_code == 0, result.output
    why = "the run has no metric of this name, but labels do"
    assert json.loads(result.stdout)["without"] == {"exact_mach": why}


def test_levels_name_an_ordinal_scale(labelled, here):
    (here / "grades.csv").write_text("id,grade\ntower,good\nfaust,poor\n", "utf-8")
    result = labelled("agree", "--labels", "grades.csv", "--levels", "poor,fair,good")
    assert "2 samples; mean grade 1.00" in result.stdout
