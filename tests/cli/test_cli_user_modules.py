"""Modules of the folder one works in: those that the user names are found, and no others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_help import write_rows

# What a user's folder may hold by chance or by design: names of libraries, installed or not.
NAMES = (
    *("mcp", "json", "click", "pandas", "pyarrow", "ray", "msgspec", "numpy", "xllamacpp"),
    *("python_calamine", "rouge_score", "sacrebleu", "openai", "jinja2", "numexpr", "colorama"),
)
SPY = "open('imported', 'a').write(__name__ + '\\n')\n"
COMMAND = ("-m", "assay")
SCRIPT = ("-P", "-c", "from assay._cli import main; main()")  # as the installed `assay` does
JUDGE = """
from assay.judge import Reply
from assay.tasks import Verdict, VerifyStatements

class Judge:
    name = "own"

    def identity(self, kind):
        return "own" if kind.kind == "verify_statements" else None

    async def reply(self, task, draw=0):
        from helper import SUPPORTED  # not before the first call

        raw = VerifyStatements.reply([Verdict(s.id, SUPPORTED) for s in task.statements])
        return Reply(task.inputs(), raw, 1, 1, 1.0, backend="own", kind=task.kind)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder full of files that must not be run."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(SPY, "utf-8")
    row = {"question": "Old?", "contexts": ["It is old."], "answer": "It is old."}
    write_rows(tmp_path / "data.jsonl", [row])
    return tmp_path


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


RUN = ("run", "data.jsonl", "-m", "rouge,faithfulness", "--out", "scores.parquet")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("python", "arguments"),
    [
        (COMMAND, RUN),
        (SCRIPT, RUN),
        (COMMAND, ("mcp",)),
        (SCRIPT, ("doctor",)),
        (COMMAND, ("check", "data.jsonl")),
        (SCRIPT, ("explain", "faithfulness")),
    ],
)
def test_no_file_of_the_folder_takes_the_place_of_a_library(folder, python, arguments):
    told = run(folder, *python, *arguments)
    assert "Traceback" not in told.stderr
    assert not (folder / "imported").exists(), Path(folder / "imported").read_text("utf-8")


def test_no_file_of_the_folder_takes_the_place_of_a_library_while_scripts_are_rewritten(folder):
    (folder / "difflib.py").write_text(SPY, "utf-8")
    (folder / "eval.py").write_text("import ragas\n", "utf-8")
    told = run(folder, "-m", "assay.integrations.ragas", "--diff", "eval.py")
    assert told.returncode == 0, told.stderr
    assert "+import assay.integrations.ragas as ragas" in told.stdout
    assert not (folder / "imported").exists(), Path(folder / "imported").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("python", [COMMAND, SCRIPT])
def test_a_judge_of_the_folder_is_found_and_so_is_what_it_imports_later(folder, python):
    (folder / "own.py").write_text(JUDGE, "utf-8")
    (folder / "helper.py").write_text("SUPPORTED = True\n", "utf-8")
    told = run(
        folder, *python, "run", "data.jsonl", "-m", "faithfulness",
        *("--judge", "split_statements=embedded,own:Judge", "--json"),
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["metrics"][0]["mean"] == 1.0
    assert not (folder / "imported").exists()
