"""The judge under test, asked about many rows, and what its verdicts say of a whole answer."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from assay._middleware.budget import Price
from assay._middleware.concurrency import in_parallel
from assay._middleware.wrapper import Route, adapted
from assay._runner.event_loop import run_to_completion
from assay._runner.settings import Settings
from assay._runner.stack import BackendStack, build_stack, choose
from assay._store import Store
from assay._store.runs import BENCH
from assay.errors import Denied, JudgeError, OverBudget
from assay.judge import Backend, BackendLike, Judge, Reply, Task
from assay.metrics import Metric
from assay.metrics.evidence import split, verify
from assay.metrics.groundedness import any_unsupported
from assay.sample import Sample
from assay.score import Score
from assay.tasks import SelectSentences, Statement, Verdict

S = TypeVar("S")
T = TypeVar("T")
AskFunction = Callable[[Judge], Awaitable[T | None]]
# Questions being worked on for each call that may be in flight.
JOBS_PER_REQUEST = 2
ALONE = 16  # questions at once to a judge that is asked without a stack


class Run(Protocol):
    """What runs a coroutine to its end."""

    def __call__(self, work: Coroutine[Any, Any, T], /) -> T:
        """What the coroutine gives."""


@dataclass(frozen=True)
class Text:
    """A text to be checked against contexts."""

    question: str  # what it answers; may be empty
    text: str  # the text
    contexts: tuple[str, ...]  # what it is checked against
    # Characters of its statements, where these are known; else the judge splits it.
    parts: tuple[tuple[int, int], ...] | None = None

    @classmethod
    def claim(cls, text: str, contexts: Sequence[str], question: str = "") -> "Text":
        """A text that is one statement as it stands."""
        return cls(question, text, tuple(contexts), ((0, len(text)),))


@dataclass(frozen=True)
class Checked:
    """A text's statements and the judge's verdicts on them."""

    statements: tuple[Statement, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def probabilities(self) -> list[float]:
        """P(supported) of each statement; a judge that gives none is taken at its word."""
        return [verdict.support for verdict in self.verdicts]


@dataclass
class ReplyTotals:
    """What one set took: replies that were asked for now and those that were known alike."""

    total: int = 0  # questions put so far, in rows of the set or parts of them
    done: int = 0  # how many of them are through
    unanswered: int = 0  # how many of these brought no readable reply, or no score
    calls: int = 0  # different replies they rest on
    tokens_in: int = 0  # their prompt tokens
    tokens_out: int = 0  # their reply tokens
    ms: float = 0.0  # their milliseconds, added up
    charged: dict[str, list[int]] = field(default_factory=dict, repr=False)  # tokens by judge
    _keys: set[str] = field(default_factory=set, repr=False)

    def money(self, price: Price) -> float:
        """What the replies cost, each at the price of its judge."""
        return sum(price.of_judge(judge).of(*tokens) for judge, tokens in self.charged.items())

    def add(self, replies: Iterable[Reply]) -> None:
        """Count replies, one that several questions rest on once."""
        for reply in replies:
            if reply.key and reply.key in self._keys:
                continue
            self._keys.add(reply.key)
            self.calls += 1
            self.tokens_in += reply.tokens_in
            self.tokens_out += reply.tokens_out
            self.ms += reply.ms
            tokens = reply.tokens_in, reply.tokens_out, reply.cached_in, reply.cache_written
            spent = self.charged.get(reply.backend, (0, 0, 0, 0))
            self.charged[reply.backend] = [a + b for a, b in zip(spent, tokens, strict=True)]


def answered(things: Sequence[S], answers: Sequence[T | None]) -> list[tuple[S, T]]:
    """Each thing with its answer; those without one are left out."""
    return [
        (thing, answer) for thing, answer in zip(things, answers, strict=True) if answer is not None
    ]


class JudgeUnderTest:
    """A judge and its thresholds, asked about many things at once.

    A question that it does not answer is None, and is counted: never a score. Without a stack it
    is asked as it is: nothing is kept, nothing is limited.

    Args:
        backend: Who answers.
        thresholds: Fitted on training or development data, by benchmark, then by who decides.
        stack: The reply cache and the limits before it.
        run: Runs a coroutine to its end; always on the same loop if there is a stack.
        at_once: How many questions are worked on at once without a stack.

    Attributes:
        totals: What the set that is being measured took so far; a new one for each.
        on_progress: Called after each question.
    """

    def __init__(
        self,
        backend: BackendLike,
        thresholds: Mapping[str, Mapping[str, float]] | None = None,
        *,
        stack: BackendStack | None = None,
        run: Run = run_to_completion,
        at_once: int = ALONE,
    ) -> None:
        self.backend = adapted(backend)
        self.thresholds = thresholds or {}
        self.totals = ReplyTotals()
        self.on_progress: Callable[[], None] | None = None
        self.stack = stack
        self._asked = stack.backend if stack else backend
        self._at_once = stack.max_in_flight * JOBS_PER_REQUEST if stack else at_once
        self._run = run

    @property
    def name(self) -> str:
        """Who it is, version included."""
        return self.backend.name

    def can(self, kind: type[Task[Any]]) -> bool:
        """Whether it serves this kind of task."""
        return self._asked.identity(kind) is not None

    def identity(self, kind: type[Task[Any]]) -> str:
        """Who serves this kind of task; "" if nobody does."""
        return self._asked.identity(kind) or ""

    def answers(self, tasks: Sequence[Task[T]]) -> list[T | None]:
        """The typed answer to each task."""

        def ask(task: Task[T]) -> AskFunction[T]:
            return lambda judge: judge(task)

        return self._ask_all(list(map(ask, tasks)))

    def outcomes(self, metric: Metric, samples: Sequence[Sample]) -> list[Score | None]:
        """What a metric makes of each sample; None where it is undefined, too."""

        async def score(sample: Sample, judge: Judge) -> Score | None:
            outcome = await metric.score(sample, judge)
            return outcome if isinstance(outcome, Score) else None

        return self._ask_all([partial(score, sample) for sample in samples])

    def check(self, texts: Sequence[Text]) -> list[Checked | None]:
        """Every text's statements with their verdicts."""

        def ask(text: Text) -> AskFunction[Checked]:
            return lambda judge: _checked(judge, text)

        return self._ask_all(list(map(ask, texts)))

    def relevances(self, pairs: Sequence[tuple[str, str]]) -> list[float] | None:
        """How far each sentence helps to answer its question; None if the judge tells no more.

        A reply to SelectSentences names the chosen sentences only, so that all others tie. A judge
        that ranks them all has a method `relevance(question, sentence)`.
        """
        server = Route.of(self.backend).to(SelectSentences.kind)
        start = time.perf_counter()
        values: list[float] = []
        for question, sentence in pairs:
            value = server.relevance(question, sentence)
            if value is None:
                return None
            values.append(float(value))
        self.totals.ms += (time.perf_counter() - start) * 1000
        return values

    def _ask_all(self, questions: Sequence[AskFunction[T]]) -> list[T | None]:
        self.totals.total += len(questions)
        return self._run(self._answers_to_all(questions))

    async def _answers_to_all(self, questions: Sequence[AskFunction[T]]) -> list[T | None]:
        try:
            return await in_parallel(self._answer_or_none, questions, self._at_once)
        finally:
            if self.stack is None:
                await self.backend.aclose()

    async def _answer_or_none(self, ask: AskFunction[T]) -> T | None:
        # A judge of its own: it keeps every reply that it has had.
        judge = Judge(self._asked)
        answer = None
        try:
            answer = await ask(judge)
        except (Denied, OverBudget):
            raise
        except JudgeError:
            pass
        finally:
            self.totals.add(judge.replies)
        self.totals.done += 1
        self.totals.unanswered += answer is None
        if self.on_progress:
            self.on_progress()
        return answer


@contextmanager
def open_judge(
    judge: Backend,
    store: str | Path,
    *,
    embedder: Backend | None = None,
    thresholds: Mapping[str, Mapping[str, float]] | None = None,
    settings: Settings | None = None,
) -> Iterator[JudgeUnderTest]:
    """The judge behind what a run has before it: reply cache, limits, budget.

    Args:
        judge: Who is measured.
        store: Where its replies are kept; what is known there is not asked again.
        embedder: Who makes embeddings, None for the judge itself or the embedded model.
        thresholds: As `JudgeUnderTest` takes them.
        settings: Limits and budget.
    """
    settings = settings or Settings()
    route = choose(judge, embedder, settings)
    with Store(store) as replies, _one_loop() as run:
        stack = build_stack(route, settings, replies, BENCH)
        tested = JudgeUnderTest(judge, thresholds, stack=stack, run=run)
        run(stack.aopen())
        try:
            yield tested
        finally:
            run(stack.aclose())


@contextmanager
def _one_loop() -> Iterator[Run]:
    """Runs one coroutine after the other on the same loop, beside one that runs here already."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - its public twin raises instead
        with asyncio.Runner() as runner:
            yield runner.run
        return
    runner = asyncio.Runner()
    with ThreadPoolExecutor(1, "assay-bench") as thread:

        def run(work: Coroutine[Any, Any, T]) -> T:
            return thread.submit(runner.run, work).result()

        try:
            yield run
        finally:
            thread.submit(runner.close).result()


async def _checked(judge: Judge, text: Text) -> Checked:
    if text.parts is None:
        (statements,) = await split(text.question, [text.text], judge)
    else:
        numbered_spans = enumerate(text.parts, start=1)
        statements = tuple(
            Statement(f"s{i}", text.text[a:b], (a, b)) for i, (a, b) in numbered_spans
        )
    (verdicts,) = await verify([(statements, text.contexts)], judge)
    return Checked(statements, verdicts)


Marks: TypeAlias = npt.NDArray[np.bool_]
Spans: TypeAlias = Sequence[tuple[int, int]]
_LEAST = 1e-6  # of a probability


def hallucination(checked: Checked) -> float:
    """`hallucination_probability`, but that two statements of P = 0 are worse than one.

    An answer that states nothing has nothing unsupported: 0.
    """
    return any_unsupported(max(p, _LEAST) for p in checked.probabilities)


def unfaithfulness(checked: Checked) -> float:
    """1 - faithfulness, as the metric of that name counts it."""
    verdicts = checked.verdicts
    return sum(not verdict.supported for verdict in verdicts) / max(1, len(verdicts))


def flagged(checked: Checked) -> bool:
    """Whether an answer is flagged: the judge is sure of a statement that nothing supports it."""
    return any(not (verdict.supported or verdict.uncertain) for verdict in checked.verdicts)


def uncertain(checked: Checked) -> bool:
    """Whether the judge is uncertain of a statement."""
    return any(verdict.uncertain for verdict in checked.verdicts)


def unsupported_characters(text: str, checked: Checked) -> Marks:
    """Which characters of the text does the judge call unsupported?"""
    spans: list[tuple[int, int]] = []
    for statement, verdict in zip(checked.statements, checked.verdicts, strict=True):
        spans += _flagged_spans(text, statement, verdict)
    return marked(len(text), spans)


def marked(length: int, spans: Spans) -> Marks:
    """The characters within the spans."""
    marks = np.zeros(length, bool)
    for start, end in spans:
        marks[start:end] = True
    return marks


def _flagged_spans(text: str, statement: Statement, verdict: Verdict) -> Spans:
    # A judge that marks characters knows best; one that does not means the whole statement.
    if verdict.spans:
        return [
            found_span
            for span in verdict.spans
            for found_span in _find_words(text, statement, span)
        ]
    if verdict.supported or statement.span is None:
        return []
    return [statement.span]


def _find_words(text: str, statement: Statement, span: tuple[int, int]) -> Spans:
    # A statement may read otherwise than its source (a pronoun replaced): look for the words.
    if statement.span is None:
        return []
    start, end = statement.span
    if text[start:end] == statement.text:
        return [(start + span[0], start + span[1])]
    words = statement.text[span[0] : span[1]]
    begin = text.find(words, start, end)
    return [(begin, begin + len(words))] if begin >= 0 else [statement.span]
