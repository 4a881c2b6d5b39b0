"""Does the report begin with what went wrong, and is it harmless whatever the data hold?"""

import re
import sys
from pathlib import Path

import pytest
from rich.console import Console

from assay import evaluate
from assay._report.diagnosis import headline, missing, undiagnosed, views
from assay._report.run import collect, html

sys.path.append(str(Path(__file__).parents[2]))

from benchmarks import planted  # it is no part of what is installed

GROUPS = {"hut", "ferry", "tram", "oven"}
HOSTILE = "<script>alert(1)</script> | `x` @all"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rows = [row for row in planted.rows() if row["group"] in GROUPS]
    rows[1]["id"] = HOSTILE
    store = tmp_path_factory.mktemp("diagnosed") / "assay.db"
    return collect(evaluate(rows, planted.SHARPER, planted.knowing(), store=store))


def test_it_stands_before_the_scores_and_links_to_the_samples(data):
    page = html.render(data)
    assert page.index('id="diagnosis"') < page.index('id="scores-title"')
    links = set(re.findall(r'<li><a href="#(s\d+)">', page))
    assert len(links) == data["diagnosis"]["n_failed"]
    assert all(f'<details class="s" id="{link}">' in page for link in links)


def test_each_sample_says_what_went_wrong_with_it(data):
    page = html.render(data)
    assert page.count("Flagged <b>") == data["diagnosis"]["n_failed"]
    assert page.count("Flagged <b>ranked too low, wrong refusal</b>") == 1


def test_a_summary_has_none_and_so_has_a_single_sample(data):
    page = html.render({**data, "diagnosis": None})
    assert 'id="diagnosis"' not in page


def test_no_text_of_the_data_becomes_markup(data):
    page = html.render(data)
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    written = views.markdown(data["diagnosis"])
    assert "`` <script>alert(1)</script> \\| `x` @all ``" in written


def test_the_headline_counts_every_sample_once(data):
    found = data["diagnosis"]
    assert headline(found).startswith("48 of 56 samples flagged (86 %, 95 % interval")
    assert found["n_failed"] + found["n_fine"] + found["n_open"] == found["n_samples"]
    assert sum(cause["n"] for cause in found["causes"]) == found["n_failed"]
    assert sum(advice["n"] for advice in found["advice"]) == found["n_failed"]


def test_without_evidence_the_headline_claims_nothing(tmp_path):
    rows = [{"id": "q", "question": "Why?", "answer": "So.", "latency_ms": 9.0}]
    result = evaluate(rows, "latency", planted.knowing(), store=tmp_path / "assay.db")
    told = "None of 1 sample could be diagnosed: no metric says whether the answer is right or"
    assert headline(collect(result)["diagnosis"]).startswith(told)


def test_what_is_needed_is_named_once_for_all_the_causes_that_it_would_tell(data):
    needs = [need for need, _, _ in missing(data["diagnosis"])]
    assert len(set(needs)) == len(needs)


def test_the_console_lists_three_samples_of_a_cause_and_all_on_request(data):
    console = Console(width=200)
    with console.capture() as short:
        console.print(views.console(data["diagnosis"]))
    with console.capture() as whole:
        console.print(views.console(data["diagnosis"], show_all=True))
    assert short.get().count("-over_claimed  ") == 3
    assert "and 1 more (--all)" in short.get()
    assert whole.get().count("-over_claimed  ") == 4
    assert "--all" not in whole.get()


def test_a_sample_that_is_fine_is_said_to_be(data):
    found = data["diagnosis"]
    console = Console(width=200)
    for one in found["samples"]:
        with console.capture() as shown:
            console.print(views.console_sample(found, one["id"]))
        fine = "passed every possible check" in shown.get()
        assert fine == (one["state"] == "fine")
    assert any(one["state"] == "fine" for one in found["samples"])


def test_every_form_names_the_samples_that_could_not_be_diagnosed_and_why(tmp_path):
    answers = {"silent": "", "evasive": "I do not know.", HOSTILE: "I do not know."}
    rows = [
        {"id": name, "question": "Why?", "contexts": ["So it is."], "answer": answer}
        for name, answer in answers.items()
    ]
    data = collect(evaluate(rows, "faithfulness", store=tmp_path / "assay.db"))
    found = data["diagnosis"]
    declines = "it declines, and whether it could have answered cannot be told"
    empty = "the answer is empty: see whether it was cut off, filtered or lost"
    assert undiagnosed(found) == [(declines, ["evasive", HOSTILE]), (empty, ["silent"])]
    page = html.render(data)
    assert f'<li><b>1 sample</b>: {empty}. <a href="#s0">silent</a></li>' in page
    assert f'<li><b>2 samples</b>: {declines}. <a href="#s1">evasive</a>, ' in page
    assert page.count(f"Not diagnosed <b>{declines}</b>") == 2
    assert HOSTILE not in page
    written = views.markdown(found)
    assert f"- Could not be diagnosed: 1 sample, {empty} (`silent`)." in written
    console = Console(width=200)
    with console.capture() as shown:
        console.print(views.console(found))
    lines = [line.strip() for line in shown.get().splitlines()]
    assert lines[lines.index(f"\N{BULLET} 1 sample: {empty}") + 1] == "silent"
