"""What a gate decided and what a watch has seen, as they are shown."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis.gate import Check, Gate
from assay._analysis.watch import Chart, Point
from assay._report import numbers, sanitize
from assay._report.sanitize import cell, inline
from assay._report.tables import BLOCKS, dim, folded, numeric, table, warnings
from assay._store.scores import StoredAlert

_SYMBOLS: Final = {"pass": "\N{CHECK MARK}", "fail": "\N{BALLOT X}", "undecided": "?"}
_STYLES: Final = {"pass": "cyan", "fail": "bold yellow", "undecided": "yellow"}


def headline(gate: Gate) -> str:
    """Passed or not, and by how many rules."""
    verdicts = [check.verdict for check in gate.checks]
    counts = [(verdicts.count("fail"), "failed"), (verdicts.count("undecided"), "undecided")]
    wrong = ", ".join(f"{n} {name}" for n, name in counts if n)
    rules = numbers.plural(len(verdicts), "rule")
    return f"{'passed' if gate.passed else 'not passed'}: {rules}, {wrong or 'all hold'}"


def console(gate: Gate, *, show_all: bool = False) -> RenderableType:
    """A line for each rule that does not hold, the failed ones first; the others are counted."""
    title = Text(f"gate {headline(gate)}", style="bold")
    lines: list[RenderableType] = [
        title,
        dim(", ".join(_gate_facts(gate))),
        *warnings(gate.warnings),
    ]
    hold, wrong = _sorted(gate)
    checks_shown = [*wrong, *hold] if show_all else wrong
    if checks_shown:
        lines.append(_rules(checks_shown))
    if hold and not show_all:
        lines.append(dim(f"{_passed_in_words(hold)} --all shows what was found."))
    return Group(*lines)


def _rules(checks: Sequence[Check]) -> Table:
    rules = table("", "metric", "rule", "found")
    rules.columns[0].no_wrap = True
    for check in checks:
        symbol = Text(f"{_SYMBOLS[check.verdict]} {check.verdict}", style=_STYLES[check.verdict])
        rules.add_row(
            symbol, *(Text(sanitize.plain(text)) for text in (check.metric, check.rule, check.why))
        )
    return rules


def _sorted(gate: Gate) -> tuple[list[Check], list[Check]]:
    """(rules that hold, rules that do not: those that failed before those that are undecided)."""
    by_verdict: dict[str, list[Check]] = {"pass": [], "fail": [], "undecided": []}
    for check in gate.checks:
        by_verdict[check.verdict].append(check)
    return by_verdict["pass"], [*by_verdict["fail"], *by_verdict["undecided"]]


def _passed_in_words(checks: Sequence[Check]) -> str:
    """What is said of rules that hold: how many, of which metrics."""
    metrics = list(dict.fromkeys(check.metric for check in checks))
    hold = "holds" if len(checks) == 1 else "hold"
    return f"{numbers.plural(len(checks), 'rule')} {hold} ({', '.join(metrics)})."


def markdown(gate: Gate) -> str:
    """The same where GitHub-flavoured Markdown is read: a step summary, a pull request."""
    lines = [f"## assay gate {headline(gate)}", "", inline(", ".join(_gate_facts(gate))), ""]
    lines += [f"> **Warning:** {inline(warning)}\n>" for warning in gate.warnings]
    lines += [""] if gate.warnings else []
    hold, wrong = _sorted(gate)
    lines += [_table(wrong)] if wrong else []
    lines += ["", folded(_passed_in_words(hold), _table(hold))] if hold else []
    return "\n".join(lines) + "\n"


def _table(checks: Sequence[Check]) -> str:
    lines = ["| | metric | rule | found |", "|:---|:---|:---|:---|"]
    for check in checks:
        verdict = f"{_SYMBOLS[check.verdict]} {check.verdict}"
        strong = verdict if check.verdict == "pass" else f"**{verdict}**"
        row = f"{cell(check.metric)} | {inline(check.rule)} | {inline(check.why)}"
        lines.append(f"| {strong} | {row} |")
    return "\n".join(lines)


def junit(gate: Gate) -> str:
    """A JUnit test suite in XML, one test case for each rule."""
    counts = [_counts_as(gate, check) for check in gate.checks]
    suite = ET.Element(
        "testsuite",
        name="assay gate",
        tests=str(len(counts)),
        failures=str(counts.count("failure")),
        errors="0",
        skipped=str(counts.count("skipped")),
    )
    properties = ET.SubElement(suite, "properties")
    suite_facts = {"run": gate.run, "title": gate.title, "judge": gate.judge}
    suite_facts |= {"baseline": gate.baseline, "baseline_title": gate.baseline_title}
    for name, value in suite_facts.items():
        if value:
            ET.SubElement(properties, "property", name=name, value=sanitize.plain(value))
    for check, counted in zip(gate.checks, counts, strict=True):
        metric, rule, reason = map(sanitize.plain, (check.metric, check.rule, check.why))
        case = ET.SubElement(suite, "testcase", classname=f"assay.gate.{metric}", name=rule)
        if counted:
            element = ET.SubElement(case, counted, message=f"{metric}: {rule}: {reason}")
            element.set("type", check.verdict)
        else:
            ET.SubElement(case, "system-out").text = reason
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, "unicode") + "\n"


def as_json(gate: Gate) -> dict[str, Any]:
    """The same for programs."""
    fields: dict[str, Any] = msgspec.to_builtins(gate)
    del fields["lenient"]
    no_baseline = {} if gate.baseline else {"baseline": None, "baseline_title": None}
    return {"verdict": gate.verdict, "passed": gate.passed, **fields, **no_baseline}


def _counts_as(gate: Gate, check: Check) -> str:
    if check.verdict == "undecided":
        return "skipped" if gate.lenient else "failure"
    return "failure" if check.verdict == "fail" else ""


def _gate_facts(gate: Gate) -> list[str]:
    baseline = numbers.beside(gate.baseline_title, gate.baseline)
    against = [f"against {baseline}"] if gate.baseline else []
    run = numbers.beside(gate.title, gate.run)
    facts = [f"run {run}", *against, gate.source, numbers.judge_in_words(gate.judge)]
    return [fact for fact in facts if fact]


Json = Mapping[str, Any]
_WIDTH: Final = 20  # looks that a picture shows, the newest ones
_LEAST_HEIGHT: Final = 0.25  # of a metric's range that a picture shows: noise is to look small
_ANEW: Final = "│"  # where a chart began anew


def collect(name: str, charts: Sequence[Chart], alerts: Sequence[StoredAlert]) -> dict[str, Any]:
    """A watch as plain values."""
    return {
        "watch": name,
        "charts": [_chart(chart) for chart in charts],
        "alerts": [{**alert.body, "pending": list(alert.pending)} for alert in alerts],
    }


def _chart(chart: Chart) -> dict[str, Any]:
    last = (*chart.earlier, *chart.points)[-1:]
    interval = chart.interval(chart.points) if chart.points else None
    n = sum(len(point.values) for point in chart.points)
    return {
        "metric": chart.metric,
        "segment": f"{chart.segment.field} {chart.segment.value}".strip(),
        "range": list(chart.ends) if chart.ends else None,
        "state": _chart_state(chart),
        "n": n,
        "mean": last[0].mean if last else None,
        "all": [interval.low, interval.high] if interval else None,
        "earlier": [_point(point) for point in chart.earlier],
        "points": [_point(point) for point in chart.points],
    }


def _chart_state(chart: Chart) -> str:
    if chart.ends is not None and not chart.points:
        return "begins anew"
    return "not tested" if chart.ends is None else "no drift" if chart.starts() else "first day"


def _point(point: Point) -> dict[str, Any]:
    return {
        "look": point.look.number,
        "at": point.look.at,
        "run": point.look.run.id,
        "mean": point.mean,
        "n": len(point.values),
    }


def drawn(chart: Chart) -> dict[str, Any]:
    """A chart as the page of a history draws it: the looks before it began anew, and since."""
    last = (*chart.earlier, *chart.points)[-1].look.run
    facts = last.config["about"][chart.metric]
    parts = [("1", chart.earlier), ("2", chart.points)]
    series = [
        {"name": name, "points": [_chart_mark(chart, point) for point in points]}
        for name, points in parts
        if points
    ]
    ends = chart.ends or (None, None)
    return {
        "metric": chart.stream,
        **facts,
        "state": _chart_state(chart),
        "axis": numbers.axis(series, ends),
        "series": series,
    }


def _chart_mark(chart: Chart, point: Point) -> dict[str, Any]:
    run, interval = point.look.run, chart.interval([point])
    return {
        "run": run.id,
        "name": f"{point.look.number or 'baseline'}",
        "created": point.look.at if point.look.number else run.created,
        "values": {"look": str(point.look.number)},
        "source": run.source,
        "mean": point.mean,
        "interval": [interval.low, interval.high] if interval else None,
        "n_scored": len(point.values),
    }


def watch_console(data: Json) -> RenderableType:
    """A control chart for each metric and segment, then the alerts."""
    if not data["charts"]:
        return Text("no look yet")
    chart_table = table("scores", gap=1)
    chart_table.add_column("looks, oldest first", no_wrap=True)
    numeric(chart_table, ("last", "mean, 95 %", "n"))
    chart_table.add_column("", no_wrap=True)
    for chart in data["charts"]:
        chart_table.add_row(
            sanitize.plain(chart["metric"] if not chart["segment"] else f"  {chart['segment']}"),
            picture(chart),
            numbers.score(chart["mean"]),
            numbers.span(chart["all"]),
            numbers.count(chart["n"]),
            chart["state"],
        )
    legend = "n: independent samples, those of one group counted once"
    if any(chart["state"] == "first day" for chart in data["charts"]):
        legend += "; first day: drift is told from the second day with looks on"
    blocks: list[RenderableType] = [chart_table, dim(f"{legend}.")]
    for alert in data["alerts"]:
        blocks += [Text(), *alert_lines(alert)]
    return Group(*blocks)


def picture(chart: Json) -> str:
    """The means of the newest looks as blocks, from the least to the greatest of them."""
    earlier, points = chart["earlier"], chart["points"]
    points_drawn = [*earlier, None, *points] if earlier else list(points)
    points_drawn = points_drawn[-_WIDTH:]
    means = [point["mean"] for point in points_drawn if point and point["mean"] is not None]
    low, high = min(means, default=0.0), max(means, default=1.0)
    if chart["range"]:
        middle, min_height = (
            (low + high) / 2,
            _LEAST_HEIGHT * (chart["range"][1] - chart["range"][0]),
        )
        low, high = min(low, middle - min_height / 2), max(high, middle + min_height / 2)
    step = (high - low) / len(BLOCKS) or 1.0
    return "".join(
        _ANEW
        if point is None
        else " "
        if point["mean"] is None
        else BLOCKS[min(int((point["mean"] - low) / step), len(BLOCKS) - 1)]
        for point in points_drawn
    )


def alert_lines(alert: Json) -> list[Text]:
    """An alert: what changed, with its figures, what changed with it, and what to do."""
    if alert["kind"] == "judge":
        scores = ", ".join(alert["anew"])
        head = f"look {alert['look']}: another judge of {scores}: {alert['why']}"
        note = "  scores before and after are not comparable; the chart begins anew"
        return [Text(sanitize.plain(head), "bold yellow"), dim(note)]
    before, after = alert["before"], alert["after"]
    head = (
        f"look {alert['look']}: {alert['stream']} {alert['direction']} from"
        f" {_side_in_words(before)} to {_side_in_words(after)}"
    )
    since = f"  since look {alert['since']['look']} ({alert['since']['at'][:10]})"
    lines = [Text(sanitize.plain(head), "bold yellow" if alert["worse"] else "bold cyan")]
    lines.append(Text(sanitize.plain(since)))
    lines += [Text(sanitize.plain(f"  {line}")) for line in alert["changed"]]
    lines.append(dim(sanitize.plain(f"  worst now: {', '.join(alert['worst_samples'])}")))
    commands = [alert[key] for key in ("label", "test_cases") if key in alert]
    lines += [dim(sanitize.plain(f"  {command}")) for command in commands]
    return lines


def _side_in_words(side: Json) -> str:
    return f"{numbers.score(side['mean'])} ({numbers.span(side['interval'])}, n = {side['n']:,})"
