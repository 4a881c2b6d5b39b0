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
        "tests": sum(metric.tested for metric in comparison.metrics),
        "runs": runs,
        "warnings": list(comparison.warnings),
        "headlines": [
            headline([metric for metric in comparison.metrics if metric.run == number])
            for number in range(1, len(runs))
        ],
        "metrics": [_metric(metric, comparison.level) for metric in comparison.metrics],
        "leaderboards": [_leaderboard(board) for board in comparison.leaderboards],
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
    for board in data["leaderboards"]:
        metrics.setdefault(board["said"], []).append(board["metric"])
    return [f"{', '.join(names)}: {answer}" for answer, names in metrics.items()]


def headline(metrics: Sequence[MetricComparison]) -> str:
    """The answer in a sentence: by what a run is better or worse, or that these pairs cannot tell.

    Args:
        metrics: Those of one run against the baseline.
    """
    verdicts = {
        word: [metric for metric in metrics if metric.verdict == word] for word in (WORSE, BETTER)
    }
    findings = [
        f"{word} than A by {_metrics_in_words(ones)}" for word, ones in verdicts.items() if ones
    ]
    if findings:
        return f"{letter(metrics[0].run)} is {' and '.join(findings)}."
    return _cannot_tell(metrics)


def _metrics_in_words(metrics: Sequence[MetricComparison]) -> str:
    """The metrics with their differences, the largest effect first."""
    size = {
        metric.metric: abs((metric.paired and metric.paired.effect) or 0.0) for metric in metrics
    }
    first = sorted(metrics, key=lambda metric: -size[metric.metric])[:_NAMED]
    texts = [f"{metric.metric} ({_with_interval(metric)})" for metric in first]
    texts += [f"{len(metrics) - _NAMED} more metrics"] if len(metrics) > _NAMED + 1 else []
    texts += [
        metric.metric for metric in metrics if metric not in first and len(metrics) == _NAMED + 1
    ]
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]


def _with_interval(metric: MetricComparison) -> str:
    paired = metric.paired
    if paired is None:
        return ""
    text = difference(paired.difference, paired.interval)
    return f"{text}, interval {between(paired.interval)}" if paired.interval else text


def _cannot_tell(metrics: Sequence[MetricComparison]) -> str:
    name = letter(metrics[0].run)
    with_pairs = [metric for metric in metrics if metric.paired]
    if not with_pairs:
        return f"Nothing to compare: no sample has a score in both A and {name}."
    if not any(metric.paired.moved for metric in with_pairs if metric.paired):
        return f"{name} and A score the same on every sample."
    most_pairs = numbers.plural(
        max(metric.paired.n for metric in with_pairs if metric.paired), "sample"
    )
    text = f"{most_pairs} cannot tell which is better, A or {name}"
    reachable = [
        (needed, metric)
        for metric in metrics
        if (needed := _pairs_within_reach(metric)) is not None
    ]
    if not reachable:
        return f"{text}."
    needed, metric = min(reachable, key=lambda pair: pair[0])
    aim = numbers.score(metric.aim)
    return (
        f"{text}. About {needed:,} could, by {metric.metric}, if the difference is the {aim} seen."
    )


def _pairs_within_reach(metric: MetricComparison) -> int | None:
    """How many pairs would show the difference that was seen; None where nobody has so many."""
    if metric.asked or metric.paired is None or metric.needed is None:
        return None
    return metric.needed if metric.paired.n < metric.needed <= _PRACTICAL else None


def others(data: Json) -> list[tuple[Json, list[Json]]]:
    """Each run but the baseline, with its metrics: what became worse first."""
    pairs = []
    for run in data["runs"][1:]:
        own_metrics = [metric for metric in data["metrics"] if metric["name"] == run["name"]]
        own_metrics.sort(key=lambda metric: (metric["unmoved"], _ORDER[metric["verdict"]]))
        pairs.append((run, own_metrics))
    return pairs


def shown(data: Json, *, show_all: bool) -> list[tuple[Json, list[Json], list[str]]]:
    """Each run but the baseline, with the metrics to show and what is said of those left out."""
    tables = []
    for run, metrics in others(data):
        listed_metrics = (
            metrics if show_all else [metric for metric in metrics if not folded(metric, metrics)]
        )
        left = [metric for metric in metrics if metric not in listed_metrics]
        tables.append((run, listed_metrics, _left_out_remarks(left)))
    return tables


def changed(data: Json, *, show_all: bool) -> list[tuple[Json, list[Json]]]:
    """Each run with the metrics whose samples are listed: where something was found, or all."""
    return [
        (run, [metric for metric in metrics if show_all or metric["tone"] != "plain"])
        for run, metrics in others(data)
    ]


def folded(one: Json, metrics: Sequence[Json]) -> bool:
    """Whether a metric is only counted: it shows nothing, and others of the run do."""
    if one["unmoved"]:
        return not all(other["unmoved"] for other in metrics)
    return one["verdict"] == NOT_FOUND and any(other["tone"] != "plain" for other in metrics)


def _left_out_remarks(metrics: Sequence[Json]) -> list[str]:
    """What is said of metrics that are only counted."""
    same = [metric["metric"] for metric in metrics if metric["unmoved"]]
    not_found = [metric["metric"] for metric in metrics if not metric["unmoved"]]
    remarks = []
    if not_found:
        remarks.append(f"No difference found by {_join_names(not_found)}.")
    if same:
        remarks.append(f"The same score on every sample: {_join_names(same)}.")
    return remarks


def _join_names(metrics: Sequence[str]) -> str:
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
    if any(metric["detectable"] is not None and metric["said"] for metric in data["metrics"]):
        text += " What so many pairs show, they show in 80 of 100 such comparisons."
    if data["leaderboards"]:
        text += f" Best of all runs: by simultaneous {level} intervals of all differences."
    return text


def _metric(metric: MetricComparison, level: float) -> dict[str, Any]:
    fields = msgspec.to_builtins(metric)
    return {
        **fields,
        "name": letter(metric.run),
        "wins": metric.wins,
        "losses": metric.losses,
        "unmoved": metric.paired is not None and metric.paired.same == metric.paired.n,
        "tone": TONES.get(metric.verdict, "plain"),
        "said": finding(metric, level),
        "counted": counted(metric, left_out(fields["left_out"], letter(metric.run))),
        "worst": [_change(change, metric) for change in fields["worst"]],
        "best": [_change(change, metric) for change in fields["best"]],
    }


def _change(change: Json, metric: MetricComparison) -> dict[str, Any]:
    parts_in_words = []
    for part in change["parts"]:
        part_after = Part(part["kind"], part["text"], part["after"] or "")
        tone = labels.tone(part_after, higher_is_better=metric.higher_is_better)
        parts_in_words.append({**part, "words": _words(part), "tone": tone})
    return {**change, "parts": parts_in_words}


_CERTAIN: Final = ("0.00", "1.00")


def _words(part: Json) -> str:
    """What a piece of evidence was and is: "was supported, now unsupported"."""
    before, after = (None if part[time] is None else labels.state(part[time]) for time in _TIMES)
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
    places = {**_WHERE, "other": name}
    return ", ".join(
        f"{numbers.count(item['n'])} {item['why']} {places[item['where']]}" for item in left
    )


def finding(one: MetricComparison, level: float) -> str:
    """What the row of a metric does not show: what so many pairs can tell; "" if it shows all."""
    sentences = [*_verdict(one, 1 - level), *_detectable(one), *_samples_needed(one)]
    if one.noise:
        noise = f"\N{PLUS-MINUS SIGN}{numbers.score(one.noise)}"
        sentences.append(f"The judge's noise alone makes a difference of up to {noise}.")
    return " ".join(sentences)


def _verdict(metric: MetricComparison, alpha: float) -> list[str]:
    """What must be known of a verdict."""
    paired = metric.paired
    if paired is None:
        return ["No sample has a score in both runs."]
    if metric.verdict == TOO_FEW:
        return [f"{numbers.plural(paired.n, 'pair')} of one group say nothing of others."]
    if metric.verdict != NOT_FOUND:
        return []
    if paired.p_of_signs <= alpha < paired.p:
        against = "losses" if (paired.difference > 0) is metric.higher_is_better else "gains"
        p = f"p = {p_value(paired.p_of_signs)}".replace("= <", "< ")
        text = f"{p} by permutation, but so few pairs cannot rule out rare large {against}"
        return [f"{text} that would undo it."]
    if paired.p > alpha:
        return []
    p = p_value(paired.p)
    return [f"p = {p} alone, but of so many tests one may reach that by chance."]


def _detectable(metric: MetricComparison) -> list[str]:
    """What such a comparison could have found, and what stood in its way."""
    paired = metric.paired
    if paired is None or metric.verdict != NOT_FOUND:
        return []
    if not paired.up + paired.down:
        return ["No sample scores differently."]
    clustered, sentences = paired.units < paired.n, []
    if metric.too_few_differ:
        units = numbers.plural(paired.units, "group" if clustered else "pair")
        text = (
            f"Only {numbers.count(paired.moved)} of {units} differ{'s' * (paired.moved == 1)}; it"
        )
        sentences.append(
            f"{text} takes {metric.least}, all in one direction, to show a difference."
        )
    elif metric.detectable is None:
        units = numbers.plural(paired.units, "independent sample")
        sentences.append(f"{units} cannot show any, however large it is.")
    if metric.detectable is not None:
        pairs = numbers.plural(paired.n, "pair")
        sentences.append(
            f"{pairs} show differences of {numbers.score(metric.detectable)} and more."
        )
    return sentences


def _samples_needed(metric: MetricComparison) -> list[str]:
    """How many samples it would take; if nobody asked, only where more would find what was not."""
    if metric.aim is None or metric.paired is None:
        return []
    aim = numbers.score(metric.aim)
    if not metric.asked:
        needed = _pairs_within_reach(metric) if metric.verdict == NOT_FOUND else None
        return [f"It takes about {needed:,} to show the {aim} seen."] if needed else []
    if metric.needed is None:
        return [f"How many it takes to show {aim} cannot be told from these."]
    text = f"It takes about {numbers.plural(metric.needed, 'pair')} to show {aim}"
    more = metric.needed - metric.paired.n
    return [f"{text}, {numbers.count(more)} more." if more > 0 else f"{text}: these are enough."]


def collect_groups(groups: ByGroup) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    data: dict[str, Any] = msgspec.to_builtins(groups)
    for metric in data["metrics"]:
        for group in metric["groups"]:
            group["against"] = ""
            group["span"] = numbers.interval(group["interval"])
            spread = "" if group["sd"] is None else f" ({numbers.score(group['sd'])})"
            group["shown"] = numbers.score(group["mean"]) + spread
        # Two groups are compared in words, more of them in the table.
        pair = len(metric["tests"]) == 1
        metric["said"] = [_two_groups(test) for test in metric["tests"]] if pair else []
        for group, test in zip(metric["groups"], metric["tests"], strict=False):
            group["against"] = "" if pair else _test_in_words(test)
    return {**data, "legend": legend_of_groups(data)}


def legend_of_groups(data: Json) -> str:
    """How the table is to be read."""
    tests = sum(test["found"] is not None for metric in data["metrics"] for test in metric["tests"])
    text = "Welch's t, p by permutation"
    if any(len(metric["tests"]) > 1 for metric in data["metrics"]):
        text += ", each group against all others, two-sided"
    if tests > 1:
        text += f"; p in brackets is adjusted by Holm for {tests} tests at once"
    if any(test["found"] is None for metric in data["metrics"] for test in metric["tests"]):
        text += f". A test takes {LEAST} scores in a group, {LEAST_EQUAL} where all are the same"
    if data["without"]:
        text += f". {numbers.plural(data['without'], 'sample')} without {data['field']} left out"
    return text + "."


def _test_in_words(test: Json) -> str:
    result = test["found"]
    if result is None:
        return numbers.DASH
    gain = difference(result["difference"], result["interval"])
    return f"{gain}, p = {p_value(result['p'])} ({p_value(test['p'])})"


def _two_groups(test: Json) -> str:
    result = test["found"]
    pair_in_words = f"{test['first']} against {test['second']}"
    if result is None:
        return f"{pair_in_words}: no test, too few scores or all of them the same"
    sides = "one-sided" if result["one_sided"] else "two-sided"
    gain = difference(result["difference"], result["interval"])
    text = f"{pair_in_words}: {gain} ({between(result['interval'])}), "
    text += (
        f"t = {signed(result['t'])}, df = {result['df']:.0f}, {sides} p = {p_value(result['p'])}"
    )
    # What is adjusted for one test is the same.
    return text if test["p"] == result["p"] else f"{text} ({p_value(test['p'])})"
