"""What a reader must know before believing the numbers of a run."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from assay._report import cascade, numbers
from assay._runner.plan import NEVER_MEASURED
from assay._runner.summary import moved, unbounded_tail
from assay._text.text_kinds import DESCRIBED
from assay.judges.embedded.card import Quality
from assay.stats.intervals import proportion_interval

# Fewer independent samples than this are said to be few.
FEW = 5
_INFORMED = 0.5  # share of the bad ones flagged, less that of the good ones: below it is little
_SOME = 0.1  # of the samples: fewer of another kind hardly change how often the judge is wrong
# A reason may quote a whole reply; `assay show` has all of it.
MOST_OF_A_REASON = 300


@dataclass(frozen=True, slots=True)
class Note:
    """One honest remark, to be read before the table."""

    # "warn" if it could change what a number means, "info" otherwise.
    level: Literal["warn", "info"]
    text: str  # the remark


def notes(data: Mapping[str, Any]) -> list[Note]:
    """Everything that a reader must know, the gravest first."""
    groups = (
        *(_run_notes, _unanswered, _failures, _mostly_undefined),
        *(_other_texts, _no_better_than_words),
        *(_few_notes, _language, _thoughts, _group_notes, _coverage),
    )
    return [note for notes_of in groups for note in notes_of(data)]


def baseline(data: Mapping[str, Any]) -> str:
    """What a cosine between unrelated texts is here: the zero that a cosine does not have."""
    baseline = data["baseline"]
    if baseline is None:
        return (
            "random-pair baseline not measured: a cosine is no absolute scale, unrelated texts "
            "may reach far above 0"
        )
    pairs = f"{numbers.plural(baseline['pairs'], 'random pair')} of this run's texts"
    return (
        f"unrelated texts score {numbers.score(baseline['mean'])} on average, "
        f"95 % of them below {numbers.score(baseline['p95'])} ({pairs}, {baseline['embedder']})"
    )


def zero(data: Mapping[str, Any]) -> str:
    """The same in short, to stand beside every score that is a cosine."""
    baseline = data["baseline"]
    if baseline is None:
        return "unknown: random-pair baseline not measured"
    mean, highest = numbers.score(baseline["mean"]), numbers.score(baseline["p95"])
    return f"unrelated texts score {mean}, 95 % of them below {highest}"


def letters(metric: Mapping[str, Any]) -> str:
    """What the letters of its definition stand for; "" if it was computed otherwise."""
    explained = "(" in metric["label"] or metric["methods"]
    return "" if explained else str(metric.get("letters", ""))


def unit(metric: Mapping[str, Any]) -> str:
    """What its values are counted in; "" for shares and other bare numbers."""
    return str(metric.get("unit", ""))


def percentiles(metric: Mapping[str, Any]) -> str:
    """The slow or dear end of a metric without an upper end; "" for all others."""
    percentiles = metric["percentiles"]
    if percentiles is None:
        return ""
    # Costs are small: three digits that count, wherever they begin.
    values = (numbers.score(value) if value >= 1 else f"{value:.3g}" for value in percentiles)
    half, p95, nearly_all = (f"{value} {unit(metric)}".rstrip() for value in values)
    text = f"half of the samples up to {half}, 95 % up to {p95}, 99 % up to {nearly_all}"
    return f"{text}{unbounded_tail(metric['n_scored'])}"


def by_remark(
    data: Mapping[str, Any], remark: Callable[[Mapping[str, Any]], str]
) -> dict[str, list[str]]:
    """What is said of metrics, each remark once with the labels of those of which it is true."""
    metrics: dict[str, list[str]] = {}
    for metric in data["metrics"]:
        if text := remark(metric):
            metrics.setdefault(text, []).append(metric["label"])
    return metrics


def methods(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """How metrics were computed where that differs from their definition, with their labels."""
    labels: dict[str, list[str]] = {}
    for metric in data["metrics"]:
        for method in metric["methods"]:
            labels.setdefault(method, []).append(metric["label"])
    return labels


def beside(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What stands beside the table: (whose it is, how far it can be trusted, how it was made)."""
    lines = judge_lines(data)
    lines += [(", ".join(labels), f"computed as {how}") for how, labels in methods(data).items()]
    tails = ((metric["label"], percentiles(metric)) for metric in data["metrics"])
    lines += [(label, tail) for label, tail in tails if tail]
    for text, labels in by_remark(data, letters).items():
        lines.append((", ".join(labels), f"with {text} in the definition"))
    lines += [(", ".join(labels), text) for text, labels in by_remark(data, noise).items()]
    lines += cascade.lines(data.get("cascade"))
    cosines = ", ".join(metric["label"] for metric in data["metrics"] if metric["cosine"])
    return [*lines, (cosines, baseline(data))] if cosines else lines


def judge_lines(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How often the judge is wrong: one line, whatever the number of metrics."""
    is_scored = any(metric["n_scored"] for metric in data["metrics"])
    lines = [("judge", text) for text in data["unmeasured"] if is_scored]
    if any(quality(metric) for metric in data["metrics"]):
        rates = (
            "the judge's true-positive and false-positive rate in %, on human-labelled data "
            "(`assay show --about`)"
        )
        lines.insert(0, ("finds, errs", rates))
    return lines


def unmeasured(judges: Sequence[str], metrics: Sequence[Mapping[str, Any]]) -> list[str]:
    """Of which judges, and in which metrics of the embedded one, no error rate is known."""
    by_labels = "has not been measured; `assay agree` measures it on your labels"
    card = "`assay bench --out card.json` with `--judge-card card.json` on public ones"
    lines = [f"{'; '.join(judges)}: how often it is wrong {by_labels}, {card}"] if judges else []
    unknown = [m for m in metrics if m["n_scored"] and not any(m["quality_on"].values())]
    labels = ", ".join(m["label"] for m in unknown if _asks_embedded_alone(m["asks"]))
    if labels and not any(name.startswith("embedded") for name in judges):
        lines.append(f"how often the embedded one is wrong in {labels} {by_labels}")
    return lines


def _asks_embedded_alone(names: Sequence[str]) -> bool:
    """Whether nobody else judges; its encoder's name is the end of its own."""
    own = next((name for name in names if name.startswith("embedded:")), "")
    return bool(own) and all(own.endswith(name) for name in names)


def quality(metric: Mapping[str, Any]) -> tuple[str, str] | None:
    """True-positive and false-positive rate in per cent; None where they are not measured."""
    quality = metric.get("quality")
    if not quality:
        return None
    return f"{100 * quality['found']['value']:.0f}", f"{100 * quality['wrong']['value']:.0f}"


def trust(metric: Mapping[str, Any]) -> str:
    """How often a metric's scores by its judge are wrong, in a sentence; "" if nobody knows."""
    quality = metric.get("quality")
    return msgspec.convert(quality, Quality).sentence if quality else ""


def noise(metric: Mapping[str, Any]) -> str:
    """How far a metric moves when its judge is asked again; "" if that was never measured."""
    noise = metric.get("noise")
    if not noise:
        return ""
    times = numbers.plural(noise["draws"], "time")
    repeats = f"asked again {times} about {numbers.plural(noise['samples'], 'sample')}"
    if noise["same"]:
        return f"{repeats}, {always_same(noise['samples'])}"
    phrases = []
    for kind, flips in noise["flips"].items():
        ends = [f"{100 * end:.1f}" for end in flips["interval"] or ()]
        between = f" ({' to '.join(ends)} %)" if ends else ""
        phrases.append(f"{100 * flips['rate']:.1f} %{between} of verdicts on {kind}s flip")
    if noise["sd"] is not None and metric["n_scored"]:
        phrases += _moves(noise, metric["n_scored"])
    if noise["unsettled"]:
        phrases.append(f"{numbers.plural(noise['unsettled'], 'sample')} were scored only at times")
    return f"{repeats}: {', '.join(phrases)}" if phrases else repeats


def always_same(n_samples: int) -> str:
    """That no reply differed; of few samples none may have by chance."""
    return f"the judge always said the same (of at most {_most(n_samples)} of samples it does not)"


def unmoved(n_samples: int) -> str:
    """That no score moved; of few samples none may have by chance."""
    return f"no score moved (those of at most {_most(n_samples)} of samples do)"


def _most(n_samples: int) -> str:
    """The share that may be otherwise where none of these samples is."""
    return f"{100 * proportion_interval(0, n_samples).high:.2g} %"


def _moves(noise: Mapping[str, Any], n_scored: int) -> list[str]:
    sd = noise["sd"]
    if not sd:
        return [unmoved(noise["samples"])]
    mean = moved(sd, n_scored, noise.get("freedom"))
    score = f"a sample's score moves by {numbers.score(sd)} (s.d.)"
    return [score, f"this mean by \N{PLUS-MINUS SIGN}{numbers.score(mean)}"]


def asked(whom: str, calls: int, reused: int, local: int = 0) -> str:
    """How often somebody was asked, and what came from the store instead."""
    on_machine = f" ({numbers.count(local)} on this machine)" if 0 < local < calls else ""
    return f"{whom}: asked {numbers.count(calls)}{on_machine}, reused {numbers.count(reused)}"


def cost(data: Mapping[str, Any]) -> str:
    """What the evaluation took: calls, tokens, money, time."""
    spent = data["cost"]
    judge, calls = data["run"]["judge_in_words"], spent["calls"]
    by_judge = asked(f"judge {judge}", calls, spent["reused"], spent["local"])
    phrases = [by_judge if judge else "no judge asked"]
    if spent["tokens_in"] or spent["tokens_out"]:
        cached = spent["cached_in"]
        of_them = f" ({numbers.count(cached)} of them cached)" if cached else ""
        phrases.append(f"{numbers.count(spent['tokens_in'])} tokens in{of_them}")
        phrases.append(f"{numbers.count(spent['tokens_out'])} tokens out")
    if spent["money"] is not None:
        phrases.append(f"cost {numbers.money(spent['money'])}")
    # Of a run that was killed nobody wrote down how long it took.
    return ", ".join(phrases + [numbers.seconds(spent["seconds"])] * bool(spent["seconds"]))


def _run_notes(data: Mapping[str, Any]) -> list[Note]:
    run = data["run"]
    lines = []
    if run["stopped"]:
        lines.append(Note("warn", f"Stopped early: {run['stopped']}. What follows is partial."))
    elif not run["finished"]:
        lines.append(Note("warn", "This run is not finished. What follows is partial."))
    if run["skipped"]:
        rows = numbers.plural(run["skipped"], "row")
        text = f"Left out of every number: {rows} of the data that could not be used."
        lines.append(Note("warn", text))
    if (data.get("cascade") or {}).get("closed"):
        text = "The cheap judge began to err more than the bound allows, and decided no more"
        lines.append(Note("warn", f"{text} until it was learnt anew."))
    lines += [Note("warn", f"{text}.") for text in run.get("notes", ())]
    # The model behind the judge's name is not the one that it was.
    return lines + [Note("warn", text) for text in data.get("drift", ())]


def _unanswered(data: Mapping[str, Any]) -> list[Note]:
    """What the system did not answer is no fault of the judge, and in no mean."""
    n = max((metric.get("n_unanswered", 0) for metric in data["metrics"]), default=0)
    if not n:
        return []
    share = f"{numbers.count(n)} of {numbers.plural(data['run']['n_samples'], 'question')}"
    text = f"The RAG system gave no answer to {share}. The means leave them out, the bounds do not."
    return [Note("warn", text)]


def _failures(data: Mapping[str, Any]) -> list[Note]:
    """A failed sample is missing from the mean: say how far it could have moved it."""
    total = numbers.plural(data["run"]["n_samples"], "sample")
    by_remark: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for metric in data["metrics"]:
        if metric["n_failed"]:
            reason = " ".join(str(metric.get("why_failed", "")).split())
            by_remark.setdefault((_missing(metric), _kind_of_mean(metric), reason), []).append(
                metric
            )
    lines = []
    for (missing, _, reason), metrics in by_remark.items():
        names, suffix = ", ".join(m["label"] for m in metrics), " each" if len(metrics) > 1 else ""
        text = f"{names}: {missing} of {total}{suffix}.{_moved_means(metrics)}"
        if reason:
            text += f" Most often: {reason[:MOST_OF_A_REASON].rstrip('.')}."
        lines.append(Note("warn", text))
    return lines


def _missing(metric: Mapping[str, Any]) -> str:
    late = metric.get("n_not_reached", 0)
    phrases = [f"the run did not reach {numbers.count(late)}"] if late else []
    if by_judge := failed(metric):
        phrases.append(f"scoring failed on {numbers.count(by_judge)}")
    return " and ".join(phrases)


def _kind_of_mean(metric: Mapping[str, Any]) -> str:
    """What can be said of a mean that lacks samples; "" if nothing can."""
    if metric["bounds"] is None:
        return ""
    if not metric["n_scored"]:
        return "none"
    # The bounds are of all that is missing, whoever is to blame.
    return "of all that is missing" if metric.get("n_unanswered") else "of what failed"


def _moved_means(metrics: Sequence[Mapping[str, Any]]) -> str:
    """Where means of one kind would lie if what is missing had scored lowest or highest."""
    kind = _kind_of_mean(metrics[0])
    if kind in ("", "none"):
        return kind and (" There is no mean." if len(metrics) == 1 else " They have no means.")
    too = ", and those without an answer," if kind == "of all that is missing" else ""
    ends = ", ".join(numbers.span(metric["bounds"], " or ") for metric in metrics)
    if len(metrics) == 1:
        leaves, lies, knows = "The mean leaves", "it would lie", "The interval knows"
    else:
        leaves, lies, knows = "The means leave", "they would lie", "The intervals know"
    return (
        f" {leaves} them out; had they{too} all scored lowest or all highest, {lies} at {ends}."
        f" {knows} nothing of them."
    )


def failed(metric: Mapping[str, Any]) -> int:
    """The samples on which scoring failed, without those that the run did not reach."""
    return int(metric["n_failed"] - metric.get("n_not_reached", 0))


def _mostly_undefined(data: Mapping[str, Any]) -> list[Note]:
    """A metric that is undefined on many samples covers the rest only."""
    total = data["run"]["n_samples"]

    of_them: dict[tuple[int, bool], list[str]] = {}
    for metric in data["metrics"]:
        if metric["n_undefined"] > total / 5 and not _is_told(metric, data["run"]):
            key = (metric["n_undefined"], metric["n_scored"] > 0)
            of_them.setdefault(key, []).append(metric["label"])
    lines = []
    for (n, any_scored), labels in of_them.items():
        share = f"{numbers.count(n)} of {numbers.plural(total, 'sample')}"
        if len(labels) == 1:
            remark = "its mean covers the rest" if any_scored else "it says nothing here"
            text = f"{labels[0]} is undefined on {share}: {remark}."
        else:
            remark = "their means speak about the rest" if any_scored else "they say nothing here"
            text = f"{', '.join(labels)} are undefined on {share} each: {remark}."
        lines.append(Note("warn", text))
    return lines


def _is_told(metric: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Whether a remark on the data says of all the samples that a metric is undefined on them."""
    of_all = f"{metric['n_undefined']:,} of {run['n_samples']:,} rows"
    name = re.compile(rf"(?<![\w:]){re.escape(metric['label'])}(?![\w:])")
    return any(text.startswith(of_all) and name.search(text) for text in run.get("notes", ()))


def _other_texts(data: Mapping[str, Any]) -> list[Note]:
    """How often the judge is wrong is measured on texts of the kind that most samples have."""
    texts, lines = data["run"].get("texts", {}), []
    total = sum(texts.values())
    for kind, n in texts.items():
        labels_by_rates: dict[tuple[str, str], list[str]] = {}
        for metric in data["metrics"]:
            quality = metric["quality_on"][kind]
            if quality and quality != metric["quality"] and n >= total * _SOME:
                rates = quality["found"]["value"], quality["wrong"]["value"]
                flagged, wrong = (f"{100 * rate:.0f}" for rate in rates)
                labels_by_rates.setdefault((flagged, wrong), []).append(metric["label"])
        for (flagged, wrong), labels in labels_by_rates.items():
            subject = f"{numbers.count(n)} of {numbers.plural(total, 'sample')} {DESCRIBED[kind]}"
            rates_in_words = (
                f"there the judge flags {flagged} % of bad ones and {wrong} % of good ones"
            )
            lines.append(Note("warn", f"{subject}: {rates_in_words} ({', '.join(labels)})."))
    return lines


def _no_better_than_words(data: Mapping[str, Any]) -> list[Note]:
    """Where a count of words finds as many of the bad ones, its verdicts tell nothing more."""
    level: dict[str, list[str]] = {}
    for metric in data["metrics"]:
        quality_data = metric.get("quality")
        if metric["n_scored"] and quality_data and _tells_little(quality_data):
            level.setdefault(quality_data["data"], []).append(metric["label"])
    if not level:
        return []
    figures = "; ".join(f"{', '.join(labels)} ({on})" for on, labels in level.items())
    text = f"On human labels this judge is no better than word overlap: {figures}."
    remedy = "Use an LLM as judge, or check this one against your own labels first (`assay agree`)."
    return [Note("warn", f"{text} {remedy}")]


def _tells_little(known: Mapping[str, Any]) -> bool:
    """Whether flags of the judge tell bad from good badly, and no better than words do."""
    sensitivity, floor = known["found"], known["floor"]
    informedness = sensitivity["value"] - known["wrong"]["value"]
    level = floor is not None and sensitivity["low"] is not None and sensitivity["low"] <= floor
    return bool(level and informedness < _INFORMED)


def _few_notes(data: Mapping[str, Any]) -> list[Note]:
    """An interval of a handful is right on average and tells hardly anything."""
    small = [m for m in data["metrics"] if m["n_scored"] and _independent(m) < FEW]
    if not small:
        return []
    names = ", ".join(metric["label"] for metric in small)
    units = "groups" if any(metric["n_groups"] for metric in small) else "samples"
    units = units.removesuffix("s") if _range(small) == "1" else units
    text = f"{names}: {_range(small)} independent {units} scored"
    return [Note("warn", f"{text}. Too few to generalise from.")]


def _independent(metric: Mapping[str, Any]) -> int:
    return int(metric["n_scored"] if metric["n_groups"] is None else metric["n_groups"])


def _range(metrics: list[Mapping[str, Any]]) -> str:
    fewest, highest = (choose(map(_independent, metrics)) for choose in (min, max))
    return f"{fewest:,}" if fewest == highest else f"{fewest:,} to {highest:,}"


def _group_notes(data: Mapping[str, Any]) -> list[Note]:
    """Samples of one document say less together than samples of several."""
    grouped = [m for m in data["metrics"] if m["n_groups"] not in (None, m["n_scored"])]
    if not grouped:
        return []
    groups = f"{n} group" if (n := _range(grouped)) == "1" else f"{n} groups"
    text = f"The samples form {groups}; the intervals treat groups, not samples, as independent."
    return [Note("info", text)]


def _language(data: Mapping[str, Any]) -> list[Note]:
    """The embedded judge speaks English only, and scores other languages all the same."""
    n, looked_at = data["foreign"]["samples"], data["foreign"]["looked_at"]
    judges = {judge for metric in data["metrics"] for judge in metric["asks"]}
    # For vectors its encoder alone is named, whose name is the end of its own.
    built_in = (
        judge.startswith("embedded:") or f"+{judge}" in data["run"]["judge"] for judge in judges
    )
    is_known = any(NEVER_MEASURED in note for note in data["run"].get("notes", ()))
    if is_known or not any(built_in) or n <= looked_at / 5:
        return []
    share = f"{numbers.count(n)} of {numbers.plural(looked_at, 'sample')} looked at"
    text = f"{share} seem not to be in English, which the embedded judge was made for. Its scores"
    return [Note("warn", f"{text} of other languages were never measured: do not rely on them.")]


def _thoughts(data: Mapping[str, Any]) -> list[Note]:
    """What a model thought to itself is judged, if it was recorded as its answer."""
    if not data["thoughts"]:
        return []
    looked_at = numbers.plural(data["foreign"]["looked_at"], "answer")
    text = f"{numbers.count(data['thoughts'])} of {looked_at} looked at begin with <think>. What a"
    remedy = "model thinks is judged as part of its answer: cut it off if users do not see it."
    return [Note("warn", f"{text} {remedy}")]


def _coverage(data: Mapping[str, Any]) -> list[Note]:
    n_shown, total = data["n_shown"], data["run"]["n_samples"]
    if n_shown >= total or not n_shown:  # a summary shows no evidence
        return []
    samples = f"{numbers.count(n_shown)} of {numbers.plural(total, 'sample')}"
    return [Note("info", f"Evidence covers {samples}; every other number covers all of them.")]
