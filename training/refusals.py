"""Fit the model that tells answers that decline from others, and show its errors by language.

    python -m training.refusals

Texts that decline, and real answers many of which look alike, are in `verifier/written/pairs`;
statements of the other files stand for all that nobody doubts. Errors are those of five folds.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from assay._text import refusals
from assay._text.refusals import FILE, PLACES, groups
from assay.bench.data import FOLDS, HELD_OUT, fold_of
from training.verifier.written import pairs

TARGET = Path(refusals.__file__).parent / FILE
STRENGTH = 30.0  # inverse of the penalty
PLAIN = 0.2  # weight of a statement that is no answer of the refusals' files
SHOWN = 0.5


def vectors(texts: list[str]) -> sparse.csr_matrix:
    """One row of unit length for each text: the roots of the counts of its groups."""
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        found = groups(text)
        length = np.sqrt(sum(found.values()))
        rows += [row] * len(found)
        columns += list(found)
        values += [np.sqrt(count) / length for count in found.values()]
    return sparse.csr_matrix((values, (rows, columns)), (len(texts), PLACES))


def main() -> None:
    """Fit on all, show what five folds say, and store the weights in eight bits."""
    told = [(text, refuses, block) for block, text, refuses in pairs.refusals()]
    plain = [
        (text, 0.0, block)
        for block in pairs.blocks()
        if not {"refusals", "relevance"} & set(block.kinds)
        for sign, text, _ in block.lines
        if sign in pairs.LABELS
    ]
    texts, labels, blocks = zip(*told, *plain, strict=True)
    inputs, labels = vectors(list(texts)), np.array(labels, bool)
    weights = np.array([1.0] * len(told) + [PLAIN] * len(plain))
    folds = np.array([fold_of(block.group) for block in blocks])
    chances = np.zeros(len(labels))
    for fold in range(FOLDS):
        model = _fitted(inputs[folds != fold], labels[folds != fold], weights[folds != fold])
        chances[folds == fold] = model.predict_proba(inputs[folds == fold])[:, 1]
    _show(chances, labels, [block.language for block in blocks], len(told))
    known = folds != HELD_OUT
    model = _fitted(inputs[known], labels[known], weights[known])
    scale = float(np.abs(model.coef_).max()) / 127
    np.savez_compressed(
        TARGET,
        weights=np.round(model.coef_[0] / scale).astype(np.int8),
        scale=np.float32(scale),
        intercept=np.float32(model.intercept_[0]),
    )


def _fitted(
    inputs: sparse.csr_matrix, labels: np.ndarray, weights: np.ndarray
) -> LogisticRegression:
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    return model.fit(inputs, labels, sample_weight=weights)


def _show(chances: np.ndarray, labels: np.ndarray, languages: list[str], told: int) -> None:
    places = defaultdict(list)
    for place, language in enumerate(languages):
        places[language if place < told else "statements"].append(place)
    for name, mine in places.items():
        said, truth = chances[mine] >= SHOWN, labels[mine]
        found = said[truth].mean() if truth.any() else float("nan")
        print(f"{name:12} n {len(mine):6} found {found:.2f} mistaken {said[~truth].mean():.3f}")


if __name__ == "__main__":
    main()
