"""How rows become what the network is trained on: windows with a label for segments and tokens."""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from assay._text.normalize import Normalized
from assay.bench.data import fold_of
from assay.judges.embedded.evidence import Evidence, prepare
from assay.judges.embedded.reader import Tokens, Window, answering, supporting
from training.verifier import documents, people
from training.verifier.asked.rows import Asked
from training.verifier.removed import removed
from training.verifier.rows import Row
from training.verifier.written import pages, pairs, references, reports
from training.verifier.written import rows as written

CODES = {"supported": 0, "refuted": 1, "neutral": 2, "unsupported": 3, None: -1}
UNKNOWN = -1
MOST_REMOVED = 800  # texts of people's rows, and of each kind of written ones
# Ends of the names of sets whose statements are known to be wrong, but not which words of them.
WORDS_UNKNOWN = (references.COVERED, references.COVERED_PARTS)


@dataclass(frozen=True)
class Example:
    """One window."""

    data: str
    fold: int
    row: int  # which row it is from
    ids: np.ndarray  # int32, (length,)
    types: np.ndarray  # int8, (length,)
    positions: np.ndarray  # int16, (length,)
    groups: np.ndarray  # int16, (length,)
    views: tuple[tuple[int, ...], ...]
    tokens: np.ndarray  # int8, (length,): 1 unsupported, 0 supported, -1 not to be trained on
    parts: tuple[tuple[int, int, int], ...]  # first and last token, label code
    any_wrong: bool  # some part is unsupported, not known which
    msmarco: bool
    helps: tuple[float, ...] = ()  # of every part beside a question; -1 where not known
    answers: float = -1.0  # of the whole text beside a question; -1 where not known
    # Of every part how likely another reader finds it supported, refuted, neutral; () if not asked.
    taught: tuple[tuple[float, float, float], ...] = ()


@lru_cache(maxsize=1)
def tokenizer() -> Tokenizer:
    """The one that ships."""
    from importlib import resources

    text = resources.files("assay.judges.embedded").joinpath("minilm/tokenizer.json")
    return Tokenizer.from_str(text.read_text("utf-8"))


@lru_cache(maxsize=200_000)
def tokenise(text: str) -> Tokens:
    """Tokens without the special ones."""
    found = tokenizer().encode(text, add_special_tokens=False)
    return Tokens.of(found.ids, found.offsets)


@lru_cache(maxsize=2_000)
def evidence_of(contexts: tuple[str, ...]) -> Evidence:
    return prepare(contexts)


def examples(rows: Iterable[Row]) -> Iterator[Example]:
    """The windows of every row."""
    for number, row in enumerate(rows):
        cuts = people.segments(row)
        evidence = evidence_of(row.contexts)
        said = [evidence.read(row.answer[start:end]) for start, end, _ in cuts]
        found = supporting([each.text for each in said], evidence, tokenise)
        wrong = row.spans is None and len(cuts) > 1 and row.label == "unsupported"
        if wrong and len(found) > 1:  # not known in which window
            continue
        for window in found:
            yield example(row, number, cuts, said, window, any_wrong=wrong)


def example(
    row: Row,
    number: int,
    cuts: list[tuple[int, int, str | None]],
    said: list[Normalized],
    window: Window,
    *,
    any_wrong: bool,
) -> Example:
    tokens = np.full(len(window.ids), UNKNOWN, dtype=np.int8)
    parts = []
    for part in window.parts:
        start, _, label = cuts[part.text]
        parts.append((part.first, part.last, CODES[label]))
        told = row.spans is not None and not row.data.endswith(WORDS_UNKNOWN)
        if told and (row.cuts is None or row.cuts[part.text][3]):
            tokens[part.first : part.last] = [
                any(s < start + last and start + first < e for s, e, _ in row.spans)
                for first, last in map(said[part.text].original, part.tokens.offsets)
            ]
    return Example(
        data=row.data,
        fold=fold_of(row.group),
        row=number,
        ids=np.asarray(window.ids, dtype=np.int32),
        types=np.asarray(window.types, dtype=np.int8),
        positions=np.asarray(window.positions, dtype=np.int16),
        groups=np.asarray(window.groups, dtype=np.int16),
        views=window.views,
        tokens=tokens,
        parts=tuple(parts),
        any_wrong=any_wrong,
        msmarco=row.msmarco,
    )


def questioned(rows: Iterable[Asked]) -> Iterator[Example]:
    """The windows of texts beside a question; of an answer longer than a window no label stays."""
    for number, row in enumerate(rows):
        found = answering(row.question, row.texts, tokenise)
        for window in found:
            labels = [row.helps[part.text] for part in window.parts]
            yield Example(
                data=row.data,
                fold=fold_of(row.group),
                row=number,
                ids=np.asarray(window.ids, dtype=np.int32),
                types=np.asarray(window.types, dtype=np.int8),
                positions=np.asarray(window.positions, dtype=np.int16),
                groups=np.asarray(window.groups, dtype=np.int16),
                views=window.views,
                tokens=np.full(len(window.ids), UNKNOWN, dtype=np.int8),
                parts=tuple((part.first, part.last, UNKNOWN) for part in window.parts),
                any_wrong=False,
                msmarco=row.msmarco,
                helps=tuple(UNKNOWN if label is None else label for label in labels),
                answers=UNKNOWN if row.answers is None or len(found) > 1 else row.answers,
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
        found = list(examples(load(options.rows)))
    elif options.documents:
        found = list(examples(documents.rows()))
    elif options.pairs:
        found = [*examples(pairs.rows()), *questioned(pairs.asked())]
    else:
        found = list(examples(labelled()))
    # A pickled class is found again by its module's name, not by "__main__".
    Example.__module__ = "training.verifier.examples"
    sys.modules[Example.__module__] = sys.modules[__name__]
    options.out.write_bytes(pickle.dumps(found))
    lengths = [len(e.ids) for e in found]
    digest = hashlib.sha256(options.out.read_bytes()).hexdigest()[:8]
    print(f"{len(found)} windows, mean {np.mean(lengths):.0f} tokens, {digest}")


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
