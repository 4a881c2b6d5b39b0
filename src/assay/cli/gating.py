"""What does `assay gate` do: read the rules, decide, tell everyone who wants to know?"""

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.analysis.gate import Rules, read_rules
from assay.analysis.gate import gate as decide
from assay.cli import alone, outputs, screen, values
from assay.cli.edge import GATE_FAILED, GATE_UNDECIDED, OK, say
from assay.errors import InputError
from assay.report import gate as report
from assay.runner.result import open_run

_OPTIONS = {
    "min": "least",
    "max": "most",
    "margin": "margins",
    "max_unscored": "unscored",
    "on": "on",
    "undecided": "undecided",
}
_SUMMARY = "GITHUB_STEP_SUMMARY"


def gate(given: Mapping[str, Any]) -> int:
    """Decide, write what is asked for; the exit code."""
    outputs.check_place("--junit", given["junit"], given["store"])
    others = [given["store"], *filter(None, [given["junit"]])]
    outputs.check_place("--markdown", given["markdown"], *others)
    found = read_rules(Path.cwd())
    baseline = given["baseline"] or found.pop("no_regression", None)
    found.pop("no_regression", None)
    rules = Rules(**{**found, **_given(given, found)})
    result = open_run(given["run"], given["store"])
    if not baseline:
        alone.refuse("is for --no-regression", "add --no-regression RUN", "margins")
    before = open_run(baseline, given["store"]) if baseline else None
    decided = decide(result, rules, before)
    if given["junit"]:
        outputs.write_text("--junit", given["junit"], report.junit(decided))
    if given["markdown"]:
        outputs.write_text("--markdown", given["markdown"], report.markdown(decided))
    _to_github(report.markdown(decided))
    if given["as_json"]:
        screen.write_json(report.as_json(decided))
    else:
        screen.out().print(report.console(decided, show_all=given["show_all"]))
        screen.tell(outputs.written([*filter(None, (given["junit"], given["markdown"]))]))
    if decided.passed:
        return OK
    return GATE_FAILED if decided.verdict == "fail" else GATE_UNDECIDED


def _given(given: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The rules among the options, those of the file joined with them."""
    rules: dict[str, Any] = {}
    for name, option in _OPTIONS.items():
        value = given[option]
        if not value:  # not given
            continue
        if name in ("min", "max"):
            value = {**found.get(name, {}), **_by_metric(name, value)}
        elif name in ("margin", "max_unscored"):
            value = _joined(found.get(name), _pairs(name, value))
        rules[name] = value
    return rules


def _by_metric(name: str, texts: Iterable[str]) -> dict[str, float]:
    found = _pairs(name, texts)
    if "" in found:
        raise InputError(f"--{name} names no metric", f"such as --{name} faithfulness=0.8")
    return found


def _joined(of_file: Any, given: dict[str, float]) -> dict[str, float]:
    """An option for one metric leaves the others as the file has them, one for all leaves none."""
    if of_file is None or "" in given:
        return given
    return {**(of_file if isinstance(of_file, dict) else {"": of_file}), **given}


def _pairs(name: str, texts: Iterable[str]) -> dict[str, float]:
    """Metric -> number, "" for all; of two demands on the same, the stricter one."""
    stricter = max if name == "min" else min
    found: dict[str, float] = {}
    option = name.replace("_", "-")
    for metric, value in values.by_metric(option, texts, "faithfulness=0.8"):
        # A number that is none must be seen by the rules, whatever stands beside it.
        kept = found.get(metric, value)
        found[metric] = value if math.isnan(value) else stricter(kept, value)
    return found


def _to_github(text: str) -> None:
    summary = os.environ.get(_SUMMARY)
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:  # the verdict matters more than where it is told
        say(f"the summary cannot be written to ${_SUMMARY}: {error.strerror or error}")
