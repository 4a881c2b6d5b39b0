"""How long would a run take? From earlier replies, from a trial on this machine, or assumed."""

from collections import Counter
from dataclasses import dataclass, field

from assay.judge import Backend
from assay.run.plan import Plan
from assay.store import Store
from assay.tasks import TASKS

# Replies of one kind that tell how long others will take.
ENOUGH = 20
# How long a call over the network takes where nothing is known of it.
ASSUMED_S = 2.0


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a run would take.

    Attributes:
        seconds: Wall time, None where nothing tells it.
        basis: What it rests on, or why it is not known.
    """

    seconds: float | None
    basis: str


@dataclass
class Work:
    """What one back end would be asked for.

    Attributes:
        server: The back end.
        calls: Calls by kind of task.
        tokens: Tokens read and written.
        trial: Seconds that tasks of a kind took it here, one by one.
    """

    server: Backend
    calls: Counter[str] = field(default_factory=Counter)
    tokens: float = 0.0
    trial: dict[str, list[float]] = field(default_factory=dict)


def duration(plan: Plan, work: list[Work], store: Store | None, scale: float) -> Duration:
    """How long a run would take: those in this process share it, others work beside them.

    Args:
        plan: The run.
        work: What each back end would be asked for, in the rows that were counted.
        store: What is known already.
        scale: How many times as many rows there are.
    """
    inside, outside, bases = 0.0, [0.0], []
    for one in work:
        local = one.server.capabilities.local
        found = _inside(one, store, scale) if local else _outside(plan, one, store, scale)
        bases.append(found.basis)
        if found.seconds is None:
            return found
        if local:
            inside += found.seconds
        else:
            outside.append(found.seconds)
    return Duration(max(inside, *outside), "; ".join(dict.fromkeys(filter(None, bases))))


def _inside(work: Work, store: Store | None, scale: float) -> Duration:
    """Of what computes in this process, one call after the other."""
    total, bases = 0.0, set()
    for kind, n in work.calls.items():
        known = _earlier(work.server, kind, store)
        if took := work.trial.get(kind):
            total += n * sum(took) / len(took)
            bases.add("timed on this machine")
        elif known is not None:
            total += n * known
            bases.add(f"as {work.server.name} took before")
        else:
            remedy = "run it with --limit 20 once, and its replies tell"
            return Duration(None, f"{work.server.name} was hardly asked before: {remedy}")
    return Duration(total * scale, ", ".join(sorted(bases)))


def _outside(plan: Plan, work: Work, store: Store | None, scale: float) -> Duration:
    """Of what is asked over the network, several calls at a time."""
    told = work.server.capabilities
    if told.batch_size is not None:
        return Duration(None, "batches are answered within a day")
    limits = told.limits or plan.settings.limits
    known = {kind: _earlier(work.server, kind, store) for kind in work.calls}
    each = {kind: ASSUMED_S if s is None else s for kind, s in known.items()}
    calls = sum(work.calls.values()) * scale
    seconds = [
        sum(n * each[kind] for kind, n in work.calls.items()) * scale / limits.concurrency,
        sum(each.values()),  # a row asks one after the other
        60 * calls / (limits.requests_per_minute or float("inf")),
        60 * work.tokens * scale / (limits.tokens_per_minute or float("inf")),
    ]
    at_once = f"{limits.concurrency} calls at once"
    guessed = [kind for kind, s in known.items() if s is None]
    if guessed:
        return Duration(max(seconds), f"assuming {ASSUMED_S:g} s a call and {at_once}")
    return Duration(max(seconds), f"as {work.server.name} took before, with {at_once}")


def _earlier(server: Backend, kind: str, store: Store | None) -> float | None:
    """Mean seconds of its earlier replies to a kind of task; None if there are hardly any."""
    task = TASKS.get(kind)
    identity = server.identity(task) if task and store else None
    if store is None or identity is None:
        return None
    n, ms = store.pace(identity, kind)
    return ms / 1000 if n >= ENOUGH else None
