"""A store with two runs to look at, and a client of the viewer that shows it."""

import asyncio

import pytest
from aiohttp import ClientSession, CookieJar
from aiohttp.test_utils import TestServer
from view_rows import ROWS

from assay import evaluate
from assay.view.http import Access
from assay.view.server import application
from assay.view.site import Site
from support.scripts import plausible


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The store, made once: "first" and "second", of other answers to the same questions."""
    path = tmp_path_factory.mktemp("view") / "assay.db"
    metrics = ["faithfulness", "exact_match"]
    result = evaluate(ROWS, metrics, judge=plausible(), store=path)
    result.describe(name="first", tags=["nightly"])
    other = [{**row, "answer": row["answer"].replace("built", "erected")} for row in ROWS]
    result = evaluate(other, metrics, judge=plausible(), store=path)
    result.describe(name="second", params={"k": 5})
    return path


@pytest.fixture
def store(made, tmp_path):
    """A copy of it, to be changed."""
    path = tmp_path / "assay.db"
    path.write_bytes(made.read_bytes())
    return path


class Client:
    """A browser without a page: what it sends, and what comes back."""

    def __init__(self, session, server, access):
        self.session, self.server, self.access = session, server, access

    @property
    def port(self):
        return self.server.port

    async def get(self, path, **given):
        async with self.session.get(f"http://127.0.0.1:{self.port}{path}", **given) as reply:
            return reply.status, await reply.text(), reply

    async def post(self, path, form=None, *, token=True, **given):
        sent = {**({"form_token": self.access.form_token} if token else {}), **(form or {})}
        given.setdefault("allow_redirects", False)
        async with self.session.post(
            f"http://127.0.0.1:{self.port}{path}", data=sent, **given
        ) as reply:
            return reply.status, await reply.text(), reply

    async def enter(self):
        await self.get(f"/?token={self.access.token}")
        return self


@pytest.fixture
async def serve():
    """Starts viewers of stores."""
    opened = []

    async def start(path, **options):
        access = Access()
        site = await asyncio.to_thread(lambda: Site(path, **options))
        server = TestServer(application(site, access), host="127.0.0.1")
        await server.start_server()
        session = ClientSession(cookie_jar=CookieJar(unsafe=True))
        opened.append((session, server))
        return Client(session, server, access)

    yield start
    for session, server in opened:
        await session.close()
        await server.close()
