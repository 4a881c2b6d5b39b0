"""What does assay do for those who call it from outside: plain values in, forms out?"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from assay.dataset.joints import AUTO
from assay.errors import InputError, Problem
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, is_built_in, parse
from assay.metrics import Metric as AnyMetric
from assay.middleware.wrapper import Route
from assay.run import STORE
from assay.run.connect import choose
from assay.run.evaluate import aevaluate
from assay.run.progress import Progress
from assay.run.result import NOT_DONE, Result
from assay.run.settings import Settings
from assay.sample import Sample
from assay.score import Outcome, Score
from assay.service import forms
from assay.store import Store
from assay.store.description import Description
from assay.store.trouble import StoreTrouble

MOST_SAMPLES = 1000
MOST_CHARACTERS = 200_000
MOST_VALUES = 10_000  # of a row: its fields, contexts and what else stands in it
MOST_VALUES_OF_ALL = 200_000  # of the rows of one call: the smallest take 100 bytes each
Watch: TypeAlias = Callable[[Progress], None]
# Samples a page, at most.
PAGE = 500
MOST_RUNS = 1000
FURTHEST = 10**9  # row: SQLite and Python's iterators take no number of any size
_LONGEST_NAME = 1000
NOTHING_SAID = Description()


class NotFound(InputError):
    """There is no such run, sample or metric."""


@dataclass(frozen=True)
class Service:
    """Evaluates by one judge into one store. Callers name neither, and no code of their own.

    Attributes:
        judge: As for `evaluate`.
        embedder: As for `evaluate`.
        store: The SQLite file.
        settings: Limits and budget of each evaluation.
        most_samples: The most samples that one call may send.
        most_characters: The longest text that one may hold: what judging takes grows with it.
    """

    judge: Any = DEFAULT
    embedder: Any = None
    store: Path = Path(STORE)
    settings: Settings = field(default_factory=Settings)
    most_samples: int = MOST_SAMPLES
    most_characters: int = MOST_CHARACTERS

    def route(self) -> Route:
        """Who judges what; raises InputError if that cannot be."""
        return choose(self.judge, self.embedder, self.settings)

    def metrics(self) -> forms.Metrics:
        """Every metric."""
        route = self.route()
        found = [_metric(kind(), route) for kind in METRICS.values()]
        return forms.Metrics(route.name, found)

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
        return await asyncio.to_thread(_scored, result)

    async def evaluate_many(
        self,
        samples: Any,
        metrics: Sequence[str],
        *,
        said: Description = NOTHING_SAID,
        watch: Watch | None = None,
        **how: Any,
    ) -> forms.Run:
        """Score samples. The same call again goes on where one that was cut off stopped.

        Args:
            samples: A list of rows, or the path of a file.
            metrics: Names, with parameters or without.
            said: What the run is called, and what else is said of it.
            watch: Told how far it is.
            how: `limit` (only the first rows) and `contexts`, as in `Settings`.

        Raises:
            InputError: If samples or metrics cannot be used.
            Denied: If the judge refuses.
        """
        how = {**how, **_plain_fields(said)}
        result = await self._result(samples, metrics, watch=watch, **how)
        return await asyncio.to_thread(_run, result)

    async def _result(
        self,
        data: Any,
        metrics: Sequence[str],
        *,
        watch: Watch | None = None,
        **how: Any,
    ) -> Result:
        chosen = [self._named(spec) for spec in metrics]
        if isinstance(data, list):
            self.check_size(data)
        settings = replace(self.settings, on_progress=watch, **{"limit": None, **how})
        who = {"embedder": self.embedder, "store": self.store, "settings": settings}
        try:
            return await aevaluate(data, chosen, self.judge, **who)
        except StoreTrouble:
            raise
        except InputError as error:
            raise _as_sent(error) from None

    def check_size(self, rows: list[dict[str, Any]]) -> None:
        """Raise InputError if rows are more than can be judged in bounded time and memory."""
        if len(rows) > self.most_samples:
            what = f"{len(rows):,} samples exceed the {self.most_samples:,} allowed in one call"
            raise InputError(what, "send fewer at a time")
        total = 0
        for number, row in enumerate(rows, 1):
            longest, values = _extent(row)
            if longest > self.most_characters:
                what = f"holds a text of {longest:,} characters"
                remedy = f"shorten it: this service takes {self.most_characters:,} at most"
                raise InputError([Problem(what, remedy, row=number)])
            if values > MOST_VALUES:
                what = f"holds more than {MOST_VALUES:,} values"
                remedy = "leave some out: this service takes no more"
                raise InputError([Problem(what, remedy, row=number)])
            total += values
            if total > MOST_VALUES_OF_ALL:
                what = f"the samples hold more than {MOST_VALUES_OF_ALL:,} values together"
                raise InputError(what, "send fewer at a time")

    def _named(self, spec: str) -> AnyMetric:
        """A metric by name. One of the caller's own would be code that runs here."""
        if not is_built_in(spec):
            what = f"no metric of this service is called '{spec[:100]}'"
            raise InputError(what, "ask for the list of metrics")
        return parse(spec)

    def runs(self, limit: int = 20) -> forms.Runs:
        """The newest runs."""
        if not self.store.is_file():
            return forms.Runs([])
        with Store(self.store) as store:
            return forms.Runs(
                [
                    forms.Listed(
                        run.id,
                        run.source,
                        run.created,
                        run.n_samples,
                        run.finished is not None,
                        list(run.metrics),
                        run.title,
                        **_plain_fields(run.description),
                    )
                    for run in store.runs(limit)
                ]
            )

    def run(self, run: str) -> forms.Run:
        """A run by its name, the beginning of its id, or "last".

        Raises:
            NotFound: If there is none.
        """
        return _run(self._found(run))

    def samples(self, run: str, offset: int = 0, limit: int = 100) -> forms.Samples:
        """A page of a run's samples with their numbers.

        Raises:
            NotFound: If there is no such run.
        """
        found = self._found(run)
        with Store(self.store) as store:
            described = store.run(found.run.id)
            page = list(islice(store.samples(described.id, offset), min(limit, PAGE)))
            rows = [
                forms.SampleScores(
                    sample.id,
                    {m: _value(store.outcome(described.id, row, m)) for m in described.metrics},
                )
                for row, sample in page
            ]
        return forms.Samples(described.id, offset, described.n_samples, rows)

    def evidence(self, run: str, sample: str, metric: str) -> forms.Evidence:
        """All that is behind one score.

        Raises:
            NotFound: If there is no such run, sample or metric.
        """
        found = self._found(run)
        _check(sample)
        _check(metric)
        if metric not in found.run.metrics:  # a name that is none is never looked for elsewhere
            self._one_of(metric, found)
        try:
            trace = found.trace(sample, metric)
        except InputError as error:
            raise NotFound(str(error)) from None
        calls = [
            forms.Call(r.kind, r.backend, r.prompt, r.raw, r.tokens_in, r.tokens_out, r.ms)
            for r in trace.replies
        ]
        return forms.Evidence(
            found.run.id, trace.metric, _row(trace.sample), _outcome(trace.outcome), calls
        )

    @staticmethod
    def _one_of(metric: str, found: Result) -> None:
        names = {label.partition("(")[0] for label in found.run.metrics}
        if metric not in names and not is_built_in(metric):
            raise NotFound(f"run {found.run.id} has no '{metric[:100]}'")

    def _found(self, run: str) -> Result:
        _check(run)
        try:
            if not run:
                raise NotFound("no run is named")
            return Result(self.store, run)
        except StoreTrouble:
            raise
        except InputError:
            what = f"no run, or more than one, is called '{run[:100]}' or has an id that begins so"
            raise NotFound(what) from None


def _as_sent(error: InputError) -> InputError:
    """The same with what those can do who send data and name no options."""
    told = [replace(problem, remedy=problem.sent or problem.remedy) for problem in error.problems]
    return InputError(told, total=error.total)


def _extent(value: Any) -> tuple[int, int]:
    """(characters of the longest text, how many values) of a value of JSON, however deep.

    Of what holds too many values no more are looked at than show it.
    """
    longest, values, waiting = 0, 0, [value]
    while waiting and values <= MOST_VALUES:
        held = waiting.pop()
        values += 1
        if isinstance(held, str):
            longest = max(longest, len(held))
        elif isinstance(held, dict):
            waiting += [*held, *held.values()]
        elif isinstance(held, list):
            waiting += held
    return longest, values


def _check(name: str) -> None:
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise NotFound("the name is too long or has characters that cannot be printed")


def _metric(metric: AnyMetric, route: Route) -> forms.Metric:
    return forms.Metric(
        metric.name,
        (type(metric).__doc__ or "").strip().partition("\n")[0],
        list(metric.needs),
        {f.name: _plain(getattr(metric, f.name)) for f in fields(metric)},
        metric.ends(),
        metric.higher_is_better,
        all(route.serves(kind) for kind in metric.asks(route.serves)),
    )


def _plain(value: object) -> Any:
    return msgspec.to_builtins(value, enc_hook=str)


def _scored(result: Result) -> forms.Scored:
    run = result.run
    with Store(result.path) as store:
        row, sample = next(store.samples(run.id))
        found = {m: _outcome(store.outcome(run.id, row, m) or NOT_DONE) for m in run.metrics}
    return forms.Scored(run.id, sample.id, found, _notes(result))


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
        **_plain_fields(run.description),
        notes=_notes(result),
    )


def _plain_fields(said: Description) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(said)
    return found


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


def _row(sample: Sample) -> dict[str, Any]:
    fields_: dict[str, Any] = msgspec.to_builtins(sample)
    return {name: value for name, value in fields_.items() if value is not None}
