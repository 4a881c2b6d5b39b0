"""Stores and exports of version 0.1.0, as it was before its modules were moved, are used unchanged.

`before/` was written by that version: plausible.db by `evaluate` with what stands in `rows_of_before.py`,
embedded.db by `assay run` with the embedded judge, and either .jsonl.gz by `assay export`.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import assay
from assay._cli import main

BEFORE = Path(__file__).parent / "before"
RUNS = {"plausible": "f0773f365e94", "embedded": "00b66a44406a"}


@pytest.fixture(params=RUNS)
def name(request):
    return request.param


@pytest.fixture
def store(name, tmp_path):
    return shutil.copy(BEFORE / f"{name}.db", tmp_path / "assay.db")


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.syspath_prepend(BEFORE)
    import rows_of_before

    yield rows_of_before
    del sys.modules["rows_of_before"]


def command(*arguments):
    """What a command line prints."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def exported(name):
    return gzip.decompress((BEFORE / f"{name}.jsonl.gz").read_bytes()).decode()


def test_a_store_is_whole_and_its_export_is_the_same(name, store):
    assert "is whole" in command("verify", store)
    assert command("export", store) == exported(name)


def test_an_export_is_taken_into_a_new_store(name, tmp_path):
    (tmp_path / "export.jsonl").write_text(exported(name), "utf-8")
    command("import", tmp_path / "export.jsonl", "--store", tmp_path / "new.db")
    assert command("export", tmp_path / "new.db") == exported(name)


@pytest.mark.parametrize("name", [pytest.param("plausible", marks=pytest.mark.slow), "embedded"])
def test_a_run_is_shown_and_reported(name, store, tmp_path):
    assert "faithfulness" in command("show", "--store", store, RUNS[name])
    out = [tmp_path / f"report.{form}" for form in ("html", "md", "json")]
    command(
        "report", RUNS[name], "--store", store, *(word for one in out for word in ("--out", one))
    )
    assert all("faithfulness" in one.read_text("utf-8") for one in out)


def test_every_reply_is_reused_and_what_is_not_revised_is_the_same(rows, tmp_path):
    store = shutil.copy(BEFORE / "plausible.db", tmp_path / "assay.db")
    before = assay.Result(shutil.copy(store, tmp_path / "before.db"), RUNS["plausible"])
    asked = {"metrics": rows.METRIC_NAMES, "judge": rows.Silent(), "store": store}
    same = assay.evaluate(rows.ROWS, **asked)
    assert same.asked == 0
    # A run of other rows has scores of its own, made of the replies that are there.
    fewer = assay.evaluate(rows.ROWS[:1], **asked)
    assert fewer.run.id != before.run.id
    assert (fewer.asked, fewer.reused > 100) == (0, True)
    now, then = ({row.metric: row.signature for row in r.summary()} for r in (same, before))
    unrevised = [metric for metric in rows.METRIC_NAMES if now.get(metric) == then.get(metric)]
    assert len(unrevised) > 0.7 * len(rows.METRIC_NAMES)
    for metric in unrevised:
        assert told(same[metric]) == told(before[metric])
        assert told(fewer[metric]) == told(before[metric][:1])


def told(outcomes):
    """All that they say, but for the last digits: from Python 3.12 on `sum` rounds them otherwise."""
    return json.loads(
        msgspec.json.encode(outcomes), parse_float=lambda digits: round(float(digits), 12)
    )
