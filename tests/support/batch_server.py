"""How does a provider answer batches? The scripted server with files and batches beside its calls.

Every line of a batch is answered as a call by itself would be; what befalls whole batches is said
by `Batching`.
"""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import msgspec
from aiohttp import web

from support.faults import Faults, Luck
from support.llm_server import LLMServer, _completion, _error, _refusal, _text


@dataclass
class Batching:
    """What befalls batches.

    Attributes:
        held: Batches do not end while this is so.
        looks: How often a batch is looked at before it has ended.
        broken_looks: Looks that are answered with status 500.
        expire: Of each of the next batches, how many requests are done before it expires.
        cancel: The same, before somebody cancels it.
        fail: Codes for which the next batches are not taken.
        most_enqueued: Larger batches fail with token_limit_exceeded; None for no bound.
        lost_answers: Batches that are made although the answer to their submission is lost.
        held_answers: Whether answers to submissions never come, although the batch is made.
        missing: Whether there is no batch service.
    """

    held: bool = False
    looks: int = 1
    broken_looks: int = 0
    expire: tuple[int, ...] = ()
    cancel: tuple[int, ...] = ()
    fail: tuple[str, ...] = ()
    most_enqueued: int | None = None
    lost_answers: int = 0
    held_answers: bool = False
    missing: bool = False


class BatchServer(LLMServer):
    """A scripted server that takes batches, too.

    Args:
        batching: What befalls batches; may be changed while it runs.

    Attributes:
        lines: What befalls single lines of a batch; `faults` is what befalls calls.
    """

    def __init__(self, batching: Batching | None = None) -> None:
        super().__init__()
        self.batching = batching or Batching()
        self.lines = Faults()
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.done: Counter[str] = Counter()
        self._lines_seen: Counter[str] = Counter()

    @property
    def sizes(self) -> list[int]:
        """How many requests each batch had, those that failed as a whole included."""
        return [len(batch["lines"]) for batch in self.batches.values()]

    @property
    def paid(self) -> int:
        """Requests of batches that were answered, each as often as it was."""
        return sum(self.done.values())

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path.removeprefix("/v1/")
        service, _, name = path.partition("/")
        if service not in ("files", "batches"):
            return await super()._handle(request)
        if self.batching.missing:
            return _error(404, f"no such path: {request.path}")
        if self.faults.deny:
            return _error(401, "Incorrect API key provided", code="invalid_api_key")
        if service == "files":
            return await self._file(request, name)
        if request.method == "POST":
            return await self._create(request)
        return self._listed(request) if not name else await self._looked(name)

    async def _file(self, request: web.BaseRequest, name: str) -> web.StreamResponse:
        if name:
            content = self.files.get(name.removesuffix("/content"))
            return _error(404, "No such file") if content is None else web.Response(body=content)
        request._client_max_size = 1 << 30  # that of a server would be set with its app
        form = await request.post()
        assert form["purpose"] == "batch"
        return _json(id=self._keep(form["file"].file.read()))

    def _keep(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    async def _create(self, request: web.BaseRequest) -> web.StreamResponse:
        asked = await request.json()
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            "id": name,
            "status": "in_progress",
            "metadata": asked["metadata"],
            "created_at": 2_000_000_000,
            "lines": lines,
            "looks": 0,
            "fate": self._fate(len(lines)),
        }
        if self.batching.held_answers:
            await asyncio.sleep(3600)
        if self.batching.lost_answers:
            self.batching.lost_answers -= 1
            return _error(500, "The server had an error")
        return _json(**_shown(self.batches[name]))

    def _fate(self, size: int) -> tuple[str, Any]:
        given = self.batching
        if given.most_enqueued is not None and size > given.most_enqueued:
            return "failed", "token_limit_exceeded"
        for status, field in (("failed", "fail"), ("expired", "expire"), ("cancelled", "cancel")):
            if left := getattr(given, field):
                setattr(given, field, left[1:])
                return status, left[0]
        return "completed", size

    def _listed(self, request: web.BaseRequest) -> web.StreamResponse:
        found = [_shown(batch) for batch in reversed(self.batches.values())]
        names = [batch["id"] for batch in found]
        after = request.query.get("after")
        start = names.index(after) + 1 if after else 0
        return _json(data=found[start : start + 2], has_more=len(found) > start + 2)

    async def _looked(self, name: str) -> web.StreamResponse:
        batch, given = self.batches.get(name), self.batching
        if given.broken_looks:
            given.broken_looks -= 1
            return _error(500, "The server had an error")
        if batch is None:
            return _error(404, f"No batch found with id '{name}'")
        batch["looks"] += 1
        if batch["status"] == "in_progress" and not given.held and batch["looks"] >= given.looks:
            await self._end(batch)
        return _json(**_shown(batch))

    async def _end(self, batch: dict[str, Any]) -> None:
        status, detail = batch["fate"]
        batch["status"] = status
        if status == "failed":
            fault = {"code": detail, "message": f"this batch is refused: {detail}", "line": None}
            batch["errors"] = {"object": "list", "data": [fault]}
            return
        told: dict[str, list[dict[str, Any]]] = {"output": [], "error": []}
        for line in batch["lines"][:detail]:
            answered = await self._answered(line)
            good = answered["response"]["status_code"] == 200
            told["output" if good else "error"].append(answered)
        for line in batch["lines"][detail:] if status == "expired" else ():
            fault = {"code": "batch_expired", "message": "It could not be executed in time."}
            told["error"].append({**line, "response": None, "error": fault})
        for kind, lines in told.items():
            if lines:  # in another order than they were handed in
                content = b"".join(msgspec.json.encode(line) + b"\n" for line in reversed(lines))
                batch[f"{kind}_file_id"] = self._keep(content)

    async def _answered(self, line: dict[str, Any]) -> dict[str, Any]:
        name, body = line["custom_id"], line["body"]
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        # By content: keys have the server's port in them.
        content = json.dumps(body["messages"]) + str(body.get("seed"))
        self._lines_seen[content] += 1
        luck = Luck(self.lines.seed, content, self._lines_seen[content])
        response = _refusal(self.lines, line["url"], body, luck)
        if response is None:
            self.done[name] += 1
            text = _text(self.lines, body, luck)
            response = await _completion(self.lines, None, body, luck, text)  # type: ignore[arg-type]
        told = {"status_code": response.status, "body": json.loads(response.body)}
        return {"id": "request", "custom_id": name, "response": told, "error": None}


def _shown(batch: dict[str, Any]) -> dict[str, Any]:
    shown = {key: value for key, value in batch.items() if key not in ("lines", "fate", "looks")}
    n = len(batch["lines"])
    done = n if batch["status"] == "completed" else n // 2
    return {**shown, "request_counts": {"total": n, "completed": done, "failed": 0}}


def _json(**content: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(content), content_type="application/json")
