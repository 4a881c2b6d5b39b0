"""Texts about the documents of people's sets: pages of the web, passages, news, single sentences.

Made-up sources are short and clean; what people's systems read is neither. The documents stay where
they are, in the data folder: a file of `pages/` names them by their digests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assay.experiments.reader_windows import Row
from training.verifier import people
from training.verifier.written import reports
from training.verifier.written.reports import Report
from training.verifier.written.statement import Statement, records

# What their rows are named: texts, up to three sentences of them, and claims for a game of bluff.
WHOLE, PARTS, CLAIMS = "written/page", "written/page_part", "written/claim"
TEXTS = Path(__file__).parent / "pages"


class Document(NamedTuple):
    """The contexts of a row, and what they are kept aside with."""

    contexts: tuple[str, ...]
    group: str
    msmarco: bool = False


def digest(contexts: Sequence[str]) -> str:
    """The name of a document, sixteen hexadecimal digits."""
    return hashlib.sha256("\n".join(contexts).encode()).hexdigest()[:16]


@cache
def documents() -> dict[str, Document]:
    """Everything that is written about, by its digest: contexts together, and each alone."""
    found: dict[str, Document] = {}
    for row in people.rows():
        for contexts in (row.contexts, *((each,) for each in row.contexts)):
            document = Document(contexts, row.group, row.msmarco)
            found.setdefault(digest(contexts), document)
    for one in reports.reports():
        found.setdefault(digest(one.contexts), Document(one.contexts, one.group))
    return found


@cache
def pages() -> tuple[Report, ...]:
    """All of them, in the order of the files."""
    known = documents()
    found = []
    for field, record in records(TEXTS):
        about = [known[name] for name in record["of"]]
        texts = tuple(tuple(Statement(**said) for said in text) for text in record["texts"])
        contexts = tuple(context for each in about for context in each.contexts)
        msmarco = any(each.msmarco for each in about)
        found.append(Report(field, contexts, texts, about[0].group, msmarco))
    return tuple(found)


def rows(seed: int = 0) -> Iterator[Row]:
    """Every text whole and in parts; of claims, which are one sentence each, only the claim."""
    texts = [one for one in pages() if not one.field.startswith("claims")]
    yield from reports.cut(texts, (WHOLE, PARTS), f"{seed} pages")
    for one in pages():
        if one.field.startswith("claims"):
            yield from (reports.row(CLAIMS, one, text) for text in one.texts)
