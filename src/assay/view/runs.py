"""The list of runs: what they are called, what they scored, and how far they are."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from multidict import MultiMapping

from assay._analysis.comparability import judge_of
from assay._report.numbers import judge_in_words, remarks
from assay._report.tables import Spread
from assay._runner.summary import MetricSummary, summarise
from assay._store import Run, Store
from assay._store.browsing import means
from assay.view.groups import Group, groups, run_means
from assay.view.site import Place, Site

SIZE: Final = 25  # runs on a page
_WAIT_S: Final = 0.06  # a page waits so long for the scores of all its runs together
_AGAIN_S: Final = 3  # the scores of a run that is going are worked out again after so long
MOST_SIDE: Final = 5  # runs side by side
SORTS: Final = {"": "newest", "oldest": "oldest", "name": "name", "samples": "samples"}


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """One metric of a run in short.

    Attributes:
        score: Its mean, interval and counts.
        counts: Scores in each of the bins of its range.
        words: Its spread in words.
        higher_is_better: False for error rates.
        guide: The value that is usually wanted, None if there is none.
    """

    score: MetricSummary
    counts: tuple[int, ...]
    words: str
    higher_is_better: bool
    guide: float | None

    @property
    def bars(self) -> list[tuple[int, float]]:
        """(place, height from 0 to 1) of the bins that are not empty."""
        top = max(self.counts, default=0) or 1
        return [(index, max(n / top, 0.08)) for index, n in enumerate(self.counts) if n]


@dataclass(frozen=True, slots=True)
class State:
    """How far a run is.

    Attributes:
        words: "finished", "going", or why it stopped.
        tone: "good", "bad" or "warn".
        done: Scores there are.
        total: Scores there will be.
    """

    words: str
    tone: str
    done: int
    total: int

    @property
    def open(self) -> bool:
        """Whether more scores may come."""
        return self.tone == "warn"


def facts(site: Site, run: Run, wait: float = 0.0) -> Sequence[MetricFacts] | None:
    """What a run scored; None where that is not worked out within so many seconds."""
    moment = 0 if run.finished else int(time.monotonic() / _AGAIN_S)
    key = ("facts", run.id, run.finished, run.stopped, moment)
    return site.background.get(key, lambda: _facts(site, run), wait)


def _facts(site: Site, run: Run) -> Sequence[MetricFacts]:
    with Store(site.path) as store:  # of its own: other pages need not wait
        scores = summarise(store, run)
        return [_metric(store, run, score) for score in scores]


def _metric(store: Store, run: Run, score: MetricSummary) -> MetricFacts:
    facts = run.config["about"][score.metric]
    values = list(store.numbers(run.id, score.metric).values())
    spread = Spread.of(values, facts["range"])
    return MetricFacts(
        score, spread.counts, spread.words(), bool(facts["higher_is_better"]), facts["guide"]
    )


def state(site: Site, run: Run) -> State:
    """How far a run is, as the store knows it."""
    total = run.n_samples * len(run.metrics)
    if run.finished:
        return State("finished", "good", total, total)
    counts = site.store.counts(run.id).values()
    n_done = sum(n for by_why in counts for n in by_why.values())
    if run.stopped:
        return State(f"stopped: {run.stopped}", "bad", n_done, total)
    words = "going" if site.grows(run, n_done) else "not finished"
    return State(words, "warn", n_done, total)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs a list shows, and in which order."""

    text: str = ""
    tag: str = ""
    sort: str = ""
    number: int = 1

    @classmethod
    def read(cls, query: MultiMapping[str], number: int) -> "Wanted":
        """What an address asks for."""
        text, tag, sort = (query.get(name, "").strip() for name in ("q", "tag", "sort"))
        return cls(text[:500], tag, sort, number)

    def query(self, **changes: str) -> str:
        """Its part of an address, with these otherwise."""
        pairs = {"q": self.text, "tag": self.tag, "sort": self.sort, **changes}
        return urlencode({name: value for name, value in pairs.items() if value})

    def fits(self, run: Run) -> bool:
        """Whether a run is one of them."""
        if self.tag and self.tag not in run.tags:
            return False
        text = f"{run.id} {run.title} {run.source} {remarks(_described(run))} {run.config['judge']}"
        return all(word in text.casefold() for word in self.text.casefold().split())


def _described(run: Run) -> Mapping[str, Any]:
    return {"params": run.params, "tags": run.tags, "note": run.note}


def render(site: Site, place: Place, wanted: Wanted, size: int = SIZE) -> str:
    """The page."""
    known = site.runs()
    fitting = _order_runs(site, [run for run in known if wanted.fits(run)], wanted.sort)
    places = _group_runs(site, fitting, wanted)
    pages = max(1, -(-len(places) // size))
    number = min(wanted.number, pages)
    page = places[(number - 1) * size : number * size]
    return site.render(
        "runs.html",
        place,
        rows=entries(site, page, wait=60.0 if place.static else _WAIT_S),
        wanted=wanted,
        total=len(known),
        n=len(fitting),
        number=number,
        pages=pages,
        all_tags=sorted({tag for run in known for tag in run.tags}, key=str.casefold),
        metrics=sorted({metric for run in known for metric in run.metrics}),
        sorts=SORTS,
        parameters=any(run.params for run in known if not run.derived),
        side=side_by_side(known) if place.static else [],
    )


def count(site: Site) -> int:
    """How many places the list of all runs has: a sweep or a watch takes one."""
    return len(_group_runs(site, site.runs(), Wanted()))


def _group_runs(site: Site, runs: Sequence[Run], wanted: Wanted) -> Sequence[Run | Group]:
    """The runs in their order, a group in the place of the first of its runs that fits.

    Ordered by anything but their age, all runs stand by themselves.
    """
    if wanted.sort not in ("", "oldest"):
        return runs
    known = groups(site)
    fitting = {run.id for run in runs}
    entries: dict[str, Run | Group] = {}
    for run in runs:
        group = known.get(run.id)
        if group is None:
            entries[run.id] = run
        elif all(member.id in fitting for member in group.runs):
            entries[group.path] = group
        else:  # of a group of which some do not fit, those that do stand by themselves
            entries[run.id] = run
    return list(entries.values())


def side_by_side(runs: Sequence[Run]) -> list[Run]:
    """The runs that stand side by side where nobody chooses: two to five with a metric in common.

    The oldest is the baseline; repetitions and counterfactuals are left out.
    """
    comparable = [run for run in runs if not run.derived][::-1]
    shared = set.intersection(*(set(run.metrics) for run in comparable)) if comparable else set()
    return comparable if shared and 2 <= len(comparable) <= MOST_SIDE else []


def entries(site: Site, runs: Sequence[Run | Group], wait: float) -> list[dict[str, Any]]:
    """What the list shows of each run and group."""
    until = time.monotonic() + wait
    return [
        {"group": run, "means": run_means(site, run), "judge": _judge(run.runs[0])}
        if isinstance(run, Group)
        else {
            "run": run,
            "state": state(site, run),
            "facts": facts(site, run, max(0.0, until - time.monotonic())),
            "judge": _judge(run),
        }
        for run in runs
    ]


def _judge(run: Run) -> str:
    return judge_in_words(judge_of(run))


def _order_runs(site: Site, runs: list[Run], sort: str) -> list[Run]:
    name = sort.removeprefix("-")
    if name == "oldest":
        return runs[::-1]
    if name == "name":
        return sorted(runs, key=lambda run: run.title.casefold())
    if name == "samples":
        return sorted(runs, key=lambda run: -run.n_samples)
    if not name:
        return runs
    key = ("means", name, site.version())
    mean_of = site.background.get(key, lambda: means(site.store, name), 30.0) or {}
    sign = -1 if sort.startswith("-") else 1
    return sorted(runs, key=lambda run: (run.id not in mean_of, sign * mean_of.get(run.id, 0.0)))
