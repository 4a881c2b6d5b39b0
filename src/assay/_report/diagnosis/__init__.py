"""A diagnosis as plain values and in words, which every form of it is made from."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from assay._analysis.diagnosis import (
    CAUSES,
    PATTERNS,
    REMEDIES,
    Advice,
    CauseCount,
    Diagnosed,
    Diagnosis,
    Finding,
)
from assay._analysis.diagnosis.counterfactual import Counterfactual
from assay._analysis.diagnosis.statistics import PatternFound
from assay._report import numbers
from assay._report.tables import shorten
from assay.stats.intervals import Interval

Json = Mapping[str, Any]
READ_FIRST: Final = 10
FIRST: Final = "read first"
_CAUSES_SHOWN: Final = 3
_STATEMENT: Final = 60  # letters of one that are shown
_BLAMED: Final = 5  # answers whose steps are listed; --json has them all
_REMEDIES: Final = {remedy.name: remedy for remedy in REMEDIES}
_PATTERNS: Final = {pattern.name: pattern for pattern in PATTERNS}


def collect(diagnosis: Diagnosis) -> dict[str, Any]:
    """The whole diagnosis, ready for JSON."""
    samples = {sample.id: sample for sample in diagnosis.samples}
    causes = [_cause(count, samples) for count in diagnosis.causes]
    return {
        **msgspec.to_builtins(replace(diagnosis, samples=())),
        "failed": _end_values(diagnosis.failed),
        "causes": causes,
        "advice": [_advice(item, causes) for item in diagnosis.advice],
        "patterns": [_pattern(pattern) for pattern in diagnosis.patterns],
        "gaps": [
            {
                **msgspec.to_builtins(gap),
                "title": CAUSES[gap.cause].title,
                "told_by": list(CAUSES[gap.cause].told_by),
            }
            for gap in diagnosis.gaps
        ],
        "counterfactual": _counterfactual_data(diagnosis.counterfactual),
        "samples": [_sample(sample) for sample in diagnosis.samples],
    }


def headline(data: Json) -> str:
    """How many samples were flagged, by whom, how sure that is, and how much cannot be told."""
    n_diagnosed = data["n_samples"] - data["n_open"]
    if not n_diagnosed:
        text = f"None of {numbers.plural(data['n_samples'], 'sample')} could be diagnosed"
        for reason, ids in undiagnosed(data)[:1]:
            is_part = len(ids) < data["n_open"]
            summary = reason.partition(": ")[0]  # no error in full
            text += f": {'for most, ' if is_part else ''}{summary}"
        return text
    low, high = map(numbers.percent, data["failed"])
    share_of = f"{_percent(data['n_failed'], n_diagnosed)}, 95 % interval {low} to {high} %"
    of_all = f"{data['n_failed']:,} of {numbers.plural(n_diagnosed, 'sample')}"
    by_judge = sum(flagged["n"] for flagged in data["flagged"])
    by_data = data["n_failed"] - by_judge
    if by_judge and by_data:
        answer = (
            f"{of_all} flagged ({share_of}): {by_judge:,} by the judge, {by_data:,} by the data"
        )
    else:
        answer = f"{of_all} flagged by the {'data' if by_data else 'judge'} ({share_of})"
    phrases = [
        answer,
        f"{data['n_fine']:,} passed every possible check",
    ]
    if data["n_uncertain"]:
        phrases.append(f"the judge is uncertain about {data['n_uncertain']:,}")
    if data["n_open"]:
        phrases.append(f"{data['n_open']:,} more could not be diagnosed")
    return "; ".join(phrases)


def first_page(data: Json) -> list[tuple[str, str]]:
    """What a reader wants to know first, by name: causes, what was missed, where to begin."""
    lines = [("mostly", mostly(data)), ("errors", errors(data)), ("refused", refused(data))]
    if data["first"]:
        more = len(data["first"]) - READ_FIRST
        remainder = f" and {more:,} more" if more > 0 else ""
        lines.append((FIRST, f"{', '.join(data['first'][:READ_FIRST])}{remainder}"))
    return [(name, text) for name, text in lines if text]


def mostly(data: Json) -> str:
    """The most frequent causes; "" if there is none."""
    frequent = [cause for cause in data["causes"] if cause["n"]][:_CAUSES_SHOWN]
    if not frequent:
        return ""
    causes = ", ".join(f"{cause['title']} ({cause['n']:,})" for cause in frequent)
    means = frequent[0]["means"]
    return f"{causes}. {frequent[0]['title'].capitalize()}: {means[:1].lower()}{means[1:]}"


def errors(data: Json) -> str:
    """How often the judge errs where it flags and where it does not, as far as that is known."""
    if not data["flagged"] and not (data["missed"] and data["missed"]["n_passed"]):
        return ""
    phrases = [_expected(data["missed"])] if data["missed"] else []
    unmeasured = [entry["metric"] for entry in data["flagged"] if entry["quality"] is None]
    for flagged in data["flagged"]:
        quality = flagged["quality"]
        if quality and not (data["missed"] and quality == data["missed"]["quality"]):
            phrases.append(f"{flagged['metric']}: on {quality['data']} {_rates(quality)}")
    if unmeasured:
        phrases.append(f"how often the judge is wrong in {', '.join(unmeasured)} is not measured")
    return "; ".join(phrases)


def _expected(missed: Json) -> str:
    """How many flagged answers are good, and how many others bad, by errors on labelled ones."""
    quality, n, flagged = missed["quality"], missed["n_flagged"], missed["flagged"]
    good = {"low": n - flagged["high"], "high": n - flagged["low"]}
    how_many = f"{_interval_text(good)} are good"
    if _surely_flags_fewer(missed):
        how_many = (
            "an unknown number are good (this judge would flag more if all answers were good)"
        )
    phrases = [f"of {numbers.plural(n, 'answer')} with a flagged statement {how_many}"]
    if missed["n_passed"]:
        phrases.append(
            f"of {numbers.plural(missed['n_passed'], 'answer')} without a flagged statement "
            f"{_interval_text(missed['passed'])} are bad"
        )
    known = f"if the judge errs here as on {quality['data']} ({_rates(quality)})"
    return f"{', and '.join(phrases if n else phrases[1:])}, {known}"


def _surely_flags_fewer(missed: Json) -> bool:
    """Whether it surely flags fewer than it would of good answers alone, by its errors there."""
    wrong, n = missed["quality"]["wrong"]["low"], missed["n"]
    return bool(wrong) and missed["n_flagged"] < n * wrong - 2 * math.sqrt(n * wrong * (1 - wrong))


def _rates(quality: Json) -> str:
    return (
        f"it flags {100 * quality['found']['value']:.0f} % of bad ones and "
        f"{100 * quality['wrong']['value']:.0f} % of good ones"
    )


def _interval_text(estimate: Json) -> str:
    """The interval alone: rates on other data say little of where in it the number lies."""
    low, high = (f"{estimate[end]:.0f}" for end in ("low", "high"))
    return low if low == high else f"{low} to {high}"


def refused(data: Json) -> str:
    """How many answers decline, and how many of them though the contexts hold the answer."""
    n = data["n_declined"]
    if not n:
        return ""
    declining = [sample for sample in data["samples"] if sample["declines"]]
    wrong = sum("wrong_refusal" in _causes_of(sample) for sample in declining)
    untold = sum(sample["state"] == "open" for sample in declining)
    declines = f"{n:,} {'answer declines' if n == 1 else 'answers decline'}"
    if untold == n:
        return f"{declines}; whether rightly cannot be told from these data"
    phrases = [
        f"{wrong:,} wrongly (the contexts hold the answer)" if wrong else "",
        f"{n - wrong - untold:,} rightly" if n - wrong - untold else "",
        f"{untold:,} cannot be told" if untold else "",
    ]
    return f"{declines}: {', '.join(filter(None, phrases))}"


def _causes_of(sample: Json) -> list[str]:
    return [finding["cause"] for finding in (sample["main"], *sample["contributing"]) if finding]


def share(cause: Json) -> str:
    """How often a cause was found among the samples on which it could be told."""
    low, high = map(numbers.percent, cause["interval"])
    return f"{_percent(cause['n'], cause['checked'])} ({low} to {high} %) of {cause['checked']:,}"


def gain(advice: Json) -> str:
    """How many samples a remedy touches."""
    if not advice["n"]:
        return f"{numbers.plural(advice['contributing'], 'sample')} in part"
    further = f", {advice['contributing']:,} more in part" if advice["contributing"] else ""
    return f"{numbers.plural(advice['n'], 'sample')}{further}"


def condition(mean: Json) -> str:
    """``faithfulness 0.61 (0.52 to 0.70), below 0.80: clear``."""
    ends = f" ({numbers.span(mean['interval'])})" if mean["interval"] else ""
    side = "below" if mean["wanted"] == "low" else "above"
    verdict = {"claimed": "clear", "not so": "no", "undecided": "undecided"}[mean["state"]]
    return (
        f"{mean['metric']} {numbers.score(mean['mean'])}{ends}, "
        f"{side} {numbers.score(mean['guide'])}: {verdict}"
    )


def what_ifs(data: Json) -> list[tuple[str, list[str]]]:
    """What other contexts would change: a heading and its lines, re-scored and asked again."""
    sections = []
    if rescored := data["counterfactual"]:
        sections.append((_rescored_in_words(rescored), changes(rescored)))
    if result := data.get("regenerated"):
        n, calls = numbers.plural(result["n"], "sample"), f"asked {result['asked']:,}"
        head = f"Asked again with other contexts ({n}; system {calls}, reused {result['reused']:,})"
        sections.append((head, _gains(result)))
    if blame := data.get("steps"):
        n = numbers.plural(len(blame["samples"]), "answer")
        sections.append((f"Without the evidence of each step ({n} re-judged)", _blame(blame)))
    return sections


def _blame(blame: Json) -> list[str]:
    """How often each step was decisive, by their names, and what the first answers owe to each."""
    samples = blame["samples"]
    has, decisive = Counter[str](), Counter[str]()
    for sample in samples:
        has.update({step["name"] for step in sample["steps"]})
        decisive.update({sample["steps"][n - 1]["name"] for n in sample["decisive"]})
    lines = [
        f"{name}: decisive in {decisive[name]:,} of the {numbers.plural(n, 'answer')} that used it"
        for name, n in sorted(has.items(), key=lambda pair: (-decisive[pair[0]], pair[0]))
    ]
    if open_ones := sum(not sample["decisive"] for sample in samples):
        lines.append(f"{open_ones:,} rest on no step alone: others brought the same, or none did")
    if blame["failed"]:
        lines.append(f"{blame['failed']:,} more without a verdict, since the judge failed")
    return lines + [blamed(sample) for sample in samples[:_BLAMED] if sample["decisive"]]


def blamed(one: Json) -> str:
    """What an answer owes to each of its steps: the statements that fall without its evidence."""
    steps = (
        f"step {n} ({step['name']}) {_lost_text(step['lost'])}"
        for n, step in enumerate(one["steps"], start=1)
    )
    supported = numbers.plural(one["supported"], "supported statement")
    return f"{one['id']}, {supported}, of which rest on {'; '.join(steps)}"


def _lost_text(statements: Sequence[str]) -> str:
    if not statements:
        return "none"
    more = f" and {len(statements) - 1:,} more" if len(statements) > 1 else ""
    return f"\u201c{shorten(statements[0], _STATEMENT)}\u201d{more}"


def _gains(regenerated: Json) -> list[str]:
    """What each change of the contexts is worth, by metric."""
    lines = [
        f"{curve['metric']}, {point['level']}: {_points(point, curve)} "
        f"({numbers.score(point['baseline'])} to {numbers.score(point['mean'])}, "
        f"n = {point['n']:,})"
        for curve in regenerated["curves"]
        for point in curve["points"]
        if point["mean"] is not None
    ]
    if regenerated["failures"]:
        lines.append(f"{numbers.plural(regenerated['failures'], 'question')} without an answer")
    return lines or ["no sample has a score both ways"]


def _points(point: Json, curve: Json) -> str:
    """A difference in points of a hundred, or as it is where the metric has no two ends."""
    scale = 1 if None in curve["range"] else 100
    unit = " points" if scale == 100 else ""
    ends = point["difference_interval"]
    digits = "z.1f" if scale == 100 else ".3g"
    difference = f"{scale * point['difference']:+{digits}}{unit}"
    if not ends:
        return difference
    return f"{difference} ({scale * ends['low']:+{digits}} to {scale * ends['high']:+{digits}})"


def _rescored_in_words(rescored: Json) -> str:
    """What the counterfactual looked at."""
    text = (
        f"With the contexts known to be right ({numbers.plural(rescored['n'], 'sample')} re-scored"
    )
    if rescored["refused"]:
        text += f", {rescored['refused']:,} that decline left out: they would answer anew"
    if rescored["failed"]:
        text += f"; {rescored['failed']:,} more without a verdict, since the judge failed"
    return text + ")"


def changes(rescored: Json) -> list[str]:
    """What the right contexts would change: statements, causes, means."""
    lines = []
    if rescored["unsupported"]:
        n = numbers.plural(rescored["unsupported"], "statement")
        lines.append(
            f"{rescored['borne_out']:,} of {n} that the retrieved contexts do not support are "
            "supported by the right ones: true, and from elsewhere"
        )
    if rescored["missing"]:
        n = numbers.plural(rescored["missing"], "statement")
        lines.append(
            f"{rescored['found']:,} of {n} of references that the retrieved contexts do not hold "
            "are in the right ones: retrieval missed them"
        )
    lines += [
        f"{change['title']}: {change['well']:,} of {numbers.plural(change['n'], 'answer')} would "
        "have no failure left"
        for change in rescored["changes"]
    ]
    return lines + [
        f"{mean['metric']}: {numbers.score(mean['retrieved'])} with the retrieved contexts, "
        f"{numbers.score(mean['right'])} with the right ones (n = {mean['n']:,})"
        for mean in rescored["means"]
    ]


def claimed(data: Json) -> Sequence[Json]:
    """The patterns that the means show for sure."""
    return [pattern for pattern in data["patterns"] if pattern["state"] == "claimed"]


def undiagnosed(data: Json) -> list[tuple[str, list[str]]]:
    """Why samples could not be diagnosed, the most frequent reason first, with their ids."""
    ids: dict[str, list[str]] = {}
    for sample in data["samples"]:
        if sample["state"] == "open":
            ids.setdefault(sample["remark"], []).append(str(sample["id"]))
    return sorted(ids.items(), key=lambda reason: -len(reason[1]))


def missing(data: Json) -> list[tuple[str, list[str], int]]:
    """What would sharpen the diagnosis: (what to add, causes it would tell, samples)."""
    to_add: dict[str, tuple[list[str], int]] = {}
    for gap in data["gaps"]:
        for fact in gap["told_by"]:
            causes, n = to_add.get(fact, ([], 0))
            to_add[fact] = ([*causes, gap["title"]], max(n, gap["n"]))
    return [(fact, causes, n) for fact, (causes, n) in to_add.items()]


def needed(fact: str, causes: Sequence[str], n: int) -> str:
    """What `missing` found, in a line."""
    return f"{fact}: {', '.join(causes)} ({numbers.plural(n, 'sample')})"


def evidence_text(evidence: Json) -> str:
    """The text of a piece of evidence; what the reference says is not taken for the answer's."""
    prefix = "reference: " if evidence["kind"] == "reference statement" else ""
    return f"{prefix}{evidence['text']}"


def rank_and_quote(evidence: Json) -> str:
    """Where in the contexts a piece of evidence points; "" if nowhere."""
    rank = f"context {evidence['rank']}" if evidence["rank"] else ""
    quote = f"\N{LEFT DOUBLE QUOTATION MARK}{evidence['quote']}\N{RIGHT DOUBLE QUOTATION MARK}"
    return ": ".join(filter(None, [rank, quote if evidence["quote"] else ""]))


def _percent(count: int, total: int) -> str:
    return f"{numbers.percent(count / total)} %" if total else numbers.DASH


def _end_values(interval: Interval) -> list[float]:
    return [interval.low, interval.high]


def _cause(count: CauseCount, samples: Mapping[str, Diagnosed]) -> dict[str, Any]:
    cause = CAUSES[count.cause]
    return {
        **msgspec.to_builtins(count),
        "title": cause.title,
        "means": cause.means,
        "part": cause.part,
        "interval": _end_values(count.interval),
        "samples": [
            {"id": i, "row": samples[i].row, "main": cause.name in samples[i].causes[:1]}
            for i in count.samples
        ],
    }


def _advice(advice: Advice, causes: Sequence[Json]) -> dict[str, Any]:
    remedy = _REMEDIES[advice.remedy]
    return {
        **msgspec.to_builtins(advice),
        "advice": remedy.advice,
        "causes": [count["title"] for count in causes if count["cause"] in remedy.causes],
        "interval": _end_values(advice.interval),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {**msgspec.to_builtins(finding), "title": CAUSES[finding.cause].title}


def _sample(sample: Diagnosed) -> dict[str, Any]:
    names = ("id", "row", "question", "state", "remark", "support", "declines")
    return {
        **{name: getattr(sample, name) for name in names},
        "main": _finding(sample.main) if sample.main else None,
        "contributing": [_finding(finding) for finding in sample.contributing],
    }


def _pattern(result: PatternFound) -> dict[str, Any]:
    pattern = _PATTERNS[result.pattern]
    return {
        **msgspec.to_builtins(result),
        "title": pattern.title,
        "means": pattern.means,
        "advice": pattern.advice,
        "conditions": [
            {
                **msgspec.to_builtins(mean),
                "interval": _end_values(mean.interval) if mean.interval else None,
            }
            for mean in result.means
        ],
    }


def _counterfactual_data(rescored: Counterfactual | None) -> dict[str, Any] | None:
    if rescored is None:
        return None
    return {
        **msgspec.to_builtins(rescored),
        "changes": [
            {**msgspec.to_builtins(change), "title": CAUSES[change.cause].title}
            for change in rescored.changes
        ],
        "means": [
            {"metric": metric, "retrieved": old, "right": new, "n": n}
            for metric, old, new, n in rescored.means
        ],
    }
