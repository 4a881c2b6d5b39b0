"""A provider's batch service: files in, batches, files out; the OpenAI protocol.

https://platform.openai.com/docs/api-reference/batch
"""

import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

import aiohttp
import msgspec

from assay._text.sanitize import redacted_content
from assay.errors import Denied, JudgeError, Unavailable
from assay.judges.openai.connection import Connection, encode
from assay.judges.openai.endpoint import UNREADABLE, Refusal, meaning

T = TypeVar("T")

ENDPOINT = "/v1/chat/completions"
# The only one that there is.
WINDOW = "24h"
# Seconds that a file may take to get there or back, and anything else.
TRANSFER_S = 1800.0
CALL_S = 60.0
# A call that brought nothing is made so often in all, after waits that double up to the longest.
MAX_ATTEMPTS = 6
LONGEST_WAIT_S = 30.0
# Clocks may differ by so many seconds.
SKEW_S = 3600
PAGE = 100
CHUNK = 1 << 16
LINES_AT_ONCE = 256

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


class Counts(msgspec.Struct):
    """How many requests of a batch there are, and what became of them."""

    total: int = 0
    completed: int = 0
    failed: int = 0


class Fault(msgspec.Struct):
    """What is wrong with a batch, or with one of its requests."""

    code: str | None = None
    message: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        text = f"{self.message or 'no reason given'} ({self.code or 'no code'})"
        return text if self.line is None else f"line {self.line}: {text}"


class Faults(msgspec.Struct):
    """What is wrong with a batch as a whole."""

    data: list[Fault] = []


class State(msgspec.Struct):
    """A batch as the provider sees it. `status` is one of `ENDED` once nothing more will come."""

    id: str
    status: str
    created_at: int = 0
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: Counts | None = None
    errors: Faults | None = None
    metadata: dict[str, str] | None = None

    @property
    def fault(self) -> Fault:
        """The first of the things that are wrong with it."""
        faults = self.errors.data if self.errors else []
        return faults[0] if faults else Fault()


class Response(msgspec.Struct):
    """What a request of a batch was answered: status and body as of a call by itself."""

    status_code: int
    body: msgspec.Raw


class Line(msgspec.Struct):
    """One line of what a batch brought: `error` where the request was never made."""

    custom_id: str
    response: Response | None = None
    error: Fault | None = None

    @property
    def good(self) -> bool:
        """Whether it is a reply, which was paid for."""
        return self.response is not None and self.response.status_code == 200


class _File(msgspec.Struct):
    id: str


class _Page(msgspec.Struct):
    data: list[State] = []
    has_more: bool = False


_LINE = msgspec.json.Decoder(Line)


class Provider:
    """The batch service behind a connection.

    Args:
        connection: The server.
        model: The model that is asked, for messages.
        wait: Longest first wait between two tries, in seconds.
    """

    def __init__(self, connection: Connection, model: str, *, wait: float) -> None:
        self._connection = connection
        self._model = model
        self._wait = wait

    async def submit(self, path: Path, name: str) -> State:
        """Hand in the requests of a file under a name of ours.

        Raises:
            Denied: If key, quota or model is refused, or there is no batch service.
            Unavailable: If it could not be handed in, or nobody knows whether it was.
        """
        file = await self._with_retries(lambda: self._upload(path, name))
        request = {
            "input_file_id": file.id,
            "endpoint": ENDPOINT,
            "completion_window": WINDOW,
            "metadata": {"name": name},
        }
        since, tries = int(time.time()), iter(range(MAX_ATTEMPTS))

        async def create() -> State:
            # A try that brought no answer may have been heard: another would be paid for, too.
            if next(tries) and (batch := await self.find(name, since)):
                return batch
            return await self._ask(State, "POST", "batches", data=encode(request))

        return await self._with_retries(create)

    async def find(self, name: str, since: int) -> State | None:
        """The batch of a name, None if none was handed in since (seconds since 1970)."""
        after = ""
        while True:
            page = await self._with_retries(partial(self._page, after))
            for state in page.data:
                if (state.metadata or {}).get("name") == name:
                    return state
            if not page.data or not page.has_more:
                return None
            if page.data[-1].created_at < since - SKEW_S:  # the newest come first
                return None
            after = f"&after={page.data[-1].id}"

    async def look(self, batch: str) -> State:
        """How far a batch is. Not tried again: it will be asked about again soon."""
        absent = (
            f"batch {batch} is not known there -> give the key that it was submitted with; or ask "
            "anew and at once with openai: instead of openai-batch:"
        )
        return await self._ask(State, "GET", f"batches/{batch}", gone_message=absent)

    async def lines(self, state: State) -> AsyncIterator[Line]:
        """What a batch brought, replies first; what cannot be read is left out."""
        for file in filter(None, (state.output_file_id, state.error_file_id)):
            with tempfile.TemporaryFile() as spool:
                await self._with_retries(partial(self._fetch, file, spool))
                spool.seek(0)
                for n, raw in enumerate(spool):
                    if n % LINES_AT_ONCE == 0:  # those who got theirs go on meanwhile
                        await asyncio.sleep(0)
                    try:
                        yield _LINE.decode(raw)
                    except UNREADABLE:
                        continue

    async def _page(self, after: str) -> _Page:
        return await self._ask(_Page, "GET", f"batches?limit={PAGE}{after}")

    async def _upload(self, path: Path, name: str) -> _File:
        with path.open("rb") as requests:
            form = aiohttp.FormData()
            form.add_field("purpose", "batch")
            form.add_field("file", requests, filename=f"{name}.jsonl")
            body = form()
            headers = {"Content-Type": str(body.headers["Content-Type"])}
            return await self._ask(
                _File, "POST", "files", data=body, headers=headers, seconds=TRANSFER_S
            )

    async def _fetch(self, file: str, into: IO[bytes]) -> None:
        into.seek(0)
        into.truncate()
        limit = aiohttp.ClientTimeout(total=TRANSFER_S)
        path = f"files/{file}/content"
        async with self._connection.request("GET", path, timeout=limit) as response:
            if response.status != 200:
                content = await response.read()
                raise self._meaning(Refusal.of(response.status, content, response.headers))
            async for chunk in response.content.iter_chunked(CHUNK):
                into.write(chunk)

    async def _ask(
        self,
        form: type[T],
        method: str,
        path: str,
        *,
        seconds: float = CALL_S,
        gone_message: str = "",
        **sent: Any,
    ) -> T:
        limit = aiohttp.ClientTimeout(total=seconds)
        async with self._connection.request(method, path, timeout=limit, **sent) as response:
            status, content, headers = response.status, await response.read(), response.headers
        if status == 404 and gone_message:
            raise Denied(gone_message)
        if status != 200:
            raise self._meaning(Refusal.of(status, content, headers))
        try:
            return msgspec.json.decode(content, type=form)
        except UNREADABLE as error:
            location = self._connection.endpoint.place
            raise Unavailable(
                f"{location} said of a batch: {redacted_content(content)[:80]!r}"
            ) from error

    def _meaning(self, refusal: Refusal) -> JudgeError:
        if refusal.status in (404, 405):
            return Denied(
                f"{self._connection.endpoint.place} answered {refusal.status}: {refusal.message} "
                "-> does it take batches? openai: instead of openai-batch: asks one by one"
            )
        return meaning(refusal, self._connection.endpoint, self._model)

    async def _with_retries(self, ask: Callable[[], Awaitable[T]]) -> T:
        for attempt in range(MAX_ATTEMPTS):
            try:
                return await ask()
            except Unavailable as error:
                if error.permanent or attempt == MAX_ATTEMPTS - 1:
                    raise
                longest = min(LONGEST_WAIT_S, self._wait * 2.0**attempt)
                wait = (error.retry_after or 0.0) + random.uniform(0.0, longest)  # noqa: S311
            await asyncio.sleep(wait)
        raise AssertionError  # the last try returned or raised
