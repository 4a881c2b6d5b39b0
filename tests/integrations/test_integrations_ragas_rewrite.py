"""The rewriter changes the imports of ragas, and nothing else."""

import ast
import json

import pytest
from click.testing import CliRunner

from assay.errors import InputError
from assay.integrations.ragas.rewrite import notebook, rewrite_command, rewritten, script
from support.over import over

HERE = "assay.integrations.ragas"


@over(
    ("old", "new"),
    [
        ("import ragas", f"import {HERE} as ragas"),
        ("import ragas as r", f"import {HERE} as r"),
        ("import os, ragas as r, sys", f"import os, {HERE} as r, sys"),
        ("import ragas.metrics", f"import {HERE} as ragas, {HERE}.metrics"),
        ("import ragas.metrics as m", f"import {HERE}.metrics as m"),
        ("from ragas import evaluate", f"from {HERE} import evaluate"),
        ("from  ragas.metrics import *", f"from  {HERE}.metrics import *"),
        ("from ragas import metrics as m", f"from {HERE} import metrics as m"),
        ("from ragas.experiment import experiment", f"from {HERE}.experiments import experiment"),
        # Where ragas has a module more than we have, the one above it has the name.
        (
            "from ragas.metrics._aspect_critic import AspectCritic",
            f"from {HERE}.metrics import AspectCritic",
        ),
        (
            "from ragas.metrics.collections.tool_call_f1 import ToolCallF1",
            f"from {HERE}.metrics.collections import ToolCallF1",
        ),
        ("é = 1; from ragas import evaluate", f"é = 1; from {HERE} import evaluate"),
        # None of these imports ragas.
        ("import ragasx", "import ragasx"),
        ("from .ragas import x", "from .ragas import x"),
        ("from other.ragas import x", "from other.ragas import x"),
        ("ragas = 1", "ragas = 1"),
        ("# from ragas import evaluate", "# from ragas import evaluate"),
        ("x = 'import ragas'", "x = 'import ragas'"),
    ],
)
def test_an_import_becomes_ours(old, new):
    found = script(old)
    assert (found.text, found.by_hand) == (new, ())
    assert found.changes == (old != new)
    ast.parse(found.text)


def test_all_else_stays_to_the_letter():
    source = (
        "#!/usr/bin/env python\r\n"
        "from ragas.metrics import (\r\n"
        "    faithfulness,   # first\r\n"
        "    answer_relevancy  ,\r\n"
        ")\r\n"
        "x = (1\r\n"
        "     % 2)\t# no magic\r\n"
    )
    assert script(source).text == source.replace("from ragas", f"from {HERE}")


def test_twice_is_once():
    once = script("import ragas\nfrom ragas.metrics import faithfulness\n")
    assert script(once.text) == type(once)(once.text, 0, ())


@over(
    ("source", "what"),
    [
        ("from ragas.testset import Persona", "no testset.Persona: TestsetGenerator cuts"),
        ("from ragas.metrics import LLMSQLEquivalence", "no LLMSQLEquivalence: DiscreteMetric"),
        ("from ragas.metrics import Unheard", "no ragas.metrics.Unheard"),
        ("patch('ragas.metrics.faithfulness')", "a text names ragas.metrics.faithfulness"),
        ("evaluate(data, callbacks=[tracer])", "callbacks of LangChain are not called"),
        ("result.upload()", "nothing is uploaded"),
        ("metric.set_prompts(x=1)", "prompts are replaced by task"),
        ("os.system('pip install -U ragas')", "pip install 'assay[ragas]'"),
    ],
)
def test_what_needs_a_hand_is_told_with_its_line(source, what):
    found = script(f"import os\n{source}\n")
    assert [line for line, _ in found.by_hand] == [2]
    assert what in found.by_hand[0][1]


@over("indent", [1, 2, None])
def test_a_notebook_keeps_its_form_and_its_magics(indent):
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": ["%%time\n", "!pip install ragas\n", "from ragas import evaluate"],
    }
    text = {"cell_type": "markdown", "metadata": {}, "source": "import ragas é"}
    broken = {**cell, "source": "from ragas import ("}
    document = {"cells": [text, cell, broken], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    old = json.dumps(document, indent=indent, ensure_ascii=False) + "\n"
    new = notebook(old)
    assert new.text == old.replace("from ragas import evaluate", f"from {HERE} import evaluate")
    assert [cell for cell, _ in new.by_hand] == [2, 3]
    assert "line 2: install assay" in new.by_hand[0][1]


class TestTheCommand:
    def run(self, *arguments):
        return CliRunner().invoke(rewrite_command, [str(a) for a in arguments])

    def test_diff_shows_and_writes_nothing(self, tmp_path):
        path = tmp_path / "a.py"
        path.write_text("import ragas\n")
        done = self.run("--diff", path)
        assert f"-import ragas\n+import {HERE} as ragas\n" in done.output
        assert path.read_text() == "import ragas\n"

    def test_rewrite_writes_a_whole_folder(self, tmp_path):
        (tmp_path / "deep").mkdir()
        for name in ("a.py", "deep/b.py", "c.txt"):
            (tmp_path / name).write_text("import ragas\n")
        done = self.run("--rewrite", tmp_path)
        assert done.exit_code == 0
        assert done.output.count("1 imports changed, 0 to do by hand") == 2
        assert (tmp_path / "deep" / "b.py").read_text() == f"import {HERE} as ragas\n"
        assert (tmp_path / "c.txt").read_text() == "import ragas\n"

    def test_what_cannot_be_read_is_named_and_left_alone(self, tmp_path):
        path = tmp_path / "a.py"
        path.write_text("import ragas\nif\n")
        done = self.run("--rewrite", path)
        assert done.exit_code == 2
        assert "cannot be read" in done.output
        assert path.read_text() == "import ragas\nif\n"
        with pytest.raises(InputError, match="cannot be read"):
            rewritten(path)
        assert self.run("--rewrite", tmp_path / "none.py").exit_code == 2
        assert self.run(path).exit_code == 2

    def test_what_is_installed_or_hidden_in_a_folder_is_not_the_users_own(self, tmp_path):
        own = tmp_path / "src" / "a.py"
        others = [
            tmp_path / place / "b.py"
            for place in (".venv/lib", "env/lib/python3.11/site-packages/ragas", ".git", "x/.ipynb")
        ]
        for file in (own, *others):
            file.parent.mkdir(parents=True)
            file.write_text("import ragas\n")
        (tmp_path / "folder.py").mkdir()
        result = CliRunner().invoke(rewrite_command, ["--rewrite", str(tmp_path)])
        assert result.exit_code == 0, result.output
        assert HERE in own.read_text()
        assert {file.read_text() for file in others} == {"import ragas\n"}

    def test_a_file_that_cannot_be_read_stops_no_other_one(self, tmp_path):
        (tmp_path / "a.py").write_text("print 'two'\n")
        (tmp_path / "b.py").write_text("import ragas\n")
        result = CliRunner().invoke(rewrite_command, ["--rewrite", str(tmp_path)])
        assert result.exit_code == 2
        assert "a.py' cannot be read" in result.output
        assert HERE in (tmp_path / "b.py").read_text()

    def test_a_byte_order_mark_stays(self, tmp_path):
        file = tmp_path / "a.py"
        file.write_bytes("\ufeffimport ragas\r\n".encode())
        assert CliRunner().invoke(rewrite_command, ["--rewrite", str(file)]).exit_code == 0
        assert file.read_bytes().decode() == f"\ufeffimport {HERE} as ragas\r\n"
