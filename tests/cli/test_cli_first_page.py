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
    assert "1 of 3 samples went wrong (33 %, 95 % interval" in shown
    assert "1 passed every check that could be made; of 1 the judge is uncertain" in shown
    assert "read first third " in shown
    assert "--sample third" in shown
    told = json.loads(assay("diagnose", "--json").stdout)
    states = {one["id"]: one["state"] for one in told["samples"]}
    assert states == {"third": "failed", "foreign": "uncertain", "good": "fine", "declines": "open"}


def test_beside_what_passed_stands_what_the_judge_is_expected_to_have_missed(run):
    shown = run("-m", "faithfulness")
    quality = Embedded().quality("faithfulness")
    flags = f"it flags {100 * quality.found.value:.0f} of 100 bad ones"
    assert "of 1 answer without a flagged statement " in shown
    assert f"if this judge errs here as on {quality.data} ({flags}" in shown


def test_refusals_are_a_number_of_their_own(run):
    assert "refused 1 answer declines; whether rightly cannot be told" in run()


def test_the_judge_takes_one_line_whatever_the_number_of_metrics(run, assay):
    run()
    lines = assay("show").stdout.splitlines()
    told = [line for line in lines if line.startswith(("judge ", "finds"))]
    version = Embedded().name.split("+")[0].removeprefix("embedded:v")
    assert told[0].startswith("finds, errs: of 100 bad ones and of 100 good ones")
    assert told[1].startswith(f"judge embedded {version}: asked 22, reused")
    assert len(told) == 2
    assert "minilm" not in assay("show").stdout
    assert Embedded().name in assay("show", "--about").stdout.replace("\n", "").replace(" ", "")


def test_with_a_judge_in_this_process_the_metrics_of_the_diagnosis_are_computed_too(run, assay):
    run()
    names = [row["metric"] for row in json.loads(assay("show", "--json").stdout)["metrics"]]
    assert {"hallucination_spans", "answer_relevance_by_statement"} <= {*names}
