"""Which options do several commands share?"""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from assay.cli.numbers import POSITIVE
from assay.runner import STORE

F = TypeVar("F", bound=Callable[..., Any])

store = click.option(
    "--store",
    default=STORE,
    metavar="FILE",
    show_default=True,
    help="The SQLite file that keeps every reply and every score.",
)
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Write JSON to stdout, and nothing else there."
)


def outs(forms: str) -> Callable[[F], F]:
    """The option that names the files to write; `forms` says what each ending makes."""
    return click.option("--out", "outs", multiple=True, metavar="FILE", help=forms)


report = outs(
    "Write the report: .html (a page), .md (the score table), .jsonl (a line a sample, with "
    "the evidence), .json (all that the page shows), .parquet (a row a sample). A file in an "
    "object store is named by its URI: s3://BUCKET/FILE. Repeatable."
)
_LABELS = "Human labels: CSV, TSV, JSON, JSONL or Parquet with a sample id and a label."
labels = click.option("--labels", required=True, metavar="FILE", help=_LABELS)
labels_if_any = click.option("--labels", metavar="FILE", help=_LABELS)

maps = click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="FIELD=COLUMN",
    help=(
        "Which column holds a field, where it is not found by its name; '#' stands for the numbers "
        "of columns that make a list. Repeatable."
    ),
)
contexts = click.option(
    "--contexts",
    metavar="auto|whole|numbered|SEPARATOR",
    default="auto",
    show_default=True,
    help=(
        "What becomes of contexts that are one text: split where the first rows show that passages "
        "were joined (and said so), kept whole, split at numbers and labels, or split at SEPARATOR "
        "(\\n is a line end)."
    ),
)
limit = click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Use only the first N rows."
)
only_metrics = click.option(
    "--metric",
    "-m",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Only this metric. Repeatable.",
)
force = click.option(
    "--force", is_flag=True, help="Continue although definitions or data of the runs differ."
)

concurrency = click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="N",
    help="Maximum concurrent calls to a judge; fewer while its server is slow or refuses.",
)
retries = click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How often to retry a call that got no reply.",
)
rpm = click.option(
    "--rpm", type=POSITIVE, metavar="N", help="At most N requests a minute to a judge."
)
tpm = click.option(
    "--tpm", type=POSITIVE, metavar="N", help="At most N tokens a minute to a judge."
)
price = click.option(
    "--price",
    metavar="IN/OUT",
    help="What a million prompt tokens and a million reply tokens cost, such as 0.15/0.60.",
)
budget = click.option(
    "--budget",
    metavar="AMOUNT",
    help="Stop before more than this is spent: money (with --price), 200000tok or 500calls.",
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Show nothing but errors (and --json).")
no_progress = click.option("--no-progress", is_flag=True, help="Show no progress while it works.")

_SAID_OF_RUN = (
    click.option(
        "--name",
        metavar="NAME",
        help="Call the run so: reports show it, and commands take it in the place of its id.",
    ),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        help="Mark the run: `assay runs --tag TAG` lists those that are. Repeatable.",
    ),
    click.option("--note", metavar="TEXT", help="Keep a remark with the run."),
    click.option(
        "--param",
        "params",
        multiple=True,
        metavar="KEY=VALUE",
        help=(
            "Say what was set of the system, such as k=5: `assay history --by k` shows the scores "
            "by it. Repeatable."
        ),
    ),
)
_EMBEDDER = click.option(
    "--embedder",
    metavar="JUDGE",
    help=(
        "Who makes embeddings: embedded (the default), openai:MODEL, ollama:MODEL or onnx:FOLDER."
    ),
)
_JUDGE = (
    click.option(
        "--judge",
        "judges",
        multiple=True,
        metavar="[TASK=]JUDGE",
        help=(
            "Who judges: embedded (the default: offline, no key), openai:MODEL, "
            "openai-batch:MODEL, ollama:MODEL, gguf:PATH, onnx:FOLDER, scripted:FILE, or "
            "MODULE:ATTRIBUTE for one of your own. JUDGE+JUDGE gives the second what the first "
            "cannot do. Repeatable: TASK=JUDGE gives one kind of task to another judge."
        ),
    ),
    _EMBEDDER,
    click.option(
        "--base-url",
        metavar="URL",
        help="Base URL of openai: judges, instead of OPENAI_BASE_URL.",
    ),
    click.option(
        "--api-key",
        metavar="KEY",
        help="Their API key, instead of OPENAI_API_KEY. Never shown, never stored.",
    ),
    click.option(
        "--timeout",
        type=POSITIVE,
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="Time limit for one call.",
    ),
    click.option(
        "--window",
        type=click.IntRange(min=512),
        metavar="TOKENS",
        help=(
            "What an openai: or ollama: judge reads at once, prompt and reply; longer contexts are "
            "read in parts. Only for servers that cut prompts off without a word, as Ollama does."
        ),
    ),
)


def said_of_run(command: F) -> F:
    """The options that say what a run is called, and what was set of the system."""
    for option in reversed(_SAID_OF_RUN):
        command = option(command)
    return command


def judge(command: F) -> F:
    """The options that say who judges."""
    for option in reversed(_JUDGE):
        command = option(command)
    return command


def writer(command: F) -> F:
    """The same where nothing is embedded."""
    for option in reversed([option for option in _JUDGE if option is not _EMBEDDER]):
        command = option(command)
    return command
