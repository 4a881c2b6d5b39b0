"""Does the card say what was measured, and nothing else?"""

import json

import pytest
from benchmarks.judge import card

from assay.bench.headlines import HEADLINES, Headline

WORDS = {
    "languages": "English.",
    "weaknesses": ["It is small."],
    "training_text": {"model": "texts"},
    "sections": {"claims": "Claims", "speed": "Speed"},
}


@pytest.fixture
def headlines(monkeypatch):
    found = {"verify_statements": Headline("support", ("WiCE, AUROC",))}
    monkeypatch.setattr(card, "HEADLINES", found)


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


@pytest.mark.usefixtures("headlines")
def test_figures_are_taken_over_and_the_headline_is_made_of_them():
    made = card.card([measured()], WORDS)
    assert made.headlines == {
        "verify_statements": "embedded v9, support: AUROC 0.81 on WiCE (floor 0.74)"
    }
    (section,) = made.sections
    assert (section.figures[0].value, section.figures[0].standing) == (0.8123, "level")
    assert section.command == "python -m benchmarks.judge.run --only claims"


def test_what_is_undefined_is_left_out():
    with pytest.raises(SystemExit, match="was not measured"):
        card.card([measured(value=None)], WORDS)


def test_two_versions_make_no_card():
    with pytest.raises(SystemExit, match="one version"):
        card.card([measured(), measured(judge="embedded:v8+x")], WORDS)
    with pytest.raises(SystemExit, match="one version"):
        card.card([measured(judge="openai:gpt-4o")], WORDS)


def test_it_is_written_as_json(tmp_path):
    file = tmp_path / "card.json"
    needed = {name for about in HEADLINES.values() for name in about.figures}
    runs = measured()
    runs["figures"]["claims"] = [measured(n)["figures"]["claims"][0] for n in sorted(needed)]
    card.write(runs, file=file)
    assert json.loads(file.read_text("utf-8"))["judge"] == "embedded:v9+x"
