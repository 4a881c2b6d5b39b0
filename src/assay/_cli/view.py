"""The command `assay view`: the runs of a store in a browser."""

import asyncio
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay._cli import options
from assay._cli.errors import OK, say, until_stopped
from assay._cli.output import command_line
from assay._runner import STORE
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.testset import Review


@dataclass(frozen=True, kw_only=True)
class ViewRequest:
    """What `assay view` is asked for."""

    store: str
    port: int
    no_browser: bool
    read_only: bool
    questions: str | None
    folder: str | None


@click.command("view")
@click.argument("store", metavar="[STORE]", default=STORE)
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=0,
    metavar="PORT",
    help="Port on this machine; a free one if not given.",
)
@options.flag("--no-browser", help="Open no browser; the address is printed either way.")
@options.flag("--read-only", help="Let nothing be renamed, tagged, noted or deleted.")
@click.option(
    "--questions",
    metavar="FILE",
    help="Review the test questions of this file (`assay testset --out`): keep, edit, drop.",
)
@click.option(
    "--export",
    "folder",
    metavar="FOLDER",
    help="Write the pages as files into FOLDER instead, for a CI artefact or an intranet.",
)
@options.takes(ViewRequest)
def view_command(request: ViewRequest) -> int:
    """Show the runs of STORE in a browser: read, search and compare them, question by question.

    The address that is printed holds a token that lets you in, and only on this machine.
    """
    from assay.view.access import Access
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
            say(f"showing {request.questions or request.store} at {address}; Ctrl-C ends it")
            if not request.no_browser:
                with suppress(webbrowser.Error):
                    await asyncio.to_thread(webbrowser.open, address)
            await until_stopped()

    asyncio.run(work())
    if site.review is not None:
        _tell(site.review, request.store)
    return OK


def _tell(review: "Review", store: str) -> None:
    """Where the decisions are, and what to do with what came out."""
    from assay.view.questions import Tally

    tally = Tally.of(review.questions())
    say(f"{tally.decided:,} of {tally.total:,} questions are decided, in {review.log}")
    if tally.out:
        line = command_line("run", str(review.out), "--target", "URL", store=store)
        say(f"{tally.out:,} kept or edited: {line}")


def _export(request: ViewRequest) -> int:
    from assay.view.export import export
    from assay.view.site import Site

    folder = Path(request.folder or "")
    options.reject_options("does not go with --export", "give one of the two", "port", "no_browser")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"'{folder}' is there and not an empty folder", "name another folder")
    pages = export(Site(request.store, read_only=True, questions=request.questions), folder)
    say(f"wrote {pages:,} pages; open {folder / 'index.html'}")
    return OK
