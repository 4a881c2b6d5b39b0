"""`assay adapt judge`: what it shows and writes, and what it refuses."""

import importlib.util
import json
from dataclasses import replace

import pytest

from assay._cli import adapt as command
from assay.experiments.judge_adaptation import JudgeAdaptation
from assay.experiments.judge_comparison import Both, Compared
from assay.judges.embedded.judge import BASE
from assay.stats.comparison import paired
from support.tower_corpus import corpus

COMPARED = Compared(
    kind="faithfulness",
    cases="people",
    candidate="shipped, refitted",
    good=4,
    bad=4,
    missed=Both(0.5, 0.25),
    alarms=Both(0.25, 0.0),
    auroc=Both(0.75, 0.875),
    lead=None,
    brier=paired([0.4] * 8, [0.1] * 8, groups=list("aabbccdd"), span=1.0),
    floors={"shared words": 0.625},
)
MADE = JudgeAdaptation(
    base=BASE,
    folder="new",
    network="shipped",
    fitted=("faithfulness",),
    steps=0,
    windows=0,
    labels={"faithfulness": 8, "context_relevance": 0},
    left_out=0,
    compared=(COMPARED,),
    level=0.95,
)


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path.name


@pytest.fixture
def towers(here):
    return write(here / "towers.jsonl", corpus())


def test_it_shows_what_was_measured_and_writes_it(here, assay, towers, monkeypatch):
    monkeypatch.setattr(command, "adapt_judge", lambda *_, **__: MADE)
    outs = [arg for name in ("a.html", "a.md", "a.json") for arg in ("--report", name)]
    result = assay("adapt", "judge", towers, "--out", "new", *outs)
    assert result.exit_code == 0, result.output
    outcome = "better, and written to new: the network as it ships; coefficients fitted for faith"
    assert outcome in " ".join(result.stdout.split())
    assert "assay run DATA --judge embedded:new" in result.stdout
    assert "people may" not in result.stdout
    assert "| shipped, refitted | 0.25 | 0.00 |" in (here / "a.md").read_text("utf-8")
    assert "shared words 0.62" in (here / "a.html").read_text("utf-8")
    (one,) = json.loads((here / "a.json").read_text("utf-8"))["compared"]
    assert one["missed"] == [0.5, 0.25]
    assert one["verdict"] in ("better", "no gain shown")


def test_where_nothing_is_better_it_says_to_keep_what_ships(assay, towers, monkeypatch):
    made = replace(MADE, folder=None, fitted=(), compared=(replace(COMPARED, cases="synthetic"),))
    monkeypatch.setattr(command, "adapt_judge", lambda *_, **__: made)
    result = assay("adapt", "judge", towers, "--out", "new")
    assert result.exit_code == 0, result.output
    told = " ".join(result.stdout.split())
    assert "nothing that was tried is better than the judge that ships" in told
    assert "embedded:" not in told.replace(BASE, "")
    assert "a gain on them need not be one on real answers" in told


def test_labels_with_an_unknown_column_are_refused_by_row(here, assay):
    row = {"statement": "It is old.", "contexts": ["It is old."], "supported": True, "verdict": 1}
    file = write(here / "labels.jsonl", [row])
    result = assay("adapt", "judge", "--labels", file, "--steps", "0", "--out", "new")
    assert result.exit_code == 2
    assert "row 1, field 'verdict': is an unknown column" in result.stderr


def test_a_corpus_without_text_is_refused(here, assay):
    (here / "empty").mkdir()
    result = assay("adapt", "judge", "empty", "--out", "new")
    assert result.exit_code == 2, result.output
    assert "->" in result.stderr


def test_without_pytorch_it_says_what_to_install_or_leave_out(assay, towers, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = assay("adapt", "judge", towers, "--out", "new")
    assert result.exit_code == 2
    assert "needs torch, transformers, onnx -> pip install" in result.stderr
    assert "--steps 0 --labels FILE" in result.stderr
