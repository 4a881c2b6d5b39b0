"""A folder to work in, with data and a scripted judge, and the command line in it."""

import json
import sys

import pytest
from cli_help import FAITHFULNESS, JUDGE, ROWS, SCRIPT, write_rows
from click.testing import CliRunner

from assay._cli import main


def in_folder(tmp_path, monkeypatch):
    """A folder with data and a judge, which one is in."""
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
def here(tmp_path, monkeypatch):
    """The folder."""
    return in_folder(tmp_path, monkeypatch)


@pytest.fixture
def assay(here):
    """Run a command line; the result has exit_code, stdout and stderr."""

    def call(*arguments, keys=None):
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=keys)

    return call


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """What a store holds after one finished run."""
    with pytest.MonkeyPatch.context() as patch:
        folder = in_folder(tmp_path_factory.mktemp("finished"), patch)
        result = CliRunner().invoke(main, [*FAITHFULNESS, *JUDGE])
        assert result.exit_code == 0, result.output
        return (folder / "assay.db").read_bytes()


@pytest.fixture
def scored(assay, here, finished):
    """The command line, beside a store with one finished run."""
    (here / "assay.db").write_bytes(finished)
    return assay
