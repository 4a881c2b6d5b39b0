"""The commands `assay check` and `assay schema`: whether data sets are well-formed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.padding import Padding
from rich.text import Text

from assay._cli import config, options, output, values
from assay._cli.errors import BAD_INPUT, OK, say
from assay._cli.evaluation import select_metrics
from assay._cli.user_modules import look_here
from assay._report import numbers, sanitize
from assay._runner.plan import MAX_LOCAL_CHARACTERS, is_long_for_local, refuse_too_long
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay.data import FIELDS, Samples, fields, read, samples
from assay.data.missing_fields import SKIP_HINT, is_missing
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, resolve
from assay.testset import Design, Freshness, check_design, check_freshness, read_documents
from assay.testset.freshness import STATES, State

# A question may be put to a system, and a system's failure is a result.
_USES = (
    *(("question",), ("failure",)),
    *(names for metric in METRICS.values() for names in (metric.needs, *metric.instead)),
)


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """What `assay check` is asked for."""

    files: tuple[str, ...]
    metrics: tuple[str, ...]
    maps: tuple[str, ...]
    contexts: str
    design: bool
    corpus: tuple[str, ...]
    corpus_before: tuple[str, ...]
    corpus_after: tuple[str, ...]
    as_json: bool


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@options.repeatable(
    "-m",
    "--metric",
    "metrics",
    metavar="METRIC",
    help="Check too that the rows hold what this metric needs; say which do not.",
)
@options.flag(
    "--design",
    help="Check the questions of each FILE as a test set: how many, of which kinds, which are "
    "repeated or cannot be understood alone, whether references have a source.",
)
@options.repeatable(
    "--corpus",
    "corpus",
    metavar="FOLDER",
    help="With --design: the documents that the questions are about (a folder or a file).",
)
@options.repeatable(
    "--corpus-before",
    "corpus_before",
    metavar="FOLDER",
    help="With --corpus-after: the documents when the questions were written (a folder, a file, "
    "or REVISION:FOLDER of git); say which questions the change touches.",
)
@options.repeatable(
    "--corpus-after",
    "corpus_after",
    metavar="FOLDER",
    help="With --corpus-before: the documents now.",
)
@options.as_json
@options.maps
@options.contexts
@options.takes(CheckRequest)
def check_command(request: CheckRequest) -> int:
    """Read all rows of each FILE and report everything that is wrong with it. Nobody is asked."""
    if request.corpus_before or request.corpus_after:
        if not (request.corpus_before and request.corpus_after):
            missing = "after" if request.corpus_before else "before"
            raise InputError(
                f"there is no --corpus-{missing}", "name the documents before and after"
            )
        other = ("metrics", "design", "corpus")
        options.reject_options("is not for --corpus-before", "leave it out", *other)
        return _check_freshness(request)
    if request.design:
        options.reject_options("is not for --design", "leave it out", "metrics")
        return _check_designs(request)
    options.reject_options("is for --design", "add --design", "corpus")
    options.reject_options("is for --design and --corpus-before", "add one of them", "as_json")
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


_SHOWN = 5  # rows of a finding, questions of a state and parts
_OF_CORPUS = ("coverage", "sections")  # whose rows are no rows of the data


def _check_designs(request: CheckRequest) -> int:
    """Tell what each file lacks as a test set; bad input where a row has to be changed."""
    mapping, contexts = values.mapping(request.maps), values.contexts(request.contexts)
    corpus = [Path(path) for path in request.corpus] or None
    designs, code = dict[str, Design](), OK
    for file in request.files:
        try:
            designs[file] = check_design(file, corpus=corpus, mapping=mapping, contexts=contexts)
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIP_HINT)}")
            code = BAD_INPUT
        else:
            code = BAD_INPUT if designs[file].faults else code
    if request.as_json:
        output.print_json({file: _plain(design) for file, design in designs.items()})
    else:
        for file, design in designs.items():
            _show(file, design)
    return code


def _plain(design: Design) -> dict[str, Any]:
    """A design as plain values."""
    best, usual = design.detectable
    return {
        "rows": design.rows,
        "questions": design.questions,
        "detectable": {"at_best": best, "with_flips": usual},
        "kinds": dict(design.kinds),
        "difficulty": design.difficulty,
        "found_first": design.found_first,
        "coverage": {
            document: {"asked_about": covered, "passages": total}
            for document, (covered, total) in design.coverage.items()
        },
        "findings": [
            {
                **{name: getattr(finding, name) for name in ("check", "level", "text", "remedy")},
                "rows": [{"id": row, "found": found} for row, found in finding.rows],
            }
            for finding in design.findings
        ],
    }


def _show(file: str, design: Design) -> None:
    console = output.stdout()
    counts = numbers.plural(design.rows, "row"), numbers.plural(design.questions, "question")
    output.print_text(f"{file}: {counts[0]}, {counts[1]}\n")
    facts = [", ".join(f"{kind} {n}" for kind, n in sorted(design.kinds.items(), key=_by_count))]
    best, usual = design.detectable
    if best is not None:
        often = "none at all" if usual is None else f"{100 * usual:.2g} %"
        facts.append(
            f"finds a difference of {often} between two systems with 80 % power, if one question "
            f"in ten changes each way by chance; {100 * best:.2g} % if none does"
        )
    if design.difficulty is not None:
        facts.append(f"{design.difficulty:.0%} of a question's content words are in its source")
    if design.found_first is not None:
        facts.append(
            f"{design.found_first:.0%} of the passages asked about come first by rare words"
        )
    if design.coverage:
        asked = sum(covered for covered, _ in design.coverage.values())
        total = sum(total for _, total in design.coverage.values())
        facts.append(f"asks about {asked} of {numbers.plural(total, 'passage')} of the corpus")
    for fact in facts:
        console.print(_indented(fact, 2))
    for finding in design.findings:
        count = (
            f" ({numbers.plural(len(finding.rows), 'row')})"
            if finding.rows and finding.check not in _OF_CORPUS
            else ""
        )
        console.print(_indented(f"{finding.level}: {finding.check}: {finding.text}{count}", 2))
        for row, found in finding.rows[:_SHOWN]:
            console.print(_indented(f"{row}  {found}", 6))
        _show_rest(len(finding.rows))
        console.print(_indented(f"-> {finding.remedy}", 4))
    if not design.findings:
        output.print_text("  nothing wrong\n")


def _check_freshness(request: CheckRequest) -> int:
    """Tell which questions a change of the documents touches; bad input if one is invalidated."""
    reading = {
        "mapping": values.mapping(request.maps),
        "contexts": values.contexts(request.contexts),
    }
    before, after = map(Path, request.corpus_before), map(Path, request.corpus_after)
    editions = read_documents(list(before)), read_documents(list(after))
    found, code = dict[str, Freshness](), OK
    for file in request.files:
        try:
            found[file] = check_freshness(file, before=editions[0], after=editions[1], **reading)
        except InputError as error:  # all files are looked at
            say(f"{file}: {error.without(SKIP_HINT)}")
            code = BAD_INPUT
        else:
            code = BAD_INPUT if found[file].of("invalidated") else code
    if request.as_json:
        output.print_json({file: asdict(freshness) for file, freshness in found.items()})
    else:
        for file, freshness in found.items():
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
        console.print(_indented(f"{state} ({numbers.plural(len(touched), 'question')})", 2))
        for each in touched[:_SHOWN]:
            console.print(_indented(f"{each.id}  '{each.question}': {each.reason}", 6))
            for sign, text in (("-", each.before), ("+", each.after)):
                if text:
                    console.print(_indented(f"{sign} {' '.join(text.split())}", 8))
        _show_rest(len(touched))
        console.print(_indented(f"-> {remedy}", 4))
    if freshness.new_parts:
        parts = numbers.plural(len(freshness.new_parts), "new part")
        console.print(_indented(f"{parts} of the documents without a question", 2))
        for part in freshness.new_parts[:_SHOWN]:
            console.print(_indented(part.title, 6))
        _show_rest(len(freshness.new_parts))
        console.print(_indented("-> ask about those that matter", 4))


_REMEDIES: Mapping[State, str] = {
    "invalidated": "correct the reference, or drop the question",
    "drifted": "read whether the reference still holds",
    "untraced": "name its reference_contexts, or see whether the documents ever held it",
}


def _show_rest(n: int) -> None:
    if n > _SHOWN:
        output.stdout().print(_indented(f"and {n - _SHOWN} more (--json)", 6))


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _indented(text: str, by: int) -> Padding:
    return Padding(Text(sanitize.plain(text)), (0, 0, 0, by))


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


@click.command("schema")
@click.argument("what", type=click.Choice(["data", "config"]))
@options.flag(
    "--list",
    "as_list",
    help="Of data: the schema of a JSON file that is a list of rows, instead of one row.",
)
def schema_command(what: str, *, as_list: bool) -> int:
    """Print a JSON schema, for editors and checks.

    "data" is a row of a data set, such as a line of a JSONL file; "config" is assay.toml, or
    [tool.assay] of pyproject.toml.
    """
    if what == "config":
        options.reject_options('is for "data"', "leave it out", "as_list")
        output.print_json(config.schema())
    else:
        output.print_json(fields.document() if as_list else fields.row())
    return OK
