"""Does the card say what was measured and nothing else, and does its maker take what it knows?"""

import json

import pytest
from benchmarks.judge import card, run

from assay.bench.card import Labelled

WORDS = {
    "languages": "English.",
    "weaknesses": ["It is small."],
    "training_text": {"model": "texts"},
    "sections": {"claims": "Claims", "speed": "Speed"},
}


SETS = (Labelled("WiCE", ("faithfulness",), (), "wrong claims", "right ones"),)


@pytest.fixture
def sets(monkeypatch):
    monkeypatch.setattr(card, "SETS", SETS)


def measured(name="WiCE, AUROC", judge="embedded:v9+x", **more):
    figure = {
        "name": name,
        "value": 0.812345,
        "low": 0.7,
        "high": 0.9,
        "n": 71,
        "floor": 0.74,
        "floor_name": "share of new words",
        "reference": "",
        "reach": 0.9,
        "note": "",
        "lower_is_better": False,
    }
    return {"judge": judge, "figures": {"claims": [figure | more]}}


def flagged(**more):
    """One run's figures of the shares that are flagged."""
    names = ("WiCE, bad flagged", "WiCE, good flagged")
    return {
        "judge": "embedded:v9+x",
        "figures": {"claims": [measured(name, **more)["figures"]["claims"][0] for name in names]},
    }


@pytest.mark.usefixtures("sets")
def test_figures_are_taken_over_and_so_is_how_often_each_metric_is_wrong():
    made = card.card([flagged()], WORDS)
    quality = made.quality["faithfulness"]
    assert (quality.judge, quality.found.value, quality.n_bad) == ("embedded v9", 0.8123, 71)
    (section,) = made.sections
    assert (section.figures[0].value, section.figures[0].standing) == (0.8123, "level")
    assert section.command == "python -m benchmarks.judge.run --only claims"


@pytest.mark.usefixtures("sets")
def test_what_is_undefined_is_left_out():
    with pytest.raises(SystemExit, match="was not measured"):
        card.card([flagged(value=None)], WORDS)


def test_two_versions_make_no_card():
    with pytest.raises(SystemExit, match="one version"):
        card.card([measured(), measured(judge="embedded:v8+x")], WORDS)
    with pytest.raises(SystemExit, match="one version"):
        card.card([measured(judge="openai:gpt-4o")], WORDS)


@pytest.mark.usefixtures("sets")
def test_it_is_written_as_json(tmp_path):
    file = tmp_path / "card.json"
    card.write(flagged(), file=file)
    assert json.loads(file.read_text("utf-8"))["judge"] == "embedded:v9+x"


def test_unknown_benchmarks_are_named(capsys):
    with pytest.raises(SystemExit):
        run.arguments(["--only", "nonsense"])
    assert "none of ragtruth" in capsys.readouterr().err
