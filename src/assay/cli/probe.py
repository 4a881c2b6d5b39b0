"""Does a judge answer, and rightly? Found out by one question whose answer is known."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.cli.judges import Judges
from assay.errors import Denied, Unavailable, Unreadable
from assay.judge import Backend, Reply, Task
from assay.middleware.limiter import Limiter, Limits
from assay.middleware.wrapper import Route
from assay.tasks import TASKS, Embed, Statement, VerifyStatements

_QUESTION = VerifyStatements(
    (
        Statement("s1", "The library opens at nine in the morning."),
        Statement("s2", "Volcanoes in Iceland erupt every year."),
    ),
    ("The library opens at nine in the morning and closes at six. Entry is free.",),
)
_RIGHT = (True, False)
_FORMS = {
    "json_schema": "it accepts a JSON schema",
    "json_object": "it accepts no JSON schema, but has a JSON mode",
    "text": "it has no JSON mode, so only the prompt asks for JSON",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        level: "ok"; "note" if nothing is wrong but it is worth knowing; "FAIL" if it is wrong.
        what: What was found.
        remedy: What to do about it.
    """

    level: Literal["ok", "note", "FAIL"]
    what: str
    remedy: str = ""


@dataclass(frozen=True)
class Probe:
    """A question to one back end.

    Attributes:
        backend: Who is asked.
        kind: The kind of task it is to serve.
    """

    backend: Backend
    kind: str

    def finding(self, timeout: float) -> Finding:
        """Whether it answers rightly, how fast, and what it takes; else what to do."""
        task: Task[Any] = Embed("one text") if self.kind == Embed.kind else _QUESTION
        name = self.backend.name
        if self.backend.identity(type(task)) is None:
            serves = [kind for kind, t in TASKS.items() if self.backend.identity(t)]
            what = f"{name} was not asked: it does {', '.join(serves) or 'no task'} only"
            return Finding("note", what)
        try:
            reply = asyncio.run(self._ask(task, timeout))
            return self._judged(task, reply)
        except Unreadable as error:
            what = f"{name} sent a reply that cannot be read ({error}): {error.raw[:200]!r}"
            return Finding("FAIL", what, "use a model that follows instructions, or a larger one")
        except Denied as error:
            why, _, remedy = str(error).partition(" -> ")
            return Finding("FAIL", f"{name} refused: {why}", remedy)
        except Unavailable as error:
            remedy = "check that the server runs and that --base-url is its address"
            return Finding("FAIL", f"{name} sent no reply: {error}", remedy)
        except Exception as error:  # noqa: BLE001 - the edge: a judge of the user's own may raise
            what = f"{name} raised {type(error).__name__}: {error}"
            return Finding("FAIL", what, "put it right: a run stops at such an error")

    async def _ask(self, task: Task[Any], timeout: float) -> Reply:  # noqa: ASYNC109
        limit = Limiter(self.backend, Limits(concurrency=1, timeout=timeout, retries=1))
        try:
            return await limit.reply(task)
        finally:
            await limit.aclose()

    def _judged(self, task: Task[Any], reply: Reply) -> Finding:
        answer = task.read(reply.raw)
        if isinstance(task, Embed):
            return Finding("ok", f"{self.backend.name}: {len(answer)} dimensions{_took(reply)}")
        said = tuple(verdict.supported for verdict in answer)
        form = _FORMS.get(self.backend.capabilities.form, "")
        told = f"{_took(reply)}{f'; {form}' if form else ''}"
        if said != _RIGHT:
            pairs = zip(_QUESTION.statements, said, _RIGHT, strict=True)
            wrong = [statement.text for statement, is_, should in pairs if is_ != should]
            what = f"{self.backend.name} answered, but wrongly about {wrong[0]!r}{told}"
            return Finding("FAIL", what, "do not trust its scores: use a better model")
        return Finding("ok", f"{self.backend.name}: the right answer{told}")


def probes(judges: Judges, specs: Sequence[str], embedder: str | None) -> list[Probe]:
    """A probe for every back end that is named, each once."""
    found: list[Probe] = []
    if specs:
        route = Route.of(judges.judge(specs))
        found = [Probe(route.default, VerifyStatements.kind)]
        found += [Probe(backend, kind) for kind, backend in route.kinds.items()]
    if embedder:
        found.append(Probe(judges.backend(embedder, embedder=True), Embed.kind))
    once = {(id(p.backend), p.kind == Embed.kind): p for p in reversed(found)}
    return list(reversed(once.values()))


def _took(reply: Reply) -> str:
    tokens = f", {reply.tokens_in:,} + {reply.tokens_out:,} tokens" if reply.tokens_in else ""
    return f" in {reply.ms:,.0f} ms{tokens}"
