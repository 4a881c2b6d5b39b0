"""A watch: samples that arrive are scored look by look, and drift is told once."""

import asyncio
import json
import math
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from assay._analysis.history import shifts
from assay._analysis.watch import (
    TAG,
    Charting,
    Drift,
    Look,
    Point,
    drifts,
    judge_changes,
    known_samples,
    looks,
)
from assay._middleware.budget import Usage
from assay._middleware.cache import SharedLimits
from assay._runner import STORE
from assay._runner.evaluate import evaluate
from assay._runner.event_loop import run_to_completion
from assay._runner.plan import config, plan, refuse_too_long
from assay._runner.result import Result
from assay._runner.settings import Settings, chosen
from assay._store import Store
from assay._store.labels import WORST, Drawn
from assay._store.runs import Value
from assay._store.scores import StoredAlert
from assay._text.sanitize import redacted, remember
from assay.data import Source
from assay.data.rows import memory_records
from assay.errors import InputError
from assay.experiments.arrivals import Arrivals, arrivals, files_of
from assay.judges.specs import DEFAULT
from assay.metrics import Metric, resolve
from assay.sample import Sample
from assay.target import Asking, ask
from assay.target.ask import check_answers
from assay.target.system import System

FILE, WEBHOOK = "file", "webhook"
_MAX_ATTEMPTS: Final = 3
_TIMEOUT_S: Final = 10.0
_OK = range(200, 300)


@dataclass(frozen=True, kw_only=True)
class Channels:
    """Where alerts are sent."""

    file: str = ""  # a file that takes a line of JSON for each; "" for none
    webhook: str = ""  # A URL that each is posted to as JSON; "" for none
    pause: float = 1.0  # seconds before the second try, twice as many before the third

    def __post_init__(self) -> None:
        if not self.webhook:
            return
        remember(self.webhook, urlsplit(self.webhook).path.strip("/"))  # it often holds a key
        url = urlsplit(self.webhook)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise InputError("the webhook is no http(s) address", "such as https://host/path")

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are set."""
        return tuple(name for name in (FILE, WEBHOOK) if getattr(self, name))


def deliver(store: str | Path, watch: str, channels: Channels) -> list[str]:
    """Send what was told and has not arrived; why something has not, in words.

    What does not arrive stays in the store and is sent with the next call. A file gets each alert
    once. A webhook may get one twice if the process is killed while it is answered: its header
    Idempotency-Key is then the same.
    """
    problems: dict[str, None] = {}
    with Store(store) as opened:
        for alert in opened.alerts.of(watch):
            for name in channels.names:
                if name not in alert.pending:
                    continue
                problem = _send(name, alert, channels)
                if problem:
                    problems[problem] = None
                else:
                    opened.alerts.sent(alert, name)
    return list(problems)


def _send(name: str, alert: StoredAlert, channels: Channels) -> str:
    """Send an alert; why it has not arrived, "" if it has."""
    key = f"{alert.watch}/{alert.look}/{alert.stream}"
    text = redacted(json.dumps({"id": key, **alert.body}, ensure_ascii=False))
    if name == FILE:
        return _append(Path(channels.file), key, text)
    return run_to_completion(_post(channels, key, text))


def _append(file: Path, key: str, text: str) -> str:
    try:
        with file.open("a+b") as opened:
            opened.seek(0)
            lines = opened.read().split(b"\n")
            if any(_line_id(line) == key for line in lines[:-1]):
                return ""
            torn = b"\n" if lines[-1] else b""  # of a process that was killed while it wrote
            opened.write(torn + text.encode() + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        return f"an alert cannot be written to '{file}': {error.strerror}"
    return ""


def _line_id(line: bytes) -> str:
    try:
        read: Any = json.loads(line)
    except ValueError:
        return ""
    return str(read.get("id")) if isinstance(read, Mapping) else ""


async def _post(channels: Channels, key: str, text: str) -> str:
    headers = {"Content-Type": "application/json", "Idempotency-Key": redacted(key)}
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    reason = ""
    async with aiohttp.ClientSession(timeout=timeout) as session:
        for attempt in range(_MAX_ATTEMPTS):
            if attempt:
                await asyncio.sleep(channels.pause * 2 ** (attempt - 1))
            try:
                async with session.post(
                    channels.webhook, data=text.encode(), headers=headers, allow_redirects=False
                ) as response:
                    if response.status in _OK:
                        return ""
                    reason = f"it answered {response.status}"
            except TimeoutError:
                reason = f"no answer in {_TIMEOUT_S:g} s"
            except (aiohttp.ClientError, OSError) as error:
                refused = isinstance(error, aiohttp.ClientConnectorError)
                reason = "no connection" if refused else type(error).__name__
    host = urlsplit(channels.webhook).hostname
    return (
        f"an alert did not reach the webhook at {host} ({reason}); it is kept, and sent next time"
    )


DAY: Final = timedelta(days=1)
SETTLE: Final = timedelta(minutes=1)
_EARLY: Final = 0.9  # of the time between two looks: a scheduler may be a little early
_COMPARED = 1000  # samples on each side in which it is looked for what else differs
_WORST = 5  # new samples that an alert names


@dataclass(frozen=True, kw_only=True)
class Watch:
    """What is watched, and how."""

    name: str  # its name: its looks have the tag ``watch:NAME``
    source: str | Path  # a file that grows, or a folder whose files do; with a target the questions
    metrics: Iterable[str | Metric] | str | Metric  # as for `evaluate`
    judge: Any = DEFAULT  # as for `evaluate`
    embedder: Any = None  # as for `evaluate`
    store: str | Path = STORE  # the SQLite file that keeps looks, scores and alerts
    # As for `evaluate`; the budget is that of one look.
    settings: Settings = field(default_factory=Settings)
    share: float = 1.0  # which share of the samples is scored, in (0, 1]
    settle: timedelta = SETTLE  # for how long a trace must have ended before it is scored
    charting: Charting = field(default_factory=Charting)  # segments and reference
    # Gives the system that is asked in a look, by its number; None where answers arrive.
    target: Callable[[int], System] | None = None
    asking: Asking | None = None  # how it is asked
    every: timedelta = DAY  # the time between two looks at a target
    channels: tuple[str, ...] = ()  # where alerts are sent: names, that `deliver` knows

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InputError(f"the share is {self.share}", "give a number above 0, at most 1")
        if not self.name.strip() or ":" in self.name:
            raise InputError(f"a watch cannot be called '{self.name}'", "such as --name shop")


@dataclass(frozen=True)
class Looked:
    """What one look has found."""

    result: Result | None  # its run, None if there was nothing to score
    number: int  # the number of the look; of the last one if there was nothing to score
    # What was new, None where a look was continued or a target asked.
    arrived: Arrivals | None = None
    alerts: tuple[StoredAlert, ...] = ()  # what was told for the first time
    next_at: datetime | None = None  # when a target is to be looked at again, if it is not yet time


def look(watch: Watch, now: datetime | None = None) -> Looked:
    """Score what has arrived since the last look, as one run, and tell what has changed.

    Killed or stopped at any point, the same call goes on where it was: a look that began has the
    same samples, no paid call is repeated, and no alert is told twice or lost.

    Args:
        watch: What is watched.
        now: The time, with its zone; the clock's if None.

    Raises:
        InputError: If source, metrics, judge or settings cannot be used; nothing was asked.
        Denied: If judge or system refuses; what was scored is kept.
    """
    now = now or datetime.now(UTC)
    watch = replace(watch, metrics=resolve(watch.metrics), settings=chosen(watch.settings))
    files_of(watch.source)
    with Store(watch.store) as store:
        past_looks = looks(store, watch.name)
    _check_reference(watch)
    alerts = tell(watch)  # a look may have been killed between its last score and its alerts
    number = past_looks[-1].number if past_looks else 0
    if past_looks and not past_looks[-1].complete:
        result = _continue_look(watch, past_looks[-1])
        return Looked(result, number, None, tuple(tell(watch)))
    if watch.target is not None:
        due = (
            datetime.fromisoformat(past_looks[-1].at) + _EARLY * watch.every if past_looks else now
        )
        if now < due:
            return Looked(None, number, None, tuple(alerts), due)
        answers = _answers(watch, watch.target(number + 1), number + 1)
        result = _score_look(watch, answers, number + 1, now)
        return Looked(result, number + 1, None, tuple(alerts + tell(watch)))
    arrived = _new_arrivals(watch, past_looks, now)
    if not arrived.samples:
        return Looked(None, number, arrived, tuple(alerts))
    data = _source(watch, arrived.samples, continues=bool(past_looks))
    result = _score_look(watch, data, number + 1, now)
    return Looked(result, number + 1, arrived, tuple(alerts + tell(watch)))


def _check_reference(watch: Watch) -> None:
    """See that the baseline was scored as the looks are."""
    reference = watch.charting.reference
    if reference is None:
        return
    planned = plan([], watch.metrics, watch.judge, watch.embedder, watch.settings)
    metrics = config(planned.metrics, planned.route, planned.settings)["metrics"]
    known = reference.run.metrics
    differing = [label for label, signature in metrics.items() if known.get(label) != signature]
    if differing:
        fault = (
            f"the baseline {reference.run.title} was not scored by the same {', '.join(differing)}"
        )
        raise InputError(fault, "score it again with this judge and these metrics: assay run")


def _new_arrivals(watch: Watch, past_looks: Sequence[Look], now: datetime) -> Arrivals:
    with Store(watch.store) as store:
        known = known_samples(store, past_looks)
    settings = watch.settings
    arrived = arrivals(
        watch.source,
        known,
        share=watch.share,
        now=now,
        settle=watch.settle,
        settings=settings,
        refuse=_too_long(watch),
    )
    over_limit = arrived.samples[settings.limit :] if settings.limit else []
    arrived.over = len(over_limit)
    del arrived.samples[len(arrived.samples) - len(over_limit) :]
    return arrived


def _too_long(watch: Watch) -> Callable[[Any], list[Any]]:
    planned = plan([], watch.metrics, watch.judge, watch.embedder, watch.settings)
    return refuse_too_long(local=planned.route.capabilities.local)


def _source(watch: Watch, samples: Sequence[Sample], *, continues: bool = False) -> Source:
    """Samples as data for `evaluate`."""
    return Source(Path(watch.source).name, memory_records(samples), continues=continues)


def _answers(watch: Watch, system: System, number: int) -> Source:
    """What the target answers in a look; the same answers make a look of their own."""
    metrics = resolve(watch.metrics)
    asking = watch.asking or Asking(mapping=watch.settings.mapping, limit=watch.settings.limit)
    answers = ask(watch.source, system, metrics=metrics, store=watch.store, asking=asking)
    check_answers(answers, system, metrics)
    samples = [row.sample for row in answers if row.sample is not None]
    marked = [replace(s, metadata={**s.metadata, "look": number}) for s in samples]
    return replace(_source(watch, marked), notes=answers.notes)


def _score_look(watch: Watch, data: Source, number: int, now: datetime) -> Result:
    """The run of a new look."""
    settings = watch.settings
    params: dict[str, Value] = {
        "look": number,
        "at": now.astimezone(UTC).isoformat(timespec="seconds"),
    }
    described = replace(
        settings,
        name=f"{watch.name}/{number}",
        tags=(*settings.tags, f"{TAG}:{watch.name}"),
        params={**settings.params, **params},
        mapping={},
        limit=None,
        contexts="auto",
    )
    return _evaluated(watch, data, described)


def _continue_look(watch: Watch, last: Look) -> Result:
    """The run of a look that was cut short, with what is left of its budget."""
    with Store(watch.store) as store:
        samples = [sample for _, sample in store.samples(last.run.id)]
    cost = Result(watch.store, last.run.id).cost()
    spent = Usage(
        calls=cost.calls,
        tokens_in=cost.tokens_in,
        tokens_out=cost.tokens_out,
        money=cost.money or 0.0,
    )
    settings = replace(
        watch.settings,
        _shared=SharedLimits(spent),
        name=last.run.name,
        tags=last.run.tags,
        params=last.run.params,
        mapping={},
        limit=None,
        contexts="auto",
    )
    source = replace(_source(watch, samples, continues=True), name=last.run.source)
    return _evaluated(watch, source, settings)


def _evaluated(watch: Watch, data: Source, settings: Settings) -> Result:
    result = evaluate(
        data,
        watch.metrics,
        watch.judge,
        embedder=watch.embedder,
        store=watch.store,
        settings=settings,
    )
    if result.stopped:  # by the budget: what it left out is not asked again
        result.describe(params={**result.run.params, "complete": True})
    return result


def tell(watch: Watch) -> list[StoredAlert]:
    """Tell what the last complete look proves and was not told yet."""
    with Store(watch.store) as store:
        past_looks = [look for look in looks(store, watch.name) if look.complete]
        if not past_looks:
            return []
        number, run = past_looks[-1].number, past_looks[-1].run
        if run.params.get("told"):
            return []

        def alert(stream: str, body: dict[str, Any]) -> StoredAlert:
            alert_facts = {
                "watch": watch.name,
                "look": number,
                "stream": stream,
                "at": past_looks[-1].at,
            }
            return StoredAlert(watch.name, number, stream, {**alert_facts, **body}, watch.channels)

        changed = [
            alert(f"judge of {', '.join(body['anew'])}", body)
            for body in judge_changes(store, past_looks)
        ]
        new = store.alerts.add(changed)  # before drift is looked for: charts begin anew
        drifted = drifts(store, past_looks, watch.charting)
        alerts = [alert(drift.chart.stream, _evidence(store, watch, drift)) for drift in drifted]
        for new_alert in alerts:
            if new_alert.body["worse"]:
                _queue(store, new_alert)
        new += store.alerts.add(alerts)
        description = run.description
        store.describe(run.id, replace(description, params={**description.params, "told": True}))
        return new


def _samples(store: Store, watch: Watch, drift: Drift, points: Sequence[Point]) -> Iterator[Sample]:
    """The samples of a part of a chart, those of the newest look first."""
    segment, reference = drift.chart.segment, watch.charting.reference
    for point in reversed(points):
        with ExitStack() as opened:
            source = store
            if reference is not None and not point.look.number:
                source = opened.enter_context(Store(reference.path))
            for _, sample in source.samples(point.look.run.id):
                if segment.holds(sample):
                    yield sample


def _evidence(store: Store, watch: Watch, drift: Drift) -> dict[str, Any]:
    """An alert's body: the scores, what changed with them, and the worst new samples."""
    metric = drift.chart.metric
    before, after = (
        list(islice(_samples(store, watch, drift, points), _COMPARED)) for points in drift.parts
    )
    sign = 1 if drift.chart.higher_is_better else -1
    last = drift.chart.points[-1].look.run
    ids = {row: s.id for row, s in store.samples(last.id) if drift.chart.segment.holds(s)}
    values = store.values(last.id, metric)
    scores = [(sign * v, row) for row, v, _ in values if v is not None and row in ids]
    worst = sorted(scores)[:_WORST]
    limit = sign * math.ceil(worst[-1][0] * 1e4) / 1e4
    condition = f"{metric}{'<=' if sign > 0 else '>='}{limit}"
    add = ["assay", "testset", "add", last.short, "--where", condition, "--to", "regression.jsonl"]
    label = ["assay", "label", last.short, "-m", metric]
    of_store = ["--store", str(watch.store)]
    return {
        **drift.body(),
        "changed": [str(shift) for shift in shifts(before, after)],
        "run": last.id,
        "worst_samples": [ids[row] for _, row in worst],
        "label": shlex.join([*label, *of_store]),
        "test_cases": shlex.join([*add, *of_store]),
    }


def _queue(store: Store, alert: StoredAlert) -> None:
    """Put the worst new samples before all others that are to be labelled of their run."""
    worst = [Drawn(0, sample, 1.0, WORST) for sample in alert.body["worst_samples"]]
    store.labels.draw(alert.body["run"], alert.body["metric"], "", 0, worst)
