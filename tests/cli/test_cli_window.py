"""`--window`: what a server reads at once, where it does not say so itself."""

import json

from support.llm_server import LLMServer

ROW = {
    "question": "Where is Paris?",
    "contexts": ["Bread is baked from flour and water. " * 150 + "Paris is in France."],
    "answer": "Paris is in France.",
}


def test_long_contexts_are_read_in_parts(assay, here):
    (here / "data.jsonl").write_text(json.dumps(ROW))
    command = ("run", "data.jsonl", "-m", "faithfulness", "--judge", "openai:m", "--api-key", "")
    with LLMServer().in_thread() as server:
        whole = assay(*command, "--base-url", server.url)
        asked = server.count(kind="verify_statements")
        parts = assay(*command, "--base-url", server.url, "--window", "2048")
    assert whole.exit_code == parts.exit_code == 0
    assert server.count(kind="verify_statements") > 2 * asked
    assert "(contexts read in parts)" in assay("show", "last", "--sample", "row-1").stdout


def test_a_window_for_nobody_is_refused(assay, here):
    (here / "data.jsonl").write_text(json.dumps(ROW))
    refused = assay("run", "data.jsonl", "-m", "faithfulness", "--window", "2048")
    assert refused.exit_code == 2
    assert "--window applies to openai: and ollama: judges" in refused.stderr
