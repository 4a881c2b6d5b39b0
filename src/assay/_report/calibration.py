"""Calibrations and corrected means, as they are shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._analysis.calibration import Card, Measured, Quality
from assay._analysis.correction import Correction
from assay._report import numbers
from assay._report import page as pages
from assay._report.sanitize import code, inline
from assay._report.tables import markdown_table
from assay._version import __version__
from assay.stats.calibration import Bin

SIDE: Final = 240
_METHODS: Final = {"platt": "Platt's logistic curve", "isotonic": "isotonic curve"}


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured, before (raw scores, usual threshold) and with the card."""

    name: str
    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """A bin in the drawing: its place, its size, the ends of its interval, and what it says."""

    x: float
    y: float
    r: float
    low: float
    high: float
    title: str


def head(card: Card) -> list[tuple[str, str]]:
    """What the card is about."""
    side = "from" if card.higher_is_better else "up to"
    groups = numbers.plural(card.n_groups, "group")
    alone = card.n_groups == card.quality.n  # each label is a group of its own
    return [
        ("Judge", card.judge),
        ("Labels", card.labels if alone else f"{card.labels}, {groups}"),
        ("Threshold", f"good {side} {numbers.score(card.threshold)}, for {card.objective.words}"),
        ("Probability", _METHODS[card.curve]),
    ]


def rows(card: Card, quality: Quality) -> list[Row]:
    """The table: each number with its interval."""
    usual = "no usual threshold" if quality.usual is None else f"at {numbers.score(quality.usual)}"
    raw = "" if quality.brier_before else "the scores are no probabilities"
    by_chance = numbers.score(quality.error_by_chance)
    chance = f"even true probabilities would show {by_chance} on so few labels"
    # A cost is kept as what is gained, so that more is better.
    sign = -1 if card.objective.name == "cost" else 1
    name = "mean cost (low is good)" if sign < 0 else card.objective.words
    error = "; ".join(filter(None, [raw, chance]))
    usual = f"before: {usual}{_caveat(quality)}"
    return [
        Row(name, _cell(quality.before, sign), _cell(quality.reached, sign), usual),
        Row("Brier score (low is good)", _cell(quality.brier_before), _cell(quality.brier), raw),
        Row("calibration error", _cell(quality.error_before), _cell(quality.error), error),
    ]


def _caveat(quality: Quality) -> str:
    """What labels leave open of the new threshold, "" where they show it to be better."""
    before, reached = quality.before, quality.reached
    if before is None or before.value is None:
        return ""  # there is nothing to be better than
    if reached.value is not None and reached.value <= before.value:
        return "; the new threshold does no better: keep the old one, or label more"
    better = reached.interval is not None and reached.interval.low > before.value
    return "" if better else "; not surely better: label more"


def counted(quality: Quality, held_out: str) -> str:
    """How many labels there are, and how they were used."""
    text = f"{numbers.plural(quality.n, 'label')}, {numbers.count(quality.n_good)} good"
    left = f" ({numbers.count(quality.undecided)} more left out: annotators undecided)"
    text = f"{text}{left if quality.undecided else ''}; {held_out}"
    remark = "samples chosen with unequal probabilities (inclusion_probability), not weighted for"
    return f"{text}; {remark}" if quality.unweighted else text


def bin_rows(bins: Sequence[Bin]) -> list[tuple[str, str, str, str]]:
    """The reliability diagram as text: n, said, good, interval."""
    return [
        (
            numbers.count(b.n),
            numbers.score(b.said),
            numbers.score(b.share),
            numbers.interval(b.interval),
        )
        for b in bins
    ]


def markdown(card: Card, quality: Quality, *, held_out: str) -> str:
    """The calibration as Markdown."""
    lines = [f"## Calibration of {code(card.metric)}", ""]
    judge, *facts = head(card)
    lines += [f"- {judge[0]}: {code(judge[1])}"]
    lines += [f"- {name}: {inline(value)}" for name, value in facts]
    lines += ["", f"{counted(quality, held_out)}.", ""]
    lines += ["| | before | calibrated | |", "|---|---|---|---|"]
    lines += [f"| {r.name} | {r.before} | {r.after} | {r.note} |" for r in rows(card, quality)]
    sides = {"n": "---:", "predicted": "---:", "observed": "---:", "95 % interval": "---"}
    return "\n".join([*lines, "", markdown_table(sides, bin_rows(quality.bins))]) + "\n"


def page(card: Card, quality: Quality, *, held_out: str) -> str:
    """The calibration as one self-contained page."""
    style = pages.asset("style.css") + pages.asset("calibration.css")
    shown_values = shown(card, quality, held_out=held_out)
    return pages.page("calibration.html", style, version=__version__, **shown_values)


def shown(card: Card, quality: Quality, *, held_out: str) -> dict[str, Any]:
    """What the tables and the diagram of a page need."""
    return {
        "card": card,
        "head": head(card),
        "counted": counted(quality, held_out),
        "rows": rows(card, quality),
        "bins": bin_rows(quality.bins),
        "side": SIDE,
        "dots": dots(quality.bins),
        "raw": dots(quality.bins_before),
    }


def dots(bins: Sequence[Bin]) -> list[Dot]:
    """The bins as they are drawn: what was said to the right, what was so upwards."""
    largest = max((b.n for b in bins), default=1)
    return [
        Dot(
            x=round(b.said * SIDE, 1),
            y=round((1 - b.share) * SIDE, 1),
            r=round(2.5 + 3.5 * (b.n / largest) ** 0.5, 1),
            low=round((1 - b.interval.low) * SIDE, 1),
            high=round((1 - b.interval.high) * SIDE, 1),
            title=f"{numbers.plural(b.n, 'label')}: predicted {numbers.score(b.said)}, "
            f"observed {numbers.score(b.share)}",
        )
        for b in bins
    ]


def _cell(measured: Measured | None, sign: int = 1) -> str:
    if measured is None or measured.value is None:
        return numbers.DASH
    value = numbers.score(sign * measured.value)
    if measured.interval is None:
        return value
    ends = sorted((sign * measured.interval.low, sign * measured.interval.high))
    return f"{value} ({numbers.span(ends)})"


RANDOM: Final = "holds if the labelled samples are a random choice; `assay label` makes one"


@dataclass(frozen=True, slots=True)
class MeanRow:
    """One estimate of the mean: what it is of, the mean, its interval, and what it rests on."""

    name: str
    mean: str
    interval: str
    source: str


def mean_rows(correction: Correction) -> list[MeanRow]:
    """The judge's mean, that of the labels, and both together."""
    corrected, value, ends = correction.corrected, numbers.score, numbers.interval
    judged = f"{corrected.n_judged:,} scores; says nothing of the judge's errors"
    labelled = numbers.plural(corrected.n_labelled, "label")
    good: list[MeanRow] = []
    if correction.judge_good:
        share, guide = correction.judge_good
        remark = f"share that it calls good (guide value {value(guide)}): to set beside yes and no"
        good.append(MeanRow("good by it", value(share), "", remark))
    return [
        MeanRow("the judge", value(corrected.judge_mean), "", judged),
        *good,
        MeanRow("the labels", value(correction.alone), ends(correction.alone_interval), labelled),
        MeanRow("corrected", value(corrected.estimate), ends(corrected.interval), "both together"),
    ]


def notes(correction: Correction, width: float) -> Iterable[str]:
    """What is to be known about it."""
    corrected = correction.corrected
    if corrected.interval is None:
        yield "no interval: too few labels, or labels that do not vary; label more samples"
    if corrected.correlation is None:
        yield "labels or scores do not vary, so the judge adds nothing"
    else:
        n = correction.worth
        worth = "" if n is None else f"; worth {n:.0f} labels without a judge"
        yield f"correlation of scores and labels {corrected.correlation:.2f}{worth}"
    if corrected.interval is not None:
        yield _needed(correction, width)
    if not correction.by_probability:
        yield RANDOM
    if correction.n_unscored:
        unscored = numbers.plural(correction.n_unscored, "sample")
        yield f"{unscored} without a score: no part of the mean"
    if correction.n_open and not correction.cut_short:
        yield f"{correction.n_open} left open: taken to be like the others; label them to be sure"
    for reason, n in correction.left_out.items():
        yield f"{n} not used: {reason}"


def _needed(correction: Correction, width: float) -> str:
    needed, unjudged = correction.labels_for(width), correction.labels_for(width, judged=False)
    without = "more than there are samples" if unjudged is None else f"{unjudged:,}"
    wide = f"an interval {width:g} wide"
    if needed is None:
        return f"{wide}: not even with a label for every sample; score more samples"
    return f"{wide}: about {needed:,} labels in all ({without} without the judge)"
