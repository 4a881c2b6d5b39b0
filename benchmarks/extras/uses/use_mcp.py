"""The server of tools is started by the protocol's client, and one tool is called."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters, stdio_client
from said import ROWS


async def score() -> float:
    command = ["-c", "from assay._cli import main; main()", "mcp"]
    started = StdioServerParameters(command=sys.executable, args=command)
    async with Client(stdio_client(started)) as client:
        given = {"sample": ROWS[0], "metrics": ["faithfulness"]}
        found = await client.call_tool("evaluate_sample", given)
    scored = json.loads("".join(block.text for block in found.content))
    return scored["outcomes"]["faithfulness"]["value"]


assert asyncio.run(score()) == 0.5
