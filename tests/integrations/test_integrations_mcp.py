"""The tools for coding agents, through the real client of the protocol and a real process."""

import json
import sys

import pytest

pytestmark = pytest.mark.integrations
pytest.importorskip("mcp", reason="needs the package mcp: pip install 'assay[mcp]'")

TOWER = {
    "id": "tower",
    "question": "When was the tower built?",
    "contexts": ["The tower was built in 1889."],
    "answer": "It was built in 1889. It is red.",
}


@pytest.fixture
def agent(tmp_path):
    """Opens a client that started `assay mcp` in an empty folder."""
    from mcp import Client, StdioServerParameters, stdio_client

    run = "from assay._cli import main; main()"
    command = ["-c", run, "mcp", "--store", str(tmp_path / "assay.db")]
    started = StdioServerParameters(command=sys.executable, args=command, cwd=str(tmp_path))
    return lambda: Client(stdio_client(started))


async def called(client, tool, **given):
    """What a tool gives, as plain values."""
    found = await client.call_tool(tool, given)
    text = "".join(block.text for block in found.content)
    return found.is_error, text if found.is_error else json.loads(text)


async def test_an_agent_lists_evaluates_and_reads_the_evidence(agent, tmp_path):
    data = tmp_path / "rows.jsonl"
    data.write_text(json.dumps(TOWER) + "\n", "utf-8")
    async with agent() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"list_metrics", "evaluate_sample", "evaluate_file", "show_evidence"} <= set(tools)
        assert all(tool.description for tool in tools.values())
        _, metrics = await called(client, "list_metrics")
        assert "faithfulness" in {metric["name"] for metric in metrics["metrics"]}
        _, scored = await called(client, "evaluate_sample", sample=TOWER, metrics=["faithfulness"])
        assert scored["outcomes"]["faithfulness"]["value"] == pytest.approx(0.5, abs=0.1)
        _, run = await called(client, "evaluate_file", path=str(data), metrics=["faithfulness"])
        assert run["run"] == scored["run"]
        _, proof = await called(client, "show_evidence", sample="tower", metric="faithfulness")
        assert [part["label"] for part in proof["outcome"]["parts"]] == ["supported", "unsupported"]
        _, runs = await called(client, "list_runs")
        assert [one["run"] for one in runs["runs"]] == [run["run"]]


async def test_an_agent_is_told_what_it_did_wrong(agent):
    async with agent() as client:
        for tool, given, said in (
            ("evaluate_sample", {"sample": TOWER, "metrics": ["os:system"]}, "no metric of this"),
            ("evaluate_sample", {"sample": {}, "metrics": ["faithfulness"]}, "question"),
            ("evaluate_file", {"path": "none.jsonl", "metrics": ["latency"]}, "no file"),
            ("show_run", {"run": "zz"}, "no run"),
            ("evaluate_file", {"path": "a.jsonl", "metrics": ["latency"], "limt": 5}, "limt"),
        ):
            wrong, told = await called(client, tool, **given)
            assert wrong
            assert said in told


async def test_a_number_of_any_size_is_taken(agent, tmp_path):
    data = tmp_path / "rows.jsonl"
    data.write_text(json.dumps({**TOWER, "latency_ms": 5}) + "\n", "utf-8")
    huge = 10**30
    async with agent() as client:
        given = {"path": str(data), "metrics": ["latency"], "limit": huge}
        wrong, run = await called(client, "evaluate_file", **given)
        assert (wrong, run["samples"]) == (False, 1)
        _, runs = await called(client, "list_runs", limit=huge)
        assert len(runs["runs"]) == 1
        _, page = await called(client, "show_samples", offset=huge, limit=huge)
        assert (page["total"], page["samples"]) == (1, [])
