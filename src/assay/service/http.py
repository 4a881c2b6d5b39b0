"""How is the service reached over HTTP? Routes, and what each failure is told as."""

import asyncio
import hashlib
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec
from aiohttp import web
from aiohttp.http import HttpProcessingError

from assay._version import __version__
from assay.errors import AssayError, InputError, JudgeError
from assay.service import forms
from assay.service.connections import Connections
from assay.service.functions import FURTHEST, MOST_RUNS, PAGE, NotFound, Service, Watch
from assay.service.guard import Bounds, Guard, Refused
from assay.service.openapi import document
from assay.service.turns import Turns
from assay.store.integrity import StoreError
from assay.store.runs import Description

F = TypeVar("F", bound=msgspec.Struct)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_CONNECTIONS = web.AppKey("connections", Connections)


def application(service: Service, bounds: Bounds) -> web.Application:
    """The application, to be served by aiohttp.

    Raises:
        InputError: If the judge of the service cannot be used.
    """
    service.route()
    guard = Guard(bounds)
    connections = Connections(bounds.reading_s, bounds.connections)
    edge = _edge(guard, connections)
    app = web.Application(middlewares=[edge], client_max_size=bounds.most_bytes)
    app[_CONNECTIONS] = connections
    api = _Api(service, guard, bounds)
    app.add_routes(
        [
            web.get("/health", api.health, allow_head=False),
            web.get("/openapi.json", api.openapi, allow_head=False),
            web.get("/v1/metrics", api.metrics, allow_head=False),
            web.post("/v1/evaluate", api.evaluate_one),
            web.post("/v1/runs", api.evaluate_many),
            web.get("/v1/runs", api.runs, allow_head=False),
            web.get("/v1/runs/{run}", api.run, allow_head=False),
            web.get("/v1/runs/{run}/samples", api.samples, allow_head=False),
            web.get("/v1/runs/{run}/evidence", api.evidence, allow_head=False),
        ]
    )
    return app


@asynccontextmanager
async def running(app: web.Application) -> AsyncIterator[web.AppRunner]:
    """A runner of the application, to which sites are added."""
    logging.getLogger("aiohttp.server").addFilter(_is_ours)
    # Bodies stay as they came: what is compressed may be a bomb.
    runner = web.AppRunner(app, access_log=None, auto_decompress=False, shutdown_timeout=5.0)
    await runner.setup()
    assert runner.server is not None  # noqa: S101 - it is there once it is set up
    watching = asyncio.create_task(app[_CONNECTIONS].watch(runner.server))
    try:
        yield runner
    finally:
        watching.cancel()
        await runner.cleanup()


def _is_ours(record: logging.LogRecord) -> bool:
    """Not a stack trace for every caller whose request is no HTTP; they were told."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


class _Api:
    def __init__(self, service: Service, guard: Guard, bounds: Bounds) -> None:
        self._service = service
        self._guard = guard
        self._turns = Turns(bounds)
        self._document = msgspec.json.encode(document(service, token=bool(bounds.token)))

    async def health(self, request: web.Request) -> web.Response:
        _parameters(request)
        return _answer(forms.Health("ok", __version__))

    async def openapi(self, request: web.Request) -> web.Response:
        _parameters(request)
        return web.Response(body=self._document, content_type="application/json")

    async def metrics(self, request: web.Request) -> web.Response:
        _parameters(request)
        return _answer(await asyncio.to_thread(self._service.metrics))

    async def evaluate_one(self, request: web.Request) -> web.Response:
        sent, key, size = await self._sent(request, forms.EvaluateOne)
        self._service.check_size([sent.sample])

        def work(watch: Watch) -> Awaitable[forms.Scored]:
            return self._service.evaluate_one(
                sent.sample, sent.metrics, contexts=sent.contexts, watch=watch
            )

        return _answer(await self._turns.judge(key, size, work))

    async def evaluate_many(self, request: web.Request) -> web.Response:
        sent, key, size = await self._sent(request, forms.EvaluateMany)
        self._service.check_size(sent.samples)

        def work(watch: Watch) -> Awaitable[forms.Run]:
            said = Description(sent.name, sent.tags, sent.note, sent.params)
            return self._service.evaluate_many(
                sent.samples, sent.metrics, said=said, contexts=sent.contexts, watch=watch
            )

        return _answer(await self._turns.judge(key, size, work))

    async def _sent(self, request: web.Request, form: type[F]) -> tuple[F, bytes, int]:
        """(what was sent, what is equal for equal requests, its bytes)."""
        body = await self._guard.body(request)
        key = hashlib.sha256(f"{request.path}\n".encode() + body).digest()
        return _read(body, form), key, len(body)

    async def runs(self, request: web.Request) -> web.Response:
        given = _parameters(request, "limit")
        limit = _count(given, "limit", 20, 1, MOST_RUNS)
        return _answer(await asyncio.to_thread(self._service.runs, limit))

    async def run(self, request: web.Request) -> web.Response:
        _parameters(request)
        run = request.match_info["run"]
        return _answer(await asyncio.to_thread(self._service.run, run))

    async def samples(self, request: web.Request) -> web.Response:
        given = _parameters(request, "offset", "limit")
        offset = _count(given, "offset", 0, 0, FURTHEST)
        limit = _count(given, "limit", 100, 1, PAGE)
        run = request.match_info["run"]
        return _answer(await asyncio.to_thread(self._service.samples, run, offset, limit))

    async def evidence(self, request: web.Request) -> web.Response:
        given = _parameters(request, "sample", "metric")
        for name in ("sample", "metric"):
            if not given.get(name):
                raise Refused(422, f"the parameter '{name}' is missing")
        run = request.match_info["run"]
        found = await asyncio.to_thread(
            self._service.evidence, run, given["sample"], given["metric"]
        )
        return _answer(found)


def _edge(guard: Guard, connections: Connections) -> Any:
    @web.middleware
    async def edge(request: web.Request, handler: Handler) -> web.StreamResponse:
        connections.busy(request.protocol)
        try:
            guard.check(request)
            response = await handler(request)
        except Refused as refused:
            response = _problem(refused.status, str(refused), headers=refused.headers)
        except web.HTTPException as error:  # of aiohttp: no such path, no such method
            kept = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
            response = _problem(error.status, error.reason, headers=kept)
        except NotFound as error:
            response = _problem(404, str(error))
        except StoreError as error:  # of the service, not of what was sent
            response = _problem(500, f"the store cannot be used: {_cause(error)}")
        except InputError as error:
            faults = [forms.Fault(p.what, p.remedy, p.row, p.field) for p in error.problems]
            response = _problem(422, "the request cannot be used", faults)
        except JudgeError as error:
            response = _problem(502, f"the judge refuses: {error}")
        except AssayError as error:
            response = _problem(500, str(error))
        except sqlite3.Error as error:
            response = _problem(500, f"the store cannot be used: {error}")
        finally:
            guard.answered(request)
            connections.free(request.protocol)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Cache-Control"] = "no-store"
        return response

    return edge


def _cause(error: StoreError) -> str:
    """What is wrong, without the path: callers need not know where the store lies."""
    return str(error.__cause__ or "its disk is full")


def _answer(found: msgspec.Struct) -> web.Response:
    body = msgspec.json.encode(found, enc_hook=str)
    return web.Response(body=body, content_type="application/json")


def _problem(
    status: int,
    why: str,
    faults: list[forms.Fault] | None = None,
    headers: dict[str, str] | None = None,
) -> web.Response:
    body = msgspec.json.encode(forms.Error(why, faults or []))
    return web.Response(
        status=status, body=body, content_type="application/json", headers=headers or {}
    )


def _read(body: bytes, form: type[F]) -> F:
    try:
        return msgspec.json.decode(body, type=form)
    except msgspec.ValidationError as error:
        raise Refused(422, f"the request does not have the expected form: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, f"the request is not JSON: {error}") from None
    except RecursionError:
        raise Refused(400, "the request is nested too deeply") from None


def _parameters(request: web.Request, *names: str) -> dict[str, str]:
    """The parameters of a request, each once and known."""
    found: dict[str, str] = {}
    for name, value in request.query.items():
        if name not in names:
            raise Refused(422, f"there is no parameter '{name[:100]}'")
        if name in found:
            raise Refused(422, f"the parameter '{name}' is given twice")
        found[name] = value
    return found


def _count(given: dict[str, str], name: str, default: int, least: int, most: int) -> int:
    text = given.get(name)
    if text is None:
        return default
    fits = text.isascii() and text.isdecimal() and len(text) < 12
    if not fits or not least <= int(text) <= most:
        raise Refused(422, f"the parameter '{name}' must be a whole number from {least} to {most}")
    return int(text)
