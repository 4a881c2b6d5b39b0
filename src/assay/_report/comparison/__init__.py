"""A comparison of runs, or of groups of samples, as plain values and in words."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from assay._analysis.comparison import (
    BETTER,
    NOT_FOUND,
    TOO_FEW,
    WORSE,
    Comparison,
    MetricComparison,
    letter,
)
from assay._analysis.groups import LEAST, LEAST_EQUAL, ByGroup
from assay._analysis.leaderboard import Leaderboard
from assay._report import labels, leaderboard, numbers
from assay._text.numbers import decimals
from assay._version import __version__
from assay.score import Part

Json = Mapping[str, Any]
MINUS: Final = "\N{MINUS SIGN}"
SIDES: Final = f"+/=/{MINUS}"
TONES: Final = {"better": "good", "worse": "bad"}
_TIMES: Final = ("before", "after")
# What is read first: what became worse; then what became better; then what may not have changed.
_ORDER: Final = {WORSE: 0, BETTER: 1, TOO_FEW: 2, NOT_FOUND: 3}
_WHERE: Final = {"baseline": "A", "both": "both"}


def collect(comparison: Comparison) -> dict[str, Any]:
    """Everything that is shown of a comparison, as plain values."""
    runs = [
        {
            "name": letter(number),
            **msgspec.to_builtins(run),
            "called": numbers.beside(run.title, run.id),
        }
        for number, run in enumerate(comparison.runs)
    ]
    return {
        "assay": __version__,
        "level": comparison.level,
        "tests": sum(one.tested for one in comparison.metrics),
        "runs": runs,
        "warnings": list(comparison.warnings),
        "metrics": [_metric(one, comparison.level) for one in comparison.metrics],
        "leaderboards": [_leaderboard(one) for one in comparison.leaderboards],
    }


def _leaderboard(board: Leaderboard) -> dict[str, Any]:
    fields = ("metric", "n", "winner", "tied", "more", "warnings", "standings")
    values = msgspec.to_builtins({name: getattr(board, name) for name in fields})
    return {**values, "said": leaderboard.finding(board, "run")}


def others(data: Json) -> list[tuple[Json, list[Json]]]:
    """Each run but the baseline, with its metrics: what became worse first."""
    pairs = []
    for run in data["runs"][1:]:
        mine = [one for one in data["metrics"] if one["name"] == run["name"]]
        mine.sort(key=lambda one: (one["unmoved"], _ORDER[one["verdict"]]))
        pairs.append((run, mine))
    return pairs


def shown(data: Json, *, show_all: bool) -> list[tuple[Json, list[Json], list[str]]]:
    """Each run but the baseline, with the metrics to show and what is said of those left out."""
    tables = []
    for run, metrics in others(data):
        listed = metrics if show_all else [one for one in metrics if not folded(one, metrics)]
        left = [one for one in metrics if one not in listed]
        tables.append((run, listed, _left_out(left)))
    return tables


def folded(one: Json, metrics: Sequence[Json]) -> bool:
    """Whether a metric is only counted: it shows nothing, and others of the run do."""
    if one["unmoved"]:
        return not all(other["unmoved"] for other in metrics)
    return one["verdict"] == NOT_FOUND and any(other["tone"] != "plain" for other in metrics)


def _left_out(metrics: Sequence[Json]) -> list[str]:
    """What is said of metrics that are only counted."""
    same = [one["metric"] for one in metrics if one["unmoved"]]
    rest = [one["metric"] for one in metrics if not one["unmoved"]]
    remarks = []
    if rest:
        remarks.append(f"No difference found by {_listed(rest)}.")
    if same:
        remarks.append(f"The same score on every sample: {_listed(same)}.")
    return remarks


def _listed(metrics: Sequence[str]) -> str:
    return f"{numbers.plural(len(metrics), 'metric')} ({', '.join(metrics)})"


def signed(value: float | None) -> str:
    """A difference, with its sign always shown."""
    if value is None or numbers.score(abs(value)) == numbers.score(0.0):
        return numbers.score(None if value is None else 0.0)
    return ("+" if value > 0 else MINUS) + numbers.score(abs(value))


def between(ends: Json | None) -> str:
    """The interval of a difference."""
    return "" if ends is None else f"{signed(ends['low'])} to {signed(ends['high'])}"


def p_value(p: float | None) -> str:
    """A p-value as it is usually printed."""
    if p is None:
        return numbers.DASH
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def cells(one: Json) -> list[str]:
    """Before, after, difference, interval, p and effect size of a metric whose runs have pairs."""
    paired = one["paired"]
    return [
        numbers.score(paired["before"]),
        numbers.score(paired["after"]),
        signed(paired["difference"]),
        between(paired["interval"]),
        p_value(one["p"]),
        signed(paired["effect"]),
    ]


def became(one: Json) -> list[str]:
    """How many samples became better, stayed the same, became worse."""
    return [str(n) for n in (one["wins"], one["paired"]["same"], one["losses"])]


def legend(data: Json) -> str:
    """How the table is to be read."""
    level = f"{100 * data['level']:g}%"
    text = f"Differences are a run's mean minus the mean of A over the same samples, with {level}"
    text += " intervals. p is for the hypothesis that there is no difference"
    if data["tests"] > 1:
        text += f", adjusted by Holm for {data['tests']} tests at once"
        if any(one["unmoved"] for one in data["metrics"]):
            text += " (what is the same on every sample is not tested)"
    verdict = f"{1 - data['level']:.2g}"
    text += (
        f"; the verdict goes by it, at {verdict}. d is Cohen's d_z. {SIDES}: samples that became"
    )
    text += " better, stayed the same, became worse."
    if data["leaderboards"]:
        text += f" The best of all runs: by simultaneous {level} intervals of all differences."
    return text


def _metric(one: MetricComparison, level: float) -> dict[str, Any]:
    fields = msgspec.to_builtins(one)
    return {
        **fields,
        "name": letter(one.run),
        "wins": one.wins,
        "losses": one.losses,
        "unmoved": one.paired is not None and one.paired.same == one.paired.n,
        "tone": TONES.get(one.verdict, "plain"),
        "said": finding(one, level),
        "counted": counted(one, left_out(fields["left_out"], letter(one.run))),
        "worst": [_change(change, one) for change in fields["worst"]],
        "best": [_change(change, one) for change in fields["best"]],
    }


def _change(change: Json, one: MetricComparison) -> dict[str, Any]:
    parts = []
    for part in change["parts"]:
        now = Part(part["kind"], part["text"], part["after"] or "")
        tone = labels.tone(now, higher_is_better=one.higher_is_better)
        parts.append({**part, "words": _words(part), "tone": tone})
    return {**change, "parts": parts}


_CERTAIN: Final = ("0.00", "1.00")


def _words(part: Json) -> str:
    """What a piece of evidence was and is: "was supported, now unsupported"."""
    before, after = (None if part[at] is None else labels.state(part[at]) for at in _TIMES)
    old, new = _values(*part["values"])
    if before is None:
        return ", ".join(filter(None, ["new", _graded(after, new)]))
    if after is None:
        state = _graded(before, old)
        return f"was {state}, now gone" if state else "gone"
    if before != after:
        return f"was {before or old or 'there'}, now {after or new or 'there'}"
    if old == new:
        return after or "changed"
    changed = f"was {old or numbers.DASH}, now {new or numbers.DASH}"
    return f"{after}: {changed}" if after else changed


def _graded(state: str | None, value: str) -> str:
    """A verdict with its probability, where it is not just yes or no: "supported 0.76"."""
    return state if state and value in _CERTAIN else " ".join(filter(None, [state, value]))


def _values(old: float | None, new: float | None) -> tuple[str, str]:
    """Two values as they are written, with the digits that tell them apart."""
    scores = ["" if value is None else numbers.score(value) for value in (old, new)]
    if old is not None and new is not None and scores[0] == scores[1] != "":
        scores = [decimals(value, 4) for value in (old, new)]
    return scores[0], scores[1]


def counted(one: MetricComparison, left: str) -> str:
    """How many pairs there are, and what is in none: "45 pairs; not compared: 3 failed in B"."""
    paired = one.paired
    text = numbers.plural(paired.n if paired else 0, "pair")
    if paired and paired.units < paired.n:
        text += f" in {numbers.plural(paired.units, 'group')}"
    return f"{text}; not compared: {left}" if left else text


def left_out(left: Sequence[Json], name: str) -> str:
    """Which samples stand in no pair: "3 undefined in B, 1 only in A"."""
    where = {**_WHERE, "other": name}
    return ", ".join(
        f"{numbers.count(item['n'])} {item['why']} {where[item['where']]}" for item in left
    )


def finding(one: MetricComparison, level: float) -> str:
    """The finding in words that claim no more than was found, and how far the judge moves it."""
    text = " ".join([_finding(one, level), *_takes(one)])
    if not one.noise:
        return text
    noise = f"\N{PLUS-MINUS SIGN}{numbers.score(one.noise)}"
    return f"{text} The judge's noise alone makes a difference of up to {noise}."


def _finding(one: MetricComparison, level: float) -> str:
    name, paired = letter(one.run), one.paired
    if paired is None:
        return "No sample has a score in both runs."
    if one.verdict == TOO_FEW:
        return f"{numbers.plural(paired.n, 'pair')} of one group say nothing of others."
    if one.verdict != NOT_FOUND:
        # The sign is told by the word: an error rate that falls is better.
        size = numbers.score(abs(paired.difference))
        return f"{name} is {one.verdict} than A by {size}, which chance alone would rarely bring."
    if not paired.up + paired.down:
        return "No difference found: no sample scores differently."
    parts = ["No difference found" + _only_alone(one, 1 - level)]
    return " ".join([*parts, *_could(one)])


def _could(one: MetricComparison) -> list[str]:
    """What such a comparison could have found, and what stood in its way."""
    paired = one.paired
    if paired is None:
        return []
    clustered, parts = paired.units < paired.n, []
    if one.too_few_differ:
        units = numbers.plural(paired.units, "group" if clustered else "pair")
        text = (
            f"Only {numbers.count(paired.moved)} of {units} differ{'s' * (paired.moved == 1)}; it"
        )
        parts.append(f"{text} takes {one.least}, all in one direction, to show a difference.")
    elif one.detectable is None:
        units = numbers.plural(paired.units, "independent sample")
        parts.append(f"{units} cannot show any, however large it is.")
    if one.detectable is not None:
        least = numbers.score(one.detectable)
        parts.append(f"A true one of {least} would have been found in 80 of 100 such comparisons.")
    return parts


def _only_alone(one: MetricComparison, alpha: float) -> str:
    alone = one.paired.p if one.paired else 1.0
    if alone > alpha:
        return "."
    return f" (p = {p_value(alone)} alone, but of so many tests one may reach that by chance)."


def _takes(one: MetricComparison) -> list[str]:
    """How many samples it would take; if nobody asked, only where more would find what was not."""
    if one.aim is None or one.paired is None:
        return []
    unseen = one.verdict == NOT_FOUND
    aim = f"{'one' if unseen else 'a difference'} of {numbers.score(one.aim)}"
    if one.needed is None:
        text = f"How many pairs it takes to find {aim} cannot be told from these."
        return [text] if one.asked else []
    text = f"To find {aim}, about {numbers.plural(one.needed, 'pair')} are needed"
    more = one.needed - one.paired.n
    if more > 0 and (unseen or one.asked):
        return [f"{text}, {numbers.count(more)} more."]
    return [f"{text}; these are enough."] if one.asked else []


def collect_groups(groups: ByGroup) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    data: dict[str, Any] = msgspec.to_builtins(groups)
    for one in data["metrics"]:
        for group in one["groups"]:
            group["against"] = ""
            group["span"] = numbers.interval(group["interval"])
            spread = "" if group["sd"] is None else f" ({numbers.score(group['sd'])})"
            group["shown"] = numbers.score(group["mean"]) + spread
        # Two groups are compared in words, more of them in the table.
        pair = len(one["tests"]) == 1
        one["said"] = [_two_groups(test) for test in one["tests"]] if pair else []
        for group, test in zip(one["groups"], one["tests"], strict=False):
            group["against"] = "" if pair else _against(test)
    return {**data, "legend": legend_of_groups(data)}


def legend_of_groups(data: Json) -> str:
    """How the table is to be read."""
    tests = sum(test["found"] is not None for one in data["metrics"] for test in one["tests"])
    text = "Welch's t, p by permutation"
    if any(len(one["tests"]) > 1 for one in data["metrics"]):
        text += ", each group against all others, two-sided"
    if tests > 1:
        text += f"; p in brackets is adjusted by Holm for {tests} tests at once"
    if any(test["found"] is None for one in data["metrics"] for test in one["tests"]):
        text += f". A test takes {LEAST} scores in a group, {LEAST_EQUAL} where all are the same"
    if data["without"]:
        text += f". {numbers.plural(data['without'], 'sample')} without {data['field']} left out"
    return text + "."


def _against(test: Json) -> str:
    result = test["found"]
    if result is None:
        return numbers.DASH
    return f"{signed(result['difference'])}, p = {p_value(result['p'])} ({p_value(test['p'])})"


def _two_groups(test: Json) -> str:
    result = test["found"]
    who = f"{test['first']} against {test['second']}"
    if result is None:
        return f"{who}: no test, too few scores or all of them the same"
    sides = "one-sided" if result["one_sided"] else "two-sided"
    text = f"{who}: {signed(result['difference'])} ({between(result['interval'])}), "
    text += f"t = {result['t']:.2f}, df = {result['df']:.0f}, {sides} p = {p_value(result['p'])}"
    # What is adjusted for one test is the same.
    return text if test["p"] == result["p"] else f"{text} ({p_value(test['p'])})"
