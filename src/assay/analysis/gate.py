"""May this run pass: do its scores hold what is demanded, and are they no worse than before?"""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.analysis import regression
from assay.analysis.checks import Check, Verdict, at_least, more, moved, shown, side
from assay.analysis.rules import MAX_UNSCORED, Rules, named, of, resolved
from assay.errors import InputError
from assay.metrics.names import check_threshold
from assay.runner.result import Result, labels
from assay.runner.summary import MetricSummary


@dataclass(frozen=True, slots=True)
class Gate:
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
        found = {check.verdict for check in self.checks}
        return "fail" if "fail" in found else "undecided" if "undecided" in found else "pass"

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
    pairs. A metric that the run does not have
    fails; so does one without a score on too many samples, where a rule is about it or a share of
    unscored samples names it.

    Args:
        result: The run.
        rules: What is demanded.
        baseline: The run that it may not be worse than, by any metric that this one has.

    Raises:
        InputError: If no rule was given, a threshold lies outside its metric's range or its name
            does not say which way it counts, a margin or a share of unscored samples is about a
            metric that no run has, or the runs cannot be compared.
    """
    thresholds = [(name, ">=", value) for name, value in rules.min.items()]
    thresholds += [(name, "<=", value) for name, value in rules.max.items()]
    runs = [result.run] + ([baseline.run] if baseline else [])
    rules = resolved(rules, runs)
    if not thresholds and baseline is None and not named(rules.max_unscored):
        remedy = "--min faithfulness=0.8, --max noise_sensitivity=0.2 or --no-regression RUN"
        raise InputError("no rule was given", remedy)
    run, rows = result.run, {row.metric: row for row in result.summary()}
    checks: list[Check] = []
    for name, sign, value in thresholds:
        if name not in result.run.metrics:  # a label that the run has says which way it counts
            check_threshold(name)
        rule = f"{sign} {value:g}"
        found = _labels(result, name)
        checks += [_threshold(result, rows[label], sign, value, rules) for label in found]
        checks += [] if found else [_missing(name, rule, rows)]
    warnings: tuple[str, ...] = ()
    if baseline is not None:
        against, warnings = regression.checks(result, baseline, rules)
        checks += against
    held = dict.fromkeys([*(check.metric for check in checks), *named(rules.max_unscored)])
    checks += [_scored(rows[label], rules) for label in held if label in rows]
    places = {label: place for place, label in enumerate(rows)}
    checks.sort(key=lambda check: places.get(check.metric, -1))
    before = baseline.run if baseline else None
    return Gate(
        run=run.id,
        source=run.source,
        judge=str(run.config["judge"]),
        baseline=before.id if before else "",
        checks=tuple(checks),
        warnings=warnings,
        lenient=rules.undecided == "pass",
        title=run.title,
        baseline_title=before.title if before else "",
    )


def _labels(result: Result, name: str) -> list[str]:
    try:
        return labels(result.run, name)
    except InputError:
        return []


def _missing(name: str, rule: str, rows: Iterable[str]) -> Check:
    return Check(name, rule, "fail", f"the run has no {name}: it has {', '.join(rows)}")


def _threshold(result: Result, row: MetricSummary, sign: str, limit: float, rules: Rules) -> Check:
    low, high = result.run.config["about"][row.metric]["range"]
    if (low is not None and limit < low) or (high is not None and limit > high):
        span = _span(low, high)
        raise InputError(f"{row.metric} {sign} {limit:g}: its values are {span}")
    rule, n = f"{sign} {limit:g}", row.n_scored
    if row.mean is None:
        return Check(row.metric, rule, "fail", "no sample has a score")
    ends = row.interval if rules.on == "bound" else (row.mean, row.mean)

    def holds(value: float) -> bool:
        return at_least(value, limit) if sign == ">=" else at_least(limit, value)

    verdict = side(ends, holds)
    number = shown(row.mean, ends if rules.on == "bound" else None)
    why = f"the mean is {number}"
    if verdict == "undecided":
        both = "" if ends is None else "its interval lies on both sides of the limit, "
        why += f": {both}{more(ends, row.mean, limit, n)}"
    why += moved(row.noise.of_mean(n) if row.noise else None)
    return Check(row.metric, rule, verdict, why, row.mean, ends, n)


def _span(low: float | None, high: float | None) -> str:
    if low is None:
        return f"{high:g} or less"
    return f"{low:g} or more" if high is None else f"{low:g} to {high:g}"


def _scored(row: MetricSummary, rules: Rules) -> Check:
    limit = of(rules.max_unscored, row.metric, MAX_UNSCORED)
    total = row.n_scored + row.n_undefined + row.n_failed + row.n_unanswered
    share = (total - row.n_scored) / total if total else 1.0
    why = f"{row.n_undefined:,} undefined and {row.n_failed:,} failed of {total:,}"
    if row.n_unanswered:
        why = f"{row.n_unanswered:,} unanswered, {why}"
    verdict: Verdict = "pass" if share <= limit else "fail"
    return Check(
        row.metric, f"at most {100 * limit:.3g}% unscored", verdict, why, share, None, total
    )
