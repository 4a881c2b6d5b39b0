"""Ridge logistic regressions and how well their scores order rows."""

from __future__ import annotations

import numpy as np

RIDGE = 3.0


def fit(
    features: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    signs: np.ndarray,
    apart: np.ndarray | None = None,
) -> np.ndarray:
    """Coefficients and, last, the intercept; one that takes the wrong sign is held at 0.

    `signs` says which sign every coefficient must have to mean what its name says; 0 = either.
    `apart` (rows, sets) gives sets of rows an intercept of their own, which is then forgotten: how
    often their texts are supported is their makers' choice.
    """
    centre, spread = features.mean(0), features.std(0) + 1e-9
    extra = np.zeros((len(features), 0)) if apart is None else apart
    scaled = np.hstack([(features - centre) / spread, extra, np.ones((len(features), 1))])
    wanted = np.append(signs, np.zeros(extra.shape[1] + 1))
    active = np.ones(scaled.shape[1], dtype=bool)
    while True:
        solution = np.zeros(scaled.shape[1])
        solution[active] = _newton(scaled[:, active], labels, weights)
        wrong = np.sign(solution) * wanted < 0
        if not wrong.any():
            break
        active &= ~wrong
    coefficients = solution[: len(signs)] / spread
    return np.append(coefficients, solution[-1] - coefficients @ centre)


def _newton(inputs: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The last column is the intercept and not shrunk; labels may lie between 0 and 1."""
    solution = np.zeros(inputs.shape[1])
    penalty = np.full(inputs.shape[1], RIDGE)
    penalty[-1] = 1e-6
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ solution, -30, 30)))
        slope = inputs.T @ (weights * (labels - chance)) - penalty * solution
        curve = (inputs * (weights * chance * (1 - chance))[:, None]).T @ inputs
        solution += np.linalg.solve(curve + np.diag(penalty), slope)
    return solution


def predict(solution: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Probabilities."""
    return 1 / (1 + np.exp(-(features @ solution[:-1] + solution[-1])))


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Chance that a true row scores higher than a false one; ties count half."""
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    labels = labels.astype(bool)
    good = int(labels.sum())
    if good in (0, len(labels)):
        return float("nan")
    return float((ranks[labels].sum() - good * (good + 1) / 2) / (good * (len(labels) - good)))


def balanced(scores: np.ndarray, labels: np.ndarray, threshold: float = 0.5) -> float:
    """Mean of the accuracies on true and on false rows."""
    said, labels = scores >= threshold, labels.astype(bool)
    if labels.all() or not labels.any():
        return float("nan")
    return float((said[labels].mean() + (~said[~labels]).mean()) / 2)


def contents(names: tuple[str, ...], solution: np.ndarray, **constants: float) -> dict[str, object]:
    """What the package reads (assay.judges.embedded.verification)."""
    return {
        "coefficients": {n: round(float(c), 4) for n, c in zip(names, solution[:-1], strict=True)},
        "intercept": round(float(solution[-1]), 4),
        "threshold": 0.5,
        "constants": {name: round(float(value), 4) for name, value in constants.items()},
    }
