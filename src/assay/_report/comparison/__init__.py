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
from assay._text.results import MINUS, between, decimals, difference, signed
from assay._version import __version__
from assay.score import Part

Json = Mapping[str, Any]
SIDES: Final = f"+/=/{MINUS}"
TONES: Final = {"better": "good", "worse": "bad"}
_TIMES: Final = ("before", "after")
# What is read first: what became worse; then what became better; then what may not have changed.
_ORDER: Final = {WORSE: 0, BETTER: 1, TOO_FEW: 2, NOT_FOUND: 3}
_NAMED: Final = 3  # metrics that a headline names; the table shows all
_PRACTICAL: Final = 10_000  # pairs; of a difference that takes more nobody asks how many
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
        "headlines": [
            headline([one for one in comparison.metrics if one.run == number])
            for number in range(1, len(runs))
        ],
        "metrics": [_metric(one, comparison.level) for one in comparison.metrics],
        "leaderboards": [_leaderboard(one) for one in comparison.leaderboards],
    }


def _leaderboard(board: Leaderboard) -> dict[str, Any]:
    fields = ("metric", "n", "winner", "tied", "more", "warnings", "standings")
    values = msgspec.to_builtins({name: getattr(board, name) for name in fields})
    return {**values, "said": leaderboard.finding(board, "run")}


def answers(data: Json) -> list[str]:
    """What is said first: which of two runs is better, or by each metric which of more is best."""
    if len(data["runs"]) == 2:
        return list(data["headlines"])
    metrics: dict[str, list[str]] = {}
    for one in data["leaderboards"]:
        metrics.setdefault(one["said"], []).append(one["metric"])
    return [f"{', '.join(names)}: {said}" for said, names in metrics.items()]


def headline(metrics: Sequence[MetricComparison]) -> str:
    """The answer in a sentence: by what a run is better or worse, or that these pairs cannot tell.

    Args:
        metrics: Those of one run against the baseline.
    """
    verdicts = {word: [one for one in metrics if one.verdict == word] for word in (WORSE, BETTER)}
    told = [f"{word} than A by {_named(ones)}" for word, ones in verdicts.items() if ones]
    if told:
        return f"{letter(metrics[0].run)} is {' and '.join(told)}."
    return _untold(metrics)


def _named(metrics: Sequence[MetricComparison]) -> str:
    """The metrics with their differences, the largest effect first."""
    size = {one.metric: abs((one.paired and one.paired.effect) or 0.0) for one in metrics}
    first = sorted(metrics, key=lambda one: -size[one.metric])[:_NAMED]
    texts = [f"{one.metric} ({_with_interval(one)})" for one in first]
    texts += [f"{len(metrics) - _NAMED} more metrics"] if len(metrics) > _NAMED + 1 else []
    texts += [one.metric for one in metrics if one not in first and len(metrics) == _NAMED + 1]
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]


def _with_interval(one: MetricComparison) -> str:
    paired = one.paired
    if paired is None:
        return ""
    text = difference(paired.difference, paired.interval)
    return f"{text}, interval {between(paired.interval)}" if paired.interval else text


def _untold(metrics: Sequence[MetricComparison]) -> str:
    name = letter(metrics[0].run)
    with_pairs = [one for one in metrics if one.paired]
    if not with_pairs:
        return f"Nothing to compare: no sample has a score in both A and {name}."
    if not any(one.paired.moved for one in with_pairs if one.paired):
        return f"{name} and A score the same on every sample."
    most = numbers.plural(max(one.paired.n for one in with_pairs if one.paired), "sample")
    text = f"{most} cannot tell which is better, A or {name}"
    reachable = [(needed, one) for one in metrics if (needed := _within_reach(one)) is not None]
    if not reachable:
        return f"{text}."
    needed, one = min(reachable, key=lambda pair: pair[0])
    aim = numbers.score(one.aim)
    return f"{text}. About {needed:,} could, by {one.metric}, if the difference is the {aim} seen."


def _within_reach(one: MetricComparison) -> int | None:
    """How many pairs would show the difference that was seen; None where nobody has so many."""
    if one.asked or one.paired is None or one.needed is None:
        return None
    return one.needed if one.paired.n < one.needed <= _PRACTICAL else None


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


def changed(data: Json, *, show_all: bool) -> list[tuple[Json, list[Json]]]:
    """Each run with the metrics whose samples are listed: where something was found, or all."""
    return [
        (run, [one for one in metrics if show_all or one["tone"] != "plain"])
        for run, metrics in others(data)
    ]


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


def p_value(p: float | None) -> str:
    """A p-value as it is usually printed."""
    if p is None:
        return numbers.DASH
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def cells(one: Json) -> list[str]:
    """Before, after, difference, interval, pairs and p of a metric whose runs have pairs."""
    paired = one["paired"]
    return [
        numbers.score(paired["before"]),
        numbers.score(paired["after"]),
        difference(paired["difference"], paired["interval"]),
        between(paired["interval"]),
        numbers.count(paired["n"]),
        p_value(one["p"]),
    ]


def became(one: Json) -> list[str]:
    """How many samples became better, stayed the same, became worse."""
    return [str(n) for n in (one["wins"], one["paired"]["same"], one["losses"])]


def legend(data: Json) -> str:
    """How the table is to be read."""
    level = f"{100 * data['level']:g} %"
    text = f"Differences: mean over the same n samples, with {level} intervals. p: of no difference"
    if data["tests"] > 1:
        text += f", adjusted by Holm for {data['tests']} tests"
    text += f"; below {1 - data['level']:.2g} it is called better or worse."
    text += f" {SIDES}: samples better, same, worse."
    if any(one["detectable"] is not None and one["said"] for one in data["metrics"]):
        text += " What so many pairs show, they show in 80 of 100 such comparisons."
    if data["leaderboards"]:
        text += f" Best of all runs: by simultaneous {level} intervals of all differences."
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


def beside(one: Json) -> str:
    """What must be read beside the row of a metric; "" if nothing."""
    counted = f"{one['counted'][:1].upper()}{one['counted'][1:]}."
    return " ".join(filter(None, [one["said"], counted * bool(one["counted"])]))


def counted(one: MetricComparison, left: str) -> str:
    """What the number of pairs does not tell: "12 groups; not compared: 3 failed in B"."""
    paired = one.paired
    is_clustered = paired is not None and paired.units < paired.n
    groups = numbers.plural(paired.units, "group") if paired and is_clustered else ""
    return "; ".join(filter(None, [groups, f"not compared: {left}" if left else ""]))


def left_out(left: Sequence[Json], name: str) -> str:
    """Which samples stand in no pair: "3 undefined in B, 1 only in A"."""
    where = {**_WHERE, "other": name}
    return ", ".join(
        f"{numbers.count(item['n'])} {item['why']} {where[item['where']]}" for item in left
    )


def finding(one: MetricComparison, level: float) -> str:
    """What the row of a metric does not show: what so many pairs can tell; "" if it shows all."""
    parts = [*_verdict(one, 1 - level), *_could(one), *_takes(one)]
    if one.noise:
        noise = f"\N{PLUS-MINUS SIGN}{numbers.score(one.noise)}"
        parts.append(f"The judge's noise alone makes a difference of up to {noise}.")
    return " ".join(parts)


def _verdict(one: MetricComparison, alpha: float) -> list[str]:
    """What must be known of a verdict."""
    paired = one.paired
    if paired is None:
        return ["No sample has a score in both runs."]
    if one.verdict == TOO_FEW:
        return [f"{numbers.plural(paired.n, 'pair')} of one group say nothing of others."]
    if one.verdict != NOT_FOUND:
        return []
    if paired.p_of_signs <= alpha < paired.p:
        against = "losses" if (paired.difference > 0) is one.higher_is_better else "gains"
        p = f"p = {p_value(paired.p_of_signs)}".replace("= <", "< ")
        text = f"{p} by permutation, but so few pairs cannot rule out rare large {against}"
        return [f"{text} that would undo it."]
    if paired.p > alpha:
        return []
    p = p_value(paired.p)
    return [f"p = {p} alone, but of so many tests one may reach that by chance."]


def _could(one: MetricComparison) -> list[str]:
    """What such a comparison could have found, and what stood in its way."""
    paired = one.paired
    if paired is None or one.verdict != NOT_FOUND:
        return []
    if not paired.up + paired.down:
        return ["No sample scores differently."]
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
        pairs = numbers.plural(paired.n, "pair")
        parts.append(f"{pairs} show differences of {numbers.score(one.detectable)} and more.")
    return parts


def _takes(one: MetricComparison) -> list[str]:
    """How many samples it would take; if nobody asked, only where more would find what was not."""
    if one.aim is None or one.paired is None:
        return []
    aim = numbers.score(one.aim)
    if not one.asked:
        needed = _within_reach(one) if one.verdict == NOT_FOUND else None
        return [f"It takes about {needed:,} to show the {aim} seen."] if needed else []
    if one.needed is None:
        return [f"How many it takes to show {aim} cannot be told from these."]
    text = f"It takes about {numbers.plural(one.needed, 'pair')} to show {aim}"
    more = one.needed - one.paired.n
    return [f"{text}, {numbers.count(more)} more." if more > 0 else f"{text}: these are enough."]


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
    gain = difference(result["difference"], result["interval"])
    return f"{gain}, p = {p_value(result['p'])} ({p_value(test['p'])})"


def _two_groups(test: Json) -> str:
    result = test["found"]
    who = f"{test['first']} against {test['second']}"
    if result is None:
        return f"{who}: no test, too few scores or all of them the same"
    sides = "one-sided" if result["one_sided"] else "two-sided"
    gain = difference(result["difference"], result["interval"])
    text = f"{who}: {gain} ({between(result['interval'])}), "
    text += (
        f"t = {signed(result['t'])}, df = {result['df']:.0f}, {sides} p = {p_value(result['p'])}"
    )
    # What is adjusted for one test is the same.
    return text if test["p"] == result["p"] else f"{text} ({p_value(test['p'])})"
