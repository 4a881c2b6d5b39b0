"""assay as a service: one judge and one store, plain values in, forms out."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from assay._middleware.wrapper import Route
from assay._runner import STORE
from assay._runner.evaluate import aevaluate
from assay._runner.progress import Progress
from assay._runner.result import NOT_DONE, Result
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay._service import forms
from assay._service.forms import PAGE
from assay._store import Store
from assay._store.integrity import StoreError
from assay._store.runs import Description
from assay._store.runs import Run as StoredRun
from assay.data.passages import AUTO
from assay.errors import InputError, Problem
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, is_built_in, parse
from assay.metrics import Metric as AnyMetric
from assay.metrics.registry import meant
from assay.sample import Sample
from assay.score import Outcome, Score

MAX_SAMPLES = 1000
MAX_CHARACTERS = 200_000
MAX_VALUES = 10_000  # of a row: its fields, contexts and what else stands in it
MAX_VALUES_IN_ALL = 200_000  # of the rows of one call: the smallest take 100 bytes each
Watch: TypeAlias = Callable[[Progress], None]
_MAX_NAME = 1000
UNDESCRIBED = Description()


class NotFound(InputError):
    """There is no such run, sample or metric."""


@dataclass(frozen=True)
class Service:
    """Evaluates by one judge into one store. Callers name neither, and no code of their own."""

    judge: Any = DEFAULT  # as for `evaluate`
    embedder: Any = None  # as for `evaluate`
    store: Path = Path(STORE)  # the SQLite file
    settings: Settings = field(default_factory=Settings)  # limits and budget of each evaluation
    max_samples: int = MAX_SAMPLES  # the most samples that one call may send
    # The longest text that one may hold: what judging takes grows with it.
    max_characters: int = MAX_CHARACTERS

    def route(self) -> Route:
        """Who judges what; raises InputError if that cannot be."""
        return choose(self.judge, self.embedder, self.settings)

    def metrics(self) -> forms.Metrics:
        """Every metric."""
        route = self.route()
        return forms.Metrics(route.name, [_metric_form(kind(), route) for kind in METRICS.values()])

    async def evaluate_one(
        self,
        sample: dict[str, Any],
        metrics: Sequence[str],
        *,
        contexts: str = AUTO,
        watch: Watch | None = None,
    ) -> forms.Scored:
        """Score one sample.

        Args:
            sample: A row.
            metrics: Names, with parameters or without.
            contexts: What becomes of contexts that are one text, as in `Settings`.
            watch: Told how far it is.

        Raises:
            InputError: If sample or metrics cannot be used.
            Denied: If the judge refuses.
        """
        result = await self._result([sample], metrics, contexts=contexts, watch=watch)
        return await asyncio.to_thread(_scored_form, result)

    async def evaluate_many(
        self,
        samples: Any,
        metrics: Sequence[str],
        *,
        about: Description = UNDESCRIBED,
        watch: Watch | None = None,
        **overrides: Any,
    ) -> forms.Run:
        """Score samples. The same call again goes on where one that was cut off stopped.

        Args:
            samples: A list of rows, or the path of a file.
            metrics: Names, with parameters or without.
            about: What the run is called, and what else is said of it.
            watch: Told how far it is.
            overrides: `limit` (only the first rows) and `contexts`, as in `Settings`.

        Raises:
            InputError: If samples or metrics cannot be used.
            Denied: If the judge refuses.
        """
        overrides = {**overrides, **_fields_of(about)}
        result = await self._result(samples, metrics, watch=watch, **overrides)
        return await asyncio.to_thread(_run, result)

    async def _result(
        self,
        data: Any,
        metrics: Sequence[str],
        *,
        watch: Watch | None = None,
        **overrides: Any,
    ) -> Result:
        metrics_wanted = [_metric(spec) for spec in metrics]
        if isinstance(data, list):
            self.check_size(data)
        settings = replace(self.settings, on_progress=watch, **{"limit": None, **overrides})
        options = {"embedder": self.embedder, "store": self.store, "settings": settings}
        try:
            return await aevaluate(data, metrics_wanted, self.judge, **options)
        except StoreError:
            raise
        except InputError as error:
            raise error.as_sent() from None

    def check_size(self, rows: list[dict[str, Any]]) -> None:
        """Raise InputError if rows are more than can be judged in bounded time and memory."""
        if len(rows) > self.max_samples:
            fault = f"{len(rows):,} samples exceed the {self.max_samples:,} allowed in one call"
            raise InputError(fault, "send fewer at a time")
        total = 0
        for number, row in enumerate(rows, 1):
            longest, values = _extent(row)
            if longest > self.max_characters:
                fault = f"holds a text of {longest:,} characters"
                remedy = f"shorten it: this service takes {self.max_characters:,} at most"
                raise InputError([Problem(fault, remedy, row=number)])
            if values > MAX_VALUES:
                fault = f"holds more than {MAX_VALUES:,} values"
                remedy = "leave some out: this service takes no more"
                raise InputError([Problem(fault, remedy, row=number)])
            total += values
            if total > MAX_VALUES_IN_ALL:
                fault = f"the samples hold more than {MAX_VALUES_IN_ALL:,} values together"
                raise InputError(fault, "send fewer at a time")

    def runs(self, limit: int = 20) -> forms.Runs:
        """The newest runs."""
        if not self.store.is_file():
            return forms.Runs([])
        with Store(self.store) as store:
            return forms.Runs([_run_form(run) for run in store.runs(limit)])

    def run(self, run: str) -> forms.Run:
        """A run by its name, the beginning of its id, or "last".

        Raises:
            NotFound: If there is none.
        """
        return _run(self._result_of(run))

    def samples(self, run: str, offset: int = 0, limit: int = 100) -> forms.Samples:
        """A page of a run's samples with their numbers.

        Raises:
            NotFound: If there is no such run.
        """
        stored = self._result_of(run).run
        with Store(self.store) as store:
            page = list(islice(store.samples(stored.id, offset), min(limit, PAGE)))
            rows = [
                forms.SampleScores(
                    sample.id, {m: _value(store.outcome(stored.id, row, m)) for m in stored.metrics}
                )
                for row, sample in page
            ]
        return forms.Samples(stored.id, offset, stored.n_samples, rows)

    def evidence(self, run: str, sample: str, metric: str) -> forms.Evidence:
        """All that is behind one score.

        Raises:
            NotFound: If there is no such run, sample or metric.
        """
        result = self._result_of(run)
        _check_name(sample)
        _check_name(metric)
        computed = {*result.run.metrics, *(m.partition("(")[0] for m in result.run.metrics)}
        if metric not in computed and not is_built_in(metric):  # no code is looked for by name
            raise NotFound(f"run {result.run.id} has no '{metric[:100]}'")
        try:
            trace = result.trace(sample, metric)
        except InputError as error:
            raise NotFound(str(error)) from None
        calls = [
            forms.Call(r.kind, r.backend, r.prompt, r.raw, r.tokens_in, r.tokens_out, r.ms)
            for r in trace.replies
        ]
        fields = _fields_of(trace.sample).items()
        row = {name: value for name, value in fields if value is not None}
        return forms.Evidence(result.run.id, trace.metric, row, _outcome(trace.outcome), calls)

    def _result_of(self, run: str) -> Result:
        _check_name(run)
        try:
            if not run:
                raise NotFound("no run is named")
            return Result(self.store, run)
        except StoreError:
            raise
        except InputError:
            fault = f"no run, or more than one, is called '{run[:100]}' or has an id that begins so"
            raise NotFound(fault) from None


def _extent(value: Any) -> tuple[int, int]:
    """(characters of the longest text, how many values) of a value of JSON, however deep.

    Of what holds too many values no more are looked at than show it.
    """
    longest, values, waiting = 0, 0, [value]
    while waiting and values <= MAX_VALUES:
        item = waiting.pop()
        values += 1
        if isinstance(item, str):
            longest = max(longest, len(item))
        elif isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, list):
            waiting += item
    return longest, values


def _check_name(name: str) -> None:
    if len(name) > _MAX_NAME or not name.isprintable():
        raise NotFound("the name is too long or has characters that cannot be printed")


def _metric(spec: str) -> AnyMetric:
    """A metric by name. One of the caller's own would be code that runs here."""
    if not is_built_in(spec):
        fault = f"no metric of this service is called '{spec[:100]}'"
        hint = meant(spec.partition("(")[0].strip()[:100])
        raise InputError(fault, hint or "ask for the list of metrics")
    return parse(spec)


def _metric_form(metric: AnyMetric, route: Route) -> forms.Metric:
    return forms.Metric(
        metric.name,
        (type(metric).__doc__ or "").strip().partition("\n")[0],
        list(metric.needs),
        msgspec.to_builtins(
            {f.name: getattr(metric, f.name) for f in fields(metric)}, enc_hook=str
        ),
        metric.ends(),
        metric.higher_is_better,
        all(route.serves(kind) for kind in metric.asks(route.serves)),
    )


def _scored_form(result: Result) -> forms.Scored:
    run = result.run
    with Store(result.path) as store:
        row, sample = next(store.samples(run.id))
        outcomes = {m: _outcome(store.outcome(run.id, row, m) or NOT_DONE) for m in run.metrics}
    return forms.Scored(run.id, sample.id, outcomes, _notes(result))


def _run(result: Result) -> forms.Run:
    run = result.run
    return forms.Run(
        run.id,
        run.source,
        run.created,
        run.config["judge"],
        run.n_samples,
        run.skipped,
        run.finished is not None,
        run.stopped,
        list(result.summary()),
        result.cost(),
        run.title,
        _notes(result),
        **_fields_of(run.description),
    )


def _run_form(run: StoredRun) -> forms.Listed:
    return forms.Listed(
        run.id,
        run.source,
        run.created,
        run.n_samples,
        run.finished is not None,
        list(run.metrics),
        run.title,
        **_fields_of(run.description),
    )


def _fields_of(value: Description | Sample) -> dict[str, Any]:
    fields_: dict[str, Any] = msgspec.to_builtins(value)
    return fields_


def _notes(result: Result) -> list[str]:
    """How the rows were read, with the name that the request has for the option."""
    return [note.replace("--contexts", "contexts") for note in result.notes]


def _outcome(outcome: Outcome) -> forms.Outcome:
    if isinstance(outcome, Score):
        details = dict(outcome.details)
        return forms.Outcome(outcome.value, "", "", outcome.method, details, list(outcome.parts))
    return forms.Outcome(None, outcome.why, outcome.detail, "", {}, list(outcome.parts))


def _value(outcome: Outcome | None) -> float | None:
    return outcome.value if isinstance(outcome, Score) else None
