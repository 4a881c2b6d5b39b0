"""Whether a run may pass: on the console, in Markdown, as JUnit and as JSON."""

from collections.abc import Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay._analysis.gate import Check, Gate
from assay._report import numbers, sanitize, titles
from assay._report.sanitize import cell, inline
from assay._report.tables import dim, folded, table, warnings

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
    """A line for each rule that does not hold, the failed ones first; the others are counted.

    Args:
        gate: What came of the rules.
        show_all: Whether the rules that hold have their lines, too.
    """
    title = Text(f"gate {headline(gate)}", style="bold")
    lines: list[RenderableType] = [title, dim(", ".join(_about(gate))), *warnings(gate.warnings)]
    hold, wrong = _sorted(gate)
    shown = [*wrong, *hold] if show_all else wrong
    if shown:
        lines.append(_rules(shown))
    if hold and not show_all:
        lines.append(dim(f"{_holding(hold)} --all shows what was found."))
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


def _holding(checks: Sequence[Check]) -> str:
    """What is said of rules that hold: how many, of which metrics."""
    metrics = list(dict.fromkeys(check.metric for check in checks))
    hold = "holds" if len(checks) == 1 else "hold"
    return f"{numbers.plural(len(checks), 'rule')} {hold} ({', '.join(metrics)})."


def markdown(gate: Gate) -> str:
    """The same where GitHub-flavoured Markdown is read: a step summary, a pull request."""
    lines = [f"## assay gate {headline(gate)}", "", inline(", ".join(_about(gate))), ""]
    lines += [f"> **Warning:** {inline(warning)}\n>" for warning in gate.warnings]
    lines += [""] if gate.warnings else []
    hold, wrong = _sorted(gate)
    lines += [_table(wrong)] if wrong else []
    lines += ["", folded(_holding(hold), _table(hold))] if hold else []
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
    about = {"run": gate.run, "title": gate.title, "judge": gate.judge}
    about |= {"baseline": gate.baseline, "baseline_title": gate.baseline_title}
    for name, value in about.items():
        if value:
            ET.SubElement(properties, "property", name=name, value=sanitize.plain(value))
    for check, counted in zip(gate.checks, counts, strict=True):
        metric, rule, why = map(sanitize.plain, (check.metric, check.rule, check.why))
        case = ET.SubElement(suite, "testcase", classname=f"assay.gate.{metric}", name=rule)
        if counted:
            element = ET.SubElement(case, counted, message=f"{metric}: {rule}: {why}")
            element.set("type", check.verdict)
        else:
            ET.SubElement(case, "system-out").text = why
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, "unicode") + "\n"


def as_json(gate: Gate) -> dict[str, Any]:
    """The same for programs."""
    return {
        "verdict": gate.verdict,
        "passed": gate.passed,
        "run": gate.run,
        "title": gate.title,
        "source": gate.source,
        "judge": gate.judge,
        "baseline": gate.baseline or None,
        "baseline_title": gate.baseline_title or None,
        "warnings": list(gate.warnings),
        "checks": [msgspec.to_builtins(check) for check in gate.checks],
    }


def _counts_as(gate: Gate, check: Check) -> str:
    if check.verdict == "undecided":
        return "skipped" if gate.lenient else "failure"
    return "failure" if check.verdict == "fail" else ""


def _about(gate: Gate) -> list[str]:
    baseline = titles.beside(gate.baseline_title, gate.baseline)
    against = [f"against {baseline}"] if gate.baseline else []
    run = titles.beside(gate.title, gate.run)
    return [f"run {run}", *against, gate.source, titles.judge_in_words(gate.judge)]
