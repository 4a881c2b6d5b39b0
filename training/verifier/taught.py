"""What another reader finds of people's rows, to train beside the labels: its votes are soft.

    python -m training.verifier.taught ask --out asked.jsonl
    python -m training.verifier.taught answer asked.jsonl --out votes.jsonl
    python -m training.verifier.taught examples votes.jsonl --out taught.pkl

The second step runs with the package of whichever version is the teacher on PYTHONPATH: it may cut
its evidence and build its windows otherwise. Rows of the fold kept out of training are never asked.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pickle
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.reader_windows import Example, Row, labelled
from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.reader import Reader
from training.verifier import people

# Share of the rows of a set; another is not asked about.
SHARES = {
    "ragtruth_qa": 1.0, "ragtruth_summary": 1.0, "factcheckgpt_stance": 0.7, "begin": 1.0,
    "summedits_dev": 1.0, "expertqa_claims": 1.0, "wice_claims": 1.0,
    "wice_nonsupported_tokens": 1.0, "written": 0.6, "written/page": 0.6, "written/claim": 0.4,
    "written/report": 0.5, "fever_symmetric": 1.0, "foolmetwice": 1.0, "conjnli": 1.0,
    "halueval_qa500": 0.2, "evouna_recall": 0.2, "evouna_precision": 0.3, "removed": 0.1,
}  # fmt: skip


def asked(seed: int) -> Iterator[tuple[int, Row]]:
    """The rows that the teacher is asked about, each with its number."""
    from training.verifier import examples

    rng = random.Random(seed)
    for number, row in enumerate(examples.labelled()):
        if fold_of(row.group) != HELD_OUT and rng.random() < SHARES.get(row.data, 0.0):
            yield number, row


def ask(out: Path, seed: int) -> None:
    """Write the statements of each row with their contexts."""
    with out.open("w", encoding="utf-8") as file:
        for number, row in asked(seed):
            said = [row.answer[start:end] for start, end, _ in people.segments(row)]
            print(json.dumps([number, said, row.contexts]), file=file)


def answer(questions: Path, out: Path) -> None:
    """Write how likely the reader on the path finds each statement supported, refuted, neutral."""
    reader = Reader(1)
    with questions.open(encoding="utf-8") as lines, out.open("w", encoding="utf-8") as file:
        for number, said, contexts in map(json.loads, lines):
            evidence = prepare(tuple(contexts))
            read = [evidence.read(statement).text for statement in said]
            readings = reader.read_beside_evidence(read, evidence) if evidence.pieces else []
            votes = [one.each[:, :3].mean(0) for one in readings]
            shares = [np.exp(v - v.max()) / np.exp(v - v.max()).sum() for v in votes]
            if shares and np.isfinite(shares).all():
                print(json.dumps([number, np.round(shares, 4).tolist()]), file=file)


def examples(votes: Path, out: Path, seed: int) -> None:
    """Write the windows of these rows with what the teacher finds of each part."""
    from training.verifier.examples import WORDS_UNKNOWN

    with votes.open(encoding="utf-8") as lines:
        known: dict[int, list[list[float]]] = dict(map(json.loads, lines))
    found: list[Example] = []
    for number, row in asked(seed):
        if number in known:
            for window, one in labelled(row, number, people.segments(row), WORDS_UNKNOWN):
                taught = tuple(tuple(known[number][part.text]) for part in window.parts)
                found.append(dataclasses.replace(one, taught=taught))
    out.write_bytes(pickle.dumps(found))
    print(f"{len(found)} windows")


def main() -> None:
    """Run one of the three steps."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("step", choices=("ask", "answer", "examples"))
    parser.add_argument("file", type=Path, nargs="?", help="what the step before wrote")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    if options.step == "ask":
        ask(options.out, options.seed)
    elif options.step == "answer":
        answer(options.file, options.out)
    else:
        examples(options.file, options.out, options.seed)


if __name__ == "__main__":
    main()
