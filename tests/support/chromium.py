"""What does a real browser make of a page? A small client of Chromium's DevTools protocol."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATH = next((path for name in NAMES if (path := shutil.which(name))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--window-size=1280,800",
)

# What the protocol says where an action left the page meanwhile.
_LEFT = ("Inspected target navigated", "context was destroyed", "Cannot find context")


class Page:
    """One tab. What it logs, complains about or blocks is kept in `complaints`."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.complaints: list[str] = []
        self._seen: set[str] = set()

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol and its result."""
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await self._next()
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])

    async def open(self, address: str) -> None:
        """Load a page and wait until it is loaded."""
        for domain in ("Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        self._seen.clear()
        await self.call("Page.navigate", url=address)
        while "Page.loadEventFired" not in self._seen:
            await self._next()

    async def run(self, code: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        found = await self.call(
            "Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def resize(self, width: int, height: int = 900, scale: int = 1) -> None:
        """Show the page on a screen of this size in CSS pixels, `scale` real ones to each."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        await self.call("Emulation.setDeviceMetricsOverride", **size)

    async def settle(self) -> None:
        """Wait for what the last action set going: toggle events, debounced filters, a new page."""
        try:
            await self.run("new Promise(done => setTimeout(done, 250))")
        except AssertionError as error:
            if not any(words in str(error) for words in _LEFT):
                raise

    async def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads((await self._socket.receive(timeout=30)).data)
        method = message.get("method", "")
        self._seen.add(method)
        if method in {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}:
            self.complaints.append(json.dumps(message["params"]))
        return message


@asynccontextmanager
async def browser() -> AsyncIterator[Page]:
    """A fresh browser with one empty tab."""
    assert PATH is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = await asyncio.create_subprocess_exec(
            PATH,
            *FLAGS,
            f"--user-data-dir={home}",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            port = await _port(Path(home) / "DevToolsActivePort")
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as reply:
                    tabs = await reply.json(content_type=None)
                address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
                async with session.ws_connect(address, max_msg_size=0) as socket:
                    yield Page(socket)
        finally:
            process.terminate()
            await process.wait()


def _words(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []


async def _port(file: Path) -> str:
    for _ in range(400):
        lines = _words(file)
        if len(lines) > 1:
            return lines[0]
        await asyncio.sleep(0.05)
    raise TimeoutError("Chromium did not start within 20 seconds")
