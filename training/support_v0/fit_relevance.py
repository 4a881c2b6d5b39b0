"""Which coefficients make the probability that a sentence helps to answer a question?

Usage: python training/support_v0/fit_relevance.py [--write]

No file that may be trained on says which sentence answers a question, so the labels are derived
from RAGTruth's training answers. Helpful: the passage sentence that shares most with a supported
sentence of an answer, if that is at least half of its content words. Not helpful: a sentence of the
same passages that shares at most a quarter with any, and the three sentences nearest in meaning to
the question among the passages of the next ten other questions.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from fit import newton, predict
from measures import auroc, balanced
from rows import FOLDS, fold_of, read

from assay.backends.embedded import nearness
from assay.backends.embedded.encoder import Encoder
from assay.text import words
from assay.text.sentences import sentences

TARGET = Path(nearness.__file__).with_name("relevance_v0.json")
HELPFUL, USELESS = 0.5, 0.25
FOREIGN, NEAREST = 10, 3
PRIOR = 1 / 3  # set by hand after a look at other data: see README.md


def gather() -> dict[str, tuple[str, list[str], list[set[str]]]]:
    """For every source: its question, the sentences of its passages, the stems of its answers."""
    found: dict[str, tuple[str, list[str], list[set[str]]]] = {}
    for record in read("ragtruth/ragtruth_train.jsonl.gz"):
        if record["meta"]["task_type"] != "QA":
            continue
        pool = [s for context in record["contexts"] for s in sentences(context)]
        _, _, answers = found.setdefault(
            record["meta"]["source_id"], (record["question"], pool, [])
        )
        for part in record["labels"]["sentences"]:
            if part["supported"]:
                text = record["answer"][part["start"] : part["end"]]
                answers.append(set(words.stems(text)))
    return found


def label(pool: list[str], answers: list[set[str]]) -> list[bool | None]:
    """Whether each sentence helps; None where that is unsure."""
    stems = [set(words.stems(sentence)) for sentence in pool]
    highest = [0.0] * len(pool)
    helpful: set[int] = set()
    for wanted in answers:
        shares = [len(wanted & found) / len(wanted) for found in stems] if len(wanted) > 2 else []
        highest = [max(a, b) for a, b in zip(highest, shares, strict=False)] or highest
        if shares and max(shares) >= HELPFUL:
            helpful.add(int(np.argmax(shares)))
    return [
        True if i in helpful else (False if share <= USELESS else None)
        for i, share in enumerate(highest)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    encoder = Encoder(threads=2)
    features, labels, folds = [], [], []
    records = list(gather().items())
    vectors = [encoder.encode(pool) for _, (_, pool, _) in records]
    for i, (source, (question, pool, answers)) in enumerate(records):
        others = [(i + k) % len(records) for k in range(1, FOREIGN + 1)]
        strange = [sentence for k in others for sentence in records[k][1][1]]
        cosines = np.vstack([vectors[k] for k in others]) @ encoder.encode([question])[0]
        near = [strange[k] for k in np.argsort(cosines)[::-1][:NEAREST]]
        rows = nearness.measure(question, [*pool, *near], encoder)
        values = [*label(pool, answers), *[False] * len(near)]
        for row, value in zip(rows, values, strict=True):
            if value is not None:
                features.append(row)
                labels.append(value)
                folds.append(fold_of(source))
    inputs, truth, fold = np.array(features), np.array(labels), np.array(folds)
    held = np.zeros(len(truth))
    for k in range(FOLDS):
        held[fold == k] = predict(solve(inputs[fold != k], truth[fold != k]), inputs[fold == k])
    print(
        f"n {len(truth)}, helpful {truth.mean():.2f}, AUROC {auroc(held, truth):.3f}, "
        f"cosine alone {auroc(inputs[:, 0], truth):.3f}, words {auroc(inputs[:, 2], truth):.3f}, "
        f"balanced accuracy {balanced(held, truth, 0.5):.3f}"
    )
    solution = solve(inputs, truth)
    names = nearness.FEATURES
    content = {
        "coefficients": {n: round(float(c), 3) for n, c in zip(names, solution[:-1], strict=True)},
        "intercept": round(float(solution[-1]), 3),
    }
    print(json.dumps(content, indent=2))
    if options.write:
        TARGET.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def solve(inputs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Coefficients and intercept, a third of all weight on the helpful ones."""
    weights = np.where(truth, PRIOR / truth.mean(), (1 - PRIOR) / (1 - truth.mean()))
    return newton(np.hstack([inputs, np.ones((len(inputs), 1))]), truth, weights)


if __name__ == "__main__":
    main()
