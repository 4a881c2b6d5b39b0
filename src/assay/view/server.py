"""The viewer over HTTP: routes, what is refused, and what each failure says."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from aiohttp import web

from assay._service.limits import Refused
from assay._store import Run
from assay._store.integrity import StoreError
from assay._store.maintenance import clean
from assay._store.runs import parameter
from assay.errors import AssayError, InputError
from assay.view import groups
from assay.view import questions as questions_page
from assay.view import run as run_page
from assay.view import runs as runs_page
from assay.view import selection as selections
from assay.view import side as side_page
from assay.view.http import HEADERS, LIVE, Access, elsewhere, html, sentences
from assay.view.labelling import Desk
from assay.view.labelling_routes import MAX_FILE, is_import, label_routes
from assay.view.site import NotThere, Site, assets

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_LOG: Final = logging.getLogger("assay")
_MAX_FORM: Final = 1 << 17
_THREADS: Final = 32
_STATUS: Final = {
    404: "There is no such page",
    422: "This cannot be shown",
    500: "Something failed",
}
_BUG: Final = (
    "This is a bug in assay. Load the page again; if it stays so, please report what `assay view` "
    "printed in its terminal."
)


def application(site: Site, access: Access) -> web.Application:
    """The application, to be served by aiohttp; the site is closed with it."""
    pages, desk = _Pages(site, access), Desk(site)
    app = web.Application(middlewares=[_edge(site, access)], client_max_size=_MAX_FORM)
    run, number = "/runs/{run}", "/page/{number:[1-9][0-9]{0,8}}"
    app.add_routes(
        [
            web.get("/static/{name}", pages.static),
            web.get("/favicon.ico", pages.icon),
            web.get("/", pages.runs),
            web.get(number, pages.runs),
            web.get(run, pages.run),
            web.get(run + number, pages.run),
            web.get(run + "/first", pages.first),
            web.get(run + "/scores", pages.scores),
            web.get(run + "/progress", pages.progress),
            web.get(run + "/{kind:sweep|watch}", pages.group),
            web.get(run + "/samples/{row:[0-9]{1,18}}", pages.sample),
            web.get(run + "/edit", pages.edit),
            web.post(run + "/edit", pages.describe),
            web.get(run + "/delete", pages.ask_to_delete),
            web.post(run + "/delete", pages.delete),
            web.get("/matrix", pages.matrix),
            web.get("/side", pages.choose),
            web.get("/side/{runs}", pages.side),
            web.get("/side/{runs}/difference", pages.difference),
            web.get("/side/{runs}" + number, pages.side),
            web.get("/questions", pages.questions),
            web.get("/questions" + number, pages.questions),
            web.get("/questions/{place:[1-9][0-9]{0,8}}", pages.question),
            web.post("/questions/{place:[1-9][0-9]{0,8}}", pages.decide),
            *label_routes(site, access, desk),
        ]
    )

    async def opening(_: web.Application) -> None:
        # Parts that come later wait in threads: pages must not stand behind them.
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="assay-view-page")
        asyncio.get_running_loop().set_default_executor(pool)
        await asyncio.to_thread(site.warm_up)

    async def closing(_: web.Application) -> None:
        await asyncio.to_thread(desk.close)
        await asyncio.to_thread(site.close)

    app.on_startup.append(opening)
    app.on_cleanup.append(closing)
    return app


@asynccontextmanager
async def running(app: web.Application, port: int) -> AsyncIterator[int]:
    """The application at work on this machine; gives the port it listens at.

    Raises:
        InputError: If the port is taken.
    """
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield int(runner.addresses[0][1])
    except OSError as error:
        fault = f"cannot listen at 127.0.0.1:{port}: {error.strerror or error}"
        raise InputError(fault, "choose another --port, or 0 for a free one") from error
    finally:
        await runner.cleanup()


class _Pages:
    def __init__(self, site: Site, access: Access) -> None:
        self._site, self._access = site, access

    async def static(self, request: web.Request) -> web.Response:
        asset = assets().get(request.match_info["name"])
        if asset is None:
            raise NotThere("there is no such file")
        media_type, text = asset
        headers = {"Cache-Control": "private, max-age=31536000, immutable"}
        return web.Response(text=text, content_type=media_type, headers=headers)

    async def icon(self, _: web.Request) -> web.Response:
        return web.Response(status=204)  # browsers ask for one, whatever a page says

    async def runs(self, request: web.Request) -> web.Response:
        filters = runs_page.Wanted.read(request.query, _number(request))
        return await html(runs_page.render, self._site, LIVE, filters)

    async def run(self, request: web.Request) -> web.Response:
        site = self._site

        def page() -> str:
            run = site.run(request.match_info["run"])
            selection = selections.read(request.query, run)
            # As a form sends it: with fields left empty, or a range to add.
            if parse_qsl(selection.query()) != list(request.query.items()):
                raise elsewhere(LIVE.to(f"runs/{run.id}", selection.query()))
            return run_page.render(site, LIVE, run, selection, _number(request))

        return await html(page)

    async def first(self, request: web.Request) -> web.Response:
        def part() -> str:
            run = self._site.run(request.match_info["run"])
            return str(run_page.first(self._site, LIVE, run, 600.0))

        return await html(part)

    async def scores(self, request: web.Request) -> web.Response:
        def part() -> str:
            run = self._site.run(request.match_info["run"])
            (entry,) = runs_page.entries(self._site, [run], 600.0)
            return self._site.render("run_scores.html", LIVE, r=entry)

        return await html(part)

    async def progress(self, request: web.Request) -> web.Response:
        def part() -> str:
            run = self._site.run(request.match_info["run"])
            far = runs_page.state(self._site, run)
            return self._site.render("progress.html", LIVE, run=run, state=far)

        return await html(part)

    async def group(self, request: web.Request) -> web.Response:
        def page() -> str:
            run = self._site.run(request.match_info["run"])
            group = groups.group_of(self._site, run, request.match_info["kind"])
            charted = groups.Charted.read(self._site, request.query)
            return groups.render(self._site, LIVE, group, charted)

        return await html(page)

    async def sample(self, request: web.Request) -> web.Response:
        def page() -> str:
            run = self._site.run(request.match_info["run"])
            row = int(request.match_info["row"])
            selection = selections.read(request.query, run)
            return run_page.render_sample(self._site, LIVE, run, row, selection)

        return await html(page)

    async def matrix(self, request: web.Request) -> web.Response:
        return await html(groups.render_matrix, self._site, LIVE, request.query)

    async def choose(self, request: web.Request) -> web.Response:
        def address() -> str:
            run_ids = {self._site.run(name).id for name in request.query.getall("run", ())}
            if not 2 <= len(run_ids) <= runs_page.MOST_SIDE:
                raise InputError("two to five runs stand side by side", "go back and mark some")
            # The oldest first: what came after is held against it.
            oldest_first = self._site.runs()[::-1]
            path = side_page.path([run for run in oldest_first if run.id in run_ids])
            raise elsewhere(LIVE.to(path))

        return await html(address)

    async def side(self, request: web.Request) -> web.Response:
        def page() -> str:
            runs = self._chosen_runs(request)
            filters = side_page.Wanted.read(request.query, runs, _number(request))
            return side_page.render(self._site, LIVE, runs, filters)

        return await html(page)

    async def difference(self, request: web.Request) -> web.Response:
        def part() -> str:
            runs = self._chosen_runs(request)
            side_page.Wanted.read(request.query, runs, 1)
            return side_page.difference(self._site, LIVE, runs)

        return await html(part)

    async def questions(self, request: web.Request) -> web.Response:
        filters = questions_page.Wanted.read(request.query, _number(request))
        return await html(questions_page.render, self._site, LIVE, filters)

    async def question(self, request: web.Request) -> web.Response:
        number = int(request.match_info["place"])
        filters = questions_page.Wanted.read(request.query)
        token = self._access.form_token
        return await html(questions_page.render_one, self._site, LIVE, number, filters, token)

    async def decide(self, request: web.Request) -> web.Response:
        form, number = await request.post(), int(request.match_info["place"])

        def change() -> str:
            raise elsewhere(LIVE.to(questions_page.decide(self._site, number, form)))

        return await html(change)

    def _chosen_runs(self, request: web.Request) -> list[Run]:
        names = request.match_info["runs"].split(",")
        return [self._site.run(name) for name in names[: runs_page.MOST_SIDE + 1]]

    async def edit(self, request: web.Request) -> web.Response:
        return await html(self._form, request, "edit.html")

    async def ask_to_delete(self, request: web.Request) -> web.Response:
        return await html(self._form, request, "delete.html")

    def _form(self, request: web.Request, template: str) -> str:
        if self._site.read_only:
            raise Refused(403, self._site.why_read_only)
        run = self._site.run(request.match_info["run"])
        token = self._access.form_token
        return self._site.render(template, LIVE, run=run, form_token=token, error="")

    async def describe(self, request: web.Request) -> web.Response:
        form = await request.post()

        def change() -> str:
            run = self._site.run(request.match_info["run"])
            self._site.result(run).describe(
                name=str(form.get("name", "")),
                tags=_words(form.get("tags", "")),
                note=str(form.get("note", "")).replace("\r\n", "\n"),
                params=_params(str(form.get("params", ""))),
            )
            raise elsewhere(LIVE.to(f"runs/{run.id}"))

        return await html(change)

    async def delete(self, request: web.Request) -> web.Response:
        def change() -> str:
            run = self._site.run(request.match_info["run"])
            clean(self._site.path, [run.id])
            raise elsewhere(LIVE.to())

        return await html(change)


def _edge(site: Site, access: Access) -> Any:
    @web.middleware
    async def edge(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await _checked_response(site, access, request, handler)
        except Refused as refused:
            response = web.Response(status=refused.status, text=f"{refused}\n")
        except web.HTTPSeeOther as moved:
            response = web.Response(status=moved.status, headers={"Location": str(moved.location)})
        except web.HTTPException as error:
            response = _problem_page(site, error.status, error.reason)
        except (AssayError, sqlite3.Error) as error:
            response = _problem_page(site, _status(error), *sentences(error))
        except ConnectionError:
            raise  # whoever selection is gone: nobody reads an answer
        except Exception as error:  # noqa: BLE001 - the outermost call: nothing is swallowed
            response = _problem_page(site, 500, _unexpected(request, error))
        response.headers.update(HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return edge


async def _checked_response(
    site: Site, access: Access, request: web.Request, handler: Handler
) -> web.StreamResponse:
    """The response to a request, once it is known to be allowed."""
    access.check_origin(request)
    if request.method == "GET" and access.brings_token(request):
        return access.admit(request)
    access.check(request)
    if is_import(request):  # a file is larger than what is typed into a form
        request = request.clone(client_max_size=MAX_FILE)
    if request.method not in ("GET", "HEAD"):
        await _check_change(site, access, request)
    return await handler(request)


def _status(error: Exception) -> int:
    if isinstance(error, NotThere):
        return 404
    # Of the store, not of what was asked for.
    return 422 if isinstance(error, InputError) and not isinstance(error, StoreError) else 500


def _unexpected(request: web.Request, error: Exception) -> str:
    """What to do about a failure that nobody foresaw."""
    if isinstance(error, OSError) and error.strerror:  # a full disk, a file that is closed to us
        return f"{error}: mend that, then load the page again"
    # Without the query: it may hold what somebody searched for.
    _LOG.error("%s %s failed", request.method, request.rel_url.raw_path, exc_info=error)
    return _BUG


async def _check_change(site: Site, access: Access, request: web.Request) -> None:
    access.check_form(request, await request.post())
    if site.read_only:
        raise Refused(403, site.why_read_only)


def _problem_page(site: Site, status: int, *sentences: str) -> web.Response:
    heading = _STATUS.get(status, "This cannot be done")
    text = site.render("problem.html", LIVE, heading=heading, why=sentences)
    return web.Response(status=status, text=text, content_type="text/html")


def _number(request: web.Request) -> int:
    return int(request.match_info.get("number", "1"))


def _words(text: object) -> tuple[str, ...]:
    return tuple(word.strip() for word in str(text).split(",") if word.strip())


def _params(text: str) -> Mapping[str, Any]:
    """Parameters, one a line: ``k=5``.

    Raises:
        InputError: If a line holds none.
    """
    params: dict[str, Any] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, sign, value = line.partition("=")
        if not sign:
            raise InputError(f"'{line[:100]}' is no parameter", "write one a line, such as k=5")
        params[key.strip()] = parameter(value.strip())
    return params


def first_address(port: int, token: str, path: str = "") -> str:
    """What a browser opens: the token is in it, and no more once it has been there."""
    return f"http://127.0.0.1:{port}/{path}?{urlencode({'token': token})}"
