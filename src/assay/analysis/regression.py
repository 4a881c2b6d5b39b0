"""Is a run worse than the one before it, by more than a margin?"""

from collections.abc import Sequence

from assay.analysis.checks import Check, at_least, more, moved, shown, side
from assay.analysis.comparable import FORCING
from assay.analysis.compare import compare
from assay.analysis.comparison import MetricComparison
from assay.analysis.rules import MARGIN, MAX_UNSCORED, Rules, of
from assay.errors import InputError
from assay.run.result import Result
from assay.text.numbers import decimals

# So many of the samples that became worse most are named.
NAMED = 3
# What the baseline and the run are called: a gate shows no letters that could stand for them.
_NAMES = ("the baseline", "this run")
# Fewer independent pairs that happen to lie close together would be taken for proof.
FEWEST = 5


def checks(
    result: Result, baseline: Result, rules: Rules
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """(a check for every metric of the baseline, what makes the comparison doubtful).

    Raises:
        InputError: If the runs cannot be compared.
    """
    try:
        compared = compare(baseline, result, most=NAMED, called=_NAMES.__getitem__)
    except InputError as error:
        raise error.without(FORCING) from error
    by_metric = {one.metric: one for one in compared.metrics}
    scored = {row.metric: row.n_scored for row in baseline.summary()}
    about = result.run.config["about"]
    named = baseline.run.name or f"run {baseline.run.short}"
    found = []
    for label, n in scored.items():
        margin, one = of(rules.margin, label, MARGIN), by_metric.get(label)
        ends = (baseline.run.config["about"] if one is None else about)[label]["range"]
        before = abs(one.paired.before) if one and one.paired else None
        most = _most(margin, ends, before)
        worse = _worse(margin, ends, most)
        rule = f"not worse by more than {worse} than {named}"
        if one is None:
            why = "the baseline has it, and this run does not"
            found.append(Check(label, rule, "fail", why))
            continue
        found.append(_check(one, rule, n, -(most or 0.0), rules))
    return tuple(found), compared.warnings


def _most(margin: float, ends: Sequence[float | None], before: float | None) -> float | None:
    """The greatest loss that is no regression, in the metric's unit; None if it is not known."""
    low, high = ends
    span = before if low is None or high is None else high - low
    return None if span is None else margin * span


def _worse(margin: float, ends: Sequence[float | None], most: float | None) -> str:
    """A margin in words: in the unit of the metric, and as a share where the two differ."""
    low, high = ends
    share = f"{margin:.3g}"
    if low is None or high is None:
        of_what = f"{share} of the mean before"
    elif not margin or high - low == 1:
        return share
    else:
        of_what = f"{share} of its range {low:g} to {high:g}"
    return of_what if most is None else f"{most:.3g}, which is {of_what},"


def _check(one: MetricComparison, rule: str, scored: int, limit: float, rules: Rules) -> Check:
    label, found = one.metric, one.paired
    n = found.n if found else 0
    left_out = (scored - n) / scored if scored else 1.0
    if found is None or left_out > of(rules.max_unscored, label, MAX_UNSCORED):
        why = f"{n:,} of the {scored:,} samples scored in the baseline can be compared"
        return Check(label, rule, "fail", why, None, None, n)
    ends = (found.interval.low, found.interval.high) if found.interval else None
    if found.same == n:
        return Check(label, rule, "pass", f"every score is the same on {n:,} samples", 0.0, ends, n)
    up = 1 if one.higher_is_better else -1
    gain = up * found.difference
    gains = (min(up * e for e in ends), max(up * e for e in ends)) if ends else None
    verdict = side(
        gains if rules.on == "bound" else (gain, gain), lambda value: at_least(value, limit)
    )
    few = rules.on == "bound" and found.units < FEWEST
    verdict = "undecided" if few else verdict
    number = shown(found.difference, ends if rules.on == "bound" else None)
    before, after = decimals(found.before, 3), decimals(found.after, 3)
    why = f"{before} before, {after} now: a difference of {number}"
    why += moved(one.noise, "the judge's noise alone makes a difference of")
    if few:
        why += f"; {_too_few(found.units)}"
    elif verdict == "undecided":
        why += f"; {more(gains, gain, limit, n)}"
    if verdict != "pass" and one.worst:
        why += f"; worst: {', '.join(change.sample for change in one.worst)}"
    return Check(label, rule, verdict, why, found.difference, ends, n)


def _too_few(units: int) -> str:
    pairs = f"{units} independent pairs are" if units > 1 else "one independent pair is"
    return f"{pairs} too few to tell, however alike: at least {FEWEST} are needed"
