"""The commands `assay check`, `assay nuggets` and `assay schema`: what data sets hold and lack."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import click
import numpy as np
import numpy.typing as npt

from assay._analysis import items as analysis
from assay._analysis.labelled import one_metric
from assay._cli import options, output, values
from assay._cli.config import schema
from assay._cli.errors import BAD_INPUT, BUDGET, OK, SOME_FAILED, say
from assay._cli.evaluation import select_metrics
from assay._cli.judges import Judges, budget
from assay._cli.values import look_here, read_prompts
from assay._report import design as words
from assay._report import numbers
from assay._runner.plan import MAX_LOCAL_CHARACTERS, is_long_for_local, refuse_too_long
from assay._runner.result import open_run
from assay._runner.retrieved import RetrievedCount
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay._store import Store
from assay.data import FIELDS, Samples, fields, read, samples
from assay.data.columns import renamed
from assay.data.missing_fields import SKIP_HINT, is_missing, note_on_unmapped, probable_columns
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, resolve
from assay.sample import Sample
from assay.stats.comparison import paired
from assay.testset import (
    Design,
    Freshness,
    NuggetSet,
    RunEvidence,
    check_design,
    check_freshness,
    find_nuggets,
    read_documents,
)
from assay.testset.freshness import STATES, State
from assay.testset.nuggets import Pool
from assay.testset.questions import lines

# A question may be put to a system, and a system's failure is a result.
_USES = (
    *(("question",), ("failure",)),
    *(names for metric in METRICS.values() for names in (metric.needs, *metric.instead)),
)

_COMMON = ("question", "contexts", "answer", "reference")


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

    Without --judge nobody is asked. With --design it says whether the sources support the
    references and, if it writes, which questions it answers without any.
    """
    if request.corpus_before or request.corpus_after:
        if not (request.corpus_before and request.corpus_after):
            missing = "after" if request.corpus_before else "before"
            raise InputError(f"there is no --corpus-{missing}", "name documents before and after")
        other_options = ("metrics", "design", *_OPTIONS)
        values.reject_options("is not for --corpus-before", "leave it out", *other_options)
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
    needs = {metric.label: metric.needs for metric in metrics}
    instead = {metric.label: metric.instead for metric in metrics}

    def check(file: str) -> None:
        source = read(file, mapping=mapping, contexts=contexts)
        rows = samples(source, needs=needs, instead=instead).refusing(refuse_too_long(local=False))
        rows.watchers.append(RetrievedCount(metrics))
        n, absent = _count(rows, file, mapping, by_metric=bool(specs))
        finding = f"no {' or '.join(absent)} found" if absent else "nothing wrong"
        output.print_text(f"{file}: {numbers.plural(n, 'row')}, {finding}\n")
        notes = [*renamed(next(iter(source)).columns), *rows.notes]
        output.print_text("".join(f"  note: {note}\n" for note in notes))

    return OK if len(_by_file(request, check)) == len({*request.files}) else BAD_INPUT


T = TypeVar("T")
_SHOWN = 5  # questions of a state and parts


def _check_freshness(request: _CheckRequest) -> int:
    """Tell which questions a change of the documents touches; bad input if one is invalidated."""
    reading = {
        "mapping": values.mapping(request.maps),
        "contexts": values.contexts(request.contexts),
    }
    before, after = [*map(Path, request.corpus_before)], [*map(Path, request.corpus_after)]
    values.tell_unread(after)
    editions = read_documents(before), read_documents(after)
    check = partial(check_freshness, before=editions[0], after=editions[1], **reading)
    states = _by_file(request, check)
    if request.as_json:
        output.print_json({file: asdict(freshness) for file, freshness in states.items()})
    else:
        for file, freshness in states.items():
            _show_freshness(file, freshness)
    wrong = any(freshness.of("invalidated") for freshness in states.values())
    return BAD_INPUT if wrong or len(states) < len({*request.files}) else OK


def _by_file(request: _CheckRequest, check: Callable[[str], T]) -> dict[str, T]:
    """What a check of each file gives; those that cannot be read are told, and left out."""
    checked = {}
    for file in request.files:
        try:
            checked[file] = check(file)
        except InputError as error:
            say(f"{file}: {error.without(SKIP_HINT)}")
    return checked


def _show_freshness(file: str, freshness: Freshness) -> None:
    console = output.stdout()
    counts = ", ".join(f"{state} {len(freshness.of(state))}" for state in STATES)
    output.print_text(f"{file}: {numbers.plural(len(freshness.questions), 'question')}: {counts}\n")
    for state, remedy in _REMEDIES.items():
        touched = freshness.of(state)
        if not touched:
            continue
        console.print(output.indented(f"{state} ({numbers.plural(len(touched), 'question')})", 2))
        for item in touched[:_SHOWN]:
            console.print(output.indented(f"{item.id}  '{item.question}': {item.reason}", 6))
            for sign, text in (("-", item.before), ("+", item.after)):
                if text:
                    console.print(output.indented(f"{sign} {' '.join(text.split())}", 8))
        _show_rest(len(touched))
        console.print(output.indented(f"-> {remedy}", 4))
    if freshness.new_parts:
        n_parts = numbers.plural(len(freshness.new_parts), "new part")
        console.print(output.indented(f"{n_parts} of the documents without a question", 2))
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


def _count(
    rows: Samples, file: str, mapping: Mapping[str, str], *, by_metric: bool
) -> tuple[int, Sequence[str]]:
    """How many samples there are, and what none holds; which fields some lack is noted."""
    n, fields_held, long, unmapped = 0, set[str](), 0, list[str]()
    lacking: dict[str, list[str]] = {name: [] for name in _COMMON}
    unread: set[str] = set()  # columns of text that stand for no field
    for n, sample in enumerate(rows, start=1):  # noqa: B007 - counted
        fields_held |= {name for name in FIELDS if not is_missing(getattr(sample, name), name)}
        for name in () if sample.failure is not None else _COMMON:
            if is_missing(getattr(sample, name), name):
                lacking[name].append(sample.id)
        long += is_long_for_local(sample)
        unread.update(name for name, value in sample.metadata.items() if " " in str(value))
    absent = [name for name in ("question", "contexts", "answer") if name not in fields_held]
    probable = probable_columns(absent, sorted(unread))
    if not by_metric and absent and (mapping or probable or "answer" in fields_held):
        rows.notes.append(note_on_unmapped(absent, sorted(unread), probable))
        unmapped = absent
    for name in () if by_metric else filter(fields_held.__contains__, _COMMON):  # -m says it
        if ids := lacking[name]:
            have = "has" if len(ids) == 1 else "have"
            gap = f"{len(ids):,} of {numbers.plural(n, 'row')} {have} no '{name}'"
            rows.notes.append(f"{gap} (the first is {ids[0]}): metrics of it are undefined there")
    if long:
        n_long, limit = numbers.plural(long, "row"), f"{MAX_LOCAL_CHARACTERS / 1e6:g} million"
        rows.notes.append(
            f"{n_long} of more than {limit} characters: too long for --judge {DEFAULT}"
        )
    if not by_metric and not any(fields_held.issuperset(names) for names in _USES):
        settings = Settings(mapping=mapping)
        select_metrics(file, settings, choose(DEFAULT, None, settings))
    return n, unmapped


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
        output.print_json(schema())
    else:
        output.print_json(fields.document() if request.as_list else fields.row())
    return OK


_FORMS = {".html": "the card, one page that needs nothing else", ".json": "what --json shows"}
# What does nothing without --design.
_OPTIONS = ("corpus", "runs", *options.JUDGE_OPTIONS, "outs")


def _check_designs(request: _CheckRequest) -> int:
    """Tell what each file lacks as a test set; bad input where a row has to be changed."""
    output.check_files(request.outs, *request.files, *request.corpus, request.store, forms=_FORMS)
    values.refuse_among(request.corpus, "--out", *request.outs)
    corpus = [Path(path) for path in request.corpus]
    values.tell_unread(corpus)
    arguments = {
        "corpus": read_documents(corpus) if corpus else None,
        "mapping": values.mapping(request.maps),
        "contexts": values.contexts(request.contexts),
        "runs": _runs(request),
        **_judge(request),
    }
    designs = _by_file(request, partial(check_design, **arguments))
    data = {file: words.plain(design) for file, design in designs.items()}
    if designs:
        output.write_data(data, request.outs, {".html": lambda _: words.render(designs)})
    if request.as_json:
        output.print_json(data)
    else:
        for file, design in designs.items():
            _show(file, design)
        output.print_lines(output.file_lines(request.outs) if designs else ())
    wrong = any(design.faults for design in designs.values())
    return BAD_INPUT if wrong or len(designs) < len({*request.files}) else OK


def _judge(request: _CheckRequest) -> dict[str, Any]:
    if not request.judges:
        values.reject_options("is for --judge", "add it", *options.JUDGE_OPTIONS[1:])
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
    with Store(results[0].path) as store:
        members = dict(store.samples(results[0].run.id))
        scores = store.numbers(results[0].run.id, metric)
    if len(results) == 1:
        deviation = _deviation(
            np.array([[0.0, score] for score in scores.values()]), [members[row] for row in scores]
        )
        return RunEvidence(metric, 1, deviation and deviation * 2**0.5)
    questions = analysis.items(results, metric, force=True).questions
    by_id = {sample.id: sample for sample in members.values()}
    table = np.array([item.scores for item in questions], np.float64)
    return RunEvidence(
        metric,
        len(results),
        _deviation(table, [by_id[item.sample] for item in questions]),
        _loss(table),
        {item.question: item.flag for item in questions if item.flag},
        {item.question: item.difficulty for item in questions if item.difficulty is not None},
    )


def _loss(table: npt.NDArray[np.float64]) -> float:
    """What a question that fails loses on average, those with more to lose counting more."""
    scores = np.abs(table[~np.isnan(table)])
    return float((scores**2).sum() / scores.sum()) if scores.any() else 0.0


def _deviation(table: npt.NDArray[np.float64], members: Sequence[Sample]) -> float | None:
    """The median over pairs of runs of the deviation of their differences, by groups if any."""
    groups = np.array([f"group {row.group}" if row.group else row.id for row in members])
    spreads = []
    for a, b in combinations(table.T, 2):
        shared = ~np.isnan(a - b)
        if shared.any():
            spreads.append(paired(a[shared], b[shared], groups=groups[shared].tolist()).deviation)
    widths = [spread for spread in spreads if spread is not None]
    return median(widths) if widths else None


def _show(file: str, design: Design) -> None:
    console = output.stdout()
    n_questions = numbers.plural(design.questions, "different question")
    output.print_text(f"{file}: {numbers.plural(design.rows, 'row')}, {n_questions}\n")
    for line in words.decides(design):
        console.print(output.indented(line, 2))
    for name, value in words.facts(design):
        console.print(output.indented(f"{name}: {value}", 2))
    for finding in design.findings:
        rows = words.count(design, finding.check)
        head = f"{finding.level}: {finding.check}: {finding.text}{f' ({rows})' if rows else ''}"
        console.print(output.indented(head, 2))
        for row, detail in finding.rows[:_SHOWN]:
            console.print(output.indented(f"{row}  {detail}", 6))
        _show_rest(len(finding.rows))
        console.print(output.indented(f"-> {finding.remedy}", 4))
    if not design.findings:
        output.print_text("  nothing wrong\n")


_NUGGETS_GROUPS = {
    "What is found": ("pool", "out", "maps", "contexts"),
    "Who finds it": (*("judges", "base_url", "api_key", "timeout", "window", "prompts"),),
    "What it may cost": ("price", "budget"),
    "Pace": ("concurrency", "rpm", "tpm", "retries"),
}


class _NuggetsRequest(options.WriterRequest):
    data: str = options.argument(metavar="DATA")
    pool: Pool = options.choice(
        "--from",
        choices=("answers", "contexts"),
        default="answers",
        help="Where facts are taken from: the answers of several systems to a question, or its "
        "contexts.",
    )
    out: str = options.option(
        "--out",
        required=True,
        metavar="FILE",
        help="The questions with their nuggets, to be read and edited: .jsonl, a line a question.",
    )
    prompts: str | None
    store: str
    as_json: bool
    maps: tuple[str, ...]
    contexts: str


@options.command("nuggets", _NuggetsRequest, _NUGGETS_GROUPS)
def nuggets_command(request: _NuggetsRequest) -> int:
    """Find the facts ("nuggets") that an answer to each question of DATA should hold.

    A judge that writes lists them from the answers or contexts and says which are vital. The
    embedded judge keeps the statements that two answers or more share, which is weaker. Read and
    edit them before you score answers by `nugget_recall`.
    """
    read = [request.data, request.store, *filter(None, [request.prompts])]
    output.check_files([request.out], *read, forms={".jsonl": "a line a question"})
    judge, _ = Judges(request).build()
    look_here()
    settings = Settings(
        mapping=values.mapping(request.maps),
        contexts=values.contexts(request.contexts),
        prompts=read_prompts(request.prompts),
        limits=request.limits(),
        budget=budget(request),
    )
    nugget_set = find_nuggets(
        request.data, judge=judge, pool=request.pool, store=request.store, settings=settings
    )
    output.write_text("--out", request.out, lines([dict(row) for row in nugget_set.rows]))
    if request.as_json:
        output.print_json(_counts(nugget_set))
    else:
        _show_nuggets(nugget_set, request.out)
    for row, reason in nugget_set.failed.items():
        say(f"{row}: {reason}")
    if nugget_set.stopped:
        say(f"stopped: {nugget_set.stopped}")
        return BUDGET
    return SOME_FAILED if nugget_set.failed else OK


def _counts(nuggets: NuggetSet) -> dict[str, Any]:
    kinds = [kind for row in nuggets.rows for kind in row["nuggets"].values()]
    return {
        "questions": len(nuggets.rows),
        "nuggets": len(kinds),
        "vital": kinds.count("vital"),
        "without": [row["id"] for row in nuggets.rows if not row["nuggets"]],
        "method": nuggets.method,
        "failed": dict(nuggets.failed),
        "left_out": list(nuggets.left_out),
        "stopped": nuggets.stopped,
    }


def _show_nuggets(nugget_set: NuggetSet, path: str) -> None:
    counts = _counts(nugget_set)
    questions = numbers.plural(counts["questions"], "question")
    console = output.stdout()
    nuggets = numbers.plural(counts["nuggets"], "nugget")
    text = f"{questions}, {nuggets} ({counts['vital']} vital), {nugget_set.method}"
    console.print(output.indented(text, 0))
    for n, reason in (
        (len(counts["without"]), "without any nugget: no fact was found"),
        (len(nugget_set.left_out), "left out: one text alone shares nothing"),
    ):
        if n:
            console.print(output.indented(f"{numbers.plural(n, 'question')} {reason}", 0))
    output.print_lines([("nuggets", path), ("next", f"read and edit {path}; see docs/nuggets.md")])
