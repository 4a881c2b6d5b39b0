"""How is it told whether a run may pass: on the console, in Markdown, to CI (JUnit), as JSON?"""

from collections.abc import Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.analysis.gate import Check, Gate
from assay.report import numbers, run_titles, safe
from assay.report.console_parts import dim, table, warnings
from assay.report.markdown import cell, folded, inline

_SYMBOLS: Final = {"pass": "\N{CHECK MARK}", "fail": "\N{BALLOT X}", "undecided": "?"}
_STYLES: Final = {"pass": "cyan", "fail": "bold yellow", "undecided": "yellow"}


def headline(found: Gate) -> str:
    """Passed or not, and by how many rules."""
    verdicts = [check.verdict for check in found.checks]
    counts = [(verdicts.count("fail"), "failed"), (verdicts.count("undecided"), "undecided")]
    wrong = ", ".join(f"{n} {name}" for n, name in counts if n)
    rules = numbers.plural(len(verdicts), "rule")
    return f"{'passed' if found.passed else 'not passed'}: {rules}, {wrong or 'all hold'}"


def console(found: Gate, *, show_all: bool = False) -> RenderableType:
    """A line for each rule that does not hold, the failed ones first; the others are counted.

    Args:
        found: What came of the rules.
        show_all: Whether the rules that hold have their lines, too.
    """
    title = Text(f"gate {headline(found)}", style="bold")
    lines: list[RenderableType] = [title, dim(", ".join(_about(found))), *warnings(found.warnings)]
    hold, wrong = _sorted(found)
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
        rules.add_row(symbol, *(Text(safe.plain(text)) for text in _cells(check)))
    return rules


def _sorted(found: Gate) -> tuple[list[Check], list[Check]]:
    """(rules that hold, rules that do not: those that failed before those that are undecided)."""
    by_verdict: dict[str, list[Check]] = {"pass": [], "fail": [], "undecided": []}
    for check in found.checks:
        by_verdict[check.verdict].append(check)
    return by_verdict["pass"], [*by_verdict["fail"], *by_verdict["undecided"]]


def _holding(checks: Sequence[Check]) -> str:
    """What is said of rules that hold: how many, of which metrics."""
    metrics = list(dict.fromkeys(check.metric for check in checks))
    hold = "holds" if len(checks) == 1 else "hold"
    return f"{numbers.plural(len(checks), 'rule')} {hold} ({', '.join(metrics)})."


def markdown(found: Gate) -> str:
    """The same where GitHub-flavoured Markdown is read: a step summary, a pull request."""
    lines = [f"## assay gate {headline(found)}", "", inline(", ".join(_about(found))), ""]
    lines += [f"> **Warning:** {inline(warning)}\n>" for warning in found.warnings]
    lines += [""] if found.warnings else []
    hold, wrong = _sorted(found)
    lines += _table(wrong) if wrong else []
    lines += ["", folded(_holding(hold), "\n".join(_table(hold)))] if hold else []
    return "\n".join(lines) + "\n"


def _table(checks: Sequence[Check]) -> list[str]:
    lines = ["| | metric | rule | found |", "|:---|:---|:---|:---|"]
    for check in checks:
        metric, rule, why = _cells(check)
        verdict = f"{_SYMBOLS[check.verdict]} {check.verdict}"
        strong = verdict if check.verdict == "pass" else f"**{verdict}**"
        lines.append(f"| {strong} | {cell(metric)} | {inline(rule)} | {inline(why)} |")
    return lines


def junit(found: Gate) -> str:
    """A JUnit test suite in XML, one test case for each rule."""
    counts = [_counts_as(found, check) for check in found.checks]
    suite = ET.Element(
        "testsuite",
        name="assay gate",
        tests=str(len(counts)),
        failures=str(counts.count("failure")),
        errors="0",
        skipped=str(counts.count("skipped")),
    )
    properties = ET.SubElement(suite, "properties")
    told = {"run": found.run, "title": found.title, "judge": found.judge}
    told |= {"baseline": found.baseline, "baseline_title": found.baseline_title}
    for name, value in told.items():
        if value:
            ET.SubElement(properties, "property", name=name, value=safe.plain(value))
    for check, counted in zip(found.checks, counts, strict=True):
        metric, rule, why = (safe.plain(text) for text in _cells(check))
        case = ET.SubElement(suite, "testcase", classname=f"assay.gate.{metric}", name=rule)
        if counted:
            element = ET.SubElement(case, counted, message=f"{metric}: {rule}: {why}")
            element.set("type", check.verdict)
        else:
            ET.SubElement(case, "system-out").text = why
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, "unicode") + "\n"


def as_json(found: Gate) -> dict[str, Any]:
    """The same for programs."""
    return {
        "verdict": found.verdict,
        "passed": found.passed,
        "run": found.run,
        "title": found.title,
        "source": found.source,
        "judge": found.judge,
        "baseline": found.baseline or None,
        "baseline_title": found.baseline_title or None,
        "warnings": list(found.warnings),
        "checks": [msgspec.to_builtins(check) for check in found.checks],
    }


def _counts_as(found: Gate, check: Check) -> str:
    if check.verdict == "undecided":
        return "skipped" if found.lenient else "failure"
    return "failure" if check.verdict == "fail" else ""


def _cells(check: Check) -> tuple[str, str, str]:
    return check.metric, check.rule, check.why


def _about(found: Gate) -> list[str]:
    baseline = run_titles.beside(found.baseline_title, found.baseline)
    against = [f"against {baseline}"] if found.baseline else []
    run = run_titles.beside(found.title, found.run)
    return [f"run {run}", *against, found.source, run_titles.judge_in_words(found.judge)]
