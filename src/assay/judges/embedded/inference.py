"""The models that ship with assay or were adapted from them: loading and running.

Every text is a pass of its own and the cores work on different texts at the same time: dynamic
quantisation picks one scale per tensor, so in a batch a result would depend on its neighbours
(measured: cosine 0.99 between the vectors of a text alone and in a batch of 16). Metrics ask about
the same texts, mostly at the same time: a pass that is known or on its way is not made again.
"""

import asyncio
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

from assay._text.misspelt import ask, near
from assay.errors import InputError

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer


def available_cores() -> int:
    """Cores this process may use: a container's share, not the machine's count.

    No more than OMP_NUM_THREADS says, which is how schedulers tell a process of its share.
    """
    affine = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if affine else os.cpu_count() or 1
    share = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(share)) if share.isdecimal() and int(share) else cores


def workers(threads: int | None) -> int:
    """How many texts are read at a time; all cores' worth if None.

    Raises:
        ValueError: If it is less than 1.
    """
    if threads is None:
        return available_cores()
    if threads < 1:
        message = f"threads must be at least 1, not {threads}"
        raise ValueError(message)
    return threads


def folder(name: str) -> Traversable:
    """Where a model's files are: "minilm" or "reader"."""
    return resources.files("assay.judges.embedded") / name


@cache
def session(name: str) -> "onnxruntime.InferenceSession":
    """A model of this package, ready to run; loaded once for all judges of a process."""
    return load(folder(name).joinpath("model.onnx").read_bytes())


def load(model: bytes | str) -> "onnxruntime.InferenceSession":
    """A model ready to run: what its file holds, or the path of one that others belong to."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # see the module's docstring: texts are what runs in parallel
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def tokenizer() -> "Tokenizer":
    """The tokenizer of both models."""
    from tokenizers import Tokenizer

    shared = Tokenizer.from_str(folder("minilm").joinpath("tokenizer.json").read_text("utf-8"))
    shared.no_truncation()
    shared.no_padding()
    return shared


Text = TypeVar("Text", bound=Hashable)
Result = TypeVar("Result")

_here = threading.local()  # .work is what this thread is at


class Work:
    """What a thread computes for someone who may give it up; the thread's context meanwhile.

    Attributes:
        given_up: Whether nobody waits for it any more.
    """

    def __init__(self) -> None:
        self.given_up = False
        self._passes: list[Future[Any]] = []
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        """The passes that this thread asks for are for this."""
        _here.work = self

    def __exit__(self, *_: object) -> None:
        """It is done."""
        _here.work = None

    def give_up(self) -> None:
        """Nobody waits for it any more; its thread ends with CancelledError as soon as it can."""
        with self._lock:
            self.given_up = True
            waiting, self._passes = self._passes, []
        for task in waiting:
            task.cancel()

    def waits_for(self, passes: Iterable[Future[Any]]) -> None:
        """These are called back if it is given up.

        Raises:
            CancelledError: If it was given up already.
        """
        with self._lock:
            self._passes = list(passes)
        if self.given_up:
            self.give_up()
            raise CancelledError


class Passes(Generic[Text, Result]):
    """The passes of one model, and the results of the last ones; safe to use from many threads.

    Args:
        run: One pass; what it returns is shared and must not be changed.
        size: What makes a text long.
        max_results: How many results are remembered.
    """

    def __init__(
        self, run: Callable[[Text], Result], size: Callable[[Text], int], max_results: int
    ) -> None:
        self._run = run
        self._size = size
        self._max_results = max_results
        self._futures: OrderedDict[Text, Future[Result]] = OrderedDict()
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __call__(self, texts: Sequence[Text], threads: int) -> list[Result]:
        """The result for every text, in order, at most so many passes at a time in this process.

        Raises:
            CancelledError: If the `Work` that this thread is at was given up.
        """
        return self.start(texts, threads)()

    def start(self, texts: Sequence[Text], threads: int) -> Callable[[], list[Result]]:
        """Begin what `__call__` does; what is returned waits for the results.

        Raises:
            CancelledError: If the `Work` that this thread is at was given up.
        """
        work: Work = getattr(_here, "work", None) or Work()
        work.waits_for(())
        # The longest first, so that no thread is left alone with a long one at the end.
        longest_first = sorted(set(texts), key=self._size, reverse=True)
        passes = {text: self._queue_pass(text, threads) for text in longest_first}
        work.waits_for(passes.values())
        return lambda: [self._result(text, passes, threads, work) for text in texts]

    def forget(self) -> None:
        """Remember nothing."""
        with self._lock:
            self._futures.clear()

    def _result(
        self, text: Text, passes: dict[Text, "Future[Result]"], threads: int, work: Work
    ) -> Result:
        while True:
            try:
                return passes[text].result()
            except CancelledError:
                if work.given_up:
                    raise
                # Someone else gave it up, who had asked for it first.
                passes[text] = self._queue_pass(text, threads)
                work.waits_for(passes.values())

    def _queue_pass(self, text: Text, threads: int) -> "Future[Result]":
        if self._process != os.getpid():  # forked: what was on its way will never arrive here
            self._lock, self._futures, self._process = threading.Lock(), OrderedDict(), os.getpid()
        with self._lock:
            future = self._futures.pop(text, None)
            is_lost = (
                future is not None and future.done() and (future.cancelled() or future.exception())
            )
            if future is None or is_lost:
                future = _pool(threads, self._process).submit(self._run, text)
            self._futures[text] = future  # behind the others, as the last one that was asked for
            if len(self._futures) > self._max_results:
                self._futures.popitem(last=False)
            return future


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a key
    # One for all tasks, so that no more models run at once than there are cores, however many tasks
    # wait; of a forked process its own, as threads do not survive a fork.
    return ThreadPoolExecutor(threads, thread_name_prefix="assay-model")


async def aside(work: Callable[[], Result], threads: int) -> Result:
    """What some work returns that needs passes, done off the event loop.

    Twice as many at a time as there are threads, since half of them wait for a pass: while one
    prepares its texts, the models have the next one's. Given up, it ends with the pass it is at.
    """
    loop, own_work = asyncio.get_running_loop(), Work()

    def done() -> Result:
        with own_work:
            try:
                return work()
            except StopIteration as stop:  # no future takes it: it would be awaited for ever
                raise RuntimeError("the work raised StopIteration") from stop

    try:
        return await loop.run_in_executor(_waiting(threads, os.getpid()), done)
    except asyncio.CancelledError:
        own_work.give_up()
        raise


@cache
def _waiting(threads: int, process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a key
    # One for all judges, which are made anew by each call; of a forked process its own.
    return ThreadPoolExecutor(2 * threads, thread_name_prefix="assay-embedded")


MANIFEST: Final = "adapted.json"
NETWORK: Final = "model.onnx"  # absent where only coefficients are fitted
LARGE: Final = "large.onnx"  # a second network, read beside the first one
FITTED: Final = ("support.json", "passage.json", "answering.json")  # each may be absent
CARD: Final = "card.json"  # what was measured; no part of the identity


LARGE_JUDGE: Final = "large"  # the name of the judge with a second network, in a package of its own
_PACKAGE: Final = "assay_large"
_INSTALL: Final = (
    "build the wheel of this version in assay's repository: make large && "
    "pip install dist/assay_large-*.whl"
)


class _Manifest(msgspec.Struct):
    base: str
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Adapted:
    """An adapted judge on disk.

    Attributes:
        folder: Where it is.
        name: Its identity: changes with every byte of network or coefficients.
        share: Of the votes on statements those of its second network, the rest the first one's.
    """

    folder: Path
    name: str
    share: float = 0.0

    @classmethod
    def at(cls, folder: str | Path, base: str) -> "Adapted":
        """The judge in a folder.

        Args:
            folder: As `assay adapt judge --out` wrote it, or `LARGE_JUDGE`.
            base: The judge of this version: coefficients and network only fit its code.

        Raises:
            InputError: If the folder holds none, or one that was made with another version.
        """
        path = _installed() if folder == LARGE_JUDGE else Path(folder)
        remedy = "name a folder that 'assay adapt judge' wrote"
        if not path.is_dir():
            hint = ask(f"embedded:{name}" for name in near(str(folder), [LARGE_JUDGE]))
            remedies = f"{hint} Or {remedy}" if hint else remedy
            raise InputError(f"there is no folder '{folder}'", remedies)
        try:
            manifest = msgspec.json.decode((path / MANIFEST).read_bytes(), type=_Manifest)
        except FileNotFoundError:
            raise InputError(f"'{folder}' is no adapted judge: no {MANIFEST}", remedy) from None
        except msgspec.DecodeError as error:
            raise InputError(f"'{path / MANIFEST}' cannot be read: {error}", remedy) from error
        if manifest.base != base:
            message = f"'{folder}' was adapted from {manifest.base}; this is {base}"
            hint_again = "adapt it again with this version: assay adapt judge"
            raise InputError(message, _INSTALL if folder == LARGE_JUDGE else hint_again)
        digest = hashlib.sha256()
        for name in (MANIFEST, NETWORK, LARGE, *FITTED):
            content = (path / name).read_bytes() if (path / name).is_file() else b""
            digest.update(f"{name} {len(content)}\n".encode() + content)
        kind = "reader-l6+mpnet-l10" if manifest.share else "reader-l6-adapted"
        return cls(path.resolve(), f"{kind}:{digest.hexdigest()[:12]}", manifest.share)

    def file(self, name: str) -> Path | None:
        """A file of it; None where what ships is used."""
        path = self.folder / name
        return path if path.is_file() else None


def _installed() -> Path:
    """The folder of the judge with a second network.

    Raises:
        InputError: If its package is not there.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise InputError("the larger judge's package, assay-large, is not installed", _INSTALL)
    return Path(spec.origin).parent
