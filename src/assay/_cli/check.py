"""The commands `assay check` and `assay schema`: data sets well-formed, and good as test sets."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from assay._analysis import items as analysis
from assay._analysis.labelled import one_metric
from assay._cli import config, options, output, values
from assay._cli.errors import BAD_INPUT, OK, say
from assay._cli.evaluation import select_metrics
from assay._cli.judges import Judges, budget
from assay._cli.values import look_here
from assay._report import design as words
from assay._report import numbers
from assay._runner.plan import MAX_LOCAL_CHARACTERS, is_long_for_local, refuse_too_long
from assay._runner.result import Result, open_run
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay._store import Store
from assay.data import FIELDS, Samples, fields, read, samples
from assay.data.missing_fields import SKIP_HINT, is_missing
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, resolve
from assay.testset import (
    Design,
    Freshness,
    RunEvidence,
    check_design,
    check_freshness,
    read_documents,
)
from assay.testset.freshness import STATES, State

# A question may be put to a system, and a system's failure is a result.
_USES = (
    *(("question",), ("failure",)),
    *(names for metric in METRICS.values() for names in (metric.needs, *metric.instead)),
)


_GROUPS = {
    "What is checked": ("metrics", "maps", "contexts"),
    "As a test set": ("design", "corpus", "runs", "outs"),
    "Who is asked": ("judges", "base_url", "api_key", "timeout", "window", "price", "budget"),
    "How fast it is asked": ("concurrency", "rpm", "tpm", "retries", "store"),
    "After a change of the documents": ("corpus_before", "corpus_after"),
}


class _CheckRequest(options.WriterRequest, options.ReportRequest):
    files: tuple[str, ...] = options.argument(metavar="FILE...", nargs=-1, required=True)
    metrics: tuple[str, ...] = options.repeatable(
        "-m",
        "--metric",
        metavar="METRIC",
        help="Check too that the rows hold what this metric needs; say which do not. With --run: "
        "the metric to look at.",
    )
    design: bool = options.flag(
        "--design",
        help="Check the questions of each FILE as a test set: how many, of which kinds, which are "
        "repeated or cannot be understood alone, whether references have a source.",
    )
    corpus: tuple[str, ...] = options.repeatable(
        "--corpus",
        metavar="FOLDER",
        help="With --design: the documents that the questions are about (a folder or a file).",
    )
    corpus_before: tuple[str, ...] = options.repeatable(
        "--corpus-before",
        metavar="FOLDER",
        help="With --corpus-after: the documents when the questions were written (a folder, a "
        "file, or REVISION:FOLDER of git); say which questions the change touches.",
    )
    corpus_after: tuple[str, ...] = options.repeatable(
        "--corpus-after",
        metavar="FOLDER",
        help="With --corpus-before: the documents now.",
    )
    runs: tuple[str, ...] = options.repeatable(
        "--run",
        metavar="RUN",
        help="With --design: a run over these questions, whose scores say how small a difference "
        "they show; from two on also which are hard, and which better systems get wrong.",
    )
    outs: tuple[str, ...] = options.outs(
        "With --design: write the card, .html (a page) or .json. Repeatable."
    )
    maps: tuple[str, ...]
    contexts: str


@options.command("check", _CheckRequest, _GROUPS)
def check_command(request: _CheckRequest) -> int:
    """Read all rows of each FILE and report everything that is wrong with it.

    Nobody is asked, but with --design by --judge: it says whether the sources support the
    references and, if it writes, which questions it answers without any.
    """
    if request.corpus_before or request.corpus_after:
        if not (request.corpus_before and request.corpus_after):
            missing = "after" if request.corpus_before else "before"
            raise InputError(
                f"there is no --corpus-{missing}", "name the documents before and after"
            )
        other = ("metrics", "design", *_OPTIONS)
        values.reject_options("is not for --corpus-before", "leave it out", *other)
        return _check_freshness(request)
    if request.design:
        return _check_designs(request)
    values.reject_options("is for --design", "add --design", *_OPTIONS)
    values.reject_options("is for --design and --corpus-before", "add one of them", "as_json")
    specs = values.metric_specs(request.metrics)
    if specs:
        look_here()
    metrics = resolve(specs) if specs else ()
    mapping = values.mapping(request.maps)
    contexts = values.contexts(request.contexts)
    code = OK
    for file in request.files:
        try:
            rows = samples(
                read(file, mapping=mapping, contexts=contexts),
                needs={metric.label: metric.needs for metric in metrics},
                instead={metric.label: metric.instead for metric in metrics},
            ).refusing(refuse_too_long(local=False))
            n = _count(rows, file, mapping, named=bool(specs))
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIP_HINT)}")
            code = BAD_INPUT
        else:
            output.print_text(f"{file}: {numbers.plural(n, 'row')}, nothing wrong\n")
            output.print_text("".join(f"  note: {note}\n" for note in rows.notes))
    return code


_SHOWN = 5  # questions of a state and parts


def _check_freshness(request: _CheckRequest) -> int:
    """Tell which questions a change of the documents touches; bad input if one is invalidated."""
    reading = {
        "mapping": values.mapping(request.maps),
        "contexts": values.contexts(request.contexts),
    }
    before, after = map(Path, request.corpus_before), map(Path, request.corpus_after)
    editions = read_documents(list(before)), read_documents(list(after))
    states, code = dict[str, Freshness](), OK
    for file in request.files:
        try:
            states[file] = check_freshness(file, before=editions[0], after=editions[1], **reading)
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIP_HINT)}")
            code = BAD_INPUT
        else:
            code = BAD_INPUT if states[file].of("invalidated") else code
    if request.as_json:
        output.print_json({file: asdict(freshness) for file, freshness in states.items()})
    else:
        for file, freshness in states.items():
            _show_freshness(file, freshness)
    return code


def _show_freshness(file: str, freshness: Freshness) -> None:
    console = output.stdout()
    counts = ", ".join(f"{state} {len(freshness.of(state))}" for state in STATES)
    output.print_text(f"{file}: {numbers.plural(len(freshness.questions), 'question')}: {counts}\n")
    for state, remedy in _REMEDIES.items():
        touched = freshness.of(state)
        if not touched:
            continue
        console.print(output.indented(f"{state} ({numbers.plural(len(touched), 'question')})", 2))
        for each in touched[:_SHOWN]:
            console.print(output.indented(f"{each.id}  '{each.question}': {each.reason}", 6))
            for sign, text in (("-", each.before), ("+", each.after)):
                if text:
                    console.print(output.indented(f"{sign} {' '.join(text.split())}", 8))
        _show_rest(len(touched))
        console.print(output.indented(f"-> {remedy}", 4))
    if freshness.new_parts:
        parts = numbers.plural(len(freshness.new_parts), "new part")
        console.print(output.indented(f"{parts} of the documents without a question", 2))
        for part in freshness.new_parts[:_SHOWN]:
            console.print(output.indented(part.title, 6))
        _show_rest(len(freshness.new_parts))
        console.print(output.indented("-> ask about those that matter", 4))


_REMEDIES: Mapping[State, str] = {
    "invalidated": "correct the reference, or drop the question",
    "drifted": "read whether the reference still holds",
    "untraced": "name its reference_contexts, or see whether the documents ever held it",
}


def _show_rest(n: int) -> None:
    if n > _SHOWN:
        output.stdout().print(output.indented(f"and {n - _SHOWN} more (--json)", 6))


def _count(rows: Samples, file: str, mapping: Mapping[str, str], *, named: bool) -> int:
    """How many samples there are."""
    n, held, long = 0, set[str](), 0
    for n, sample in enumerate(rows, start=1):  # noqa: B007 - counted
        held |= {name for name in FIELDS if not is_missing(getattr(sample, name), name)}
        long += is_long_for_local(sample)
    if long:
        most = f"more than {MAX_LOCAL_CHARACTERS / 1e6:g} million characters"
        rows.notes.append(
            f"{numbers.plural(long, 'row')} of {most}: too long for --judge {DEFAULT}"
        )
    if not named and not any(held.issuperset(names) for names in _USES):
        settings = Settings(mapping=mapping)
        select_metrics(file, settings, choose(DEFAULT, None, settings))
    return n


class _SchemaRequest(options.Request):
    what: str = options.argument(type=click.Choice(["data", "config"]))
    as_list: bool = options.flag(
        "--list",
        help="Of data: the schema of a JSON file that is a list of rows, instead of one row.",
    )


@options.command("schema", _SchemaRequest)
def schema_command(request: _SchemaRequest) -> int:
    """Print a JSON schema, for editors and checks.

    "data" is a row of a data set, such as a line of a JSONL file; "config" is assay.toml, or
    [tool.assay] of pyproject.toml.
    """
    if request.what == "config":
        values.reject_options('is for "data"', "leave it out", "as_list")
        output.print_json(config.schema())
    else:
        output.print_json(fields.document() if request.as_list else fields.row())
    return OK


_FORMS = {".html": "the card, one page that needs nothing else", ".json": "what --json shows"}
# What does nothing without --design.
_OPTIONS = ("corpus", "runs", *options.JUDGE_OPTIONS, "price", "budget", "outs")


def _check_designs(request: _CheckRequest) -> int:
    """Tell what each file lacks as a test set; bad input where a row has to be changed."""
    output.check_files(request.outs, *request.files, request.store, forms=_FORMS)
    corpus = [Path(path) for path in request.corpus]
    values.tell_unread(corpus)
    given = {
        "corpus": corpus or None,
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


def _judge(request: _CheckRequest) -> dict[str, Any]:
    if not request.judges:
        values.reject_options(
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


def _runs(request: _CheckRequest) -> RunEvidence | None:
    """What the runs showed of their questions."""
    if not request.runs:
        values.reject_options("is for --run", "leave it out", "metrics")
        return None
    if len(request.metrics) > 1:
        raise InputError("--metric names several metrics", "name the one to look at")
    results = [open_run(spec, request.store) for spec in request.runs]
    metric = one_metric(results[0], next(iter(request.metrics), None))
    if len(results) == 1:
        scores = list(_scores(results[0], metric).values())
        alone = float(np.std(scores, ddof=1)) * 2**0.5 if len(scores) > 1 else None
        return RunEvidence(metric, 1, alone)
    analysed = analysis.items(results, metric, force=True)
    return RunEvidence(
        metric,
        len(results),
        _deviation(table := np.array([each.scores for each in analysed.questions], np.float64)),
        _loss(table),
        {one.question: one.flag for one in analysed.questions if one.flag},
        {one.question: one.difficulty for one in analysed.questions if one.difficulty is not None},
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
