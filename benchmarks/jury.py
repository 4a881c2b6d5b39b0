"""Is a jury of LLM judges worth its price: against its best member, and against plain majority?

Sentences of texts about records (`llm_spans`), what people marked in them, and the published marks
of six LLMs. All answers are split at random into halves, many times: reliabilities, thresholds and
the choice of the best member are fitted on one half (by people's labels, or without any label by
Dawid and Skene's EM, Appl. Stat. 28 (1979) 20), and measured on the other. A judgement is a call:
a jury of six is six calls to models of different prices.

    ASSAY_DATA2=... python -m benchmarks.jury [--splits 200]
"""

import argparse
import gzip
import itertools
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Fit: TypeAlias = Callable[[Array, Array], "tuple[Array, float]"]
FILES = ("records/llm_spans_train.jsonl.gz", "records/llm_spans_dev.jsonl.gz")
SMOOTH = 1.0  # counts added to each cell of a confusion matrix
STEPS = 50


def read(folder: Path) -> tuple[list[str], Array, Array, npt.NDArray[np.int64]]:
    """(names, votes of shape (n, judges), labels, answer of each sentence); 1 is unsupported."""
    rows: list[dict[str, Any]] = []
    for name in FILES:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            rows += map(json.loads, lines)
    rows = [row for row in rows if row["labels"].get("model_annotators")]
    names = sorted({who for row in rows for who in row["labels"]["model_annotators"]})
    votes, labels, answers = [], [], []
    for number, row in enumerate(rows):
        if set(row["labels"]["model_annotators"]) != set(names):
            continue
        spans = [s for s in row["labels"]["model_spans"] if s["unsupported"]]
        for sentence in row["labels"]["sentences"]:
            marked = {
                s["annotator"]
                for s in spans
                if s["start"] < sentence["end"] and sentence["start"] < s["end"]
            }
            votes.append([float(who in marked) for who in names])
            labels.append(float(not sentence["supported"]))
            answers.append(number)
    return names, np.array(votes), np.array(labels), np.array(answers)


def log_odds(votes: Array, wrong: Array) -> tuple[Array, float]:
    """Weights of the votes and the constant of their log-odds, from how likely each is wrong.

    Args:
        votes: Shape (n, judges).
        wrong: Shape (n,), the probability that the sentence is unsupported.
    """
    prior = float(np.clip(wrong.mean(), 1e-6, 1 - 1e-6))
    found = (wrong @ votes + SMOOTH) / (wrong.sum() + 2 * SMOOTH)
    false = ((1 - wrong) @ votes + SMOOTH) / ((1 - wrong).sum() + 2 * SMOOTH)
    silent = np.log((1 - found) / (1 - false))
    return np.log(found / false) - silent, float(np.log(prior / (1 - prior)) + silent.sum())


def dawid_skene(votes: Array, _labels: Array) -> tuple[Array, float]:
    """Weights and constant without any label, by EM from the share of votes."""
    wrong = votes.mean(axis=1)
    for _ in range(STEPS):
        weights, constant = log_odds(votes, wrong)
        wrong = 1 / (1 + np.exp(-(votes @ weights + constant)))
    return weights, constant


def from_labels(votes: Array, labels: Array) -> tuple[Array, float]:
    """Weights by people's labels, and the cut of the best balanced accuracy on them."""
    weights, _ = log_odds(votes, labels)
    return _with_cut(votes, labels, weights)


def counted(votes: Array, labels: Array) -> tuple[Array, float]:
    """Equal weights, and as many votes as give the best balanced accuracy on the labels."""
    return _with_cut(votes, labels, np.ones(votes.shape[1]))


def majority(votes: Array, _labels: Array) -> tuple[Array, float]:
    """Equal weights; more than half of the votes decide."""
    return np.ones(votes.shape[1]), -votes.shape[1] / 2


def best_member(votes: Array, labels: Array) -> tuple[Array, float]:
    """All weight on the judge that fits the labels best."""
    each = [balanced(votes[:, one] > 0, labels) for one in range(votes.shape[1])]
    return np.eye(votes.shape[1])[int(np.argmax(each))], -0.5


def _with_cut(votes: Array, labels: Array, weights: Array) -> tuple[Array, float]:
    scores = votes @ weights
    values = np.unique(scores)
    cuts = [(a + b) / 2 for a, b in itertools.pairwise(values)]
    best = max(cuts, key=lambda cut: balanced(scores > cut, labels))
    return weights, -best


FITS: dict[str, Fit] = {
    "best member (labels)": best_member,
    "majority": majority,
    "Dawid-Skene (no label)": dawid_skene,
    "counted votes (labels)": counted,
    "weighted votes (labels)": from_labels,
}


def rates(flagged: npt.NDArray[np.bool_], labels: Array) -> tuple[float, float]:
    """(share of unsupported sentences that are missed, share of supported ones flagged)."""
    bad = labels > 0
    return float(1 - flagged[bad].mean()), float(flagged[~bad].mean())


def balanced(flagged: npt.NDArray[np.bool_], labels: Array) -> float:
    """Balanced accuracy."""
    return 1 - sum(rates(flagged, labels)) / 2


def auroc(scores: Array, positive: npt.NDArray[np.bool_]) -> float:
    """Area under the ROC curve, ties counted half; 0.5 where one kind is missing."""
    high, low = scores[positive], scores[~positive]
    if not len(high) or not len(low):
        return 0.5
    order = np.sort(low)
    below, upto = (np.searchsorted(order, high, side) for side in ("left", "right"))
    return float((below + upto).mean() / 2 / len(low))


def measured(
    votes: Array, labels: Array, answers: npt.NDArray[np.int64], splits: int
) -> dict[str, Array]:
    """Of each way of deciding, shape (splits, 5).

    Missed, falsely flagged, balanced accuracy, AUROC of the score, AUROC of how sure it is as a
    sign of being right.
    """
    chance = np.random.default_rng(0)
    every = np.unique(answers)
    found: dict[str, list[list[float]]] = {name: [] for name in FITS}
    for _ in range(splits):
        # Answers of the half are drawn with replacement: the spread is that of another sample.
        order = chance.permutation(every)
        half, other = order[: len(every) // 2], order[len(every) // 2 :]
        fitted = np.isin(answers, half)
        places = {answer: np.flatnonzero(answers == answer) for answer in other}
        rows = np.concatenate([places[a] for a in chance.choice(other, len(other))])
        for name, fit in FITS.items():
            weights, constant = fit(votes[fitted], labels[fitted])
            scores = votes[rows] @ weights + constant
            flagged, bad = scores > 0, labels[rows] > 0
            sure = auroc(np.abs(scores), flagged == bad)
            figures = (*rates(flagged, labels[rows]), balanced(flagged, labels[rows]))
            found[name].append([*figures, auroc(scores, bad), sure])
    return {name: np.array(values) for name, values in found.items()}


def table(title: str, found: dict[str, Array]) -> None:
    """Print means over the splits, and the difference to the best member with its 95 % interval."""
    print(f"\n{title}\n")
    print(
        "| decided by | missed | falsely flagged | balanced accuracy | above the best member ",
        end="",
    )
    print("| AUROC | AUROC of its sureness |\n" + "|---" * 7 + "|")
    base = found["best member (labels)"][:, 2]
    for name, values in found.items():
        missed, false, accuracy, area, sure = values.mean(axis=0)
        low, high = np.quantile(values[:, 2] - base, (0.025, 0.975))
        gain = f"{(values[:, 2] - base).mean():+.3f} [{low:+.3f}, {high:+.3f}]"
        print(f"| {name} | {missed:.2f} | {false:.2f} | {accuracy:.3f} | {gain} ", end="")
        print(f"| {area:.3f} | {sure:.3f} |")


def singles(names: Sequence[str], votes: Array, labels: Array) -> None:
    """Print how each judge does alone, beside people's share."""
    print(
        f"{len(labels)} sentences, unsupported {labels.mean():.2f} (flagging all or none: 0.500)\n"
    )
    print("| judge | missed | falsely flagged | balanced accuracy |\n|---|---|---|---|")
    for one, name in enumerate(names):
        missed, false = rates(votes[:, one] > 0, labels)
        accuracy = balanced(votes[:, one] > 0, labels)
        print(f"| {name} | {missed:.2f} | {false:.2f} | {accuracy:.3f} |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=200)
    asked = parser.parse_args()
    names, votes, labels, answers = read(Path(os.environ["ASSAY_DATA2"]))
    singles(names, votes, labels)
    table("All six", measured(votes, labels, answers, asked.splits))
    accuracy = [balanced(votes[:, one] > 0, labels) for one in range(len(names))]
    for title, chosen in (
        ("The three weakest", np.argsort(accuracy)[:3]),
        ("The three best", np.argsort(accuracy)[-3:]),
    ):
        shown = ", ".join(names[one] for one in chosen)
        table(f"{title}: {shown}", measured(votes[:, chosen], labels, answers, asked.splits))


if __name__ == "__main__":
    main()
