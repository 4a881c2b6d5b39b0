"""A folder to work in, with data and a scripted judge, and the command line in it."""

import json
import sys

import pytest
from cli_help import FAITHFULNESS, JUDGE, ROWS, SCRIPT, write_rows
from click.testing import CliRunner

from assay._cli import main


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ASSAY_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    write_rows(tmp_path / "data.jsonl", ROWS)
    (tmp_path / "judge.json").write_text(json.dumps(SCRIPT), "utf-8")
    return tmp_path


@pytest.fixture
def assay(here):
    """Run a command line; the result has exit_code, stdout and stderr."""

    def call(*arguments, keys=None):
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=keys)

    return call


@pytest.fixture
def scored(assay):
    """A store with one finished run."""
    result = assay(*FAITHFULNESS, *JUDGE)
    assert result.exit_code == 0, result.output
    return assay
