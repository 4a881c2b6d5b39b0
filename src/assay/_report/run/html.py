"""A run as one self-contained page that also works offline and without scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from assay._report import distribution, notes, numbers, sanitize, titles
from assay._report.diagnosis import views
from assay._report.distribution import Spread
from assay._report.page import asset, environment, page
from assay._report.run.evidence import TextTable, evidence

Json = Mapping[str, Any]
WIDTH: Final = 240
HEIGHT: Final = 40


def render(data: Json) -> str:
    """The page: a pure function of the report, one file without any outside reference."""
    texts = TextTable()
    metrics = data["metrics"]
    # Rendered one by one: the view of a sample is let go before the next one is made.
    template = environment().get_template("sample.html")
    causes = views.by_sample(data)
    samples = [
        Markup(  # noqa: S704 - escaped by the template
            template.render(
                e=evidence(number, sample, metrics, texts),
                causes=causes.get(str(sample["id"]), ("", "")),
            )
        )
        for number, sample in enumerate(data["samples"])
    ]
    script = asset("script.js")
    links = {str(sample["id"]): f"#s{n}" for n, sample in enumerate(data["samples"])}
    return page(
        "page.html",
        _style(data),
        version=data["assay"],
        facts=facts(data),
        samples=samples,
        texts={"lines": texts.lines, "texts": texts.texts},
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=sanitize.source_hash(script),
        **overview(data, links),
    )


def overview(data: Json, links: Mapping[str, str], *, everywhere: bool = False) -> dict[str, Any]:
    """What the sections above the samples show, for their templates.

    Args:
        data: The report.
        links: Where each sample stands, by its id.
        everywhere: Whether all samples beyond a guide value are counted, not only those shown.
    """
    return {
        "data": data,
        "head": head(data),
        "dx": views.page(data, links),
        "rows": rows(data, everywhere=everywhere),
        "notes": notes.notes(data),
        "remarks": notes,
        "baseline": notes.baseline(data),
        "zero": notes.zero(data),
        "width": WIDTH,
        "height": HEIGHT,
        "dx_width": views.WIDTH,
    }


def _style(data: Json) -> str:
    """The style sheet with as many columns as there are metrics, and room for the samples' ids."""
    longest = max((len(str(sample["id"])) for sample in data["samples"]), default=0)
    width = f"{min(max(longest, 8), 24) * 7.5 + 8:.0f}px"
    style = asset("style.css").replace("/*COLUMNS*/0", str(len(data["metrics"])))
    return style.replace("/*ID*/112px", width) + asset("diagnosis.css")


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram, in the drawing's units."""

    x: float
    y: float
    width: float
    height: float
    style: str
    title: str


@dataclass(frozen=True, slots=True)
class Row:
    """One metric in the score table."""

    number: int  # which metric of the run it is
    metric: Json  # the metric as the report holds it
    spread: Spread  # its distribution
    bars: Sequence[Bar]  # the distribution as it is drawn
    missed: int  # how many samples lie on the wrong side of the guide value

    @property
    def unit(self) -> str:
        """What the mean is counted in; "" if there is none."""
        return "" if self.metric["mean"] is None else notes.unit(self.metric)

    @property
    def n_unanswered(self) -> int:
        """Samples whose question the system did not answer."""
        return int(self.metric.get("n_unanswered", 0))

    @property
    def side(self) -> str:
        """Where the scores lie that miss the guide value."""
        return "below" if self.metric["higher_is_better"] else "above"

    def x(self, value: float) -> float:
        """Where a value is drawn."""
        return round(self.spread.at(value) * WIDTH, 1)


def rows(data: Json, *, everywhere: bool = False) -> list[Row]:
    """The score table; `everywhere` counts all samples that miss a guide value, shown or not."""
    made = []
    for number, metric in enumerate(data["metrics"]):
        shown = (sample["scores"][metric["label"]]["value"] for sample in data["samples"])
        values = metric["values"] if everywhere else shown
        made.append(_row(number, metric, [value for value in values if value is not None]))
    return made


def head(data: Json) -> list[tuple[str, str]]:
    """What was measured, by whom, when."""
    run = data["run"]
    lines = [
        ("Data", run["source"]),
        ("Samples", numbers.count(run["n_samples"])),
        ("Judge", run["judge_in_words"]),
        ("Started", numbers.moment(run["created"])),
        ("Took", notes.cost(data)),
        ("About", titles.remarks(run)),
    ]
    return [(name, value) for name, value in lines if value]


def facts(data: Json) -> dict[str, Any]:
    """What the page's script needs to sort and filter: the scores, without any text."""
    groups = sorted({sample["group"] for sample in data["samples"] if sample["group"]})
    places = {group: place for place, group in enumerate(groups)}
    return {
        "metrics": [
            {"label": m["label"], "guide": m["guide"], "up": m["higher_is_better"]}
            for m in data["metrics"]
        ],
        "groups": groups,
        "rows": [
            [places.get(sample["group"], -1), *(_fact(sample, m) for m in data["metrics"])]
            for sample in data["samples"]
        ],
    }


def _fact(sample: Json, metric: Json) -> float | str | None:
    score = sample["scores"].get(metric["label"])
    if score is None:
        return None
    value = score["value"]
    return str(score["why"]) if value is None else float(round(value, distribution.EXACT))


def _row(number: int, metric: Json, values: Sequence[float]) -> Row:
    spread = distribution.spread(metric)
    missed = sum(distribution.misses(value, metric) for value in values)
    return Row(number, metric, spread, _bars(spread, metric), missed)


def _bars(spread: Spread, metric: Json) -> list[Bar]:
    top = max(spread.counts) or 1
    width = WIDTH / len(spread.counts)
    bars = []
    for number, count in enumerate(spread.counts):
        if not count:
            continue
        low, high = spread.edges(number)
        # A single sample among thousands must still be seen.
        height = max(round(count / top * HEIGHT, 1), 1.5)
        style = "miss" if distribution.misses((low + high) / 2, metric) else "meet"
        title = f"{numbers.score(low)} to {numbers.score(high)}: {numbers.plural(count, 'sample')}"
        x = round(number * width + 0.5, 1)
        bars.append(Bar(x, HEIGHT - height, round(width - 1, 1), height, style, title))
    return bars
