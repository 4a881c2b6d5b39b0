"""The commands `assay gate` and `assay watch`: runs held to rules, and what arrives watched."""

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from assay._analysis.gate import Rules, read_rules
from assay._analysis.gate import gate as decide
from assay._analysis.watch import Charting, charts, looks, segment_of
from assay._cli import options, output, values
from assay._cli.errors import (
    BUDGET,
    DRIFT,
    GATE_FAILED,
    GATE_UNDECIDED,
    INTERRUPTED,
    OK,
    SOME_FAILED,
    say,
)
from assay._cli.evaluation import metrics_to_compute, read_settings
from assay._cli.judges import Judges, read_asking, read_target
from assay._cli.output import command_line, meter, run_name
from assay._cli.values import look_here
from assay._report import gate as report
from assay._report import numbers
from assay._runner.result import Result, open_run
from assay._runner.settings import Engine
from assay._store import Store
from assay._text.misspelt import did_you_mean
from assay.errors import AssayError, InputError
from assay.experiments.swept import open_sweep
from assay.experiments.watch import SETTLE, Channels, Looked, Watch, deliver, look
from assay.target import system
from assay.target.system import System

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


class _GateRequest(options.Request):
    run: str
    least: tuple[str, ...] = options.repeatable(
        "--min", metavar="METRIC=VALUE", help="Minimum mean of a metric."
    )
    most: tuple[str, ...] = options.repeatable(
        "--max", metavar="METRIC=VALUE", help="Maximum mean of a metric."
    )
    baseline: str | None = options.option(
        "--no-regression",
        metavar="RUN",
        help="The baseline, against which no metric may be worse: RUN of this store, STORE:RUN, or "
        "STORE.",
    )
    margins: tuple[str, ...] = options.repeatable(
        "--margin",
        metavar="[METRIC=]SHARE",
        help="How much worse than there it may be, as a share of the metric's range (of the mean "
        "there where the range has no end); 0.05 if not given.",
    )
    unscored: tuple[str, ...] = options.repeatable(
        "--max-unscored",
        metavar="[METRIC=]SHARE",
        help="Maximum share of samples without a score, failed or undefined; default 0.1.",
    )
    cases: str | None = options.option(
        "--cases",
        metavar="FILE",
        help="A regression set (`assay testset add`, `assay view`): each of its samples must "
        "reach the limit of the metric that it failed by (--min, --max), or else its guide value.",
    )
    on: str | None = options.choice(
        "--on",
        choices=["bound", "mean"],
        help="Decide on the whole confidence interval (bound, the default) or on the mean alone.",
    )
    undecided: str | None = options.choice(
        "--undecided",
        choices=["fail", "pass"],
        help="What to do with a rule whose limit lies within the interval; default fail.",
    )
    show_all: bool = options.flag("--all", help="Show the rules that hold as well.")
    junit: str | None = options.option(
        "--junit", metavar="FILE", help="Write the rules as JUnit test cases (XML)."
    )
    markdown: str | None = options.option(
        "--markdown",
        metavar="FILE",
        help="Write a summary in Markdown; it is also added to $GITHUB_STEP_SUMMARY where that is "
        "set.",
    )
    as_json: bool
    store: str


@options.command("gate", _GateRequest)
def gate_command(request: _GateRequest) -> int:
    """Check the scores of RUN against rules; the exit code says whether it passes.

    RUN is a run's name, the beginning of its id, "last" (the default) or "last~1"; of a sweep (its
    name, or "sweep" for the newest) the best configuration is checked. Rules stand in the options
    and in [tool.assay.gate] of pyproject.toml or [gate] of assay.toml; an option goes before
    the file.
    """
    output.check_file("--junit", request.junit, request.store)
    files_read = [request.store, *filter(None, [request.junit])]
    output.check_file("--markdown", request.markdown, *files_read)
    of_file = read_rules(Path.cwd())
    baseline = of_file.pop("no_regression", None)
    baseline = request.baseline or baseline
    rules = Rules(**{**of_file, **_rules(request, of_file)})
    result = _open_result(request.run, request.store)
    if not baseline:
        values.reject_options("is for --no-regression", "add --no-regression RUN", "margins")
    baseline_result = _open_result(baseline, request.store) if baseline else None
    decided = decide(result, rules, baseline_result)
    if request.junit:
        output.write_text("--junit", request.junit, report.junit(decided))
    if request.markdown:
        output.write_text("--markdown", request.markdown, report.markdown(decided))
    _to_github(report.markdown(decided))
    if request.as_json:
        output.print_json(report.as_json(decided))
    else:
        output.stdout().print(report.console(decided, show_all=request.show_all))
        lines = output.file_lines([*filter(None, (request.junit, request.markdown))])
        if decided.verdict == "fail":
            run = run_name(result)
            words = ("compare", baseline, run) if baseline_result else ("show", run)
            lines.append(("next", command_line(*words, store=request.store)))
        output.print_lines(lines)
    if decided.passed:
        return OK
    return GATE_FAILED if decided.verdict == "fail" else GATE_UNDECIDED


def _open_result(spec: str, store: str) -> Result:
    """The run that is meant; of a sweep the best one by its first metric, which is then said."""
    swept = open_sweep(spec, store)
    if swept is None:
        return open_run(spec, store)
    first = swept.leaderboards[0]
    best = first.standings[0]
    if best.mean is None:
        raise InputError(f"no configuration of the sweep '{spec}' has a score of {first.metric}")
    run = next(
        configuration.run
        for configuration in swept.configurations
        if configuration.name == best.name
    )
    say(
        f"{spec}: of {len(swept.configurations)} configurations {best.name} is best by "
        f"{first.metric} (run {run[:8]}); chosen for being the best, its mean is a little too high"
    )
    return Result(store, run)


def _rules(request: _GateRequest, of_file: Mapping[str, Any]) -> dict[str, Any]:
    """The rules among the options, those of the file joined with them."""
    rules: dict[str, Any] = {}
    for name, option in _OPTIONS.items():
        value = getattr(request, option)
        if not value:  # not given
            continue
        if name in ("min", "max"):
            value = {**of_file.get(name, {}), **_by_metric(name, value)}
        elif name in ("margin", "max_unscored"):
            value = _join_options(of_file.get(name), _pairs(name, value))
        rules[name] = value
    return rules


def _by_metric(name: str, texts: Iterable[str]) -> dict[str, float]:
    limits = _pairs(name, texts)
    if "" in limits:
        raise InputError(f"--{name} names no metric", f"such as --{name} faithfulness=0.8")
    return limits


def _join_options(of_file: Any, of_option: dict[str, float]) -> dict[str, float]:
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


_GROUPS = {
    "What is watched": (
        *("name", "metrics", "share", "limit", "settle", "maps", "contexts", "segments"),
        *("baseline", "every", "once", "show"),
    ),
    "Where alerts go": ("alert_file", "webhook"),
    "Who judges": (*options.WHO_JUDGES, *options.HOW_JUDGED, "probe"),
    "What a look may cost": ("price", "budget"),
    "Pace": options.PACE,
    "A running system, asked on a schedule": ("target", *options.HOW_ASKED),
    "What comes out": ("store", "as_json", "quiet"),
}
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd])")


class _WatchRequest(options.RunRequest):
    data: str = options.argument(metavar="SOURCE")
    name: str | None = options.option(
        "--name", metavar="NAME", help="Name of the watch; default: that of SOURCE."
    )
    metrics: tuple[str, ...] = metrics_to_compute(required=False)
    share: float = options.number(
        "--sample",
        type=options.NumberRange(0, 1, min_open=True),
        default=1.0,
        metavar="SHARE",
        help="Score this share of what arrives; a digest of a sample's id decides.",
    )
    limit: int | None = options.count(
        "--limit", help="Score at most N samples in a look; the others wait for the next."
    )
    settle: str = options.option(
        "--settle",
        default=f"{int(SETTLE.total_seconds())}s",
        metavar="TIME",
        help="Take a trace once it ended so long ago: 30s, 5m, 1h.",
    )
    segments: tuple[str, ...] = options.repeatable(
        "--segment",
        metavar="FIELD",
        help="Chart the samples with each value of this as well: language, or a further column.",
    )
    baseline: str = options.option(
        "--baseline",
        default="",
        metavar="RUN",
        help="A run that stands before the first look, such as that of the release.",
    )
    every: str = options.option(
        "--every",
        default="1d",
        metavar="TIME",
        help="Look so often: 15m, 1h, 1d.",
    )
    once: bool = options.flag(
        "--once", help="Look once and end, as for cron; code 8 says that drift was told."
    )
    show: bool = options.flag(
        "--show", help="Show the charts and alerts so far; read no source, ask nobody."
    )
    alert_file: str = options.option(
        "--alert-file", default="", metavar="FILE", help="Append each alert as a line of JSON."
    )
    webhook: str = options.option(
        "--webhook",
        default="",
        metavar="URL",
        help="Post each alert as JSON. What does not arrive is sent with the next look.",
    )
    tags: tuple[str, ...] = ()
    note: str | None = None
    params: tuple[str, ...] = ()
    outs: tuple[str, ...] = ()
    skip_invalid: str | None = None
    judge_cards: tuple[str, ...] = ()
    engine: Engine = "local"
    workers: int | None = None
    worker_cores: int = 1
    dry_run: bool = False
    no_progress: bool = False


@options.command("watch", _WatchRequest, _GROUPS)
def watch_command(request: _WatchRequest) -> int:
    """Score what arrives in SOURCE, look by look, and tell when scores have changed.

    SOURCE is a file of rows or traces that grows, or a folder of such files (JSON or JSON lines);
    with --target it holds the questions that the system is asked in every look. Each look is a run
    with the tag watch:NAME. Killed or stopped at any point, the same command goes on where it was.
    """
    name = request.name or Path(request.data).name.partition(".")[0]
    if request.show:
        return _show(name, request)
    interval = _duration("--every", request.every)
    watch, channels = _watch(name, interval, request)
    looked = False
    while True:
        started = monotonic()
        try:
            code = _take_look(watch, channels, request)
            looked = True
            if request.once:
                return code
            sleep(max(0.0, interval.total_seconds() - (monotonic() - started)))
        except AssayError as error:  # who refuses now may answer, and what is broken be mended
            if request.once or (isinstance(error, InputError) and not looked):
                raise
            say(f"error: {error}")
            say("the next look goes on from there")
            sleep(interval.total_seconds())
        except KeyboardInterrupt:
            say("interrupted: the same command goes on from there")
            return INTERRUPTED


def _watch(name: str, interval: timedelta, request: _WatchRequest) -> tuple[Watch, Channels]:
    """What is watched, once all options have been found to be in order."""
    channels = Channels(file=request.alert_file, webhook=request.webhook)
    output.check_file("--alert-file", request.alert_file or None, request.data, request.store)
    if not request.metrics:
        raise InputError("no metric is named", "such as -m faithfulness")
    settings = replace(read_settings(request), name="", limit=request.limit)
    judge, embedder = Judges(request).build()
    look_here()
    read_target(request, settings)  # which raises

    def target(number: int) -> System:
        version = f"{request.target_version} look {number}".strip()
        target = read_target(replace(request, target_version=version), settings)
        return target.system if target else system(None)

    return (
        Watch(
            name=name,
            source=request.data,
            metrics=values.metric_specs(request.metrics),
            judge=judge,
            embedder=embedder,
            store=request.store,
            settings=settings,
            share=request.share,
            settle=_duration("--settle", request.settle),
            charting=_charting_of(request),
            target=target if request.target else None,
            asking=read_asking(request, settings) if request.target else None,
            every=interval,
            channels=channels.names,
        ),
        channels,
    )


def _charting_of(request: _WatchRequest) -> Charting:
    reference = open_run(request.baseline, request.store) if request.baseline else None
    return Charting(segments=request.segments, reference=reference)


def _duration(option: str, text: str) -> timedelta:
    """A time such as 90s, 15m, 1h or 1d."""
    match = _DURATION.fullmatch(text.strip())
    if not match or (not float(match[1]) and option == "--every"):
        raise InputError(f"{option} '{text}' is no time", f"such as {option} 15m, 1h or 1d")
    return timedelta(seconds=float(match[1]) * _UNITS[match[2]])


def _take_look(watch: Watch, channels: Channels, request: _WatchRequest) -> int:
    """Look once, send what is to be sent, and show it; the exit code."""
    progress = meter(silent=request.quiet)
    with progress:
        settings = replace(watch.settings, on_progress=progress)
        looked = look(replace(watch, settings=settings))
    for problem in deliver(watch.store, watch.name, channels):
        say(f"warning: {problem}")
    if not request.quiet:
        _say_arrived(looked)
        _say_uncharted(looked, watch.charting.segments)
    if request.as_json or not request.quiet:
        data = _collected(watch.name, request.store, watch.charting)
        messages = [alert.body for alert in looked.alerts]
        if request.as_json:
            output.print_json({**data, "look": looked.number, "told": messages})
        else:
            output.stdout().print(report.watch_console({**data, "alerts": messages}))
    if looked.alerts:
        return DRIFT
    if looked.result is None:
        return OK
    if looked.result.stopped:
        say(f"stopped: {looked.result.stopped}; what is left of this look is not scored")
        return BUDGET
    failed = any(row.n_failed or row.n_unanswered for row in looked.result.summary())
    return SOME_FAILED if failed else OK


def _say_arrived(looked: Looked) -> None:
    """What the look was about, and what it left out."""
    if looked.next_at is not None:
        say(f"look {looked.number} was the last; the next is due at {looked.next_at:%F %H:%M} UTC")
    elif looked.result is None:
        say("nothing new has arrived")
    else:
        n = looked.result.run.n_samples
        say(f"look {looked.number}: {numbers.plural(n, 'sample')}, run {looked.result.run.short}")
        for note in looked.result.notes:
            say(f"  {note}")
    if arrived := looked.arrived:
        counts = {
            "outside the share": arrived.left_out,
            "still arriving": arrived.waiting,
            "over --limit, for the next look": arrived.over,
        }
        if left_out := [f"{numbers.count(n)} {reason}" for reason, n in counts.items() if n]:
            say(f"  left out: {', '.join(left_out)}")
        if arrived.invalid:
            say(f"  {numbers.plural(arrived.invalid, 'row')} cannot be read; {arrived.problem}")


def _say_uncharted(looked: Looked, segments: Iterable[str]) -> None:
    """Which segments no sample of the look has: a misspelt one would be watched by nobody."""
    samples = looked.arrived.samples if looked.arrived else ()
    for name in segments if samples else ():
        if not any(segment_of(sample, name) for sample in samples):
            fields = sorted({key for sample in samples for key in sample.metadata})
            hint = did_you_mean(name, fields) or f"further columns: {', '.join(fields) or 'none'}"
            say(f"  no sample has a value of --segment {name}; {hint}")


def _collected(name: str, store: str, charting: Charting) -> dict[str, Any]:
    """The charts and alerts of a watch as plain values."""
    with Store(store) as opened:
        complete_looks = [look for look in looks(opened, name) if look.complete]
        charts_of_watch = charts(opened, complete_looks, charting)
        return report.collect(name, charts_of_watch, opened.alerts.of(name))


def _show(name: str, request: _WatchRequest) -> int:
    """Show what is known of a watch."""
    if not Path(request.store).is_file():
        raise InputError(f"there is no store '{request.store}'", "`assay watch SOURCE` makes one")
    data = _collected(name, request.store, _charting_of(request))
    if not data["charts"] and request.quiet is False and not request.as_json:
        say(f"the store has no look of a watch '{name}'")
    if request.as_json:
        output.print_json(data)
    else:
        output.stdout().print(report.watch_console(data))
    return OK
