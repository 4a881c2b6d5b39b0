"""What a report says of a cascade of judges."""

from collections.abc import Mapping
from typing import Any

from assay._report import numbers
from assay._report.numbers import judge_in_words
from assay.judges.cascade import CascadePolicy
from assay.stats.risk_control import RiskControl


def lines(cascade: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Who decided what in a cascade of judges, how often it was wrong, and what the means are."""
    if not cascade:
        return []
    total = numbers.count(sum(cascade["statements"].values()))
    decided = (f"{n:,} by {judge_in_words(judge)}" for judge, n in cascade["statements"].items())
    calls = (
        f"{judge_in_words(judge.partition('#')[0])} {spent['calls']:,}"
        for judge, spent in cascade["spent"].items()
    )
    told = [
        ("cascade", f"{total} statements decided: {', '.join(decided)}"),
        ("calls for verdicts", ", ".join(calls)),
        ("realised risk", _realised_risk(cascade)),
    ]
    for label, mean in cascade["corrected"].items():
        ends = mean["interval"] and (mean["interval"]["low"], mean["interval"]["high"])
        text = (
            f"{numbers.score(mean['estimate'])} (95 % CI {numbers.span(ends, numbers.DASH)}) as "
            "the top judge alone would have it, from what was checked"
        )
        told.append((f"{label} corrected", text))
    for label, reason in cascade["uncorrected"].items():
        told.append((f"{label} corrected", f"cannot be said: {reason}"))
    return told


def _realised_risk(cascade: Mapping[str, Any]) -> str:
    bound = f"the bound is {100 * cascade['bound']:g} %"
    if cascade["risk"] is None:
        if len(cascade["statements"]) > 1:
            return f"not known ({bound})"
        first = RiskControl(cascade["bound"], 1 - CascadePolicy().confidence, share=1.0).first_fit
        return (
            f"none: no verdict of a cheap judge stood ({bound}). That takes some {first} answers "
            "that the top judge has checked, or labels of as many, and a judge that hardly errs. "
            "Answers under way together come before any of them counts: some four times "
            "--concurrency; give a smaller one"
        )
    answers = numbers.plural(cascade["n_checked"], "checked answer")
    interval = cascade["interval"]
    ends = [f"{100 * interval[end]:.1f}" for end in ("low", "high")] if interval else []
    between = f" ({' to '.join(ends)} %)" if ends else ""
    missed = (
        f"; of {numbers.plural(cascade['n_unsupported'], 'unsupported statement')} among them "
        f"{cascade['n_missed']} had passed"
    )
    return f"{100 * cascade['risk']:.1f} %{between} in {answers}; {bound}{missed}"
