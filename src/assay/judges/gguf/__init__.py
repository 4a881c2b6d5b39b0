"""A language model in this process: any GGUF chat model, run by llama.cpp (extra ``[gguf]``)."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import InputError
from assay.judge import Reply, Task
from assay.judges.data_digest import digest
from assay.judges.embedded.inference import available_cores
from assay.judges.gguf.engine import Answer, Engine, Llama, TooLong, Wish, version
from assay.judges.gguf.questions import QUOTE_TOKENS, Fit, ItemQuestions, Protocol, fits, protocol
from assay.judges.llm import LLM, WEIGHED, Completion, Token
from assay.prompt import Template, render
from assay.tasks import TASKS, MeasureLikelihood

__all__ = ["Answer", "Engine", "Gguf", "Token", "TooLong", "Wish"]


MAGIC = b"GGUF"


def checked(path: str | Path) -> Path:
    """The path of a GGUF file.

    Raises:
        InputError: If there is none, or it is something else.
    """
    file_path = Path(path).expanduser()
    if not file_path.is_file():
        fault = f"there is no model file '{path}'"
        raise InputError(fault, "give the path of a GGUF file: gguf:/models/NAME.gguf")
    with file_path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            fault = f"'{path}' is not a GGUF file"
            raise InputError(fault, "give a model in the GGUF format, wholly downloaded")
    return file_path


T = TypeVar("T")
WINDOW = 8192
MAX_TOKENS = 1024
_AS_SAID = Fit()


class Gguf(LLM):
    """Any chat model in a GGUF file, run in this process by llama.cpp; needs ``assay[gguf]``.

    Statements, contexts and sentences are judged one by one, by the probability of Yes; all other
    tasks go by prompt and JSON schema. One request at a time: llama.cpp uses the cores for it.

    Args:
        path: The GGUF file.
        threads: Cores to use; all that there are if None.
        window: Tokens of prompt and reply together, where the model can read as many.
        max_tokens: Bound on the length of a reply.
        prompts: Templates that replace the built-in ones, by kind of task; such a task is asked by
            prompt.
        engine: Runs the model instead of llama.cpp.
    """

    local = True
    form = "json_schema"

    def __init__(
        self,
        path: str | Path,
        *,
        threads: int | None = None,
        window: int = WINDOW,
        max_tokens: int = MAX_TOKENS,
        prompts: Mapping[str, Template] | None = None,
        engine: Engine | None = None,
    ) -> None:
        super().__init__(prompts)
        if (threads is not None and threads < 1) or not 0 < max_tokens < window:
            fault = f"threads {threads}, window {window}, max_tokens {max_tokens}"
            raise InputError(fault, "threads from 1, max_tokens from 1 and below the window")
        runs = "" if engine else f"+xllamacpp-{version()}"
        file = checked(path)
        weights = digest(file)
        self._fits = fits(file, weights)
        self._max_tokens = max_tokens
        self._anew = partial(Gguf, path, threads=threads, window=window, max_tokens=max_tokens)
        self._given = engine
        self._engine = engine or Llama(file, threads or available_cores(), window)
        settings = {"window": (window, WINDOW), "max_tokens": (max_tokens, MAX_TOKENS)}
        options = "&".join(f"{k}={v}" for k, (v, default) in settings.items() if v != default)
        self._name = f"gguf:{file.name}@{weights}{runs}{'?' if options else ''}{options}"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="assay-gguf")

    def __reduce__(self) -> tuple[Callable[[], "Gguf"], tuple[()]]:
        """Made anew in another process, from the same file, with the cores that are there."""
        return partial(self._anew, prompts=self.prompts, engine=self._given), ()

    @property
    def name(self) -> str:
        """The file's name, a digest of the weights, what runs them, and settings not default."""
        return self._name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """Its name and the digest of what it is asked."""
        if issubclass(kind, MeasureLikelihood):
            return f"{self.name}#likelihood"
        if one_by_one := self._yes_no_protocol(kind):
            return f"{self.name}#{one_by_one.question.digest(self._fit(kind))}"
        return super().identity(kind)

    def card(self, kind: type[Task[Any]]) -> str:
        """How well its answers to this kind of task agree with people, measured; "" if unknown."""
        return self._fit(kind).card if self._yes_no_protocol(kind) else ""

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What it says, in the form in which an LLM is asked to reply.

        Raises:
            JudgeError: If nothing came.
        """
        if isinstance(task, MeasureLikelihood):
            return await self._off_the_loop(lambda stop: self._likelihood(task, draw, stop))
        one_by_one = self._yes_no_protocol(type(task))
        if one_by_one is None:
            return await super().reply(task, draw)
        return await self._off_the_loop(lambda stop: self._items(task, one_by_one, draw, stop))

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What the model writes; what stands before the texts is read once for all tasks."""
        preamble = self._preamble(kind)
        shared = (preamble,) if preamble and prompt.startswith(preamble) else ()
        remainder = prompt[len("".join(shared)) :]
        wish = Wish(self._max_tokens, schema, draw, probabilities=kind in WEIGHED)
        answer = await self._off_the_loop(
            lambda stop: self._engine.ask(shared, remainder, wish, stop)
        )
        return Completion(
            answer.text, answer.tokens_in, answer.tokens_out, answer.tokens, cut=answer.cut
        )

    async def aclose(self) -> None:
        """Give the model's memory back; the next task loads it again."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.close)

    def lengths(self, task: Task[Any]) -> tuple[int, int] | None:
        """Letters read and tokens written, about, for a task asked item by item; None of others.

        What items share is read once.
        """
        one_by_one = self._yes_no_protocol(type(task))
        if one_by_one is None:
            return None
        question, fit, case = one_by_one.question, self._fit(type(task)), one_by_one.case(task)
        per_item = sum(len("".join(question.own(text, fit))) for text in case.items.values())
        shared = len("".join(render(question.template, case.shared)))
        return shared + per_item, len(case.items) * (
            QUOTE_TOKENS // 3 if question.quoted(fit) else 1
        )

    def _yes_no_protocol(self, kind: type[Task[Any]]) -> Protocol | None:
        return None if kind.kind in self.prompts else protocol(kind)

    def _fit(self, kind: type[Task[Any]]) -> Fit:
        return self._fits.get(kind.kind, _AS_SAID)

    def _preamble(self, kind: str) -> str:
        template = self.template(TASKS[kind]) if kind in TASKS else None
        return template.preamble if template and not template.verbatim else ""

    def _items(
        self, task: Task[Any], one_by_one: Protocol, draw: int, stop: threading.Event
    ) -> Reply:
        start = time.perf_counter()
        asking = ItemQuestions(self._engine, one_by_one.question, self._fit(type(task)), draw, stop)
        raw = one_by_one.reply(task, asking.all(one_by_one.case(task)))
        return Reply(
            pieces=tuple(asking.pieces) or task.inputs(),
            raw=raw,
            tokens_in=asking.tokens_in,
            tokens_out=asking.tokens_out,
            ms=(time.perf_counter() - start) * 1000,
            backend=self.identity(type(task)) or "",
            kind=task.kind,
            draw=draw,
        )

    def _likelihood(self, task: MeasureLikelihood, draw: int, stop: threading.Event) -> Reply:
        start = time.perf_counter()
        likelihood = self._engine.likelihood(task.before, task.text, stop)
        logprobs = [next(iter(token.top.values())) for token in likelihood.tokens]
        raw = MeasureLikelihood.reply([token.text for token in likelihood.tokens], logprobs)
        ms = (time.perf_counter() - start) * 1000
        completion = Completion(raw, likelihood.tokens_in, likelihood.tokens_out)
        return self.replied(task, draw, task.inputs(), completion, ms=ms)

    async def _off_the_loop(self, work: Callable[[threading.Event], T]) -> T:
        stop = threading.Event()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, work, stop)
        except asyncio.CancelledError:
            stop.set()  # the model stops at the next token, and others get their turn
            raise
