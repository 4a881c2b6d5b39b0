"""The command `assay gate`: pass or fail a run by thresholds and against a baseline."""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from assay._analysis.gate import Rules, read_rules
from assay._analysis.gate import gate as decide
from assay._cli import options, output, values
from assay._cli.errors import (
    GATE_FAILED,
    GATE_UNDECIDED,
    OK,
    say,
)
from assay._report import gate as report
from assay._runner.result import Result, open_run
from assay.errors import InputError
from assay.experiments.swept import open_sweep

_OPTIONS = {
    "min": "least",
    "max": "most",
    "margin": "margins",
    "max_unscored": "unscored",
    "on": "on",
    "undecided": "undecided",
    "cases": "cases",
}
_SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True, kw_only=True)
class GateRequest:
    """What `assay gate` is asked for."""

    run: str
    least: tuple[str, ...]
    most: tuple[str, ...]
    baseline: str | None
    margins: tuple[str, ...]
    unscored: tuple[str, ...]
    cases: str | None
    on: str | None
    undecided: str | None
    show_all: bool
    junit: str | None
    markdown: str | None
    as_json: bool
    store: str


@click.command("gate")
@click.argument("run", metavar="[RUN]", default="last")
@options.repeatable("--min", "least", metavar="METRIC=VALUE", help="Minimum mean of a metric.")
@options.repeatable("--max", "most", metavar="METRIC=VALUE", help="Maximum mean of a metric.")
@click.option(
    "--no-regression",
    "baseline",
    metavar="RUN",
    help="A run that no metric may be worse than: RUN of this store, STORE:RUN, or STORE.",
)
@options.repeatable(
    "--margin",
    "margins",
    metavar="[METRIC=]SHARE",
    help="How much worse than the baseline it may be, as a share of the metric's range (of the "
    "baseline's mean where the range has no end); 0.05 if not given.",
)
@options.repeatable(
    "--max-unscored",
    "unscored",
    metavar="[METRIC=]SHARE",
    help="Maximum share of samples without a score, failed or undefined; default 0.1.",
)
@click.option(
    "--cases",
    metavar="FILE",
    help="A regression set (`assay testset add`, `assay view`): each of its samples must reach the "
    "limit of the metric that it failed by (--min, --max), or else its guide value.",
)
@options.choice(
    "--on",
    choices=["bound", "mean"],
    help="Decide on the whole confidence interval (bound, the default) or on the mean alone.",
)
@options.choice(
    "--undecided",
    choices=["fail", "pass"],
    help="What to do with a rule whose limit lies within the interval; default fail.",
)
@options.flag("--all", "show_all", help="Show the rules that hold as well.")
@click.option("--junit", metavar="FILE", help="Write the rules as JUnit test cases (XML).")
@click.option(
    "--markdown",
    metavar="FILE",
    help="Write a summary in Markdown; it is also added to $GITHUB_STEP_SUMMARY where that is set.",
)
@options.as_json
@options.store
@options.takes(GateRequest)
def gate_command(request: GateRequest) -> int:
    """Check the scores of RUN against rules; the exit code says whether it passes.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1"; of a sweep (its
    name, or "sweep" for the newest) the best configuration is checked. Rules stand in the options
    and in [tool.assay.gate] of pyproject.toml or [gate] of assay.toml; an option goes before
    the file.
    """
    output.check_file("--junit", request.junit, request.store)
    others = [request.store, *filter(None, [request.junit])]
    output.check_file("--markdown", request.markdown, *others)
    of_file = read_rules(Path.cwd())
    baseline = of_file.pop("no_regression", None)
    baseline = request.baseline or baseline
    rules = Rules(**{**of_file, **_rules(request, of_file)})
    result = _opened(request.run, request.store)
    if not baseline:
        options.reject_options("is for --no-regression", "add --no-regression RUN", "margins")
    before = _opened(baseline, request.store) if baseline else None
    decided = decide(result, rules, before)
    if request.junit:
        output.write_text("--junit", request.junit, report.junit(decided))
    if request.markdown:
        output.write_text("--markdown", request.markdown, report.markdown(decided))
    _to_github(report.markdown(decided))
    if request.as_json:
        output.print_json(report.as_json(decided))
    else:
        output.stdout().print(report.console(decided, show_all=request.show_all))
        output.print_lines(output.file_lines([*filter(None, (request.junit, request.markdown))]))
    if decided.passed:
        return OK
    return GATE_FAILED if decided.verdict == "fail" else GATE_UNDECIDED


def _opened(spec: str, store: str) -> Result:
    """The run that is meant; of a sweep the best one by its first metric, which is then said."""
    swept = open_sweep(spec, store)
    if swept is None:
        return open_run(spec, store)
    first = swept.leaderboards[0]
    best = first.standings[0]
    if best.mean is None:
        raise InputError(f"no configuration of the sweep '{spec}' has a score of {first.metric}")
    run = next(one.run for one in swept.configurations if one.name == best.name)
    say(
        f"{spec}: of {len(swept.configurations)} configurations {best.name} is best by "
        f"{first.metric} (run {run[:8]}); chosen for being the best, its mean is a little too high"
    )
    return Result(store, run)


def _rules(request: GateRequest, of_file: Mapping[str, Any]) -> dict[str, Any]:
    """The rules among the options, those of the file joined with them."""
    rules: dict[str, Any] = {}
    for name, option in _OPTIONS.items():
        value = getattr(request, option)
        if not value:  # not given
            continue
        if name in ("min", "max"):
            value = {**of_file.get(name, {}), **_by_metric(name, value)}
        elif name in ("margin", "max_unscored"):
            value = _joined(of_file.get(name), _pairs(name, value))
        rules[name] = value
    return rules


def _by_metric(name: str, texts: Iterable[str]) -> dict[str, float]:
    limits = _pairs(name, texts)
    if "" in limits:
        raise InputError(f"--{name} names no metric", f"such as --{name} faithfulness=0.8")
    return limits


def _joined(of_file: Any, of_option: dict[str, float]) -> dict[str, float]:
    """An option for one metric leaves the others as the file has them, one for all leaves none."""
    if of_file is None or "" in of_option:
        return of_option
    return {**(of_file if isinstance(of_file, dict) else {"": of_file}), **of_option}


def _pairs(name: str, texts: Iterable[str]) -> dict[str, float]:
    """Metric -> number, "" for all; of two demands on the same, the stricter one."""
    stricter = max if name == "min" else min
    limits: dict[str, float] = {}
    option = name.replace("_", "-")
    for metric, value in values.by_metric(option, texts, "faithfulness=0.8"):
        # A number that is none must be seen by the rules, whatever stands beside it.
        kept = limits.get(metric, value)
        limits[metric] = value if math.isnan(value) else stricter(kept, value)
    return limits


def _to_github(text: str) -> None:
    summary = os.environ.get(_SUMMARY)
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:  # the verdict matters more than where it is told
        say(f"the summary cannot be written to ${_SUMMARY}: {error.strerror or error}")
