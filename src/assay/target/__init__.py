"""The system under test: asked like any backend, its answers become samples.

It answers one task, the request it is sent, so the same cache keeps its answers and the same
limits hold. Parameters that are its environment are set in a process of its own.
"""

import asyncio
import functools
import inspect
import itertools
import json
import os
import pickle
import re
import signal
import sys
import warnings
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from assay._middleware.concurrency import PerLoop
from assay._store.runs import Value, written
from assay._user_modules import FILE
from assay.errors import Denied, InputError, JudgeError, Unavailable
from assay.judge import Reply, Task
from assay.judges.code_digest import place_of, text_digest
from assay.sample import Sample
from assay.target.ask import Answers, Asking, aask, ask
from assay.target.system import (
    AskSystem,
    Body,
    FunctionSystem,
    HttpSystem,
    System,
    named,
    no_system,
    placeholders,
    system,
)

__all__ = [
    "Answers",
    "AskSystem",
    "Asking",
    "Configurable",
    "FunctionSystem",
    "HttpSystem",
    "aask",
    "ask",
    "system",
]

_QUESTION: Final = {"question": "{question}"}
PREFIX: Final = "env:"
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LENGTH: Final = 8  # bytes that say how long the reply after them is
_PATIENCE_S: Final = 5.0  # for a process that has been told to end
_SERVE: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from assay.target import serve; serve()"
)


@dataclass(frozen=True, kw_only=True)
class Configurable:
    """What a system is made of, once its parameters are known.

    Attributes:
        target: A URL, ``module:function``, ``file.py:function`` or a function.
        version: Which version of it; another one is asked anew.
        body: What is sent to a URL; the parameters are added to its fields.
        headers: Sent with every request to a URL. They are neither shown nor kept.
    """

    target: object
    version: str = ""
    body: Body | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def systems(self, configurations: Sequence[Mapping[str, Value]]) -> list[System]:
        """A system for each configuration, whose identity tells its values.

        A function takes them as keyword arguments; a URL as fields of the JSON that it is sent, or
        of its query where nothing is sent. Those called ``env:NAME`` are variables of the
        environment of a process that calls the function.

        Raises:
            InputError: If the target cannot be used, or does not take such parameters.
        """
        target = self.target
        if isinstance(target, str) and target.startswith(("http://", "https://")):
            return [self._http(target, params) for params in configurations]
        if self.body or self.headers:
            raise InputError("body and headers are for a target with a URL", "leave them out")
        calls = [environment(params) for params in configurations]
        file = target.rpartition(":")[0] if isinstance(target, str) else ""
        function = named(target) if isinstance(target, str) else target
        if not callable(function):
            raise no_system(target)
        file = file if file.endswith(FILE) else ""
        shown_name = target if isinstance(target, str) else place_of(function)
        bound = [_with_arguments(function, shown_name, params) for params, _ in calls]
        functions = _functions(bound, self.version, file)
        if not any(variables for _, variables in calls):
            return [*functions]
        if not isinstance(target, str):
            fault = (
                f"'{PREFIX}' is the environment of a process, {shown_name} an object of this one"
            )
            raise InputError(fault, "name it as MODULE:FUNCTION or FILE.py:FUNCTION")
        return [
            ProcessSystem(function, target, *call)
            for function, call in zip(functions, calls, strict=True)
        ]

    def _http(self, url: str, params: Mapping[str, Value]) -> System:
        for name, value in params.items():
            if name.startswith(PREFIX):
                fault = f"'{name}' is a variable of the environment of whoever serves {url}"
                variable = name.removeprefix(PREFIX)
                example = f"assay run --target URL --param {variable}={written(value)}"
                raise InputError(fault, f"start it with each value by turns, and `{example}`")
            if isinstance(value, str) and placeholders(value):
                fault = f"the value '{value}' of '{name}' would be filled in from the sample"
                raise InputError(fault, "give a value without {NAME} in it")
        if self.body is None and placeholders(url):
            url = _with_query(url, params)
            return system(url, version=self.version, headers=self.headers)
        template: Any = self.body.template if self.body else _QUESTION
        if not isinstance(template, Mapping):
            fault = "parameters are fields of the request, and its body is no JSON object"
            raise InputError(fault, """such as '{"query": "{question}"}'""")
        body = Body({**template, **params})
        return HttpSystem(url, body=body, headers=self.headers, version=self.version)


def _functions(
    bound: Sequence[Callable[..., Any]], version: str, file: str
) -> list[FunctionSystem]:
    systems: list[FunctionSystem] = []
    for function in bound:
        with warnings.catch_warnings():
            if systems:  # of what cannot be told of the code, the first one has warned
                warnings.simplefilter("ignore", UserWarning)
            systems.append(FunctionSystem(function, version=version, file=file))
    return systems


def _with_query(url: str, params: Mapping[str, Value]) -> str:
    """The URL with the parameters in its query."""
    address = urlsplit(url)
    present = {pair.partition("=")[0] for pair in address.query.split("&")}
    if twice := present & set(params):
        fault = f"the URL has '{min(twice)}' already"
        raise InputError(fault, "leave it out of the URL: it is set by the configuration")
    added = urlencode({name: written(value) for name, value in sorted(params.items())})
    return urlunsplit(
        address._replace(query=f"{address.query}&{added}" if address.query else added)
    )


def _with_arguments(
    function: Callable[..., Any], shown_name: str, params: Mapping[str, Value]
) -> Callable[..., Any]:
    """The function with keyword arguments: they become part of its identity."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:  # built in: it says nothing of itself
        fault = f"{shown_name} does not say which arguments it takes"
        raise InputError(fault, "wrap it in a function of your own") from error
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    any_name = any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    )
    reserved = {*list(parameters)[:1], "question", "sample"}
    free = [
        name
        for name, parameter in parameters.items()
        if parameter.kind in kinds and name not in reserved
    ]
    for name in params:
        if name in reserved:
            fault = f"'{name}' of {shown_name} is what it is asked, and no parameter"
            raise InputError(fault, "let the question come first, and set what comes after it")
        if name not in free and not any_name:
            fault = f"{shown_name} takes no argument '{name}'"
            arguments_known = f"it takes {', '.join(free)}" if free else "it takes nothing else"
            raise InputError(fault, f"beside the question {arguments_known}")
    _check_rest(parameters, shown_name, reserved, params)
    # In whichever order they were named, it is the same system.
    return functools.partial(function, **dict(sorted(params.items())))


def _check_rest(
    parameters: Mapping[str, inspect.Parameter],
    shown_name: str,
    reserved: AbstractSet[str],
    params: Mapping[str, Value],
) -> None:
    """See that the function can be called with the question and these parameters alone."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    first_set = ""
    for name, parameter in parameters.items():
        if name in params:
            first_set = first_set or name
        elif name in reserved:
            if first_set:  # the question is given by its place
                fault = f"'{name}' of {shown_name} comes after '{first_set}', which is set"
                raise InputError(fault, "let what it is asked come first")
        elif parameter.default is inspect.Parameter.empty and parameter.kind not in variable:
            fault = f"{shown_name} needs '{name}' too, and nothing sets it"
            remedy = f"set it as well: --set {name}=VALUE, or give it a default"
            if name == "contexts":  # they are the sample's, one value for all would be none
                remedy = "let it take `sample` first, in the place of the question, and read "
                remedy += "sample.contexts, or give contexts a default"
            raise InputError(fault, remedy)


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
        if not _VARIABLE.fullmatch(variable):
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
                await self._begin_process()
            self.waiting[number] = future
            await self._send((number, task, draw))
        try:
            return await future
        finally:
            self.waiting.pop(number, None)

    async def _begin_process(self) -> None:
        command = (sys.executable, "-c", _SERVE, json.dumps(sys.path))
        environment = {**os.environ, **self.variables}
        self.process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment
        )
        self.reader = asyncio.create_task(self._read_replies(self.process))
        await self._send(self.start)

    async def _send(self, message: object) -> None:
        pipe = self.process.stdin if self.process else None
        assert pipe  # noqa: S101 - it was begun with one
        with suppress(ConnectionError):  # it has ended: the reader tells all who wait
            pipe.write(pickle.dumps(message))
            await pipe.drain()

    async def _read_replies(self, process: Process) -> None:
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
            fault = f"{self.start[2]}: its process ended with code {await process.wait()}"
            failure = Unavailable(fault)
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
        fault = f"{name} cannot be imported with these variables: {type(error).__name__}: {error}"
        _write(replies, Denied(fault))
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
