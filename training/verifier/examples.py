"""How rows become what the network is trained on: windows with a label for segments and tokens."""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from assay._text import sentences as cut
from assay.experiments.reader_windows import UNKNOWN, Asked, Example, Row, examples, questioned
from assay.judges.embedded.reader import answering, tokenise
from training.verifier import documents, people
from training.verifier.beside import BESIDE, beside
from training.verifier.removed import removed
from training.verifier.written import pages, pairs, references, reports
from training.verifier.written import rows as written

MOST_REMOVED = 2500  # texts of people's rows, and of each kind of written ones
MOST_BESIDE = 3000  # supported claims of people's rows, and as many others; of written ones alike
# Ends of the names of sets whose statements are known to be wrong, but not which words of them.
WORDS_UNKNOWN = (
    BESIDE,
    references.COVERED,
    references.COVERED_PARTS,
    "pairs/answer",
    "pairs/said",
)


def windows(rows: Iterable[Row]) -> Iterator[Example]:
    """The windows of every row, its text cut as its labels are."""
    return examples(rows, people.segments, words_unknown=WORDS_UNKNOWN)


def declined() -> Iterator[Example]:
    """The windows of written answers of which some decline to answer; of long ones the first."""
    for number, (block, answer, refuses) in enumerate(pairs.refusals()):
        parts = tuple(cut.sentences(answer)) or (answer,)
        window = answering(block.question, parts, tokenise)[0]
        yield Example(
            data="pairs/refusals",
            group=block.group,
            row=number,
            ids=np.asarray(window.ids, dtype=np.int32),
            types=np.asarray(window.types, dtype=np.int8),
            tokens=np.full(len(window.ids), UNKNOWN, dtype=np.int8),
            parts=tuple((part.first, part.last, UNKNOWN) for part in window.parts),
            any_wrong=False,
            msmarco=False,
            helps=(UNKNOWN,) * len(window.parts),
            refuses=refuses,
        )


def main() -> None:
    """Write the examples of people's rows, or of a file of made rows, to a pickle."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--rows", type=Path, help="JSON lines written by training.verifier.synthetic"
    )
    parser.add_argument("--asked", type=Path, help="JSON lines of training.verifier.asked")
    parser.add_argument("--documents", action="store_true", help="the second bundle's rows")
    parser.add_argument("--pairs", action="store_true", help="written minimal pairs")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.asked:
        found = list(questioned(asked(options.asked)))
    elif options.rows:
        found = list(windows(load(options.rows)))
    elif options.documents:
        found = list(windows(documents.rows()))
    elif options.pairs:
        found = [*windows(pairs.rows()), *questioned(pairs.asked()), *declined()]
    else:
        found = list(windows(labelled()))
    options.out.write_bytes(pickle.dumps(found))
    lengths = [len(e.ids) for e in found]
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()[:8]
    print(f"{len(found)} windows, mean {np.mean(lengths):.0f} tokens, {digest}")


def labelled() -> Iterator[Row]:
    """People's rows and the written ones, and more that are made of them.

    Single claims stand between foreign sentences, and statements beside contexts that were left
    without their evidence.
    """
    shorter = (list(people.rows()), list(written.rows()))
    longer = (list(reports.rows()), list(reports.lists()), list(pages.rows()))
    for rows in shorter:
        yield from beside(rows, MOST_BESIDE)
    for rows in (*shorter, *longer):
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
