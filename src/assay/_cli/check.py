"""The commands `assay check` and `assay schema`: whether data sets are well-formed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from assay._cli import config, options, output, values
from assay._cli.design import OPTIONS, DesignRequest, check_designs
from assay._cli.errors import BAD_INPUT, OK, say
from assay._cli.evaluation import select_metrics
from assay._cli.user_modules import look_here
from assay._report import numbers
from assay._runner.plan import MAX_LOCAL_CHARACTERS, is_long_for_local, refuse_too_long
from assay._runner.settings import Settings
from assay._runner.stack import choose
from assay.data import FIELDS, Samples, fields, read, samples
from assay.data.missing_fields import SKIP_HINT, is_missing
from assay.errors import InputError
from assay.judges.specs import DEFAULT
from assay.metrics import METRICS, resolve
from assay.testset import Freshness, check_freshness, read_documents
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


@dataclass(frozen=True, kw_only=True)
class CheckRequest(DesignRequest):
    """What `assay check` is asked for."""

    design: bool
    corpus_before: tuple[str, ...]
    corpus_after: tuple[str, ...]


@click.command("check", cls=options.Grouped, groups=_GROUPS)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@options.repeatable(
    "-m",
    "--metric",
    "metrics",
    metavar="METRIC",
    help="Check too that the rows hold what this metric needs; say which do not. With --run: the "
    "metric to look at.",
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
@options.repeatable(
    "--run",
    "runs",
    metavar="RUN",
    help="With --design: a run over these questions, whose scores say how small a difference they "
    "show; from two on also which are hard, and which better systems get wrong.",
)
@options.outs("With --design: write the card, .html (a page) or .json. Repeatable.")
@options.writer
@options.spending
@options.store
@options.as_json
@options.maps
@options.contexts
@options.takes(CheckRequest)
def check_command(request: CheckRequest) -> int:
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
        other = ("metrics", "design", *OPTIONS)
        options.reject_options("is not for --corpus-before", "leave it out", *other)
        return _check_freshness(request)
    if request.design:
        return check_designs(request)
    options.reject_options("is for --design", "add --design", *OPTIONS)
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


_SHOWN = 5  # questions of a state and parts


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
