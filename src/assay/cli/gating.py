"""What does `assay gate` do: read the rules, decide, tell everyone who wants to know?"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.analysis.gate import gate as decide
from assay.analysis.rules import Rules, read
from assay.cli import screen
from assay.cli.edge import GATE_FAILED, GATE_UNDECIDED, OK, say
from assay.errors import InputError
from assay.report import gate as report
from assay.run.run_spec import open_run

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
    _writable(given["junit"], given["markdown"])
    found = read(Path.cwd())
    baseline = given["baseline"] or found.pop("no_regression", None)
    found.pop("no_regression", None)
    rules = Rules(**{**found, **_given(given, found)})
    result = open_run(given["run"], given["store"])
    before = open_run(baseline, given["store"]) if baseline else None
    decided = decide(result, rules, before)
    _write(given["junit"], report.junit(decided))
    _write(given["markdown"], report.markdown(decided))
    _to_github(report.markdown(decided))
    if given["as_json"]:
        screen.write_json(report.as_json(decided))
    else:
        screen.out().print(report.console(decided))
    if decided.passed:
        return OK
    return GATE_FAILED if decided.verdict == "fail" else GATE_UNDECIDED


def _given(given: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The rules among the options, those of the file joined with them."""
    rules: dict[str, Any] = {}
    for name, option in _OPTIONS.items():
        value = given[option]
        if name in ("min", "max"):
            value = {**found.get(name, {}), **_by_metric(name, value)}
        elif name in ("margin", "max_unscored") and value:
            value = _shares(name, value)
        if value:
            rules[name] = value
    return rules


def _by_metric(name: str, texts: Iterable[str]) -> dict[str, float]:
    return {metric: value for metric, value in _pairs(name, texts) if _named(name, metric)}


def _named(name: str, metric: str) -> bool:
    if not metric:
        raise InputError(f"--{name} names no metric", f"such as --{name} faithfulness=0.8")
    return True


def _shares(name: str, texts: Iterable[str]) -> float | dict[str, float]:
    found = dict(_pairs(name, texts))
    return found[""] if list(found) == [""] else found


def _pairs(name: str, texts: Iterable[str]) -> Iterable[tuple[str, float]]:
    """(metric, number); the metric's own parameters may hold "=" too, so the last one counts."""
    for text in texts:
        metric, _, number = text.rpartition("=")
        try:
            yield metric.strip(), float(number)
        except ValueError:
            option = f"--{name.replace('_', '-')}"
            remedy = f"such as {option} faithfulness=0.8"
            raise InputError(f"{option} '{text}' ends in no number", remedy) from None


def _writable(*files: str | None) -> None:
    for file in filter(None, files):
        if Path(file).is_dir() or not Path(file).parent.is_dir():
            raise InputError(f"'{file}' cannot be written", "name a file in an existing folder")


def _write(file: str | None, text: str) -> None:
    if file:
        Path(file).write_text(text, encoding="utf-8")


def _to_github(text: str) -> None:
    summary = os.environ.get(_SUMMARY)
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:  # the verdict matters more than where it is told
        say(f"the summary cannot be written to ${_SUMMARY}: {error.strerror or error}")
