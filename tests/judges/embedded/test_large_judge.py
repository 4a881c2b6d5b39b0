"""The judge with a second network: where its package is looked for, and whether it fits."""

import json
import sys

import numpy as np
import pytest

import assay
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


def test_of_what_the_second_network_says_nothing_the_first_one_decides():
    first, second = np.array([[1.0, 2, 3, 4, 5, 6]]), np.array([[3.0, 0, 3, 0]])
    assert reader._mixed(first, second, 0.25).tolist() == [[1.5, 1.5, 3, 3, 5, 6]]
    assert first.tolist() == [[1, 2, 3, 4, 5, 6]]  # may be remembered elsewhere
