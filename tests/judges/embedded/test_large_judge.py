"""The judge with a second network: where its package is looked for, and whether it fits."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay._cli import main
from assay._report.numbers import judge_in_words
from assay.judges.embedded import card as cards
from assay.judges.embedded import reader
from assay.judges.embedded.judge import BASE


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of its name, with a manifest and no network."""
    folder = tmp_path / "assay_large"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    return lambda base: (folder / "adapted.json").write_text(
        json.dumps({"base": base, "share": 0.5}), "utf-8"
    )


def test_without_its_package_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "assay_large", None)
    monkeypatch.setattr("assay.judges.embedded.inference.find_spec", lambda name: None)
    with pytest.raises(assay.InputError, match="make large && pip install dist/assay_large"):
        assay.backend("embedded:large")


def test_a_package_of_another_version_is_refused_and_says_how_to_get_this_one(package):
    package("embedded:v1+reader")
    with pytest.raises(assay.InputError, match=r"adapted from embedded:v1.* -> .*make large"):
        assay.backend("embedded:large")


def test_its_name_tells_both_networks_and_that_of_the_default_neither(package):
    package(BASE)
    assert "reader-l6+mpnet-l10:" in assay.backend("embedded:large").name
    assert "mpnet" not in assay.backend("embedded").name


def test_people_read_which_of_the_two_has_judged(package):
    package(BASE)
    version = BASE.split("+")[0].removeprefix("embedded:v")
    assert judge_in_words(assay.backend("embedded:large").name) == f"embedded:large {version}"
    assert judge_in_words(assay.backend("embedded").name) == f"embedded {version}"


def carded(package, judge):
    """Write a card of a judge, on which one metric was measured, into the package."""
    package(BASE)
    found = json.loads(msgspec.json.encode(cards.card()))
    quality = {"faithfulness": found["quality"]["faithfulness"] | {"data": "answers of its own"}}
    card = found | {"judge": judge, "quality": quality}
    Path(find_spec("assay_large").origin).with_name("card.json").write_text(
        json.dumps(card), "utf-8"
    )


def test_what_was_measured_of_it_stands_beside_its_scores(package):
    package(BASE)
    carded(package, assay.backend("embedded:large").name)
    large = assay.backend("embedded:large")
    assert "answers of its own" in str(large.quality("faithfulness"))
    assert large.quality("context_recall") is None
    assert "RAGTruth QA answers" in str(assay.backend("embedded").quality("faithfulness"))


def test_a_card_of_another_version_is_shown_as_such_and_says_nothing_of_its_scores(package):
    carded(package, "embedded:v1+reader-l6+mpnet-l10:0")
    assert assay.backend("embedded:large").quality("faithfulness") is None
    shown = CliRunner().invoke(main, ["doctor", "--card", "--judge", "embedded:large"]).output
    assert "The card of embedded:v1+reader-l6+mpnet-l10:0" in shown
    assert "it has not been measured yet" in " ".join(shown.split())


@pytest.mark.parametrize("judge", ["openai:m", "embedded+openai:m", "embedded:large"])
def test_a_judge_without_a_card_says_how_it_is_measured(package, judge):
    package(BASE)
    refused = CliRunner().invoke(main, ["doctor", "--card", "--judge", judge])
    assert refused.exit_code == 2
    assert f"no card ships of '{judge}'" in refused.output
    assert f"assay bench --judge {judge} --out card.json" in refused.output


def test_of_what_the_second_network_says_nothing_the_first_one_decides():
    first, second = np.array([[1.0, 2, 3, 4, 5, 6]]), np.array([[3.0, 0, 3, 0]])
    assert reader._mix_logits(first, second, 0.25).tolist() == [[1.5, 1.5, 3, 3, 5, 6]]
    assert first.tolist() == [[1, 2, 3, 4, 5, 6]]  # may be remembered elsewhere
