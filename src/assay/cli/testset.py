"""`assay testset`: which questions can a RAG system over these documents be tested with?"""

from typing import Any

import click

from assay.cli import options
from assay.cli.grouped import Grouped

_GROUPS = {
    "What is written": ("n", "kinds", "seed", "words", "out", "rejected"),
    "Who writes and checks": (*("judges", "base_url", "api_key", "timeout", "window", "prompts"),),
    "What it may cost": ("dry_run", "price", "budget"),
    "Pace": ("concurrency", "rpm", "tpm", "retries"),
    "What is shown": ("store", "as_json", "quiet", "no_progress"),
}


@click.command(
    "testset", cls=Grouped, groups=_GROUPS, short_help="Write test questions from documents."
)
@click.argument("documents", metavar="DOCUMENTS...", nargs=-1, required=True)
@click.option(
    "-n",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many questions.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND=SHARE",
    help=(
        "How many of each kind, relative to the others: single_hop=2, reasoning=1, multi_hop=1 "
        "and unanswerable=1 if not given. Repeatable."
    ),
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Chooses the passages that are asked about.",
)
@click.option(
    "--passage-words",
    "words",
    type=click.IntRange(min=50),
    default=200,
    show_default=True,
    metavar="N",
    help="Length of the passages that the documents are cut into.",
)
@click.option(
    "--out",
    required=True,
    metavar="FILE",
    help="The questions, with reference answers and contexts: .jsonl, a line a question.",
)
@click.option(
    "--rejected",
    metavar="FILE",
    help="Write what failed a check to this file (.jsonl), each with the reason.",
)
@options.writer
@click.option(
    "--prompts",
    metavar="FILE",
    help="Ask with the prompts of this TOML file (`assay explain TASK --toml` writes one).",
)
@click.option(
    "--dry-run", is_flag=True, help="Count calls and tokens; nothing is asked, nothing is spent."
)
@options.price
@options.budget
@options.concurrency
@options.rpm
@options.tpm
@options.retries
@options.store
@options.as_json
@options.quiet
@options.no_progress
def command(**given: Any) -> int:
    """Write questions that the DOCUMENTS answer, and some that they do not.

    DOCUMENTS are text, Markdown, reStructuredText and HTML files, folders of them, or tables with
    a row a document. A language model writes each question with its answer and the words of the
    document that bear it out; a question is kept if it can be understood on its own, the words
    are there, and the judge finds all of the answer supported. All replies are kept in the
    store: the same command goes on where it was killed and pays for nothing twice.
    """
    from assay.cli import questions

    return questions.write(given)
