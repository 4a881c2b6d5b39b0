"""`assay items`: systems and questions, and what is refused."""

import json
import re

import pytest

from support.once import made_once

METRIC = '''
import assay

@assay.metric(needs=("answer",))
def told(sample, judge):
    """The score that the row tells."""
    return sample.metadata["score"]
'''


@made_once
def three(assay, here):
    """The ids of three runs over the same ten questions."""
    (here / "own_told.py").write_text(METRIC, "utf-8")
    for name, most in (("weak", 3), ("middle", 6), ("strong", 9)):
        rows = [
            {"id": f"s{n}", "question": f"What is {n}?", "answer": "a", "score": float(n < most)}
            for n in range(10)
        ]
        (here / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
        done = assay("run", f"{name}.jsonl", "-m", "own_told:told", "--quiet")
        assert done.exit_code == 0, done.output
    return [row["run"] for row in json.loads(assay("runs", "--json").stdout)]


def test_systems_and_questions_are_shown(assay, three):
    result = assay("items", *three)
    assert result.exit_code == 0, result.output
    assert (
        "told  10 questions, 3 systems; right from 0.50 on (the middle of the range)"
        in result.stdout
    )
    assert "Nobody gets it right (1)" in result.stdout
    assert "A ✗ B ✗ C ✗ s9 What is 9?" in " ".join(result.stdout.split())
    assert "Everyone gets it right (3)" in result.stdout
    assert "3 systems say little about how well a single question" in result.stdout


@pytest.mark.slow
def test_json_and_files(assay, three, here):
    data = json.loads(assay("items", *three, "--json").stdout)
    assert [system["n"] for system in data["systems"]] == [10, 10, 10]
    done = assay("items", *three, "--out", "i.md", "--out", "i.json", "--most", "1")
    assert done.exit_code == 0, done.output
    assert "- ... 2 more" in (here / "i.md").read_text("utf-8")
    assert json.loads((here / "i.json").read_text("utf-8")) == data


@pytest.mark.parametrize(
    ("more", "told"),
    [((), "one run is no comparison"), (("nonsense",), "no run is called 'nonsense'")],
)
def test_what_cannot_be_done_is_said(assay, three, more, told):
    result = assay("items", three[0], *more)
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_form_that_is_not_written_is_refused(assay, three):
    result = assay("items", *three, "--out", "i.pdf")
    assert result.exit_code == 2
    assert ".html, .md, .json" in result.stderr


def test_the_page_needs_nothing_else(assay, three, here):
    done = assay("items", *three, "--out", "i.html", "--most", "1")
    assert done.exit_code == 0, done.output
    page = (here / "i.html").read_text("utf-8")
    assert "<svg" in page
    assert not re.search(r"(src|href)=|<script", page)
    assert page.count('<th scope="row"><code') == 10, "every question, once"


@pytest.mark.parametrize("threshold", ["50", "-1"])
def test_a_threshold_that_no_score_can_have_is_refused(assay, three, threshold):
    result = assay("items", *three, f"--threshold={threshold}")
    assert result.exit_code == 2
    assert "the values of told are 0 to 1" in result.stderr


def test_a_shorter_exam_and_the_next_questions_are_shown(assay, three):
    result = assay("items", *three, "--keep", "0.5", "--next", "A")
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert re.search(r"A shorter exam: \d of 10 questions keep [56]\d%", shown)
    assert "A has answered 10 questions: ability" in shown
    assert "Ask it next: none is left" in shown
