"""How rows become what the network is trained on: windows with a label for segments and tokens."""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Asked, Example, Row, examples, questioned
from training.verifier import documents, people
from training.verifier.removed import removed
from training.verifier.retrieved import retrieved
from training.verifier.synthetic import relations
from training.verifier.written import pages, pairs, references, reports
from training.verifier.written import rows as written

MOST_REMOVED = 800  # texts of people's rows, and of each kind of written ones
LONGEST_GUEST = 900  # characters
# Ends of the names of sets whose statements are known to be wrong, but not which words of them.
WORDS_UNKNOWN = (references.COVERED, references.COVERED_PARTS)


def windows(rows: Iterable[Row]) -> Iterator[Example]:
    """The windows of every row, its text cut as its labels are."""
    return examples(rows, people.segments, words_unknown=WORDS_UNKNOWN)


def main() -> None:
    """Write the examples of people's rows, or of a file of made rows, to a pickle."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--rows", type=Path, help="JSON lines written by training.verifier.synthetic"
    )
    parser.add_argument("--asked", type=Path, help="JSON lines of training.verifier.asked")
    parser.add_argument("--documents", action="store_true", help="the second bundle's rows")
    parser.add_argument("--pairs", action="store_true", help="written minimal pairs")
    parser.add_argument("--relations", action="store_true", help="invented situations, by rule")
    parser.add_argument("--retrieved", action="store_true", help="beside passages of other sources")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.asked:
        found = list(questioned(asked(options.asked)))
    elif options.rows:
        found = list(windows(load(options.rows)))
    elif options.documents:
        found = list(windows(documents.rows()))
    elif options.pairs:
        found = [*windows(pairs.rows()), *questioned(pairs.asked())]
    elif options.relations:
        found = list(windows(relations.generate(guests=guests())))
    elif options.retrieved:
        made = (people.rows, written.rows, reports.rows, pages.rows)
        found = list(windows(retrieved(row for rows in made for row in rows())))
    else:
        found = list(windows(labelled()))
    options.out.write_bytes(pickle.dumps(found))
    lengths = [len(e.ids) for e in found]
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()[:8]
    print(f"{len(found)} windows, mean {np.mean(lengths):.0f} tokens, {digest}")


def guests() -> list[str]:
    """Short English contexts of the written pairs, to stand beside invented ones."""
    return [
        block.contexts[0]
        for block in pairs.blocks()
        if block.contexts and block.language == "en" and fold_of(block.group) != HELD_OUT
        if len(block.contexts[0]) <= LONGEST_GUEST
    ]


def labelled() -> Iterator[Row]:
    """People's rows and the written ones, and statements beside contexts without their evidence."""
    made = (people.rows, written.rows, reports.rows, reports.lists, pages.rows)
    for rows in (list(each()) for each in made):
        yield from rows
        yield from removed(rows, MOST_REMOVED)
    yield from references.rows()


def asked(path: Path) -> Iterator[Asked]:
    """Rows as `training.verifier.asked` wrote them."""
    with path.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            texts, helps = tuple(record.pop("texts")), tuple(record.pop("helps"))
            yield Asked(**record, texts=texts, helps=helps)


def load(path: Path) -> Iterator[Row]:
    """Rows as `training.verifier.synthetic` wrote them."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            record["contexts"] = tuple(record["contexts"])
            if record["spans"] is not None:
                record["spans"] = tuple(tuple(span) for span in record["spans"])
            yield Row(**record)


if __name__ == "__main__":
    main()
