"""How does assay behave when a server is slow, busy, broken or strange? A scripted one to find out.

It speaks the OpenAI protocol (chat completions and embeddings), answers as `answers` says, and
fails as `Faults` says. What befalls a request follows from its content and from how often that
content came before, so that a run meets the same faults in whatever order its calls arrive.

In a test: ``async with LLMServer(Faults(share_429=0.1)) as server: ... server.url``; without a
loop: ``with LLMServer().in_thread() as server``; by itself:
``python tests/support/llm_server.py --port 0 --latency_s 0.05``.
"""

import argparse
import asyncio
import dataclasses
import hashlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec
from aiohttp import web

if __name__ == "__main__":  # the folder above is on the path in tests, not in a script
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support import answers
from support.faults import Call, Faults, Luck


class LLMServer:
    """A scripted OpenAI-compatible server on a free port of this machine.

    Args:
        faults: What goes wrong; may be replaced while it runs.
        port: The port, 0 for a free one.

    Attributes:
        answers_as: The model that a reply names, given the one that was asked for.
    """

    def __init__(self, faults: Faults | None = None, *, port: int = 0) -> None:
        self.faults = faults or Faults()
        self.answers_as: Callable[[str], str] = str
        self.log: list[Call] = []
        self.arrived = 0
        self.most_at_once = 0
        self.prompt_letters = self.reply_letters = 0
        self._now = 0
        self._port = port
        self._seen: Counter[str] = Counter()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._port}/v1"

    def count(self, *, kind: str = "", status: int | None = None) -> int:
        """How many requests were served, of a kind, with a status."""
        return sum(
            (not kind or call.kind == kind) and (status is None or call.status == status)
            for call in self.log
        )

    async def __aenter__(self) -> Self:
        # The low-level server has no router and no middleware: half the time a request.
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._runner.cleanup()

    @contextmanager
    def in_thread(self) -> Iterator[Self]:
        """The server on a loop of its own in another thread, for tests that have no loop."""
        ready, done = threading.Event(), asyncio.Event()

        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            async with self:
                ready.set()
                await done.wait()

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        if not ready.wait(10):
            msg = "the scripted server did not start within 10 s"
            raise TimeoutError(msg)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(done.set)
            thread.join(10)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/stats":
            return web.json_response(self.stats())
        if request.path == "/reset":
            self.log.clear()
            self.most_at_once = self.prompt_letters = self.reply_letters = 0
            return web.json_response({})
        content = await request.read()
        try:
            body = msgspec.json.decode(content)
        except msgspec.DecodeError:
            return _error(400, "the body is no JSON")
        self.arrived += 1
        number = self.arrived
        name = hashlib.blake2b(content, digest_size=8).hexdigest()
        self._seen[name] += 1
        luck = Luck(self.faults.seed, name, self._seen[name])
        kind = _kind(request.path, body)
        self.prompt_letters += len(body["messages"][-1]["content"]) if "messages" in body else 0
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        status = 0
        try:
            response = await self._respond(request, body, number, luck)
            status = response.status
        finally:
            self._now -= 1
            headers = {k.lower(): v for k, v in request.headers.items()}
            self.log.append(Call(number, kind, status, self._seen[name], body, headers))
        return response

    def stats(self) -> dict[str, Any]:
        """Counts of all requests so far."""
        return {
            "calls": len(self.log),
            "by_status": dict(Counter(str(call.status) for call in self.log)),
            "by_kind": dict(Counter(call.kind for call in self.log)),
            "most_at_once": self.most_at_once,
            "prompt_tokens": self.prompt_letters // 4,
            "reply_tokens": self.reply_letters // 4,
        }

    async def _respond(
        self, request: web.BaseRequest, body: dict[str, Any], number: int, luck: Luck
    ) -> web.StreamResponse:
        faults = self.faults
        refused = _refusal(faults, request.path, body, luck)
        if refused is not None:
            return refused
        if number in faults.hang_on or luck.strikes("hang", faults.share_hang):
            await asyncio.sleep(3600)
        if faults.latency_s:
            swing = 1 + faults.jitter * (2 * luck.roll("latency") - 1)
            slow = luck.strikes("slow", faults.share_slow)
            await asyncio.sleep(faults.slow_s if slow else faults.latency_s * swing)
        if request.path.endswith("/embeddings"):
            return _embeddings(body)
        text = _text(faults, body, luck)
        self.reply_letters += len(text)
        body = {**body, "model": self.answers_as(body["model"])}
        return await _completion(faults, request, body, luck, text)


def _kind(path: str, body: dict[str, Any]) -> str:
    if path.endswith("/embeddings"):
        return "embed"
    form = body.get("response_format") or {}
    prompt = body["messages"][-1]["content"]
    named: str = form.get("json_schema", {}).get("name", "")
    return named or answers.kind_of(prompt, answers.prompt_texts(prompt))


def _error(
    status: int, message: str, headers: dict[str, str] | None = None, **more: str
) -> web.Response:
    content = msgspec.json.encode({"error": {"message": message, **more}})
    return web.Response(
        status=status, body=content, headers=headers, content_type="application/json"
    )


def _refusal(faults: Faults, path: str, body: dict[str, Any], luck: Luck) -> web.Response | None:
    if not path.endswith(("/chat/completions", "/embeddings")):
        return _error(404, f"there is nothing at {path}")
    if faults.deny:
        return _error(401, "Incorrect API key provided", code="invalid_api_key")
    if faults.quota:
        return _error(429, "You exceeded your current quota", code="insufficient_quota")
    form = (body.get("response_format") or {}).get("type", "")
    for field in faults.reject:
        if field in body:
            return _error(400, f"Unsupported parameter: '{field}'", param=field)
        if field == form:
            return _error(400, f"response_format type {form} is not available")
    if luck.strikes("429", faults.share_429):
        wait = faults.retry_after_s
        headers = {} if wait is None else {"Retry-After": str(wait)}
        return _error(429, "Rate limit reached", headers, code="rate_limit_exceeded")
    if luck.strikes("500", faults.share_500):
        return _error(500, "The server had an error")
    return None


def _text(faults: Faults, body: dict[str, Any], luck: Luck) -> str:
    form = (body.get("response_format") or {}).get("json_schema") or {}
    prompt: str = body["messages"][-1]["content"]
    text = answers.answer(prompt, form.get("name", ""), form.get("schema"), body.get("seed", 0))
    return _spoil(text, faults, luck)


async def _completion(
    faults: Faults, request: web.BaseRequest, body: dict[str, Any], luck: Luck, text: str
) -> web.StreamResponse:
    prompt: str = body["messages"][-1]["content"]
    reply = {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        ],
    }
    if not faults.no_usage:
        read, written = len(prompt) // 4, len(text) // 4
        reply["usage"] = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
    content = msgspec.json.encode(reply)
    if not luck.strikes("cut", faults.share_cut):
        reset = faults.remaining_0_for_s
        names = ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests")
        told = dict(zip(names, ("0", f"{reset}s"), strict=True)) if reset else None
        return web.Response(body=content, content_type="application/json", headers=told)
    response = web.StreamResponse(headers={"Content-Length": str(len(content))})
    await response.prepare(request)
    await response.write(content[: len(content) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


def _spoil(text: str, faults: Faults, luck: Luck) -> str:
    try:
        made = json.loads(text)
    except ValueError:
        made = {}
    verdicts = made.get("verdicts") if isinstance(made, dict) else None
    if verdicts and luck.strikes("missing", faults.share_missing_verdict):
        verdicts.pop()
        text = json.dumps(made)
    if verdicts and luck.strikes("surplus", faults.share_surplus_verdict):
        last = verdicts[-1]
        surplus = ["zz9", *last[1:]] if isinstance(last, list) else {**last, "id": "zz9"}
        verdicts.append(surplus)
        text = json.dumps(made)
    if luck.strikes("malformed", faults.share_malformed):
        text = text[: len(text) * 2 // 3]
    if luck.strikes("fenced", faults.share_fenced):
        text = f"Here is the result.\n```json\n{text}\n```"
    if luck.strikes("think", faults.share_think):
        text = f'<think>Maybe {{"verdicts": []}}? No.</think>\n{text}'
    return text


def _embeddings(body: dict[str, Any]) -> web.Response:
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    data = [
        {"object": "embedding", "index": i, "embedding": answers.vector(text)}
        for i, text in enumerate(texts)
    ]
    used = sum(map(len, texts)) // 4
    reply = {
        "object": "list",
        "data": data,
        "model": body["model"],
        "usage": {"prompt_tokens": used},
    }
    return web.Response(body=msgspec.json.encode(reply), content_type="application/json")


def main() -> None:
    """Serve until interrupted; the first line printed is the base URL."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--deny", action="store_true")
    parser.add_argument("--quota", action="store_true")
    parser.add_argument("--no_usage", action="store_true")
    parser.add_argument("--hang_on", type=int, nargs="*", default=())
    parser.add_argument("--reject", nargs="*", default=())
    parser.add_argument("--retry_after_s", type=float)
    for field in dataclasses.fields(Faults):
        if isinstance(field.default, float) or field.name == "seed":
            parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    given = vars(parser.parse_args())
    port = given.pop("port")
    given |= {name: tuple(given[name]) for name in ("hang_on", "reject")}

    async def serve() -> None:
        async with LLMServer(Faults(**given), port=port) as server:
            sys.stdout.write(f"{server.url}\n")
            sys.stdout.flush()
            await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
