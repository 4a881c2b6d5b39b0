"""A function of the user's own in a process of its own, for parameters that are its environment."""

import asyncio
import functools
import itertools
import json
import os
import pickle
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final

from assay._middleware.concurrency import PerLoop
from assay._store.runs import Value, written
from assay.errors import Denied, InputError, JudgeError, Unavailable
from assay.judge import Reply, Task
from assay.judges.code_digest import text_digest
from assay.sample import Sample
from assay.target.system import AskSystem, FunctionSystem, named

PREFIX: Final = "env:"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LENGTH: Final = 8  # bytes that say how long the reply after them is
_PATIENCE_S: Final = 5.0  # for a process that has been told to end
_SERVE: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from assay.target.process import serve; serve()"
)


def environment(params: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, str]]:
    """Parameters in two: those of the call, and the variables of the environment.

    Raises:
        InputError: If one that begins with ``env:`` names no variable, or a value can be none.
    """
    variables: dict[str, str] = {}
    for name, value in params.items():
        if not name.startswith(PREFIX):
            continue
        variable, text = name.removeprefix(PREFIX), written(value)
        if not _NAME.fullmatch(variable):
            raise InputError(f"'{name}' names no variable of the environment", "such as env:CHUNK")
        if "\0" in text:
            raise InputError(f"a value of '{name}' has a null character", "leave it out")
        variables[variable] = text
    return {name: v for name, v in params.items() if not name.startswith(PREFIX)}, variables


class ProcessSystem:
    """A `FunctionSystem` that another process calls, whose environment has some more variables.

    They are set before the module of the function is imported there, so that what it reads at
    import counts as well, and no other configuration sees them.

    Args:
        function: The function as it is here: it tells the digest of its code.
        spec: ``module:function`` or ``file.py:function``, imported there.
        params: Its further arguments.
        variables: What is set in the environment.
    """

    def __init__(
        self,
        function: FunctionSystem,
        spec: str,
        params: Mapping[str, Value],
        variables: Mapping[str, str],
    ) -> None:
        self.name = function.name
        self.needs, self.told_contexts = function.needs, function.told_contexts
        digest = text_digest(json.dumps(variables, sort_keys=True))
        self._identity = f"{function.identity(AskSystem)}#{digest}"
        self._function = function
        start = (spec, dict(sorted(params.items())), function.name)
        self._workers = PerLoop(lambda: _Worker(start, variables))

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """That of the function, with the variables."""
        return self._identity if kind is AskSystem else None

    def sent(self, sample: Sample) -> str:
        """As the function."""
        return self._function.sent(sample)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """What the function returns in the other process; its latency is that of the call there.

        Raises:
            Unavailable: As the function, and if the process ends.
            Denied: As the function, and if it cannot be imported with these variables.
        """
        assert isinstance(task, AskSystem)  # noqa: S101 - it serves nothing else
        return await self._workers.get().ask(task, draw)

    async def aclose(self) -> None:
        """End the process."""
        if worker := self._workers.pop():
            await worker.aclose()


@dataclass
class _Worker:
    """The other process: begun with the first question, and again if it has ended."""

    start: tuple[str, dict[str, Value], str]
    variables: Mapping[str, str]
    process: Process | None = None
    reader: asyncio.Task[None] | None = None
    waiting: dict[int, asyncio.Future[Reply]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, task: AskSystem, draw: int) -> Reply:
        """Its reply to one question."""
        number = next(self.numbers)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        async with self.lock:
            if self.reader is None or self.reader.done():
                await self._begin()
            self.waiting[number] = future
            await self._send((number, task, draw))
        try:
            return await future
        finally:
            self.waiting.pop(number, None)

    async def _begin(self) -> None:
        command = (sys.executable, "-c", _SERVE, json.dumps(sys.path))
        environment = {**os.environ, **self.variables}
        self.process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment
        )
        self.reader = asyncio.create_task(self._read(self.process))
        await self._send(self.start)

    async def _send(self, message: object) -> None:
        pipe = self.process.stdin if self.process else None
        assert pipe  # noqa: S101 - it was begun with one
        with suppress(ConnectionError):  # it has ended: the reader tells all who wait
            pipe.write(pickle.dumps(message))
            await pipe.drain()

    async def _read(self, process: Process) -> None:
        """Hand on what it replies until it ends."""
        assert process.stdout  # noqa: S101 - it was begun with a pipe
        failure: JudgeError | None = None
        try:
            while failure is None:
                length = int.from_bytes(await process.stdout.readexactly(_LENGTH))
                message = pickle.loads(await process.stdout.readexactly(length))  # noqa: S301 - ours
                if isinstance(message, JudgeError):
                    failure = message
                else:
                    self._deliver(*message)
        except asyncio.IncompleteReadError:
            what = f"{self.start[2]}: its process ended with code {await process.wait()}"
            failure = Unavailable(what)
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(failure)

    def _deliver(self, number: int, outcome: Reply | JudgeError) -> None:
        future = self.waiting.get(number)
        if future is None or future.done():  # given up in the meantime
            return
        if isinstance(outcome, JudgeError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    async def aclose(self) -> None:
        """Tell it to end, and see that it does."""
        process, reader = self.process, self.reader
        if process is None or reader is None:
            return
        assert process.stdin  # noqa: S101 - it was begun with a pipe
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _PATIENCE_S)
        except TimeoutError:
            process.kill()
            await process.wait()
        await asyncio.wait([reader])


def serve() -> None:
    """Reply to the questions of the other process until it closes the pipe, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other process
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what the function prints is no reply
    asyncio.run(_serve(sys.stdin.buffer, replies))


async def _serve(questions: BinaryIO, replies: BinaryIO) -> None:
    spec, params, name = pickle.load(questions)  # noqa: S301 - ours
    try:
        function = FunctionSystem(functools.partial(named(spec), **params), name=name)
    except BaseException as error:  # noqa: BLE001 - the user's module, which may even exit
        what = f"{name} cannot be imported with these variables: {type(error).__name__}: {error}"
        _write(replies, Denied(what))
        return
    tasks = set[asyncio.Task[None]]()
    with suppress(EOFError):
        while True:
            number, task, draw = await asyncio.to_thread(pickle.load, questions)
            replying = asyncio.create_task(_reply(function, number, task, draw, replies))
            tasks.add(replying)
            replying.add_done_callback(tasks.discard)
    os._exit(0)  # whatever the function is still at, nobody waits for it


async def _reply(
    function: FunctionSystem, number: int, task: AskSystem, draw: int, replies: BinaryIO
) -> None:
    try:
        outcome: Reply | JudgeError = await function.reply(task, draw)
    except JudgeError as error:
        outcome = error
    _write(replies, (number, outcome))


def _write(replies: BinaryIO, message: object) -> None:
    content = pickle.dumps(message)
    replies.write(len(content).to_bytes(_LENGTH) + content)
