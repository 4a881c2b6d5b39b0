"""The gate: rules that a run has to hold, and the checks that say whether it does."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from assay._analysis.cases import (
    broken_cases,
    cases_by_metric,
    check_limit,
    first_named,
    guide_value,
    wrong_way,
)
from assay._analysis.comparability import FORCING, judge_of
from assay._analysis.comparison import MetricComparison, Terms, compare_by
from assay._runner.config_files import section
from assay._runner.result import Result, check_results, known_labels
from assay._runner.summary import MetricSummary
from assay._store import Run
from assay._text.misspelt import did_you_mean
from assay._text.results import beside, between, rounded, signed
from assay.errors import InputError, Problem
from assay.metrics.registry import METRICS, check_threshold, is_built_in
from assay.score import Readable

MARGIN = 0.05
MAX_UNSCORED = 0.1
KEYS = ("min", "max", "margin", "max-unscored", "on", "undecided", "cases", "no-regression")
T = TypeVar("T", bound=str)
Verdict: TypeAlias = Literal["pass", "fail", "undecided"]
Ends: TypeAlias = tuple[float, float] | None
MOST_ADVISED = 100_000  # more samples are no advice
NAMED = 3  # of the samples that became worse most
_NAMES = ("the baseline", "this run")  # a gate shows no letters that could stand for them
FEWEST = 5  # fewer independent pairs that happen to lie close together would be taken for proof


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What is demanded of a run. Metrics are named as `assay run -m` names them.

    Attributes:
        min: Least mean by metric.
        max: Greatest mean by metric.
        margin: How much worse than the baseline a mean may be, as a share of the metric's range
            (of the baseline's mean where the range has no end); one for all, or by metric.
        max_unscored: Greatest share of samples without a score, failed or undefined, in [0, 1];
            one for all, or by metric.
        on: "bound": the whole confidence interval must lie on the right side; "mean": the mean.
        undecided: Whether a rule fails or passes that the interval lies on both sides of.
        cases: A regression set ("" for none): each of its samples must reach the limit of the
            metric that it failed by, or its guide value.

    Raises:
        InputError: If a number or a word is none of these.
    """

    min: Mapping[str, float] = field(default_factory=dict)
    max: Mapping[str, float] = field(default_factory=dict)
    margin: float | Mapping[str, float] = MARGIN
    max_unscored: float | Mapping[str, float] = MAX_UNSCORED
    on: Literal["bound", "mean"] = "bound"
    undecided: Literal["fail", "pass"] = "fail"
    cases: str = ""

    def __post_init__(self) -> None:
        for name in ("min", "max", "margin", "max_unscored"):
            limits = getattr(self, name)
            by_metric = limits if isinstance(limits, Mapping) else {"": limits}
            for metric, value in by_metric.items():
                _check_number(name, metric, value)
        _check_choice("on", self.on, ("bound", "mean"))
        _check_choice("undecided", self.undecided, ("fail", "pass"))


@dataclass(frozen=True, slots=True)
class Check:
    """One rule, held against one metric.

    Attributes:
        metric: Label of the metric.
        rule: The rule in words.
        verdict: "pass", "fail", or "undecided" where the interval lies on both sides.
        why: What was found, in a sentence.
        value: The mean, the difference or the share that was found; None if there is none.
        interval: Its 95 % interval, where it was decided on one.
        n: Samples it rests on.
    """

    metric: str
    rule: str
    verdict: Verdict
    why: str
    value: float | None = None
    interval: Ends = None
    n: int = 0


@dataclass(frozen=True, slots=True)
class Gate(Readable):
    """What came of all rules.

    Attributes:
        run: Id of the run.
        source: Its data.
        judge: Who judged it.
        baseline: Id of the run it was compared with, "" without one.
        checks: Every rule, in the order of the metrics.
        warnings: What makes the comparison doubtful.
        lenient: Whether undecided rules pass.
        title: What the run is called: its name, or its data and when it began.
        baseline_title: The same of the baseline, "" without one.
    """

    run: str
    source: str
    judge: str
    baseline: str
    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()
    lenient: bool = False
    title: str = ""
    baseline_title: str = ""

    @property
    def verdict(self) -> Verdict:
        """The worst of all rules."""
        verdicts = {check.verdict for check in self.checks}
        return "fail" if "fail" in verdicts else "undecided" if "undecided" in verdicts else "pass"

    @property
    def passed(self) -> bool:
        """Whether the run may pass."""
        return self.verdict == "pass" or (self.lenient and self.verdict == "undecided")

    def __str__(self) -> str:
        """A line for each rule."""
        return "\n".join(f"{c.verdict}: {c.metric}: {c.rule}: {c.why}" for c in self.checks)


def gate(result: Result, rules: Rules, baseline: Result | None = None) -> Gate:
    """Hold a run against rules. What cannot be known does not pass.

    A threshold passes if the whole 95 % interval of the mean lies on its right side, fails if all
    of it lies on the wrong one, and is undecided otherwise. No-regression is decided likewise on
    the interval of the paired difference to the baseline, and is undecided below five independent
    pairs. A metric that the run does not have fails; so does one without a score on too many
    samples, where a rule is about it or a share of unscored samples names it. So does a metric by
    which one of the cases is broken, however few there are.

    Args:
        result: The run.
        rules: What is demanded.
        baseline: The run that it may not be worse than, by any metric that this one has.

    Raises:
        InputError: If no rule was given, a threshold lies outside its metric's range, its name does
            not say which way it counts or is another's misspelt, a margin or a share of unscored
            samples is about a metric that no run has, the cases cannot be read, or the runs cannot
            be compared.
    """
    check_results(result, *([baseline] if baseline else []))
    if not isinstance(rules, Rules):
        raise InputError(f"rules is {rules!r}", 'such as assay.Rules(min={"faithfulness": 0.8})')
    thresholds = [(name, ">=", value) for name, value in rules.min.items()]
    thresholds += [(name, "<=", value) for name, value in rules.max.items()]
    run, before = result.run, baseline.run if baseline else None
    rules = resolved(rules, [run, *([before] if before else [])])
    if not (thresholds or baseline or rules.cases or named(rules.max_unscored)):
        remedy = "--min faithfulness=0.8, --max noise_sensitivity=0.2, --no-regression or --cases"
        raise InputError("no rule was given", remedy)
    rows = {row.metric: row for row in result.summary()}
    checks: list[Check] = []
    for name, sign, value in thresholds:
        if name not in run.metrics:  # a label that the run has says which way it counts
            check_threshold(name)
        rule = f"{sign} {value:g}"
        matching = known_labels(run, name)
        checks += [_threshold(run, rows[label], sign, value, rules) for label in matching]
        checks += [] if matching else [_missing(name, rule, rows)]
    against, warnings = regression_checks(result, baseline, rules) if baseline else ((), ())
    checks += against
    metrics_held = dict.fromkeys([*(check.metric for check in checks), *named(rules.max_unscored)])
    checks += [_scored_check(rows[label], rules) for label in metrics_held if label in rows]
    checks += _case_checks(result, rules, thresholds) if rules.cases else ()
    row_order = {label: index for index, label in enumerate(rows)}
    checks.sort(key=lambda check: row_order.get(check.metric, -1))
    return Gate(
        run=run.id,
        source=run.source,
        judge=judge_of(run),
        baseline=before.id if before else "",
        checks=tuple(checks),
        warnings=(*wrong_way(run, rules.min, rules.max), *warnings),
        lenient=rules.undecided == "pass",
        title=run.title,
        baseline_title=before.title if before else "",
    )


def _missing(name: str, rule: str, rows: Iterable[str]) -> Check:
    # A name that is no metric's of assay and nearly another's is a slip, not a rule that fails.
    names = [*(label.partition("(")[0] for label in rows), *METRICS]
    hint = did_you_mean(name.partition("(")[0], names, cutoff=0.8)
    if hint and not is_built_in(name):
        raise InputError(f"the run has no metric '{name}'", hint)
    return Check(name, rule, "fail", f"the run has no {name}: it has {', '.join(rows)}")


def _case_checks(
    result: Result, rules: Rules, thresholds: Sequence[tuple[str, str, float]]
) -> Iterator[Check]:
    """A check for each metric that cases failed by."""
    run, set_name = result.run, Path(rules.cases).name
    for metric, cases in cases_by_metric(rules.cases).items():
        rule, n = f"cases of {set_name}", len(cases)
        if metric not in run.metrics:
            yield _missing(metric, rule, run.metrics)
            continue
        named_limits = [(s, v) for name, s, v in thresholds if metric in known_labels(run, name)]
        sign, limit = named_limits[0] if named_limits else guide_value(run, metric)
        broken = broken_cases(result, cases, metric, partial(_reaches_limit, sign, limit), limit)
        note = "; ".join([f"{n - len(broken)} of {n} hold", *first_named(broken, NAMED)])
        verdict: Verdict = "fail" if broken else "pass"
        yield Check(metric, f"{rule} {sign} {limit:g}", verdict, note, 1 - len(broken) / n, None, n)


def _reaches_limit(sign: str, limit: float, value: float) -> bool:
    return at_least(value, limit) if sign == ">=" else at_least(limit, value)


def _threshold(run: Run, row: MetricSummary, sign: str, limit: float, rules: Rules) -> Check:
    check_limit(run, row.metric, sign, limit)
    rule, n = f"{sign} {limit:g}", row.n_scored
    if row.mean is None:
        return Check(row.metric, rule, "fail", "no sample has a score")
    ends = row.interval if rules.on == "bound" else (row.mean, row.mean)
    verdict = side(ends, partial(_reaches_limit, sign, limit))
    number = _with_interval(row.mean, ends if rules.on == "bound" else None, limit)
    note = f"the mean is {number}"
    if verdict == "undecided":
        remark = "" if ends is None else "its interval lies on both sides of the limit, "
        note += f": {remark}{_samples_to_decide(ends, row.mean, limit, n)}"
    note += _noise_in_words(row.noise.of_mean(n) if row.noise else None)
    return Check(row.metric, rule, verdict, note, row.mean, ends, n)


def _scored_check(row: MetricSummary, rules: Rules) -> Check:
    limit = number_for(rules.max_unscored, row.metric, MAX_UNSCORED)
    total = row.n_scored + row.n_undefined + row.n_failed + row.n_unanswered
    share = (total - row.n_scored) / total if total else 1.0
    late, failed = row.n_not_reached, row.n_failed - row.n_not_reached
    rare = ((late, "not reached"), (row.n_unanswered, "unanswered"))
    note = f"{row.n_undefined:,} undefined and {failed:,} failed of {total:,}"
    note = ", ".join([*(f"{n:,} {name}" for n, name in rare if n), note])
    verdict: Verdict = "pass" if share <= limit else "fail"
    rule = f"at most {100 * limit:.3g}% unscored"
    return Check(row.metric, rule, verdict, note, share, None, total)


def read_rules(folder: Path) -> dict[str, Any]:
    """The rules that stand in a folder's ``assay.toml`` or ``pyproject.toml``; {} if none do.

    Returns:
        Fields of `Rules` by name, and "no_regression" where a baseline is named.

    Raises:
        InputError: If the file cannot be read, or a key is unknown.
    """
    table, name = section(folder, "gate")
    if unknown := sorted(set(table) - set(KEYS)):
        fault = f"the rules of '{name}': {', '.join(unknown)}"
        raise InputError(fault, f"there are {', '.join(KEYS)}")
    for key in ("min", "max"):
        if not isinstance(table.get(key, {}), dict):
            remedy = f"such as {key} = {{ faithfulness = 0.8 }}"
            raise InputError(f"the rules of '{name}': {key} is no table of metrics", remedy)
    for key, remedy in (("no-regression", "name a run"), ("cases", "name a file")):
        if not isinstance(table.get(key, ""), str):
            raise InputError(f"the rules of '{name}': {key} is no text", remedy)
    return {key.replace("-", "_"): value for key, value in table.items()}


def number_for(numbers: float | Mapping[str, float], metric: str, default: float) -> float:
    """What holds for a metric: its own number, that of its name without parameters, or the rest's.

    Args:
        numbers: One number for all, or numbers by metric, "" for all others.
        metric: Label of the metric.
        default: For metrics that have none.
    """
    if not isinstance(numbers, Mapping):
        return numbers
    name = metric.partition("(")[0]
    return numbers.get(metric, numbers.get(name, numbers.get("", default)))


def named(numbers: float | Mapping[str, float]) -> list[str]:
    """The metrics that have a number of their own."""
    return [metric for metric in numbers if metric] if isinstance(numbers, Mapping) else []


def resolved(rules: Rules, runs: Sequence[Run]) -> Rules:
    """The rules with every margin and share by the labels of the metrics that it is meant for.

    A metric that a threshold names, too, is let pass: where no run has it, the threshold fails.

    Raises:
        InputError: If one is about a metric that neither a run has nor a threshold names.
    """
    by_key = {"margin": rules.margin, "max-unscored": rules.max_unscored}
    unknown = [
        _unknown(key, metric, runs)
        for key, numbers in by_key.items()
        for metric in named(numbers)
        if not _labels_matching(metric, runs) and metric not in {*rules.min, *rules.max}
    ]
    if unknown:
        raise InputError(unknown)
    margin, unscored = (_by_label(numbers, runs) for numbers in by_key.values())
    return replace(rules, margin=margin, max_unscored=unscored)


def _by_label(
    numbers: float | Mapping[str, float], runs: Sequence[Run]
) -> float | Mapping[str, float]:
    if not isinstance(numbers, Mapping):
        return numbers
    by_label = dict(numbers)
    for metric in named(numbers):  # a label's own number goes before that of its bare name
        labels_meant = [label for label in _labels_matching(metric, runs) if label not in numbers]
        by_label.update(dict.fromkeys(labels_meant, numbers[metric]))
    return by_label


def _labels_matching(metric: str, runs: Iterable[Run]) -> list[str]:
    return list(dict.fromkeys(label for run in runs for label in known_labels(run, metric)))


def _unknown(key: str, metric: str, runs: Sequence[Run]) -> Problem:
    labels = list(dict.fromkeys(label for run in runs for label in run.metrics))
    lacking = "neither the run nor the baseline has" if len(runs) > 1 else "the run does not have"
    fault = f"{key} is given for '{metric}', which {lacking}"
    return Problem(fault, f"{did_you_mean(metric, labels)} there are {', '.join(labels)}".lstrip())


def _check_number(name: str, metric: str, value: object) -> None:
    subject = f"{name} of {metric}" if metric else name
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{subject} is {value!r}", "give a number")
    if name == "max_unscored" and not 0 <= value <= 1:
        raise InputError(f"{subject} is {value!r}", "give a share, 0 to 1")
    if name == "margin" and value < 0:
        raise InputError(f"{subject} is {value!r}", "give 0 or more")


def _check_choice(name: str, value: T, known: tuple[T, ...]) -> None:
    if value not in known:
        raise InputError(f"{name} is {value!r}", f"one of: {', '.join(known)}")


def regression_checks(
    result: Result, baseline: Result, rules: Rules
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """(a check for every metric of the baseline, what makes the comparison doubtful).

    Raises:
        InputError: If the runs cannot be compared.
    """
    try:
        compared = compare_by(Terms(most=NAMED, called=_NAMES.__getitem__), baseline, [result])
    except InputError as error:
        raise error.without(FORCING) from error
    by_metric = {metric.metric: metric for metric in compared.metrics}
    scored = {row.metric: row.n_scored for row in baseline.summary()}
    facts = result.run.config["about"]
    baseline_name = baseline.run.name or f"run {baseline.run.short}"
    checks = []
    for label, n in scored.items():
        margin, metric = number_for(rules.margin, label, MARGIN), by_metric.get(label)
        ends = (baseline.run.config["about"] if metric is None else facts)[label]["range"]
        baseline_mean = abs(metric.paired.before) if metric and metric.paired else None
        allowed_loss = _allowed_loss(margin, ends, baseline_mean)
        worse = _margin_in_words(margin, ends, allowed_loss)
        rule = f"not worse by more than {worse} than {baseline_name}"
        if metric is None:
            note = "the baseline has it, and this run does not"
            checks.append(Check(label, rule, "fail", note))
            continue
        checks.append(_regression(metric, rule, n, -(allowed_loss or 0.0), rules))
    return tuple(checks), compared.warnings


def _allowed_loss(
    margin: float, ends: Sequence[float | None], mean_before: float | None
) -> float | None:
    """The greatest loss that is no regression, in the metric's unit; None if it is not known."""
    low, high = ends
    span = mean_before if low is None or high is None else high - low
    return None if span is None else margin * span


def _margin_in_words(margin: float, ends: Sequence[float | None], span: float | None) -> str:
    """A margin in words: in the unit of the metric, and as a share where the two differ."""
    low, high = ends
    share = f"{margin:.3g}"
    if low is None or high is None:
        of_what = f"{share} of the mean before"
    elif not margin or high - low == 1:
        return share
    else:
        of_what = f"{share} of its range {low:g} to {high:g}"
    return of_what if span is None else f"{span:.3g}, which is {of_what},"


def _regression(
    metric: MetricComparison, rule: str, scored: int, limit: float, rules: Rules
) -> Check:
    label, paired = metric.metric, metric.paired
    n = paired.n if paired else 0
    left_out = (scored - n) / scored if scored else 1.0
    if paired is None or left_out > number_for(rules.max_unscored, label, MAX_UNSCORED):
        note = f"{n:,} of the {scored:,} samples scored in the baseline can be compared"
        return Check(label, rule, "fail", note, None, None, n)
    ends = (paired.interval.low, paired.interval.high) if paired.interval else None
    if paired.same == n:
        return Check(label, rule, "pass", f"every score is the same on {n:,} samples", 0.0, ends, n)
    sign = 1 if metric.higher_is_better else -1
    gain = sign * paired.difference
    gains = (min(sign * e for e in ends), max(sign * e for e in ends)) if ends else None
    too_few = rules.on == "bound" and paired.units < FEWEST
    gains_judged = gains if rules.on == "bound" else (gain, gain)
    verdict = "undecided" if too_few else side(gains_judged, partial(_reaches_limit, ">=", limit))
    interval = paired.interval if rules.on == "bound" else None
    number = signed(paired.difference, limit) + (f" ({between(interval)})" if interval else "")
    note = f"{rounded(paired.before)} before, {rounded(paired.after)} now: a difference of {number}"
    note += _noise_in_words(metric.noise, "the judge's noise alone makes a difference of")
    if too_few:
        note += f"; {_too_few(paired.units)}"
    elif verdict == "undecided":
        note += f"; {_samples_to_decide(gains, gain, limit, n)}"
    if verdict != "pass" and metric.worst:
        note += f"; worst: {', '.join(change.sample for change in metric.worst)}"
    return Check(label, rule, verdict, note, paired.difference, ends, n)


def _too_few(units: int) -> str:
    pairs = f"{units} independent pairs are" if units > 1 else "one independent pair is"
    return f"{pairs} too few to tell, however alike: at least {FEWEST} are needed"


def at_least(value: float, limit: float) -> bool:
    """Whether a number reaches a limit; what differs by rounding only is the same."""
    return value >= limit or math.isclose(value, limit, rel_tol=1e-9, abs_tol=1e-12)


def side(ends: Ends, holds: Callable[[float], bool]) -> Verdict:
    """On which side of a limit an interval lies: all of it, none of it, or both sides."""
    if ends is None:
        return "undecided"
    right = {holds(end) for end in ends}
    return "undecided" if len(right) > 1 else "pass" if right.pop() else "fail"


def _with_interval(value: float, ends: Ends, limit: float) -> str:
    """A number with its interval, told from the limit beside it, in words."""
    text = beside(value, limit)
    return text if ends is None else f"{text} ({' to '.join(beside(end, limit) for end in ends)})"


def _noise_in_words(noise: float | None, effect: str = "asked again, its judge moves it by") -> str:
    """How far the judge alone moves a number, or what else it does; "" if that is not known."""
    return f"; {effect} up to \N{PLUS-MINUS SIGN}{rounded(noise)}" if noise else ""


def _samples_to_decide(ends: Ends, value: float, limit: float, n: int) -> str:
    """How many samples would decide, if the mean stays where it is."""
    gap = abs(value - limit)
    if ends is None and n == 1:
        return "one independent sample has no interval: score at least two"
    if ends is None:  # one document, or a range without end whose scores are all the same
        return "there is no interval: it takes two or more independent samples that differ"
    if not gap:
        return "no number of samples is sure to decide it"
    below, above = value - ends[0], ends[1] - value
    nearer, far = (below, above) if limit < value else (above, below)
    # The arm near the limit decides. Near an end of the range the arms differ: their product and
    # their difference both shrink as 1/n, and so many samples make that arm as short as the gap.
    n_needed = round(n * (nearer * far + gap * (nearer - far)) / gap**2)
    if n_needed > MOST_ADVISED:
        return "it lies too near to be decided by more samples"
    return f"about {max(n_needed, n + 1):,} samples like these would decide it"
