"""`assay adapt`: what it shows and writes, and what it refuses before it trains."""

import importlib.util
import json

import pytest

from assay.experiments import adapt as adapting
from support.onnx_models import encoder
from support.tower_corpus import MEAN, asked, corpus


class FakeModel:
    """Stands in for PyTorch: it writes an encoder that is there already, and learns nothing."""

    def __init__(self, folder, threads):
        self.threads = threads

    def train(self, triplets, data, training, on_progress):
        on_progress(1, 1)
        return 0.25

    def save(self, folder):
        encoder(folder, pooling=MEAN)


@pytest.fixture
def without_torch(monkeypatch):
    monkeypatch.setattr(adapting, "Model", FakeModel)
    monkeypatch.setattr(adapting, "check_base", lambda folder: None)


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path.name


def test_it_shows_what_was_gained_and_writes_it(here, assay, without_torch):
    files = write(here / "towers.jsonl", corpus()), write(here / "asked.jsonl", asked())
    outs = [arg for name in ("a.html", "a.md", "a.json") for arg in ("--report", name)]
    arguments = ("base", files[0], "--questions", files[1], "--held-out", "0.5", *outs)
    result = assay("adapt", *arguments, "--out", "new")
    assert result.exit_code == 0, result.output
    assert "12 to learn from; 12 questions about 6 documents held out" in result.stdout
    assert "no gain shown" in result.stdout
    assert "--embedder onnx:new" in result.stdout
    assert "| MRR |" in (here / "a.md").read_text("utf-8")
    assert "<td>no gain shown</td>" in (here / "a.html").read_text("utf-8")
    data = json.loads((here / "a.json").read_text("utf-8"))
    assert [gain["measure"] for gain in data["gains"]][-1] == "MRR"


def test_sentences_that_stand_for_questions_are_told(here, assay, without_torch):
    file = write(here / "towers.jsonl", corpus())
    result = assay("adapt", "base", file, "--out", "new", "--held-out", "0.9")
    assert result.exit_code == 0, result.output
    assert "! Questions are sentences taken out of the passages" in result.stdout


def test_questions_under_another_name_are_told_without_options_that_are_not_there(
    here, assay, without_torch
):
    files = (
        write(here / "towers.jsonl", corpus()),
        write(here / "asked.jsonl", [{"claim": "It is"}]),
    )
    result = assay("adapt", "base", files[0], "--questions", files[1], "--out", "new")
    assert result.exit_code == 2
    assert "-> rename the field that holds it to 'question'\n" in result.stderr


def test_a_folder_that_is_there_is_not_written_over(here, assay, without_torch):
    (here / "new").mkdir()
    (here / "new" / "model.onnx").touch()
    file = write(here / "towers.jsonl", corpus())
    result = assay("adapt", "base", file, "--out", "new")
    assert result.exit_code == 2
    assert "'new' is there already -> name a new folder" in result.stderr


def test_without_pytorch_it_says_what_to_install(here, assay, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    file = write(here / "towers.jsonl", corpus())
    result = assay("adapt", "base", file, "--out", "new")
    assert result.exit_code == 2
    assert "needs torch, transformers, onnx -> pip install" in result.stderr
