"""The design of test sets: what `assay check --design` asks for, shows and writes."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._analysis import items as analysis
from assay._analysis.labelled import one_metric
from assay._cli import options, output, values
from assay._cli.errors import BAD_INPUT, OK, say
from assay._cli.judges import Judges, budget
from assay._cli.user_modules import look_here
from assay._report import design as words
from assay._report import numbers
from assay._runner.result import Result, open_run
from assay._runner.settings import Settings
from assay._store import Store
from assay.data.missing_fields import SKIP_HINT
from assay.errors import InputError
from assay.testset import Design, RunEvidence, check_design

_SHOWN = 5  # rows of a finding
FORMS = {".html": "the card, one page that needs nothing else", ".json": "what --json shows"}
# What does nothing without --design.
OPTIONS = ("corpus", "runs", *options.JUDGE_OPTIONS, "price", "budget", "outs")


@dataclass(frozen=True, kw_only=True)
class DesignRequest(options.LimitedJudgeRequest, options.ReportRequest):
    """The part of a request that `--design` is asked with."""

    files: tuple[str, ...]
    metrics: tuple[str, ...]
    maps: tuple[str, ...]
    contexts: str
    corpus: tuple[str, ...]
    runs: tuple[str, ...]


def check_designs(request: DesignRequest) -> int:
    """Tell what each file lacks as a test set; bad input where a row has to be changed."""
    output.check_files(request.outs, *request.files, request.store, forms=FORMS)
    given = {
        "corpus": [Path(path) for path in request.corpus] or None,
        "mapping": values.mapping(request.maps),
        "contexts": values.contexts(request.contexts),
        "runs": _runs(request),
        **_judge(request),
    }
    designs, code = dict[str, Design](), OK
    for file in request.files:
        try:
            designs[file] = check_design(file, **given)
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIP_HINT)}")
            code = BAD_INPUT
        else:
            code = BAD_INPUT if designs[file].faults else code
    data = {file: words.plain(design) for file, design in designs.items()}
    if designs:
        output.write_data(data, request.outs, {".html": lambda _: words.render(designs)})
    if request.as_json:
        output.print_json(data)
    else:
        for file, design in designs.items():
            _show(file, design)
        output.print_lines(output.file_lines(request.outs) if designs else ())
    return code


def _judge(request: DesignRequest) -> dict[str, Any]:
    if not request.judges:
        options.reject_options(
            "is for --judge", "add it", *options.JUDGE_OPTIONS[1:], "price", "budget"
        )
        return {}
    judge, _ = Judges(request).build()
    look_here()
    spending = budget(request)
    return {
        "judge": judge,
        "store": request.store,
        "settings": Settings(limits=request.limits(), budget=spending),
    }


def _runs(request: DesignRequest) -> RunEvidence | None:
    """What the runs showed of their questions."""
    if not request.runs:
        options.reject_options("is for --run", "leave it out", "metrics")
        return None
    if len(request.metrics) > 1:
        raise InputError("--metric names several metrics", "name the one to look at")
    results = [open_run(spec, request.store) for spec in request.runs]
    metric = one_metric(results[0], next(iter(request.metrics), None))
    if len(results) == 1:
        scores = list(_scores(results[0], metric).values())
        alone = float(np.std(scores, ddof=1)) * 2**0.5 if len(scores) > 1 else None
        return RunEvidence(metric, 1, alone)
    found = analysis.items(results, metric, force=True)
    return RunEvidence(
        metric,
        len(results),
        _deviation(table := np.array([each.scores for each in found.questions], np.float64)),
        _loss(table),
        {one.question: one.flag for one in found.questions if one.flag},
        {one.question: one.difficulty for one in found.questions if one.difficulty is not None},
    )


def _scores(result: Result, metric: str) -> dict[int, float]:
    with Store(result.path) as store:
        rows = store.values(result.run.id, metric)
        return {row: value for row, value, _ in rows if value is not None}


def _loss(table: npt.NDArray[np.float64]) -> float:
    """What a question that fails loses on average, those with more to lose counting more."""
    scores = np.abs(table[~np.isnan(table)])
    return float((scores**2).sum() / scores.sum()) if scores.any() else 0.0


def _deviation(table: npt.NDArray[np.float64]) -> float | None:
    """The median over pairs of runs of the standard deviation of their differences."""
    spreads = []
    for one, other in combinations(table.T, 2):
        differences = (one - other)[~np.isnan(one - other)]
        if len(differences) > 1:
            spreads.append(float(np.std(differences, ddof=1)))
    return median(spreads) if spreads else None


def _show(file: str, design: Design) -> None:
    console = output.stdout()
    counts = numbers.plural(design.rows, "row"), numbers.plural(design.questions, "question")
    output.print_text(f"{file}: {counts[0]}, {counts[1]}\n")
    for line in words.decides(design):
        console.print(output.indented(line, 2))
    for name, value in words.facts(design):
        console.print(output.indented(f"{name}: {value}", 2))
    for finding in design.findings:
        rows = words.count(design, finding.check)
        head = f"{finding.level}: {finding.check}: {finding.text}{f' ({rows})' if rows else ''}"
        console.print(output.indented(head, 2))
        for row, found in finding.rows[:_SHOWN]:
            console.print(output.indented(f"{row}  {found}", 6))
        if len(finding.rows) > _SHOWN:
            console.print(output.indented(f"and {len(finding.rows) - _SHOWN} more (--json)", 6))
        console.print(output.indented(f"-> {finding.remedy}", 4))
    if not design.findings:
        output.print_text("  nothing wrong\n")
