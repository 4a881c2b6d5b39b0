"""How is the judge under measurement asked: thousands of rows, through the door metrics use?"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import assay
from assay.backends.limit import Limit
from assay.errors import Denied, OverBudget
from assay.metrics.evidence import split, verify
from assay.tasks import Statement, Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class Text:
    """A text to be checked against contexts.

    Attributes:
        question: What it answers; may be empty.
        text: The text.
        contexts: What it is checked against.
        parts: Characters of its statements, where these are known; else the judge splits it.
    """

    question: str
    text: str
    contexts: tuple[str, ...]
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
        """P(supported) of each statement."""
        return [support(verdict) for verdict in self.verdicts]


def support(verdict: Verdict) -> float:
    """P(supported); a judge that gives none is taken at its word."""
    return float(verdict.supported) if verdict.probability is None else verdict.probability


class Subject:
    """A judge and its thresholds, asked about many things at once.

    A question that it does not answer is None, and is counted: never a score.

    Args:
        backend: Who answers.
        thresholds: Fitted on training or development data, by benchmark, then by who decides.
    """

    def __init__(
        self,
        backend: assay.Backend,
        thresholds: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self.backend = backend
        self.thresholds = thresholds or {}
        self.unanswered = 0
        local = getattr(backend, "local", False)
        # Patience for a model on few cores that is served over HTTP.
        limits = assay.Limits(in_flight=4, timeout=1200, retries=2)
        self._door = backend if local else Limit(backend, limits)

    @property
    def name(self) -> str:
        """Who it is, version included."""
        return self.backend.name

    def can(self, kind: type[assay.Task[Any]]) -> bool:
        """Whether it serves this kind of task."""
        return self.backend.identity(kind) is not None

    def answers(self, tasks: Sequence[assay.Task[T]]) -> list[T | None]:
        """The typed answer to each task."""
        return self._each([lambda judge, task=task: judge(task) for task in tasks])

    def outcomes(
        self, metric: assay.Metric, samples: Sequence[assay.Sample]
    ) -> list[assay.Score | None]:
        """What a metric makes of each sample; None where it is undefined, too."""
        found = self._each([lambda judge, s=s: metric.score(s, judge) for s in samples])
        return [outcome if isinstance(outcome, assay.Score) else None for outcome in found]

    def check(self, texts: Sequence[Text]) -> list[Checked | None]:
        """Every text's statements with their verdicts."""
        return self._each([lambda judge, text=text: _checked(judge, text) for text in texts])

    def _each(self, asked: Sequence[Callable[[assay.Judge], Awaitable[T]]]) -> list[T | None]:
        found = asyncio.run(self._all(asked))
        self.unanswered += sum(answer is None for answer in found)
        return found

    async def _all(self, asked: Sequence[Callable[[assay.Judge], Awaitable[T]]]) -> list[T | None]:
        turns = asyncio.Semaphore(16)

        async def one(ask: Callable[[assay.Judge], Awaitable[T]]) -> T | None:
            async with turns:
                try:
                    # A judge of its own: it keeps every reply that it has had.
                    return await ask(assay.Judge(self._door))
                except (Denied, OverBudget):
                    raise
                except assay.JudgeError:
                    return None

        try:
            return list(await asyncio.gather(*map(one, asked)))
        finally:
            if close := getattr(self.backend, "aclose", None):
                await close()


async def _checked(judge: assay.Judge, text: Text) -> Checked:
    if text.parts is None:
        (statements,) = await split(text.question, [text.text], judge)
    else:
        places = enumerate(text.parts, start=1)
        statements = tuple(Statement(f"s{i}", text.text[a:b], (a, b)) for i, (a, b) in places)
    (verdicts,) = await verify([(statements, text.contexts)], judge)
    return Checked(statements, verdicts)
