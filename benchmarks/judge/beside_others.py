"""The embedded judge on claims beside their evidence, and beside other passages too.

    python -m benchmarks.judge.beside_others [--only NAME,...] [--most 80] [--judge large]

A retriever brings several passages, of which most say nothing of what is claimed; labelled sets
have the evidence alone. One line a set: AUROC of the probability of support with the evidence
alone and with four passages of other sources beside it, those of the same set that share most words
with the claim and do not hold it; then, of each, the shares of unsupported claims that pass and of
supported ones that are lost; and the share of supported claims that pass beside those passages
alone, without their evidence. The rows are those that no judge that ships was trained on.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from training.verifier.retrieved import Passages

from assay._text import words
from assay.bench.data import HELD_OUT, fold_of, group_of
from assay.experiments.reader_windows import Row
from assay.judges.embedded.inference import Adapted
from assay.judges.embedded.judge import BASE
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import support
from assay.stats.agreement import auroc
from benchmarks.judge.development import CLAIMS, FIRST, rows

# Files that are trained on: of these the sources that training leaves out.
TRAINED = {
    name: FIRST / path
    for name, path in {
        "begin": "claims/begin.jsonl.gz",
        "foolmetwice": "claims/foolmetwice.jsonl.gz",
        "fever_symmetric": "claims/fever_symmetric.jsonl.gz",
        "factcheckgpt": "claims/factcheckgpt_stance.jsonl.gz",
        "halueval": "claims/halueval_qa500.jsonl.gz",
        "expertqa": "attribution/expertqa_claims.jsonl.gz",
    }.items()
}
UNSEEN = ("healthver", "scifact", "covidfact", "climate_fever", "attribution_dev")
SETS = {**TRAINED, **{name: CLAIMS[name] for name in UNSEEN}}
OTHERS = 4  # passages
OWN = 8  # passages of a row's own at most


class Measured(NamedTuple):
    """Labels, and probabilities of support by what stands beside a claim; shape (claims,) each."""

    supported: np.ndarray
    alone: np.ndarray
    beside: np.ndarray
    without: np.ndarray
    shared: np.ndarray  # of a claim's words the share that all the passages have


def measure(name: str, path: Path, most: int, reader: Reader) -> Measured:
    """At most so many claims of a file that have two other passages or more."""
    every = [row for row in rows(path, None) if row["contexts"]]
    every = [row for row in every if row["labels"].get("supported") is not None]
    passages = Passages(_row(name, row) for row in every)
    if name in TRAINED:
        every = [row for row in every if fold_of(group_of(row)) == HELD_OUT]
    measured = []
    for record in every[:most]:
        row = _row(name, record)
        others = passages.beside(row)[:OTHERS]
        if not row.answer or len(others) < 2:
            continue
        own = row.contexts
        beside = (own, (*own, *others), tuple(others))
        chances = [support([row.answer], each, reader)[0].probability for each in beside]
        known = {stem for context in beside[1] for stem in words.stems(context)}
        said = set(words.stems(row.answer))
        share = len(said & known) / max(1, len(said))
        measured.append((record["labels"]["supported"], *chances, share))
    columns = [np.array(column, float) for column in zip(*measured, strict=True)]
    return Measured(columns[0].astype(bool), *columns[1:])


def _row(name: str, record: dict[str, Any]) -> Row:
    text = record.get("claim") or record["answer"]
    own = tuple(record["contexts"][:OWN])
    return Row(name, group_of(record), record.get("question") or "", own, text, None, None)


def main() -> None:
    """Measure the sets that are there."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(SETS))
    parser.add_argument("--most", type=int, default=80)
    parser.add_argument("--judge", help="an adapted judge's folder, or large")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    adapted = Adapted.at(options.judge, BASE) if options.judge else None
    reader = Reader(options.threads, adapted)
    lines = []
    print(f"{'set':18}    n  good  alone beside  floor   passed       lost     without")
    for name in options.only:
        if not SETS[name].exists():
            print(f"{name:18} not there: {SETS[name]}")
            continue
        one = measure(name, SETS[name], options.most, reader)
        good, scores = one.supported, (one.alone, one.beside, one.shared)
        line = [float(auroc(each, good)(np.ones(len(good)))) for each in scores]
        line += [float((each[~good] >= 0.5).mean()) for each in scores[:2]]
        line += [float((each[good] < 0.5).mean()) for each in scores[:2]]
        line += [float((one.without[good] >= 0.5).mean())]
        lines.append(line)
        _print(f"{name:18} {len(good):4} {good.mean():5.2f}", line)
    if lines:
        _print(f"{'mean':29}", np.mean(lines, axis=0).tolist())


def _print(begins: str, line: list[float]) -> None:
    figures = " ".join(f"{value:6.3f}" for value in line[:3])
    shares = "  ".join(f"{a:.2f}, {b:.2f}" for a, b in (line[3:5], line[5:7]))
    print(f"{begins} {figures} {shares}  {line[7]:.2f}", flush=True)


if __name__ == "__main__":
    main()
