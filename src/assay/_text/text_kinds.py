"""Kinds of texts: a judge errs on records and on summaries otherwise than on answers from passages.

What was measured of a metric on texts of a kind goes by a name of its own: `on_texts`.
"""

from collections.abc import Sequence
from typing import Final

from assay._text.questions import about_a_text
from assay._text.records import OPENER

PASSAGES: Final = "passages"  # answers to questions, from passages of prose; all others as well
RECORDS: Final = "records"  # the contexts are records, as JSON has them
SUMMARIES: Final = "summaries"  # the contexts are to be summed up, or other work is to be done
KINDS: Final = (PASSAGES, RECORDS, SUMMARIES)

# How a row of each is described.
DESCRIBED: Final = {
    PASSAGES: "ask a question about passages",
    RECORDS: "have records as contexts",
    SUMMARIES: "ask for a summary",
}


def kind_of_texts(question: str | None, contexts: Sequence[str] | None) -> str:
    """One of `KINDS`: records where most of the contexts, by length, begin as a record does."""
    contexts = contexts or ()
    recorded = sum(len(text) for text in contexts if OPENER.match(text.lstrip()))
    if recorded * 2 > sum(map(len, contexts)):
        return RECORDS
    return SUMMARIES if contexts and about_a_text(question or "") else PASSAGES


def on_texts(name: str, kind: str) -> str:
    """What is known of a metric on texts of a kind: its label, before ``|`` and whom it asks."""
    if kind == PASSAGES:
        return name
    label, *asks = name.split("|")
    return "|".join([f"{label} on {kind}", *asks])
