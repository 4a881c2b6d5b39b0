"""How is a command written that the reader may copy?"""

import shlex

import click

from assay.report import sanitize
from assay.runner import STORE
from assay.runner.result import Result
from assay.store import Store


def run_name(result: Result) -> str:
    """How a run is named on a command line: by its name where no other is called so."""
    run = result.run
    with Store(result.path) as store:
        return run.name if run.name and store.called(run.name) == 1 else run.short


def hint(*words: str, store: str) -> str:
    """The command, quoted, with the store it is about unless that is the one it would take."""
    context = click.get_current_context(silent=True)
    usual = (context and context.lookup_default("store")) or STORE
    named = () if store == usual else ("--store", store)
    # A control character of an id must not steer the terminal, not even within quotation marks.
    return sanitize.plain(shlex.join(("assay", *words, *named)))
