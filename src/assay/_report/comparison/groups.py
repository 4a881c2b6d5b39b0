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
    RunsByGroup,
)
from assay._analysis.telecom import DEPTHS, Accuracy, Study
from assay._report import agreement, numbers
from assay._report.comparison import p_value
from assay._report.page import Section, Sections
from assay._text.results import between, difference, signed
from assay._version import __version__
from assay.stats.comparison import Welch

MARKS: Final = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
STARS: Final = "* p < 0.05, ** p < 0.01, *** p < 0.001."


def collect(grouped: RunsByGroup) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    return {"assay": __version__, **msgspec.to_builtins(grouped)}


def report(data: Mapping[str, Any]) -> Sections:
    """The tables of what `collect` gave."""
    groups = msgspec.convert({k: v for k, v in data.items() if k != "assay"}, RunsByGroup)
    field = groups.runs[0].field
    title = f"{numbers.plural(len(groups.runs), 'run')} by {field}"
    facts = runs(groups.compared)
    return Sections(title, facts, groups.warnings, [scores(groups), tests(groups)])


def runs(compared: tuple[Compared, ...]) -> list[tuple[str, str]]:
    """What each run is, and what all of them are over."""
    sources = [f"{run.source}, {numbers.plural(run.n_samples, 'sample')}" for run in compared]
    same = len(set(sources)) == 1
    facts = [("data", sources[0])] if same else []
    for number, run in enumerate(compared):
        title = numbers.beside(run.title, run.id) + ("" if same else f"  {sources[number]}")
        facts.append((letter(number), title + ("" if number else ", the base")))
    return facts


def scores(grouped: RunsByGroup) -> Section:
    """Mean, standard deviation and n of each group, and its difference to the base."""
    is_several = len(grouped.runs) > 1
    differences = {(d.metric, d.group, d.run): d for d in grouped.differences}
    rows = []
    for index, base in enumerate(grouped.runs[0].metrics):
        for name in dict.fromkeys(
            g.name for run in grouped.runs for g in run.metrics[index].groups
        ):
            for number, run in enumerate(grouped.runs):
                group = next((g for g in run.metrics[index].groups if g.name == name), None)
                against = differences.get((base.metric, name, number))
                cells = _cells(group, against, is_several=is_several)
                rows.append([f"{base.metric}, {name}", letter(number), *cells])
    heads = (f"metric, {grouped.runs[0].field}", "run", "mean (s.d.)", "n")
    last = ("run - A", "pairs") if is_several else ("interval",)
    return Section("Scores by group", (*heads, *last), list(_named_once(rows)), _legend(grouped))


def _named_once(rows: list[list[str]]) -> Iterator[list[str]]:
    """The rows with what they are of named in its first row only."""
    before = ""
    for name, *cells in rows:
        yield ["" if name == before else name, *cells]
        before = name


def _cells(
    group: GroupScores | None, against: GroupDifference | None, *, is_several: bool
) -> list[str]:
    if group is None:
        return [numbers.DASH, "0", *[""] * (1 + is_several)]
    spread = "" if group.sd is None else f" ({numbers.score(group.sd)})"
    cells = [numbers.score(group.mean) + spread, numbers.count(group.n)]
    if not is_several:
        return [*cells, numbers.interval(group.interval)]
    if against is None:
        return [*cells, "", ""]
    pairs = against.paired
    if pairs is None:
        return [*cells, numbers.DASH, "0"]
    ends = pairs.interval
    text = difference(pairs.difference, ends) + mark(against.p)
    text += f" ({between(ends)})" if ends else ""
    return [*cells, text, numbers.count(pairs.n)]


def mark(p: float | None) -> str:
    """The stars of a p-value: one below 0.05, two below 0.01, three below 0.001."""
    return next((stars for limit, stars in MARKS if p is not None and p < limit), "")


def _legend(grouped: RunsByGroup) -> list[str]:
    n = sum(difference.paired is not None for difference in grouped.differences)
    level = f"{100 * grouped.level:g} %"
    text = "run - A: the mean difference over the samples that are of the group in both runs, with "
    text += f"{level} intervals; permutation test of pairs, adjusted by Holm for "
    text += f"{numbers.plural(n, 'test')}: {STARS}"
    without = [
        f"{numbers.plural(run.without, 'sample')} of {letter(number)} without {run.field} left out."
        for number, run in enumerate(grouped.runs)
        if run.without
    ]
    return [*([text] if len(grouped.runs) > 1 else []), *without]


def tests(grouped: RunsByGroup) -> Section:
    """The groups of each run against each other, where it has enough of both."""
    tested = [
        (
            base.metric,
            f"{test.first} against {test.second}",
            letter(number),
            *_test_cells(test.found, test.p),
        )
        for index, base in enumerate(grouped.runs[0].metrics)
        for number, run in enumerate(grouped.runs)
        for test in run.metrics[index].tests
        if test.found
    ]
    results = [
        test.found for r in grouped.runs for m in r.metrics for test in m.tests if test.found
    ]
    sides = {result.one_sided for result in results}
    title = f"Within each run, by {grouped.runs[0].field}"
    if len(whos := {row[1] for row in tested}) == 1:  # said once, it leaves room for the numbers
        title += f": {whos.pop()}"
        rows = [[metric, *cells] for metric, _, *cells in tested]
    else:
        rows = [[f"{metric}, {pair}", *cells] for metric, pair, *cells in tested]
    note = "Welch's t, p by permutation"
    note += ", one-sided" if sides == {True} else ", two-sided" if sides == {False} else ""
    note += f", adjusted by Holm for {numbers.plural(len(results), 'test')}. "
    takes = f"A test takes {LEAST} scores in a group, {LEAST_EQUAL} where all are the same: "
    note = note * bool(results) + takes + ("else there is no row." if results else "none has them.")
    heads = ("metric", "run", "difference", "t", "p", "adjusted")
    return Section(title, heads, list(_named_once(rows)), [note])


def _test_cells(result: Welch, p: float | None) -> list[str]:
    ends = result.interval
    text = f"{difference(result.difference, ends)} ({between(ends)})"
    return [text, signed(result.t), p_value(result.p), p_value(p)]


def collect_study(study: Study) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    return {"assay": __version__, **msgspec.to_builtins(study)}


def study_report(data: Mapping[str, Any]) -> Sections:
    """The tables of what `collect` gave."""
    study = msgspec.convert({k: v for k, v in data.items() if k != "assay"}, Study)
    by_group = study.groups
    sections = [_accuracy(study)] if study.accuracy else []
    sections += [tests(by_group), scores(by_group)] if by_group.runs else []
    sections += _concordance(study) if study.concordance else []
    facts = runs(by_group.compared)
    return Sections("The telecom study's tables", facts, by_group.warnings, sections)


def _accuracy(study: Study) -> Section:
    by_run: dict[int, list[Accuracy]] = {}
    for accuracy in study.accuracy:
        by_run.setdefault(accuracy.run, []).append(accuracy)
    depths = [k for k in DEPTHS if any(accuracy.k == k for accuracy in study.accuracy)]
    rows = []
    for run, accuracies in by_run.items():
        cells = {accuracy.k: _cell(accuracy) for accuracy in accuracies}
        row_cells = (cells.get(k, numbers.DASH) for k in depths)
        rows.append([letter(run), numbers.count(accuracies[0].n), *row_cells])
    level = f"{numbers.percent(study.groups.level)} %"
    text = f"Share of samples with a right context among the first k, with {level} intervals"
    shallow = any(len(accuracies) < len(depths) for accuracies in by_run.values())
    notes = [f"{text}; {numbers.DASH}: fewer are retrieved." if shallow else f"{text}."]
    if len(by_run) > 1:
        notes.append(f"Marks: against A over the same samples, adjusted by Holm. {STARS}")
    return Section("Retrievers", ("run", "n", *(f"accuracy@{k}" for k in depths)), rows, notes)


def _cell(accuracy: Accuracy) -> str:
    return f"{numbers.estimate(accuracy.mean, accuracy.interval)} {mark(accuracy.p)}".rstrip()


def _concordance(study: Study) -> Iterator[Section]:
    tables = study.concordance
    gaps = {(gap.run, gap.metrics): gap for gap in study.gaps}
    shares, differences = [], []
    for metrics in dict.fromkeys(row.metrics for table in tables for row in table.rows):
        for number, table in enumerate(tables):
            row = next((row for row in table.rows if row.metrics == metrics), None)
            if row is not None:
                name = " and ".join(agreement.names(row, table)), letter(number)
                shares.append([*name, agreement.share(row.correct), agreement.share(row.wrong)])
                if gap := gaps.get((number, metrics)):
                    ends = (between(ends) or numbers.DASH for ends in (gap.correct, gap.wrong))
                    differences.append([*name, *ends])
    notes = [f"{name}: {reason}" for name, reason in tables[0].without.items()]
    heads = ["metric", "run", *agreement.conditions(tables[0])]
    yield Section("Concordance with labels", heads, list(_named_once(shares)), notes)
    if differences:
        note = "Intervals of the differences; each run has its own answers."
        heads = ["metric", "run", "run - A, correct", "run - A, wrong"]
        yield Section("Concordance beside A", heads, list(_named_once(differences)), [note])
