"""Groups of samples in several runs, and the telecom study's tables, in words."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from assay._analysis.comparison import Compared, letter
from assay._analysis.groups import (
    LEAST,
    LEAST_EQUAL,
    GroupDifference,
    GroupScores,
    GroupTest,
    RunsByGroup,
)
from assay._analysis.telecom import DEPTHS, Accuracy, Gap, Study
from assay._report import agreement, numbers
from assay._report.comparison import between, p_value, signed
from assay._report.page import Section, Sections
from assay._version import __version__

MARKS: Final = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
STARS: Final = "* p < 0.05, ** p < 0.01, *** p < 0.001."


def collect(found: RunsByGroup) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    return {"assay": __version__, **msgspec.to_builtins(found)}


def report(data: Mapping[str, Any]) -> Sections:
    """The tables of what `collect` gave."""
    groups = msgspec.convert({k: v for k, v in data.items() if k != "assay"}, RunsByGroup)
    field = groups.runs[0].field
    title = f"{numbers.plural(len(groups.runs), 'run')} by {field}"
    facts = runs(groups.compared)
    return Sections(title, facts, groups.warnings, [scores(groups), tests(groups)])


def runs(compared: tuple[Compared, ...]) -> list[tuple[str, str]]:
    """What each run is."""
    facts = []
    for number, run in enumerate(compared):
        said = f"{numbers.beside(run.title, run.id)}  {run.source}, "
        said += numbers.plural(run.n_samples, "sample") + ("" if number else ", the base")
        facts.append((letter(number), said))
    return facts


def scores(found: RunsByGroup) -> Section:
    """Mean, standard deviation and n of each group, and its difference to the base."""
    several = len(found.runs) > 1
    differences = {(d.metric, d.group, d.run): d for d in found.differences}
    rows = []
    for place, base in enumerate(found.runs[0].metrics):
        for name in dict.fromkeys(g.name for run in found.runs for g in run.metrics[place].groups):
            for number, run in enumerate(found.runs):
                group = next((g for g in run.metrics[place].groups if g.name == name), None)
                against = differences.get((base.metric, name, number))
                rows.append(
                    [base.metric, name, letter(number), *_cells(group, against, several=several)]
                )
    heads = ("metric", found.runs[0].field, "run", "mean (s.d.)", "n")
    last = "run - A" if len(found.runs) > 1 else "interval"
    return Section("Scores by group", (*heads, last), list(_once(rows)), _legend(found))


def _once(rows: list[list[str]]) -> Iterator[list[str]]:
    """The rows with each metric, and each of its groups, named in its first row only."""
    before = ["", ""]
    for metric, group, *rest in rows:
        again = metric == before[0]
        yield ["" if again else metric, "" if again and group == before[1] else group, *rest]
        before = [metric, group]


def _cells(
    group: GroupScores | None, against: GroupDifference | None, *, several: bool
) -> list[str]:
    if group is None:
        return [numbers.DASH, "0", ""]
    spread = "" if group.sd is None else f" ({numbers.score(group.sd)})"
    shown = [numbers.score(group.mean) + spread, numbers.count(group.n)]
    if against is None:
        return [*shown, "" if several else numbers.interval(group.interval)]
    pairs = against.paired
    if pairs is None:
        return [*shown, numbers.DASH]
    ends = msgspec.to_builtins(pairs.interval)
    text = f"{signed(pairs.difference)} ({between(ends)})" if ends else signed(pairs.difference)
    fewer = f", {pairs.n} pairs" if pairs.n != group.n else ""
    return [*shown, " ".join(filter(None, [text + fewer, mark(against.p)]))]


def mark(p: float | None) -> str:
    """The stars of a p-value: one below 0.05, two below 0.01, three below 0.001."""
    return next((stars for limit, stars in MARKS if p is not None and p < limit), "")


def _legend(found: RunsByGroup) -> list[str]:
    n = sum(one.paired is not None for one in found.differences)
    level = f"{100 * found.level:g} %"
    text = "run - A: the mean difference over the samples that are of the group in both runs, with "
    text += f"{level} intervals; permutation test of pairs, adjusted by Holm for "
    text += f"{numbers.plural(n, 'test')}: {STARS}"
    without = [
        f"{numbers.plural(run.without, 'sample')} of {letter(number)} without {run.field} left out."
        for number, run in enumerate(found.runs)
        if run.without
    ]
    return [*([text] if len(found.runs) > 1 else []), *without]


def tests(found: RunsByGroup) -> Section:
    """The groups of each run against each other."""
    rows = []
    for place, base in enumerate(found.runs[0].metrics):
        for number, run in enumerate(found.runs):
            for test in run.metrics[place].tests:
                who = f"{test.first} against {test.second}"
                rows.append([base.metric, who, letter(number), *_tested(test)])
    sides = {
        test.found.one_sided
        for run in found.runs
        for m in run.metrics
        for test in m.tests
        if test.found
    }
    n = sum(test.found is not None for run in found.runs for m in run.metrics for test in m.tests)
    note = "Welch's t, p by permutation"
    note += ", one-sided" if sides == {True} else ", two-sided" if sides == {False} else ""
    note += f", adjusted by Holm for {numbers.plural(n, 'test')}. A test takes {LEAST} scores in a "
    note += f"group, {LEAST_EQUAL} where all are the same."
    heads = ("metric", "groups", "run", "difference", "t", "p", "adjusted")
    return Section("Groups within each run", heads, list(_once(rows)), [note])


def _tested(test: GroupTest) -> list[str]:
    result = test.found
    if result is None:
        return [numbers.DASH] * 4
    ends = msgspec.to_builtins(result.interval)
    difference = f"{signed(result.difference)} ({between(ends)})"
    return [difference, f"{result.t:.2f}", p_value(result.p), p_value(test.p)]


def collect_study(study: Study) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    return {"assay": __version__, **msgspec.to_builtins(study)}


def study_report(data: Mapping[str, Any]) -> Sections:
    """The tables of what `collect` gave."""
    study = msgspec.convert({k: v for k, v in data.items() if k != "assay"}, Study)
    by_group = study.groups
    sections = [_accuracy(study)] if study.accuracy else []
    sections += [tests(by_group), scores(by_group)]
    sections += [_concordance(study)] if study.concordance else []
    facts = runs(by_group.compared)
    return Sections("The telecom study's tables", facts, by_group.warnings, sections)


def _accuracy(study: Study) -> Section:
    by_run: dict[int, list[Accuracy]] = {}
    for one in study.accuracy:
        by_run.setdefault(one.run, []).append(one)
    depths = [k for k in DEPTHS if any(one.k == k for one in study.accuracy)]
    rows = [
        [letter(run), numbers.count(held[0].n), *(_cell(one) for one in held)]
        for run, held in by_run.items()
    ]
    level = f"{numbers.percent(study.groups.level)} %"
    notes = [f"Share of samples with a right context among the first k, with {level} intervals."]
    if len(by_run) > 1:
        notes.append(f"Marks: against A over the same samples, adjusted by Holm. {STARS}")
    return Section("Retrievers", ("run", "n", *(f"accuracy@{k}" for k in depths)), rows, notes)


def _cell(one: Accuracy) -> str:
    text = f"{numbers.score(one.mean)} ({numbers.interval(one.interval)})"
    return f"{text} {mark(one.p)}".rstrip()


def _concordance(study: Study) -> Section:
    tables = study.concordance
    gaps = {(gap.run, gap.metrics): gap for gap in study.gaps}
    rows = []
    for metrics in dict.fromkeys(row.metrics for table in tables for row in table.rows):
        for number, table in enumerate(tables):
            row = next((one for one in table.rows if one.metrics == metrics), None)
            if row is not None:
                cells = [agreement.share(row.correct), agreement.share(row.wrong)]
                cells += _differences(gaps.get((number, metrics))) if len(tables) > 1 else []
                rows.append([" and ".join(agreement.names(row, table)), letter(number), *cells])
    notes = [f"{name}: {why}" for name, why in tables[0].without.items()]
    heads = ["metric", "run", *agreement.conditions(tables[0])]
    if len(tables) > 1:
        heads += ["run - A, correct", "run - A, wrong"]
        notes.insert(0, "run - A: intervals of the differences; each run has its own answers.")
    return Section("Concordance with labels", heads, rows, notes)


def _differences(gap: Gap | None) -> list[str]:
    if gap is None:
        return ["", ""]
    return [between(msgspec.to_builtins(ends)) or numbers.DASH for ends in (gap.correct, gap.wrong)]
