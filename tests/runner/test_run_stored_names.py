"""Does a name that stands in a store never make assay import a module?"""

import sys
from dataclasses import replace

import pytest

import assay
from assay import Result, evaluate
from assay.analysis.comparison import compare
from assay.analysis.diagnosis import counterfactual
from assay.analysis.repeat import repeat
from assay.errors import InputError
from assay.metrics.own import module_in_file
from assay.runner.result import labels
from support.scripts import plausible, samples

RUN = "import pathlib\npathlib.Path({!r}).touch()\n"


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """(file that the planted module makes if it is run, name of that module)."""
    name = f"planted_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(RUN.format(str(tmp_path / "ran")), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "ran", name
    sys.modules.pop(name, None)


def scored(called, db, data):
    class Named(assay.Metric):
        """Some metric."""

        name, needs = called, ("answer",)

        async def score(self, sample, judge):
            return assay.Score(1.0)

    return evaluate(data, Named(), plausible(), store=db)


def test_not_when_it_is_named_again(planted, db):
    ran, module = planted
    result = scored(f"{module}:attr", db, samples(2))
    assert labels(result.run, f"{module}:attr") == [f"{module}:attr"]
    assert not ran.exists()


def test_not_when_the_run_is_repeated(planted, db):
    ran, module = planted
    result = scored(f"{module}:attr", db, samples(2))
    with pytest.raises(InputError, match="has metrics that are not assay's: planted_"):
        repeat(result, plausible())
    assert not ran.exists()


def test_not_when_another_run_lacks_it(planted, db, tmp_path):
    ran, module = planted
    result = scored(f"{module}:attr", db, samples(2))
    other = evaluate(samples(2), "exact_match", plausible(), store=tmp_path / "other.db")
    with pytest.raises(InputError, match=f"has no '{module}:attr': it has exact_match"):
        compare(result, Result(other.path), metrics=[f"{module}:attr"])
    assert not ran.exists()


def test_not_when_it_begins_as_one_of_assay_and_is_scored_again(planted, db):
    ran, module = planted
    data = [replace(one, reference_contexts=one.contexts) for one in samples(2)]
    result = scored(f"faithfulness(/../{module}.py:attr", db, data)
    again = counterfactual(result, plausible())
    assert set(again.run.metrics) == {"faithfulness", "context_recall"}
    assert not ran.exists()


def test_no_path_climbs_out_of_a_folder_that_is_not_there(planted, tmp_path):
    ran, module = planted
    with pytest.raises(FileNotFoundError):
        module_in_file(tmp_path / "nowhere" / ".." / f"{module}.py")
    assert not ran.exists()
