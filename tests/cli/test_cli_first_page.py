"""The end of a run: how many samples are bad, what the judge missed, and what to read."""

import json

import pytest
from cli_help import write_rows

from assay.judges.embedded import Embedded

HUT = "The hut has 52 beds. It was built in 1901."
ROWS = [
    # One statement of three is supported: below any guide value.
    {
        "id": "third",
        "question": "What is the hut like?",
        "contexts": [HUT],
        "answer": "The hut has 52 beds. It has a helicopter pad. A lift brings the guests up.",
    },
    {
        "id": "foreign",
        "question": "山小屋には何がありますか。",
        "contexts": ["山小屋には52のベッドがあります。"],
        "answer": "山小屋には温泉とプールがあり、毎晩コンサートが開かれます。",
    },
    {
        "id": "good",
        "question": "How many beds has the hut?",
        "contexts": [HUT],
        "answer": "The hut has 52 beds.",
    },
    {
        "id": "declines",
        "question": "Who is the warden of the hut?",
        "contexts": [HUT],
        "answer": "Sorry, I do not know.",
    },
]


@pytest.fixture
def run(assay, here):
    write_rows(here / "hut.jsonl", ROWS)

    def call(*options):
        result = assay("run", "hut.jsonl", *options)
        assert result.exit_code == 0, result.output
        return " ".join(result.stdout.split())

    return call


def test_every_answer_with_an_unsupported_statement_is_flagged_and_read_first(run, assay):
    shown = run()
    assert "1 of 3 samples flagged by the judge (33 %, 95 % interval" in shown
    assert "1 passed every possible check; the judge is uncertain about 1" in shown
    assert "read first third " in shown
    assert "--sample third" in shown
    told = json.loads(assay("diagnose", "--json").stdout)
    states = {one["id"]: one["state"] for one in told["samples"]}
    assert states == {"third": "failed", "foreign": "uncertain", "good": "fine", "declines": "open"}


def test_beside_what_passed_stands_what_the_judge_is_expected_to_have_missed(run):
    shown = run("-m", "faithfulness")
    quality = Embedded().quality("faithfulness")
    flags = f"it flags {100 * quality.found.value:.0f} % of bad ones"
    assert "of 1 answer without a flagged statement " in shown
    assert f"if the judge errs here as on {quality.data} ({flags}" in shown


def test_a_verdict_of_the_judge_is_called_one_and_its_errors_stand_beside_it(run, assay, here):
    assert "went wrong" not in run("-m", "faithfulness", "--out", "hut.html")
    expected = "errors of 1 answer with a flagged statement 0 to 1 are good"
    assert expected in " ".join(assay("show").stdout.split())
    assert expected in " ".join(assay("diagnose").stdout.split())
    page = (here / "hut.html").read_text("utf-8")
    assert expected.removeprefix("errors ") in page
    assert "went wrong" not in page.lower()


def test_what_the_data_say_is_told_from_what_the_judge_says(assay, here):
    lost = {"id": "lost", "context_ids": ["a"], "reference_context_ids": ["b"]}
    write_rows(here / "lost.jsonl", [ROWS[0] | {"context_ids": ["a"]}, ROWS[2] | lost])
    assert assay("run", "lost.jsonl", "-m", "faithfulness").exit_code == 0
    assert "): 1 by the judge, 1 by the data;" in " ".join(assay("diagnose").stdout.split())


def test_fewer_flags_than_good_answers_alone_would_get_do_not_make_the_flagged_ones_good(
    assay, here
):
    rows = [ROWS[2] | {"id": str(n)} for n in range(99)] + [ROWS[0]]
    write_rows(here / "hut.jsonl", rows)
    told = " ".join(assay("run", "hut.jsonl", "-m", "faithfulness").stdout.split())
    assert "of 1 answer with a flagged statement an unknown number are good" in told
    assert "of 99 answers without a flagged statement " in told


RECORD = json.dumps({"name": "Finch", "city": "Lima", "hours": {"Monday": "9-17"}, "stars": 4})
OF_RECORDS = {"question": "What is known of Finch?", "contexts": [RECORD], "answer": "In Lima."}
OF_SUMMARIES = {
    "question": "Summarize the following article in 20 words:",
    "contexts": ["Finch opened in Lima in 2011. It has four stars."],
    "answer": "Finch opened in Lima.",
}


@pytest.mark.parametrize(
    ("row", "data"),
    [(OF_RECORDS, "RAGTruth Data2txt answers"), (OF_SUMMARIES, "RAGTruth Summary answers")],
)
def test_how_often_the_judge_errs_is_what_was_measured_on_texts_of_this_kind(
    assay, here, row, data
):
    write_rows(here / "kind.jsonl", [row | {"id": str(n)} for n in range(3)])
    assert assay("run", "kind.jsonl", "-m", "faithfulness").exit_code == 0
    assert f"({data}, human labels" in " ".join(assay("show", "--about").stdout.split())
    words = f"no better than word overlap: faithfulness ({data})"
    assert words in " ".join(assay("show").stdout.split())


def test_texts_of_another_kind_than_most_are_told_with_the_errors_to_expect_there(assay, here):
    rows = [ROWS[0] | {"id": str(n)} for n in range(5)] + [OF_RECORDS | {"id": "record"}]
    write_rows(here / "mixed.jsonl", rows)
    assert assay("run", "mixed.jsonl", "-m", "faithfulness").exit_code == 0
    on_records = Embedded().quality("faithfulness on records")
    told = " ".join(assay("show").stdout.split())
    assert "no better than word overlap" not in told
    assert (
        "1 of 6 samples have records as contexts: there the judge flags "
        f"{100 * on_records.found.value:.0f} % of bad ones and "
        f"{100 * on_records.wrong.value:.0f} % of good ones (faithfulness)."
    ) in told


def test_questions_that_are_repeated_are_no_independent_samples(assay, here):
    rows = [ROWS[n % 3] | {"id": str(n)} for n in range(12)]
    write_rows(here / "repeated.jsonl", rows)
    assert assay("run", "repeated.jsonl", "-m", "faithfulness").exit_code == 0
    told = " ".join(assay("show").stdout.split())
    assert "12 rows ask 3 different questions: answers to one question tell less" in told
    write_rows(here / "grouped.jsonl", [row | {"group": row["question"]} for row in rows])
    assert assay("run", "grouped.jsonl", "-m", "faithfulness").exit_code == 0
    assert "different questions" not in assay("show").stdout


def test_one_order_about_many_texts_is_no_repeated_question(assay, here):
    articles = [[f"Finch opened in Lima in {year}."] for year in range(2001, 2013)]
    rows = [OF_SUMMARIES | {"id": str(n), "contexts": each} for n, each in enumerate(articles)]
    write_rows(here / "articles.jsonl", rows)
    assert assay("run", "articles.jsonl", "-m", "faithfulness").exit_code == 0
    assert "different question" not in assay("show").stdout


def test_where_nobody_measured_the_judge_the_diagnosis_says_so(assay, here):
    row = ROWS[0] | {"answer": "Bananas are rich in potassium. Penguins cannot fly."}
    write_rows(here / "hut.jsonl", [row])
    metric = "answer_relevance_by_statement"
    assert assay("run", "hut.jsonl", "-m", metric).exit_code == 0
    data = json.loads(assay("diagnose", "--json").stdout)
    assert data["flagged"] == [{"metric": metric, "n": 1, "quality": None}]
    told = " ".join(assay("diagnose").stdout.split())
    assert f"how often the judge is wrong in {metric} is not measured" in told


def test_refusals_are_a_number_of_their_own(run):
    assert "refused 1 answer declines; whether rightly cannot be told" in run()


def test_the_judge_takes_one_line_whatever_the_number_of_metrics(run, assay):
    run()
    lines = assay("show").stdout.splitlines()
    told = [line for line in lines if line.startswith(("judge ", "finds"))]
    version = Embedded().name.split("+")[0].removeprefix("embedded:v")
    assert told[0].startswith("finds, errs: the judge's true-positive and false-positive rate in %")
    assert told[1].startswith(f"judge embedded {version}: asked 22, reused")
    assert len(told) == 2
    assert "minilm" not in assay("show").stdout
    assert Embedded().name in assay("show", "--about").stdout.replace("\n", "").replace(" ", "")


def test_with_a_judge_in_this_process_the_metrics_of_the_diagnosis_are_computed_too(run, assay):
    run()
    names = [row["metric"] for row in json.loads(assay("show", "--json").stdout)["metrics"]]
    assert {"hallucination_spans", "answer_relevance_by_statement"} <= {*names}
