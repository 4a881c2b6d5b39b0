"""How well do scores tell supported statements from others?"""

from __future__ import annotations

import numpy as np


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Chance that a supported statement scores higher than one that is not; ties count half."""
    order = np.argsort(scores, kind="stable")
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    good = labels.sum()
    if good in (0, len(order)):
        return float("nan")
    return float((ranks[labels].sum() - good * (good + 1) / 2) / (good * (len(order) - good)))


def balanced(scores: np.ndarray, labels: np.ndarray, threshold: float) -> float:
    """Mean of the accuracies on supported and on other statements."""
    said = scores >= threshold
    return float((said[labels].mean() + (~said[~labels]).mean()) / 2)


def operating_points(scores: np.ndarray, labels: np.ndarray) -> None:
    """What a threshold does on rows that were not fitted on."""
    for threshold in (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55):
        said = scores >= threshold
        kept, caught = said[labels].mean(), (~said[~labels]).mean()
        precision = (~said & ~labels).sum() / max(1, (~said).sum())
        f1 = 2 * precision * caught / max(1e-9, precision + caught)
        print(
            f"threshold {threshold:.2f}: supported kept {kept:.2f}, unsupported caught "
            f"{caught:.2f}, F1 of unsupported {f1:.3f}"
        )
