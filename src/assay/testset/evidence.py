"""What runs and judges show of a test set's questions, beyond its own words."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from assay._runner import STORE
from assay._runner.event_loop import run_to_completion
from assay._runner.settings import Settings, chosen
from assay._runner.stack import build_stack, choose
from assay._store import Store
from assay._store.runs import TESTSET
from assay.errors import Denied, InputError, JudgeError, OverBudget
from assay.judge import Judge
from assay.metrics.correctness import FactualCorrectness
from assay.metrics.groundedness import Faithfulness
from assay.sample import Sample
from assay.score import Unscored
from assay.tasks import AnswerClosedBook, SplitStatements, VerifyStatements

_SUPPORTED = _RIGHT = 0.5  # from such a probability on
Flag: TypeAlias = Literal["all right", "all wrong", "inverted"]


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """What runs over the same questions show of them.

    Attributes:
        metric: Label of the metric.
        runs: How many runs.
        deviation: Standard deviation of the difference between two systems' scores of a question:
            of pairs of runs the median; of a single run as if the scores of two systems had
            nothing to do with each other, which is more than usual.
        loss: What a question loses that a system fails altogether; 0 if that is not known.
        flags: By question: all systems get it right, all wrong, or better ones get it wrong and
            worse ones right ("inverted": its key may be wrong).
        difficulty: By question, in logits of item response theory; empty without a fit.
    """

    metric: str
    runs: int
    deviation: float | None
    loss: float = 0.0
    flags: Mapping[str, Flag] = field(default_factory=dict)
    difficulty: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeEvidence:
    """What a judge says of the rows, by their ids.

    Attributes:
        judge: Who was asked.
        unsupported: What of a reference its sources do not support.
        leaked: The right answer that the judge gave to a question closed-book, without any source.
        checked: How many references were compared with their sources.
        asked: How many questions were asked closed-book; 0 if the judge writes no answers.
        failed: Rows that the judge said nothing usable of, and why.
        stopped: Why it was not asked for all, "" if it was.
    """

    judge: str
    unsupported: Mapping[str, str]
    leaked: Mapping[str, str]
    checked: int
    asked: int
    failed: Mapping[str, str]
    stopped: str = ""


def ask(
    rows: Sequence[Sample],
    sources: Mapping[str, Sequence[str]],
    *,
    judge: Any,
    store: str | Path = STORE,
    settings: Settings | None = None,
) -> JudgeEvidence:
    """Ask a judge whether sources support the references, and what it answers closed-book.

    Args:
        rows: Answerable questions with references.
        sources: The texts that each row's reference comes from, by its id.
        judge: As for `evaluate`. One that cannot answer questions only checks references.
        store: The SQLite file that keeps all replies.
        settings: Limits, budget, prompts and tries.

    Raises:
        InputError: If the judge cannot be used.
        Denied: If it refuses.
    """
    return run_to_completion(_ask(rows, sources, judge, store, chosen(settings)))


async def _ask(
    rows: Sequence[Sample],
    sources: Mapping[str, Sequence[str]],
    spec: Any,
    store: str | Path,
    settings: Settings,
) -> JudgeEvidence:
    route = choose(spec, None, settings)
    for kind in (SplitStatements, VerifyStatements):
        if route.identity(kind) is None:
            raise InputError(f"the judge cannot do '{kind.kind}'", "name one that can: embedded")
    writes = route.identity(AnswerClosedBook) is not None
    found = _Found({}, {}, {})
    held = [sample for sample in rows if sources.get(sample.id)]
    stopped = ""
    with Store(store) as kept:
        door = build_stack(route, settings, kept, TESTSET)
        judge = Judge(door.backend, tries=settings.tries)
        try:
            await door.aopen()
            jobs = [found.support(sample, tuple(sources[sample.id]), judge) for sample in held]
            jobs += [found.closed_book(sample, judge) for sample in rows] if writes else []
            errors = await asyncio.gather(*jobs, return_exceptions=True)
            stopped = _reason(errors)
        finally:
            await door.aclose()
    asked = len(rows) if writes else 0
    name = route.name.partition("+")[0]  # the embedded judge's goes on with its models
    return JudgeEvidence(
        name, found.unsupported, found.leaked, len(held), asked, found.failed, stopped
    )


def _reason(errors: Iterable[BaseException | None]) -> str:
    """Why the budget ended it; raises what else went wrong."""
    stopped = ""
    for error in errors:
        if isinstance(error, OverBudget):
            stopped = str(error)
        elif error is not None:
            raise error
    return stopped


@dataclass(frozen=True, slots=True)
class _Found:
    unsupported: dict[str, str]
    leaked: dict[str, str]
    failed: dict[str, str]

    async def support(self, sample: Sample, texts: tuple[str, ...], judge: Judge) -> None:
        """Note what of the reference the sources do not support."""
        answered = Sample(id="", question=sample.question, answer=sample.reference, contexts=texts)
        try:
            outcome = await Faithfulness().score(answered, judge)
        except (Denied, OverBudget):
            raise
        except JudgeError as error:
            self.failed[sample.id] = str(error)
            return
        if isinstance(outcome, Unscored):
            return  # a reference that states nothing: there is nothing to support
        weak = [part.text for part in outcome.parts if (part.value or 0.0) < _SUPPORTED]
        if weak:
            self.unsupported[sample.id] = weak[0]

    async def closed_book(self, sample: Sample, judge: Judge) -> None:
        """Note the answer that needs no source, where it is right."""
        try:
            answer = await closed_book_answer(sample.question or "", sample.reference or "", judge)
        except (Denied, OverBudget):
            raise
        except JudgeError as error:
            self.failed[sample.id] = str(error)
            return
        if answer:
            self.leaked[sample.id] = answer


async def closed_book_answer(question: str, reference: str, judge: Judge) -> str:
    """What a judge answers without any source, where that is right; "" if it is not.

    Raises:
        JudgeError: If it says nothing usable.
    """
    answers = await judge(AnswerClosedBook(question))
    if not answers or not answers[0]:
        return ""
    given = Sample(id="", question=question, answer=answers[0], reference=reference)
    outcome = await FactualCorrectness(mode="recall").score(given, judge)
    right = not isinstance(outcome, Unscored) and outcome.value >= _RIGHT
    return answers[0] if right else ""
