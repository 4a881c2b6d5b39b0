"""The telecom study's four tables in words."""

from collections.abc import Mapping
from typing import Any

import msgspec

from assay._analysis.comparison import letter
from assay._analysis.telecom import DEPTHS, Accuracy, Gap, Study
from assay._report import agreement, numbers
from assay._report.comparison import between, groups
from assay._report.sections import Section, Sections
from assay._version import __version__


def collect(study: Study) -> dict[str, Any]:
    """Everything that is shown of it, as plain values."""
    return {"assay": __version__, **msgspec.to_builtins(study)}


def report(data: Mapping[str, Any]) -> Sections:
    """The tables of what `collect` gave."""
    study = msgspec.convert({k: v for k, v in data.items() if k != "assay"}, Study)
    by_group = study.groups
    sections = [_accuracy(study)] if study.accuracy else []
    sections += [groups.tests(by_group), groups.scores(by_group)]
    sections += [_concordance(study)] if study.concordance else []
    facts = groups.runs(by_group.compared)
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
        notes.append(f"Marks: against A over the same samples, adjusted by Holm. {groups.STARS}")
    return Section("Retrievers", ("run", "n", *(f"accuracy@{k}" for k in depths)), rows, notes)


def _cell(one: Accuracy) -> str:
    text = f"{numbers.score(one.mean)} ({numbers.interval(one.interval)})"
    return f"{text} {groups.mark(one.p)}".rstrip()


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
