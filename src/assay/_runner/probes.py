"""A fixed set of small tasks that shows whether the model behind a judge's name has changed.

Each is asked twice: how far two replies of one day differ is the measure for how far those of
another day may. The store asks no probe twice on the same day.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from assay._middleware.budget import affordable_calls
from assay._middleware.wrapper import Resampler, Route
from assay._runner.plan import Plan
from assay._runner.settings import Settings
from assay._runner.stack import BackendStack
from assay._store import Run, Store
from assay._store.judges import Fingerprint
from assay.errors import JudgeError
from assay.judge import Backend, Task
from assay.tasks import (
    GenerateQuestions,
    JudgeContexts,
    NameEntities,
    RateAnswer,
    SplitStatements,
    Statement,
    VerifyStatements,
)

# A run of fewer scores than these is not probed unless told to: it would cost more than it tells.
LEAST_SCORES = 100
ASKINGS = 2
_DAY_S = 86_400

_LIGHTHOUSE = (
    "The lighthouse of Vik was lit for the first time on 3 November 1884. Its keeper, Anna Lund, "
    "lived there for thirty-one years with her sister."
)
_TEA = "Green tea is steamed soon after picking, so its leaves do not oxidise as those of black tea"
_METRO = "Line 4 of the metro runs every six minutes on workdays and every ten minutes on Sundays."


def _verify(context: str, *texts: str) -> VerifyStatements:
    statements = tuple(Statement(f"s{n}", text) for n, text in enumerate(texts, start=1))
    return VerifyStatements(statements, (context,))


PROBES: tuple[Task[Any], ...] = (
    _verify(_LIGHTHOUSE, "The lighthouse was first lit in autumn.", "Anna Lund had a brother."),
    _verify(_LIGHTHOUSE, "Two women lived at the lighthouse.", "The keeper was paid well."),
    _verify(_TEA, "Black tea oxidises more than green tea.", "Green tea is healthier."),
    _verify(_METRO, "On a Saturday a train comes every six minutes.", "Line 4 never stops."),
    SplitStatements(
        "Who kept the lighthouse?", "Anna Lund, who moved there in 1890, did so alone."
    ),
    SplitStatements(
        "Is green tea bitter?", "Hardly, if the water is not too hot; but old leaves are."
    ),
    JudgeContexts("How often does line 4 run?", "Every six or ten minutes.", (_METRO, _TEA)),
    JudgeContexts("Why is green tea green?", "It is not oxidised.", (_TEA, _LIGHTHOUSE)),
    RateAnswer("How often does line 4 run on Sundays?", "It runs often, and it is rarely late."),
    RateAnswer("When was the lighthouse lit?", "In 1884, I believe, though some say 1885."),
    GenerateQuestions("It was lit on 3 November 1884 and kept by Anna Lund.", 1),
    NameEntities(_LIGHTHOUSE),
)


def should_ask(run: Run, plan: Plan, store: Store) -> bool:
    """Whether a run asks the probes, by the scores that it has yet to make."""
    counts = store.counts(run.id)
    n_done = sum(
        n for by_why in counts.values() for reason, n in by_why.items() if reason != "failed"
    )
    return worth_asking(plan.settings, run.n_samples * len(plan.metrics) - n_done)


def worth_asking(settings: Settings, scores: int) -> bool:
    """Whether so many scores are worth the probes: as the settings say, else if they are many."""
    if settings.probe is not None:
        return settings.probe
    # At least one call is needed for each score.
    return min(scores, affordable_calls(settings.budget)) >= LEAST_SCORES


def probes_by_judge(route: Route) -> dict[str, tuple[Task[Any], ...]]:
    """The judges of a run that may change behind their names, with the probes that each serves."""
    by_judge: dict[str, list[Task[Any]]] = {}
    for probe in PROBES:
        server = route.to(probe.kind)
        if server.capabilities.drifts and server.identity(type(probe)) is not None:
            by_judge.setdefault(server.name, []).append(probe)
    return {name: tuple(probes) for name, probes in by_judge.items()}


async def ask_probes(run: Run, route: Route, stack: BackendStack, store: Store) -> None:
    """Ask the probes and keep what came; a judge that cannot answer now has no fingerprint.

    Args:
        run: The run that pays for what the store does not know.
        route: Who serves which task.
        stack: The same behind reply cache and limits.
        store: The store.
    """
    day = today()
    for name, probes in probes_by_judge(route).items():
        replies = await _replies_to(stack.backend, probes, day)
        if replies:
            await store.judges.keep_fingerprint(Fingerprint(run.id, name, day, replies))


def today() -> int:
    """Days since 1970-01-01."""
    return int(time.time() // _DAY_S)


def repeated_backends(backend: Backend, day: int) -> list[Resampler]:
    """The backend as it is asked every probe on a day.

    A day has draws of its own: what was said yesterday is not taken for today's.
    """
    return [Resampler(backend, day * ASKINGS + n) for n in range(ASKINGS)]


async def _replies_to(
    backend: Backend, probes: tuple[Task[Any], ...], day: int
) -> Mapping[str, tuple[str, ...]]:
    backends = repeated_backends(backend, day)
    calls = [asking.reply(probe) for probe in probes for asking in backends]
    replies = await asyncio.gather(*calls, return_exceptions=True)
    by_probe: dict[str, tuple[str, ...]] = {}
    for n, probe in enumerate(probes):
        both_replies = replies[n * ASKINGS : (n + 1) * ASKINGS]
        for reply in both_replies:
            # A run that stops gives up calls: those were cancelled.
            is_failure = isinstance(reply, JudgeError | asyncio.CancelledError)
            if isinstance(reply, BaseException) and not is_failure:
                raise reply
        texts = tuple(reply.raw for reply in both_replies if not isinstance(reply, BaseException))
        if len(texts) == ASKINGS:
            # The identity names the prompt: a probe worded otherwise is another probe.
            by_probe[f"{PROBES.index(probe)}:{backend.identity(type(probe))}"] = texts
    return by_probe
