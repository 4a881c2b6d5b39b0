"""The service over HTTP: routes, connections, and the response to each failure."""

import asyncio
import hashlib
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec
from aiohttp import web
from aiohttp.http import HttpProcessingError

from assay._service import NotFound, Service, Watch, forms
from assay._service.forms import MAX_OFFSET, MAX_RUNS, PAGE, document
from assay._service.limits import Bounds, Guard, JudgingQueue, Refused
from assay._store.integrity import StoreError
from assay._store.runs import Description
from assay._text.misspelt import did_you_mean
from assay._version import __version__
from assay.errors import AssayError, InputError, JudgeError

F = TypeVar("F", bound=msgspec.Struct)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_LOOK_S = 1.0


class Connections:
    """Closes connections that bring no whole request, and keeps their number bounded.

    aiohttp waits for a request for ever: clients that send a byte a second, or nothing, would
    hold every connection that the machine can have.

    Args:
        patience: Seconds that a connection may take to bring its request, or the next one.
        max_connections: At the same time; of more, those that brought nothing longest go.
        clock: Tells the time, in seconds.
    """

    def __init__(
        self, patience: float, max_connections: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._patience, self._max, self._clock = patience, max_connections, clock
        # Since when each one has brought nothing; None while its request is answered.
        self._idle: dict[web.RequestHandler, float | None] = {}

    def busy(self, connection: web.RequestHandler) -> None:
        """A request came whole, or its head did."""
        self._idle[connection] = None

    def free(self, connection: web.RequestHandler) -> None:
        """It is answered."""
        self._idle[connection] = self._clock()

    async def watch(self, server: web.Server) -> None:
        """Look at the connections of a server once a second, until cancelled."""
        while True:
            self.close_idle(server)
            await asyncio.sleep(_LOOK_S)

    def close_idle(self, server: web.Server) -> None:
        """Close those that have brought nothing for too long, and those that are too many."""
        now, connections = self._clock(), server.connections
        self._idle = {connection: self._idle.get(connection, now) for connection in connections}
        idle_since = ((self._idle[connection], n) for n, connection in enumerate(connections))
        waiting = sorted((since, n) for since, n in idle_since if since is not None)
        surplus = len(connections) - self._max
        for number, (since, n) in enumerate(waiting):
            if number < surplus or now - since > self._patience:
                connections[n].force_close()


_CONNECTIONS = web.AppKey("connections", Connections)


def application(service: Service, bounds: Bounds) -> web.Application:
    """The application, to be served by aiohttp.

    Raises:
        InputError: If the judge of the service cannot be used.
    """
    service.route()
    guard = Guard(bounds)
    connections = Connections(bounds.reading_s, bounds.connections)
    edge = _error_middleware(guard, connections)
    app = web.Application(middlewares=[edge], client_max_size=bounds.max_bytes)
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
        self._queue = JudgingQueue(bounds)
        self._document = msgspec.json.encode(
            document(service.max_samples, token=bool(bounds.token))
        )

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
        sent, key, size = await self._decoded_body(request, forms.EvaluateOne)
        self._service.check_size([sent.sample])

        def work(watch: Watch) -> Awaitable[forms.Scored]:
            return self._service.evaluate_one(
                sent.sample, sent.metrics, contexts=sent.contexts, watch=watch
            )

        return _answer(await self._queue.judge(key, size, work))

    async def evaluate_many(self, request: web.Request) -> web.Response:
        sent, key, size = await self._decoded_body(request, forms.EvaluateMany)
        self._service.check_size(sent.samples)

        def work(watch: Watch) -> Awaitable[forms.Run]:
            description = Description(sent.name, sent.tags, sent.note, sent.params)
            return self._service.evaluate_many(
                sent.samples,
                sent.metrics,
                about=description,
                contexts=sent.contexts,
                watch=watch,
            )

        return _answer(await self._queue.judge(key, size, work))

    async def _decoded_body(self, request: web.Request, form: type[F]) -> tuple[F, bytes, int]:
        """(what was sent, what is equal for equal requests, its bytes)."""
        body = await self._guard.body(request)
        key = hashlib.sha256(f"{request.path}\n".encode() + body).digest()
        return _decoded(body, form), key, len(body)

    async def runs(self, request: web.Request) -> web.Response:
        query = _parameters(request, "limit")
        limit = _count(query, "limit", 20, 1, MAX_RUNS)
        return _answer(await asyncio.to_thread(self._service.runs, limit))

    async def run(self, request: web.Request) -> web.Response:
        _parameters(request)
        run = request.match_info["run"]
        return _answer(await asyncio.to_thread(self._service.run, run))

    async def samples(self, request: web.Request) -> web.Response:
        query = _parameters(request, "offset", "limit")
        offset = _count(query, "offset", 0, 0, MAX_OFFSET)
        limit = _count(query, "limit", 100, 1, PAGE)
        run = request.match_info["run"]
        return _answer(await asyncio.to_thread(self._service.samples, run, offset, limit))

    async def evidence(self, request: web.Request) -> web.Response:
        query = _parameters(request, "sample", "metric")
        for name in ("sample", "metric"):
            if not query.get(name):
                raise Refused(422, f"the parameter '{name}' is missing")
        run = request.match_info["run"]
        evidence = self._service.evidence
        return _answer(await asyncio.to_thread(evidence, run, query["sample"], query["metric"]))


def _error_middleware(guard: Guard, connections: Connections) -> Any:
    @web.middleware
    async def edge(request: web.Request, handler: Handler) -> web.StreamResponse:
        connections.busy(request.protocol)
        try:
            guard.check(request)
            response = await handler(request)
        except Refused as refused:
            response = _problem_response(refused.status, str(refused), headers=refused.headers)
        except web.HTTPException as error:  # of aiohttp: no such path, no such method
            allow = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
            missing = error.status == web.HTTPNotFound.status_code
            message = (
                f"{error.reason}: /openapi.json lists what there is" if missing else error.reason
            )
            response = _problem_response(error.status, message, headers=allow)
        except NotFound as error:
            response = _problem_response(404, str(error))
        except StoreError as error:  # of the service, not of what was sent
            response = _problem_response(500, f"the store cannot be used: {_cause(error)}")
        except InputError as error:
            faults = [forms.Fault(p.what, p.remedy, p.row, p.field) for p in error.problems]
            response = _problem_response(422, "the request cannot be used", faults)
        except JudgeError as error:
            response = _problem_response(502, f"the judge refuses: {error}")
        except AssayError as error:
            response = _problem_response(500, str(error))
        except sqlite3.Error as error:
            response = _problem_response(500, f"the store cannot be used: {error}")
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


def _answer(form: msgspec.Struct) -> web.Response:
    body = msgspec.json.encode(form, enc_hook=str)
    return web.Response(body=body, content_type="application/json")


def _problem_response(
    status: int,
    message: str,
    faults: list[forms.Fault] | None = None,
    headers: dict[str, str] | None = None,
) -> web.Response:
    body = msgspec.json.encode(forms.Error(message, faults or []))
    return web.Response(
        status=status, body=body, content_type="application/json", headers=headers or {}
    )


def _field_meant(error: str, form: type[msgspec.Struct]) -> str:
    """What to say of an unknown field of a request; "" of any other error."""
    if "$." in error or "unknown field `" not in error:
        return ""
    fields = form.__struct_fields__
    hint = did_you_mean(error.split("`")[1][:100], fields)
    return "; " + (hint or f"it has {', '.join(fields)}")


def _decoded(body: bytes, form: type[F]) -> F:
    try:
        return msgspec.json.decode(body, type=form)
    except msgspec.ValidationError as error:
        message = f"the request does not have the expected form: {error}"
        raise Refused(422, f"{message}{_field_meant(str(error), form)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, f"the request is not JSON: {error}") from None
    except RecursionError:
        raise Refused(400, "the request is nested too deeply") from None


def _parameters(request: web.Request, *names: str) -> dict[str, str]:
    """The parameters of a request, each once and known."""
    query: dict[str, str] = {}
    for name, value in request.query.items():
        if name not in names:
            raise Refused(422, f"there is no parameter '{name[:100]}'")
        if name in query:
            raise Refused(422, f"the parameter '{name}' is given twice")
        query[name] = value
    return query


def _count(query: dict[str, str], name: str, default: int, low: int, high: int) -> int:
    text = query.get(name)
    if text is None:
        return default
    fits = text.isascii() and text.isdecimal() and len(text) < 12
    if not fits or not low <= int(text) <= high:
        raise Refused(422, f"the parameter '{name}' must be a whole number from {low} to {high}")
    return int(text)
