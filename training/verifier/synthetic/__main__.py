"""Write the rows of all generators: `python -m training.verifier.synthetic --out rows.jsonl`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Row
from training.verifier.synthetic import (
    answers,
    edits,
    neutral,
    qa_statement,
    records,
    rephrased,
)
from training.verifier.synthetic.overlap import auroc, balanced, overlap

GENERATORS = {
    "edits": edits,
    "neutral": neutral,
    "records": records,
    "answers": answers,
    "rephrased": rephrased,
    "qa": qa_statement,
}


def generate(seed: int = 0, only: Iterable[str] = tuple(GENERATORS)) -> Iterator[Row]:
    """The rows of every generator, as many right as wrong ones at every level of overlap."""
    for name in only:
        yield from balanced(GENERATORS[name].generate(seed), seed)


def check(rows: list[Row]) -> None:
    """Fail on a broken row; print how well overlap alone does in each generator."""
    shares: dict[str, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
    for row in rows:
        _check_row(row)
        shares[row.data.partition("/")[0]][row.label == "supported"].append(overlap(row))
    for name, sides in shares.items():
        right, wrong = sides[True], sides[False]
        figure = f"AUROC of overlap {auroc(right, wrong):.3f}"
        print(f"{name:12} {len(right):6} right {len(wrong):6} wrong  {figure}")
    for name, count in sorted(Counter((row.data, row.label) for row in rows).items()):
        print(f"  {name[0]:22} {name[1]:12} {count}")


def _check_row(row: Row) -> None:
    if fold_of(row.group) == HELD_OUT:
        raise ValueError(f"kept out of training: {row}")
    if not row.answer.strip() or not row.contexts or row.spans is None:
        raise ValueError(f"incomplete: {row}")
    if (row.label == "supported") != (not row.spans):
        raise ValueError(f"label and spans disagree: {row}")
    for start, end, label in row.spans:
        if not 0 <= start < end <= len(row.answer) or label == "supported":
            raise ValueError(f"no span of the answer: {row}")


def main() -> None:
    """Write or check them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, help="a file of JSON lines")
    parser.add_argument("--limit", type=int, default=0, help="rows at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(GENERATORS), choices=list(GENERATORS))
    parser.add_argument("--check", action="store_true", help="verify the rows, print figures")
    options = parser.parse_args()
    began = time.monotonic()
    rows = list(generate(options.seed, options.only))
    if options.limit:
        step = max(1, -(-len(rows) // options.limit))
        rows = rows[::step]
    if options.out:
        with options.out.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(dataclasses.asdict(row)) + "\n" for row in rows)
    print(f"{len(rows)} rows in {time.monotonic() - began:.0f} s")
    if options.check:
        check(rows)


if __name__ == "__main__":
    main()
