"""What happens when assay serves others, over HTTP or to a coding agent?"""

import asyncio
import ipaddress
import os
import secrets
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.cli.edge import OK, say
from assay.cli.judges import Judges
from assay.cli.request import spending
from assay.errors import InputError
from assay.middleware.limiter import Limits
from assay.runner.settings import Settings
from assay.service import Service

TOKEN = "ASSAY_TOKEN"  # noqa: S105 - the name of a variable


def serve(given: Mapping[str, Any]) -> int:
    """Serve over HTTP until interrupted; the exit code."""
    from aiohttp import web

    from assay.service.http import application, running
    from assay.service.limits import Bounds

    token = _token(given)
    bounds = Bounds(
        token=token,
        per_minute=given["rpm"],
        most_bytes=int(given["max_mb"] * 1e6),
        at_once=given["at_once"],
        judging_s=given["max_seconds"],
    )
    most = {"most_samples": given["max_samples"], "most_characters": given["max_chars"]}
    app = application(_service(given, **most), bounds)

    async def work() -> None:
        async with running(app) as runner:
            site = web.TCPSite(runner, given["host"], given["port"])
            await _begun(site.start(), given)
            host, port = runner.addresses[0][:2]
            shown = f"[{host}]" if ":" in host else host
            say(f"serving http://{shown}:{port} (openapi.json describes it); Ctrl-C ends it")
            await _until_told()

    asyncio.run(work())
    return OK


async def _begun(start: Any, given: Mapping[str, Any]) -> None:
    try:
        await start
    except OSError as error:
        what = f"cannot listen at {given['host']}:{given['port']}: {error.strerror or error}"
        raise InputError(what, "choose another --port or --host") from error


async def _until_told() -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: there Ctrl-C interrupts all that is awaited
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, told.set)
    await told.wait()


def mcp(given: Mapping[str, Any]) -> int:
    """Serve a coding agent over stdio until it hangs up; the exit code."""
    from assay.service.mcp import server

    server(_service(given)).run("stdio")
    return OK


def _service(given: Mapping[str, Any], **most: int) -> Service:
    judge, embedder = Judges.of(given).named(given)
    budget = spending(given["price"], given["budget"])
    settings = Settings(limits=Limits(timeout=given["timeout"]), budget=budget)
    return Service(judge, embedder, Path(given["store"]), settings, **most)


def _token(given: Mapping[str, Any]) -> str:
    """The token that callers need, "" if they need none."""
    token = os.environ.get(TOKEN, "").strip()
    if given["no_token"]:
        if not _is_here(given["host"]):
            what = f"without a token anyone who reaches {given['host']} could evaluate"
            raise InputError(what, f"set {TOKEN}, or listen at 127.0.0.1")
        return ""
    if not token:
        token = secrets.token_urlsafe(24)
        say(f"token: {token} (set {TOKEN} to choose one)")
    elif not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(f"{TOKEN} has characters that no header allows", "choose another token")
    return token


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
