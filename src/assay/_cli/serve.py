"""The commands that serve: `assay serve`, `mcp` and `view`."""

import asyncio
import ipaddress
import os
import secrets
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay._cli import options, values
from assay._cli.errors import OK, say, until_stopped
from assay._cli.judges import Judges, budget
from assay._cli.options import POSITIVE
from assay._cli.output import command_line
from assay._runner import STORE
from assay._runner.settings import Settings
from assay._service import Service
from assay._store.connection import look
from assay.errors import InputError
from assay.judge import Limits

_TOKEN = "ASSAY_TOKEN"  # noqa: S105 - the name of a variable


class _McpRequest(options.PricedJudgeRequest):
    store: str
    price: str | None = options.option("--price", metavar="IN/OUT|list", help="As for `assay run`.")
    budget: str | None = options.option(
        "--budget", metavar="AMOUNT", help="What each evaluation may spend, as `assay run`."
    )


class _ServeRequest(_McpRequest):
    host: str = options.option(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="Address to bind."
    )
    port: int = options.option(
        "--port",
        type=click.IntRange(min=0, max=65535),
        default=8765,
        metavar="PORT",
        help="Port; 0 for a free one.",
    )
    no_token: bool = options.flag(
        "--no-token",
        help="Ask callers for no token; on this machine only. The token is in ASSAY_TOKEN "
        "otherwise, or made and shown at the start.",
    )
    rpm: float = options.number(
        "--rpm",
        type=POSITIVE,
        default=600.0,
        metavar="N",
        help="At most N requests a minute from one address.",
    )
    max_mb: float = options.number(
        "--max-mb",
        type=POSITIVE,
        default=10.0,
        metavar="MB",
        help="The longest request, in megabytes.",
    )
    max_samples: int = options.count(
        "--max-samples", default=1000, help="The most samples of one request."
    )
    max_chars: int = options.count(
        "--max-chars", default=200_000, help="The longest text of a sample, in characters."
    )
    at_once: int = options.count(
        "--at-once", default=4, help="Evaluations at the same time; others wait."
    )
    max_seconds: float = options.number(
        "--max-seconds",
        type=POSITIVE,
        default=600.0,
        metavar="S",
        help="The longest evaluation. What it scored is kept; the same request goes on.",
    )


@options.command("serve", _ServeRequest)
def serve_command(request: _ServeRequest) -> int:
    """Serve evaluation over HTTP: one sample, many, runs and the evidence behind every score.

    The document at /openapi.json describes it. Judge and store are chosen here, not by callers.
    """
    from aiohttp import web

    from assay._service.http import application, running
    from assay._service.limits import Bounds

    bounds = Bounds(
        token=_token(request),
        per_minute=request.rpm,
        max_bytes=int(request.max_mb * 1e6),
        at_once=request.at_once,
        judging_s=request.max_seconds,
    )
    limits = {"max_samples": request.max_samples, "max_characters": request.max_chars}
    app = application(_service(request, **limits), bounds)

    async def work() -> None:
        async with running(app) as runner:
            site = web.TCPSite(runner, request.host, request.port)
            try:
                await site.start()
            except OSError as error:
                fault = f"cannot listen at {request.host}:{request.port}: {error.strerror or error}"
                raise InputError(fault, "choose another --port or --host") from error
            host, port = runner.addresses[0][:2]
            shown_host = f"[{host}]" if ":" in host else host
            say(f"serving http://{shown_host}:{port} (openapi.json describes it); Ctrl-C ends it")
            await until_stopped()

    asyncio.run(work())
    return OK


@options.command("mcp", _McpRequest)
def mcp_command(request: _McpRequest) -> int:
    """Serve evaluation to a coding agent that starts this command and talks to it over stdio."""
    from assay._service.mcp import server

    server(_service(request)).run("stdio")
    return OK


def _service(request: _McpRequest, **limits: int) -> Service:
    look(Path(request.store))  # now, not at the first request
    judge, embedder = Judges(request).build()
    settings = Settings(limits=Limits(timeout=request.timeout), budget=budget(request))
    return Service(judge, embedder, Path(request.store), settings, **limits)


def _token(request: _ServeRequest) -> str:
    """The token that callers need, "" if they need none."""
    token = os.environ.get(_TOKEN, "").strip()
    if request.no_token:
        if not _is_local(request.host):
            fault = f"without a token anyone who reaches {request.host} could evaluate"
            raise InputError(fault, f"set {_TOKEN}, or listen at 127.0.0.1")
        return ""
    if not token:
        token = secrets.token_urlsafe(24)
        say(f"token: {token} (set {_TOKEN} to choose one)")
    elif not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(f"{_TOKEN} has characters that no header allows", "choose another token")
    return token


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


if TYPE_CHECKING:
    from assay.testset import Review


class _ViewRequest(options.Request):
    store: str = options.argument(metavar="[STORE]", default=STORE)
    port: int = options.option(
        "--port",
        type=click.IntRange(min=0, max=65535),
        default=0,
        show_default=False,
        metavar="PORT",
        help="Port on this machine; a free one if not given.",
    )
    no_browser: bool = options.flag(
        "--no-browser", help="Open no browser; the address is printed either way."
    )
    read_only: bool = options.flag(
        "--read-only", help="Let nothing be renamed, tagged, noted or deleted."
    )
    questions: str | None = options.option(
        "--questions",
        metavar="FILE",
        help="Review the test questions of this file (`assay testset --out`): keep, edit, drop.",
    )
    folder: str | None = options.option(
        "--export",
        metavar="FOLDER",
        help="Write the pages as files into FOLDER instead, for a CI artefact or an intranet.",
    )


@options.command("view", _ViewRequest)
def view_command(request: _ViewRequest) -> int:
    """Show the runs of STORE in a browser: read, search and compare them, question by question.

    The address that is printed holds a token that lets you in, and only on this machine.
    """
    from assay.view.http import Access
    from assay.view.server import application, first_address, running
    from assay.view.site import Site

    if request.folder is not None:
        return _export(request)
    access, path = Access(), "questions" if request.questions else ""
    site = Site(request.store, read_only=request.read_only, questions=request.questions)
    app = application(site, access)

    async def work() -> None:
        async with running(app, request.port) as port:
            address = first_address(port, access.token, path)
            say(f"showing {request.questions or request.store} until Ctrl-C at {address}")
            if not request.no_browser:
                with suppress(webbrowser.Error):
                    await asyncio.to_thread(webbrowser.open, address)
            await until_stopped()

    asyncio.run(work())
    if site.review is not None:
        _say_decisions(site.review, request.store)
    return OK


def _say_decisions(review: "Review", store: str) -> None:
    """Where the decisions are, and what to do with what came out."""
    from assay.view.questions import Tally

    tally = Tally.of(review.questions())
    say(f"{tally.decided:,} of {tally.total:,} questions are decided, in {review.log}")
    if tally.out:
        line = command_line("run", str(review.out), "--target", "URL", store=store)
        say(f"{tally.out:,} kept or edited: {line}")


def _export(request: _ViewRequest) -> int:
    from assay.view.export import export
    from assay.view.site import Site

    folder = Path(request.folder or "")
    values.reject_options("does not go with --export", "give one of the two", "port", "no_browser")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"'{folder}' is there and not an empty folder", "name another folder")
    pages = export(Site(request.store, read_only=True, questions=request.questions), folder)
    say(f"wrote {pages:,} pages; open {folder / 'index.html'}")
    return OK
