"""The examples of the pages on other libraries, run where these are installed."""

import os
import sys
from pathlib import Path

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("langchain_core", reason="make test-integrations has it")

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.append(str(DOCS))

import generate  # noqa: E402 - docs/ is no package
from snippets import blocks, run  # noqa: E402

pytestmark = pytest.mark.integrations

PAGES = ["langchain", "llama-index", "haystack", "dspy", "model-objects"]


@pytest.mark.parametrize("page", PAGES)
def test_its_examples_run_and_print_what_is_shown(page, tmp_path):
    path = DOCS / f"{page}.md"
    text = path.read_text("utf-8")
    assert not any(block.missing for block in blocks(text))
    assert generate.same(text, generate.filled(text, list(run(path, tmp_path))))
