"""Is a run worse than the one before it, by more than a margin?"""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.analysis import drift
from assay.analysis.checks import Check, more, shown, side
from assay.analysis.rules import MARGIN, MAX_UNSCORED, Rules, of
from assay.run.result import Result
from assay.sample import Sample
from assay.store import Run, Store

# So many of the samples that became worse most are named.
NAMED = 3


@dataclass(frozen=True, slots=True)
class _Scores:
    """What one run says of its samples.

    Attributes:
        run: The run.
        samples: Its samples by id.
        values: Score by sample id, by metric.
    """

    run: Run
    samples: Mapping[str, Sample]
    values: Mapping[str, Mapping[str, float]]


def checks(
    result: Result, baseline: Result, rules: Rules
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """(a check for every metric of the baseline, what makes the comparison doubtful)."""
    with Store(result.path) as now, Store(baseline.path) as then:
        after, before = _scores(now, result.run), _scores(then, baseline.run)
        drifts = drift.between(then, before.run.id, now, after.run.id)
    warnings = [str(found) for found in drifts if found.changed]
    warnings += _warnings(before, after)
    found = [_check(label, before, after, rules) for label in before.run.metrics]
    return tuple(found), tuple(warnings)


def _scores(store: Store, run: Run) -> _Scores:
    ids, samples = {}, {}
    for row, sample in store.samples(run.id):
        ids[row], samples[sample.id] = sample.id, sample
    values = {
        label: {ids[row]: v for row, v, _ in store.values(run.id, label) if v is not None}
        for label in run.metrics
    }
    return _Scores(run, samples, values)


def _warnings(before: _Scores, after: _Scores) -> list[str]:
    found = []
    now = after.run.metrics
    other = [m for m, signature in before.run.metrics.items() if now.get(m, signature) != signature]
    if other:
        found.append(
            f"{', '.join(other)}: the judge, its prompts or the version of assay is not that of "
            "the baseline; a difference may be theirs."
        )
    both = [name for name in before.samples if name in after.samples]
    asked = [n for n in both if _asked(before.samples[n]) != _asked(after.samples[n])]
    if asked:
        found.append(
            f"{len(asked)} of {len(both)} samples have another question or reference than in the "
            f"baseline: {', '.join(asked[:NAMED])}."
        )
    return found


def _asked(sample: Sample) -> tuple[object, ...]:
    return sample.question, sample.reference, sample.accepted


def _check(label: str, before: _Scores, after: _Scores, rules: Rules) -> Check:
    margin = of(rules.margin, label, MARGIN)
    rule = f"not worse by more than {margin:.3g} than run {before.run.id[:8]}"
    if label not in after.run.metrics:
        return Check(label, rule, "fail", "the baseline has it, and this run does not")
    old, new = before.values[label], after.values[label]
    pairs = [name for name in old if name in new]
    left_out = 1 - len(pairs) / len(old) if old else 1.0
    if not pairs or left_out > of(rules.max_unscored, label, MAX_UNSCORED):
        why = f"{len(pairs):,} of the {len(old):,} samples scored in the baseline have a score"
        return Check(label, rule, "fail", why, None, None, len(pairs))
    return _decided(label, rule, margin, (before, after), pairs, rules)


def _decided(
    label: str,
    rule: str,
    margin: float,
    scores: tuple[_Scores, _Scores],
    pairs: list[str],
    rules: Rules,
) -> Check:
    from assay.stats.paired import paired

    before, after = scores
    about = after.run.config["about"][label]
    up = 1 if about["higher_is_better"] else -1
    low, high = about["range"]
    span = high - low if low is not None and high is not None else None
    old, new = ([s.values[label][name] for name in pairs] for s in scores)
    groups = [after.samples[name].group or name for name in pairs]
    found = paired(old, new, groups=groups if len(set(groups)) < len(pairs) else None, span=span)
    limit = -margin * (span if span is not None else abs(found.before))
    ends = (found.interval.low, found.interval.high) if found.interval else None
    gain = up * found.difference
    if found.same == len(pairs):
        why = f"every score is the same on {len(pairs):,} samples"
        return Check(label, rule, "pass", why, 0.0, ends, len(pairs))
    gains = ends and (min(up * end for end in ends), max(up * end for end in ends))
    verdict = side(gains if rules.on == "bound" else (gain, gain), lambda value: value >= limit)
    why = f"{found.before:.3f} before, {found.after:.3f} now: a difference of "
    why += shown(found.difference, ends if rules.on == "bound" else None)
    if verdict == "undecided":
        why += f"; {more(gains or None, gain, limit, len(pairs))}"
    if verdict != "pass":
        lost = sorted(pairs, key=lambda n: up * (after.values[label][n] - before.values[label][n]))
        why += f"; worst: {', '.join(lost[:NAMED])}"
    return Check(label, rule, verdict, why, found.difference, ends, len(pairs))
