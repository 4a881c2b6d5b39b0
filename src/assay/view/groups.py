"""Runs that belong together: a sweep, a watch, and configurations by their parameters."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from multidict import MultiMapping

from assay._analysis.history import Point, Series, by_size
from assay._analysis.history import history as means_over
from assay._analysis.sweeps import StoredSweep, best_run, shared_means, stored_sweeps
from assay._analysis.watch import TAG, Chart, Charting, charts, looks
from assay._report import gate as watch_report
from assay._report import history, numbers
from assay._report import sweep as sweep_report
from assay._report.numbers import judge_in_words
from assay._report.tables import goodness
from assay._store import Run, Store
from assay._store.browsing import all_rows, means
from assay._store.runs import written
from assay.errors import InputError
from assay.experiments.swept import Sweep, read_sweep
from assay.view import commands
from assay.view.site import NotThere, Place, Site

_WAIT_S: Final = 0.25  # a page waits so long for what is worked out beside it
_MEANS_S: Final = 0.05
_CHARTS: Final = 60  # that a page draws
_FIRST: Final = 20  # samples in which it is looked for what a look can be parted by


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that stand as one in the list.

    Attributes:
        kind: "sweep" or "watch", as its address ends.
        title: What it is called.
        about: What it is, in a line.
        runs: Its runs, the newest first.
        names: What tells each run from the others, by its id.
    """

    kind: str
    title: str
    about: str
    runs: tuple[Run, ...]
    names: Mapping[str, str]

    @property
    def path(self) -> str:
        """Where its page stands: below its newest run."""
        return f"runs/{self.runs[0].id}/{self.kind}"

    @property
    def metric(self) -> str:
        """The metric of which the list shows the mean."""
        return next(iter(self.runs[0].metrics))

    def top(self, known: Mapping[str, float]) -> Run | None:
        """The best configuration or the last look, None while its mean is not known."""
        if self.kind == "watch":
            return next((run for run in self.runs if run.id in known), None)
        return best_run(self.runs, self.metric, known)


def groups(site: Site) -> dict[str, Group]:
    """The group of every run that is in one, by the run's id."""
    runs = site.runs()
    all_groups = site.remembered(("groups", site.version()), lambda: _groups(site, runs))
    return {run.id: group for group in all_groups for run in group.runs}


def _groups(site: Site, runs: Sequence[Run]) -> list[Group]:
    order = {run.id: n for n, run in enumerate(runs)}
    sweeps = [_of_sweep(sweep, order) for sweep in stored_sweeps(runs)]
    watched: dict[str, list[Run]] = {}
    for run in runs:
        for tag in run.tags:
            if tag.startswith(f"{TAG}:") and "look" in run.params:
                watched.setdefault(tag.partition(":")[2], []).append(run)
    return sweeps + [_of_watch(site, name, looked) for name, looked in watched.items()]


def _of_sweep(sweep: StoredSweep, order: Mapping[str, int]) -> Group:
    values: dict[str, dict[str, None]] = {}
    names = {}
    for run, params in zip(sweep.runs, sweep.params, strict=True):
        for name, value in params.items():
            values.setdefault(name, {})[written(value)] = None
        names[run.id] = ", ".join(f"{name}={written(value)}" for name, value in params.items())
    grid = "; ".join(
        f"{name} {', '.join(written_values)}" for name, written_values in values.items()
    )
    return Group(
        "sweep",
        sweep.title,
        f"{'race' if sweep.raced else 'sweep'} of {len(sweep.runs)} configurations: {grid}",
        tuple(sorted(sweep.runs, key=lambda run: order[run.id])),
        names,
    )


def _of_watch(site: Site, name: str, looked: Sequence[Run]) -> Group:
    names = {run.id: f"look {run.params['look']}, {str(run.params['at'])[:10]}" for run in looked}
    description = f"watch: {numbers.plural(len(looked), 'look')}"
    if n_alerts := len(site.store.alerts.of(name)):
        description += f", {numbers.plural(n_alerts, 'alert')}"
    return Group("watch", name, description, tuple(looked), names)


def group_of(site: Site, run: Run, kind: str) -> Group:
    """The group of this kind that a run is in.

    Raises:
        NotThere: If it is in none.
    """
    group = groups(site).get(run.id)
    if group is None or group.kind != kind:
        raise NotThere(f"run {run.id} is of no {kind}", "open the run itself")
    return group


def run_means(site: Site, group: Group) -> Mapping[str, float]:
    """The means of its runs by its metric, by their ids; none while they are worked out."""
    if group.kind == "watch":
        key: Hashable = ("means", group.metric, site.version())
        return site.background.get(key, lambda: means(site.store, group.metric), _MEANS_S) or {}
    key = ("means", group.metric, *((run.id, run.finished) for run in group.runs), site.version())
    work = partial(shared_means, site.store, group.runs, group.metric)
    return site.background.get(key, work, _MEANS_S) or {}


@dataclass(frozen=True, slots=True)
class Charted:
    """How an address asks for a watch to be charted, as `assay watch` does by its options.

    Attributes:
        segments: The values of `--segment`.
        reference: The run that stands before the first look, if one is named.
    """

    segments: tuple[str, ...] = ()
    reference: Run | None = None

    @classmethod
    def read(cls, site: Site, query: MultiMapping[str]) -> "Charted":
        """What an address asks for.

        Raises:
            NotThere: If its baseline is no run of the store.
        """
        segments = tuple(dict.fromkeys(filter(None, query.getall("segment", ()))))
        baseline = query.get("baseline", "").strip()
        return cls(segments, site.run(baseline) if baseline else None)


def render(site: Site, place: Place, group: Group, charted: Charted | None = None) -> str:
    """The page of a sweep or a watch."""
    charted = charted or Charted()
    key: Hashable = (group.kind, *((run.id, run.finished) for run in group.runs), site.version())
    key = (key, charted.segments, charted.reference and charted.reference.id)
    wait = 600.0 if place.static else _WAIT_S
    if group.kind == "sweep":
        swept = site.background.get(key, partial(_swept_group, site, group), wait)
        more = {} if swept is None else _shown_sweep(swept, place, group)
        steps = commands.of_sweep(site, group.title, group.runs)
        more["steps"] = [] if place.static else steps
        return site.render("sweep_page.html", place, group=group, waiting=swept is None, **more)
    watched = site.background.get(key, partial(_charts_and_alerts, site, group, charted), wait)
    more = {} if watched is None else _shown_watch(watched, place, group)
    more["fields"] = list(dict.fromkeys([*_fields(site, group), *charted.segments]))
    return site.render(
        "watch_page.html", place, group=group, charted=charted, waiting=watched is None, **more
    )


def _fields(site: Site, group: Group) -> Iterator[str]:
    """By what the samples of a watch can be told apart: what several of its last look share."""
    yield "language"
    run = group.runs[0]
    metadata_of_rows = [
        site.sample(run, row).metadata for row in all_rows(site.store, run)[:_FIRST]
    ]
    for name in dict.fromkeys(name for metadata in metadata_of_rows for name in metadata):
        values = [metadata[name] for metadata in metadata_of_rows if name in metadata]
        plain = not any(isinstance(value, (dict, list)) for value in values)
        if plain and (len(metadata_of_rows) == 1 or len(set(values)) < len(values)):
            yield name


def _swept_group(site: Site, group: Group) -> Sweep:
    sweeps = stored_sweeps(group.runs)
    return read_sweep(site.path, sweeps[0])


def _shown_sweep(swept: Sweep, place: Place, group: Group) -> dict[str, Any]:
    runs = {configuration.name: configuration.run for configuration in swept.configurations}
    first = [
        runs[standing.name]
        for standing in swept.leaderboards[0].standings
        if standing.mean is not None
    ]
    tables = sweep_report.shown(swept)
    varied = [name for name, values in tables["varied"].items() if len(values) > 1]
    return {
        **tables,
        "links": {name: place.to(f"runs/{run}") for name, run in runs.items()},
        "best": ",".join(first[1::-1]) if len(first) > 1 else "",
        "across": varied[:2],
        "metric": group.metric,
        "judge": judge_in_words(swept.judge),
    }


def _charts_and_alerts(
    site: Site, group: Group, charted: Charted
) -> tuple[list[Chart], list[Mapping[str, Any]]]:
    reference = None if charted.reference is None else site.result(charted.reference)
    charting = Charting(segments=charted.segments, reference=reference)
    with Store(site.path) as store:  # of its own: other pages need not wait
        complete_looks = [look for look in looks(store, group.title) if look.complete]
        alerts = [alert.body for alert in store.alerts.of(group.title)]
        return charts(store, complete_looks, charting), alerts


def _shown_watch(
    watched: tuple[list[Chart], list[Mapping[str, Any]]], place: Place, group: Group
) -> dict[str, Any]:
    drawn, bodies = watched
    metrics = [watch_report.drawn(chart) for chart in drawn[:_CHARTS]]
    alerts = []
    for body in reversed(bodies):
        head, *lines = (line.plain for line in watch_report.alert_lines(body))
        run = str(body.get("run", ""))
        known = any(run == member.id for member in group.runs)
        alerts.append((head, lines, _alert_links(place, run, body) if known else []))
    return {
        "metrics": metrics,
        "pictures": [history.picture(metric) for metric in metrics],
        "alerts": alerts,
        "left_out": len(drawn) - len(metrics),
        "numbers": numbers,
        "w": history.WIDTH,
        "h": history.HEIGHT,
    }


def _alert_links(place: Place, run: str, body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where an alert leads to, each with its name."""
    metric = str(body["metric"])
    rising = (body["direction"] == "fell") == body["worse"]
    worst_first = urlencode({"sort": metric if rising else f"-{metric}"})
    links = [("samples of this look, the worst first", place.to(f"runs/{run}", worst_first))]
    if not place.static:
        links.append(("label them", place.to(f"label/{run}", urlencode({"metric": metric}))))
    return links


LIMIT: Final = 500  # runs that are read, the newest


@dataclass(frozen=True, slots=True)
class Axes:
    """Which metric, by which parameters."""

    metric: str
    down: str
    across: str = ""

    @classmethod
    def read(cls, query: MultiMapping[str], runs: Sequence[Run]) -> "Axes":
        """What an address asks for.

        Raises:
            InputError: If no run has a parameter.
        """
        keys = parameters(runs)
        if not keys:
            remedy = "`assay run --param k=5` or `assay describe RUN --param k=5` sets one"
            raise InputError("no run has a parameter to be told apart by", remedy)
        metrics = list(dict.fromkeys(m for run in runs if run.params for m in run.metrics))
        metric, vertical = query.get("metric", ""), query.get("down", "")
        vertical = vertical if vertical in keys else keys[0]
        other_keys = [key for key in keys if key != vertical]
        across = query.get("across", other_keys[0] if other_keys and "down" not in query else "")
        return cls(
            metric if metric in metrics else metrics[0],
            vertical,
            across if across in other_keys else "",
        )

    def query(self) -> str:
        """Its part of an address."""
        return urlencode({"metric": self.metric, "down": self.down, "across": self.across})


@dataclass(frozen=True, slots=True)
class Heat:
    """One table: runs whose means can be set beside each other.

    Attributes:
        series: The runs.
        columns: Values of the parameter that goes across; ("",) without one.
        rows: (value of the parameter that goes down, the newest run of each column or None).
        styles: How good each run's mean is, by the run's id.
    """

    series: Series
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Point | None]]]
    styles: dict[str, str]


def parameters(runs: Sequence[Run]) -> list[str]:
    """The parameters that some run has, those with several values first."""
    values: dict[str, set[str]] = {}
    for run in runs:
        for name, value in run.params.items() if not run.derived else ():
            values.setdefault(name, set()).add(written(value))
    return sorted(values, key=lambda name: (len(values[name]) < 2, name))


def render_matrix(site: Site, place: Place, query: MultiMapping[str]) -> str:
    """The page of means by parameters."""
    runs = site.runs()
    axes = Axes.read(query, runs)
    key: Hashable = ("matrix", axes, site.version())
    heats = site.background.get(key, partial(_heats, site, axes), _WAIT_S)
    metrics = dict.fromkeys(m for run in runs if run.params for m in run.metrics)
    return site.render(
        "matrix.html",
        place,
        wanted=axes,
        keys=parameters(runs),
        metrics=list(metrics),
        heats=heats,
    )


def _heats(site: Site, wanted: Axes) -> list[Heat]:
    axes = list(filter(None, (wanted.down, wanted.across)))
    by_run = means_over(site.path, [wanted.metric], over=axes, limit=LIMIT)
    return [_heat_map(series, wanted) for series in by_run.series if series.metric == wanted.metric]


def _heat_map(series: Series, axes: Axes) -> Heat:
    point_at = {
        (vertical, across): point
        for point in series.points
        for vertical, across in [_values(point)]
    }
    downs, acrosses = (sorted({key[n] for key in point_at}, key=by_size) for n in (0, 1))
    rows = [
        (vertical, [point_at.get((vertical, across)) for across in acrosses]) for vertical in downs
    ]
    facts = series.points[0].run.config["about"][axes.metric]
    styles = {point.run.id: _style(point, facts) for point in series.points}
    return Heat(series, acrosses, rows, styles)


def _values(point: Point) -> tuple[str, str]:
    vertical, *across = (value for _, value in point.settings)
    return vertical, across[0] if across else ""


def _style(point: Point, facts: dict[str, Any]) -> str:
    if point.score.mean is None:
        return "none"
    return f"h{round(goodness(point.score.mean, facts) * 10)}"
