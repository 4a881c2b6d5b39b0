"""The labelling pages over HTTP: what is asked for, what a form decides, and files in and out."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from aiohttp import web
from aiohttp.web_request import FileField
from multidict import MultiDict, MultiMapping

from assay._analysis.label_pool import Key
from assay._analysis.labelling import Labelling
from assay._service.limits import Refused
from assay._store import Run
from assay._store.integrity import StoreError
from assay.errors import InputError
from assay.view import label_pages, label_screen
from assay.view.http import LIVE, Access, elsewhere, html, sentences
from assay.view.labelling import NOBODY, Desk, NotReady, Queue, Session, first_at, item_query
from assay.view.site import NotThere, Site

MAX_FILE: Final = 32 << 20
_IMPORT: Final = "/import"
_USES: Final = ("agreement", "threshold", "corrected")
_DIGITS: Final = 10  # more than any number of rows has


def is_import(request: web.Request) -> bool:
    """Whether a file of labels is sent."""
    return request.path.startswith("/label/") and request.path.endswith(_IMPORT)


def label_routes(site: Site, access: Access, desk: Desk) -> list[web.RouteDef]:
    """The addresses of the labelling pages, with their handlers.

    Args:
        site: The store's pages.
        access: What forms bring along.
        desk: Where labels are given.
    """
    return _LabelPages(site, access, desk).routes()


class _LabelPages:
    def __init__(self, site: Site, access: Access, desk: Desk) -> None:
        self._site, self._access, self._desk = site, access, desk

    def routes(self) -> list[web.RouteDef]:
        """The addresses."""
        path = "/label/{run}"
        return [
            web.get(path, self.start),
            web.post(path + "/begin", self.begin),
            web.get(path + "/next", self.next),
            web.get(path + "/item", self.item),
            web.post(path + "/decide", self.decide),
            web.post(path + "/undo", self.undo),
            web.get(path + "/disagreements", self.disputes),
            web.get(path + "/results", self.results),
            web.post(path + "/case", self.case),
            web.post(path + _IMPORT, self.take),
            web.get(path + "/labels.csv", self.sheet),
            web.get(path + "/card.json", self.card),
            web.get(path + "/prompts.toml", self.examples),
            web.get(path + "/{what:" + "|".join(_USES) + "}", self.use),
        ]

    async def start(self, request: web.Request) -> web.Response:
        def page() -> str:
            run = self._run(request)
            queue = Queue.read(request.query, run)
            return self._start(run, queue, request.query)

        return await html(page)

    async def begin(self, request: web.Request) -> web.Response:
        form = await request.post()

        def change(run: Run) -> str:
            queue = Queue.read(form, run)
            self._desk.begin(queue, str(form.get("second", "")).strip())
            raise elsewhere(first_at(self._site, queue, _row(form)))

        return await self._page_or_start(request, form, change)

    async def next(self, request: web.Request) -> web.Response:
        self._refuse_reading_only()
        query = request.query
        return await self._page_or_start(
            request,
            query,
            lambda run: self._label_screen(run, Queue.read(query, run), Labelling.next),
        )

    async def _page_or_start(
        self, request: web.Request, query: MultiMapping[Any], make: Callable[[Run], str]
    ) -> web.Response:
        """A page, or the start page that says why it cannot be begun, with all that was wanted."""
        status = 200

        def page() -> str:
            nonlocal status
            run = self._run(request)
            try:
                return make(run)
            except NotThere:
                raise
            except InputError as error:
                status = 422
                problem = " ".join(sentences(error))
                return self._start(run, _lenient(query, run), query, problem)

        response = await html(page)
        response.set_status(status)
        return response

    def _start(self, run: Run, queue: Queue, query: MultiMapping[Any], problem: str = "") -> str:
        more = {"form_token": self._access.form_token, "problem": problem}
        return label_pages.start(self._site, self._desk, run, queue, _row(query), **more)

    async def item(self, request: web.Request) -> web.Response:
        self._refuse_reading_only()

        def page() -> str:
            run = self._run(request)
            queue, key = Queue.read(request.query, run), self._key(request.query, run)
            settle = request.query.get("settle") == "1"
            return self._label_screen(
                run, queue, lambda labelling: labelling.item(*key), settle=settle
            )

        return await html(page)

    async def decide(self, request: web.Request) -> web.Response:
        form = await request.post()

        def change() -> str:
            run = self._run(request)
            queue, key = Queue.read(request.query, run), self._key(form, run)
            settle = form.get("settle") == "1"
            with self._desk.at(queue) as labelling:
                _decide(labelling, key, form, settle=settle)
                more = self._next_settled(queue, labelling) if settle else "next"
            raise elsewhere(_path(run, more, queue))

        return await html(change)

    def _next_settled(self, queue: Queue, labelling: Labelling) -> str:
        """Where one who settles disagreements goes on."""
        left = [dispute for dispute in labelling.disputes() if dispute.settled is None]
        if not left:
            return "disagreements"
        dispute = left[0]
        raise elsewhere(
            self._item(queue, (dispute.run, dispute.sample, dispute.statement), settle=1)
        )

    async def undo(self, request: web.Request) -> web.Response:
        def change() -> str:
            run = self._run(request)
            queue = Queue.read(request.query, run)
            with self._desk.at(queue) as labelling:
                label = labelling.undo()
            if label is None or label.kind == "settled":
                raise elsewhere(_path(run, "next", queue))
            raise elsewhere(self._item(queue, label.item))

        return await html(change)

    async def disputes(self, request: web.Request) -> web.Response:
        return await self._page(request, label_pages.disputes)

    async def results(self, request: web.Request) -> web.Response:
        n_taken = request.query.get("taken", "")[:_DIGITS]
        return await self._page(request, lambda session: label_pages.results(session, n_taken))

    async def use(self, request: web.Request) -> web.Response:
        use = request.match_info["what"]
        return await self._use_page(request, lambda session: label_pages.use_page(session, use))

    async def case(self, request: web.Request) -> web.Response:
        form = await request.post()

        def change(session: Session) -> str:
            label_pages.keep_case(session, self._key(form, session.run)[1])
            raise elsewhere(_path(session.run, "results", session.queue) + "#failures")

        return await self._page(request, change)

    async def take(self, request: web.Request) -> web.Response:
        form = await request.post()
        sent = form.get("file")

        def change(session: Session) -> str:
            if not isinstance(sent, FileField):
                raise InputError("no file was sent", "choose a sheet of labels")
            with sent.file as file:
                n = label_pages.take(session.labelling, sent.filename, file.read())
            query = session.queue.query(taken=n)
            raise elsewhere(LIVE.to(f"label/{session.run.id}/results", query) + "#files")

        return await self._page(request, change)

    async def sheet(self, request: web.Request) -> web.Response:
        everyone = request.query.get("everyone") == "1"

        def text(session: Session) -> str:
            with label_pages.sheet(session.labelling, everyone=everyone) as path:
                return path.read_text("utf-8")

        return await self._file(request, text, "labels.csv", "text/csv")

    async def card(self, request: web.Request) -> web.Response:
        def text(session: Session) -> str:
            return label_pages.card(session).json()

        return await self._file(request, text, "card.json", "application/json")

    async def examples(self, request: web.Request) -> web.Response:
        return await self._file(request, label_pages.examples, "prompts.toml", "application/toml")

    async def _file(
        self, request: web.Request, make: Callable[[Session], str], name: str, kind: str
    ) -> web.Response:
        """What is written to be kept as a file."""
        page = await self._use_page(request, make)
        if page.status != 200:
            return page
        metric = re.sub(r"[^\w.-]+", "-", str(request.query.get("metric", "")))[:60].strip("-")
        filename = f"{metric}-{name}" if metric.isascii() and metric else name
        headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
        return web.Response(body=page.body, content_type=kind, charset="utf-8", headers=headers)

    async def _use_page(self, request: web.Request, make: Callable[[Session], str]) -> web.Response:
        """What is made of the labels, or why these do not do, on a page that leads on."""
        status = 200

        def page(session: Session) -> str:
            nonlocal status
            try:
                return make(session)
            except (NotThere, StoreError):
                raise
            except InputError as error:
                status = 422
                return label_pages.refused(session, sentences(error))

        response = await self._page(request, page)
        response.set_status(status)
        return response

    async def _page(self, request: web.Request, make: Callable[[Session], str]) -> web.Response:
        """A page about the labels of a queue, for who labels or only looks."""

        def page() -> str:
            run = self._run(request)
            queue = Queue.read(request.query, run)
            try:
                with self._desk.at(replace(queue, by=queue.by or NOBODY)) as labelling:
                    return make(self._session(run, queue, labelling))
            except NotReady:
                return self._site.render("label_wait.html", LIVE, run=run)

        return await html(page)

    def _label_screen(
        self, run: Run, queue: Queue, choose: Callable[[Labelling], Any], *, settle: bool = False
    ) -> str:
        """The label screen of an item, or what stands there when nothing is left."""
        try:
            with self._desk.at(queue) as labelling:
                item, session = choose(labelling), self._session(run, queue, labelling)
                if item is None:
                    return label_pages.finished(session)
                return label_screen.render(session, item, settle=settle)
        except NotReady:
            return self._site.render("label_wait.html", LIVE, run=run)

    def _item(self, queue: Queue, key: Key, **more: object) -> str:
        """The address of one item."""
        return LIVE.to(f"label/{queue.run}/item", item_query(self._site, queue, key, **more))

    def _key(self, query: Any, run: Run) -> Key:
        """What an address or a form is about: a run, a row of it, a statement."""
        row, statement = _row(query), _row(query, "statement")
        labelled_run = self._site.run(str(query.get("of") or run.id))
        sample = self._site.sample(labelled_run, -1 if row is None else row)
        return labelled_run.id, sample.id, statement

    def _session(self, run: Run, queue: Queue, labelling: Labelling) -> Session:
        return Session(self._site, run, queue, labelling, self._access.form_token)

    def _run(self, request: web.Request) -> Run:
        return self._site.run(request.match_info["run"])

    def _refuse_reading_only(self) -> None:
        if self._site.read_only:
            raise Refused(403, self._site.why_read_only)


def _path(run: Run, page: str, queue: Queue) -> str:
    return LIVE.to(f"label/{run.id}/{page}", queue.query())


def _row(query: Any, name: str = "row") -> int | None:
    """The row, or the statement, that an address or a form is about; None if it names none."""
    text = str(query.get(name, ""))
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < _DIGITS):
        raise InputError(f"'{text[:50]}' is no {name}", "use a link of a page")
    return int(text)


def _decide(labelling: Labelling, key: Key, form: Any, *, settle: bool) -> None:
    """Keep what a form says."""
    decision = str(form.get("decision", ""))
    reason = str(form.get("reason", "")).replace("\r\n", "\n").strip()
    more = str(form.get("more_tags", "")).split(",")
    tags = [str(tag) for tag in (*form.getall("tag", ()), *more) if str(tag).strip()]
    kind, _, text = decision.partition(":")
    if kind == "skip":
        labelling.skip(key)
    elif kind == "unsure" and not settle:
        labelling.record(None, reason, tags, item=key)
    elif kind == "label":
        try:
            value = float(text)
        except ValueError as error:
            raise InputError(f"'{text[:50]}' is no label", "use a button of the page") from error
        if settle:
            labelling.adjudicate(key, value, reason)
        else:
            labelling.record(value, reason, tags, item=key)
    else:
        raise InputError("the form decides nothing", "use a button of the page")


def _lenient(query: MultiMapping[Any], run: Run) -> Queue:
    """What was asked for, as far as it can be read: to be filled in again."""
    fields = MultiDict(query)
    for name in dict.fromkeys(query):
        try:
            Queue.read(MultiDict({name: fields[name]}), run)
        except InputError:
            fields.popall(name)
    return Queue.read(fields, run)
