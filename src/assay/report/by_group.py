"""What is said of a run's scores by groups? The one dict that console and Markdown show."""

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.analysis.groups import LEAST, LEAST_EQUAL, ByGroup
from assay.report import numbers
from assay.report.comparison import between, p_value, signed

Json = Mapping[str, Any]


def collect(found: ByGroup) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    data: dict[str, Any] = msgspec.to_builtins(found)
    for one in data["metrics"]:
        for group in one["groups"]:
            group["against"] = ""
            ends = group["interval"]
            group["span"] = numbers.span((ends["low"], ends["high"]) if ends else None)
            spread = "" if group["sd"] is None else f" ({numbers.score(group['sd'])})"
            group["shown"] = numbers.score(group["mean"]) + spread
        # Two groups are compared in words, more of them in the table.
        pair = len(one["tests"]) == 1
        one["said"] = [_said(test) for test in one["tests"]] if pair else []
        for group, test in zip(one["groups"], one["tests"], strict=False):
            group["against"] = "" if pair else _against(test)
    return {**data, "legend": legend(data)}


def legend(data: Json) -> str:
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
    found = test["found"]
    if found is None:
        return numbers.DASH
    return f"{signed(found['difference'])}, p = {p_value(found['p'])} ({p_value(test['p'])})"


def _said(test: Json) -> str:
    found = test["found"]
    who = f"{test['first']} against {test['second']}"
    if found is None:
        return f"{who}: no test, too few scores or all of them the same"
    asked = "one-sided" if found["one_sided"] else "two-sided"
    text = f"{who}: {signed(found['difference'])} ({between(found['interval'])}), "
    text += f"t = {found['t']:.2f}, df = {found['df']:.0f}, {asked} p = {p_value(found['p'])}"
    # What is adjusted for one test is the same.
    return text if test["p"] == found["p"] else f"{text} ({p_value(test['p'])})"
