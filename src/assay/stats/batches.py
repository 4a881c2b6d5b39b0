"""Samples drawn for labelling batch by batch, each batch by what the labels before it showed.

Every batch is a priority sample (see `correction`) of what no earlier batch has, so the chance of
each sample in it is known, given what was drawn before. An estimate from each batch alone would be
unbiased: the errors of the samples labelled earlier are known, and those of its own count by 1 /
chance for all the rest. The weights here are those of a mean of these estimates, in which batches
count so that equal chances give equal weights (Farquhar, Gal and Rainforth, "On Statistical Bias in
Active Learning", ICLR 2021, arXiv 2101.11665, whose batches are of one sample).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.stats.intervals import Floats
from assay.stats.priority_sampling import chances, priority

# So many labels does the judge's own doubt count for, against the errors that labels show.
PRIOR_LABELS = 5.0
# How far away, in ranks of all samples, a label still tells of the judge's error: one deviation.
REACH = 0.15
_CELLS = 1_000_000  # samples times labels that are held at once


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch."""

    chances: Floats  # shape (n,): with which probability each sample was drawn into it
    # Shape (n,): whether it has a label. Those without are taken to be like the others of the
    # batch.
    labelled: npt.NDArray[np.bool_]


def draw(size: Floats, numbers: Floats, n: int) -> tuple[npt.NDArray[np.intp], Floats]:
    """The places of the next n samples, and with which probability each was drawn.

    Args:
        size: Shape (N,), above 0: how much the chance of each is to weigh.
        numbers: Shape (N,), in (0, 1), drawn without looking at what is to be measured.
        n: How many; all if there are no more.
    """
    return priority(size, numbers)[:n], chances(size, numbers, n)


def weights(batches: Sequence[Batch], n_all: int) -> list[Floats]:
    """How many samples each labelled one stands for, by batch, in the order of the batch.

    Args:
        batches: In the order in which they were drawn.
        n_all: How many samples there are.
    """
    counts = [int(batch.labelled.sum()) for batch in batches]
    sizes = [len(batch.labelled) for batch in batches]
    n_left = np.maximum(n_all - np.cumsum([0, *sizes])[:-1], sizes)
    shares, later = np.zeros(len(batches)), 0.0
    for b in reversed(range(len(batches))):
        if not counts[b] or (n_left[b] > sizes[b] and batches[b].chances.min() == 1):
            continue  # what was chosen on purpose stands for nothing but itself
        # The weight in the later estimates, where the samples of this batch count as known ones.
        later_weight = later * sizes[b] / counts[b]
        shares[b] = max(1 - later_weight, 0.0) * counts[b] / n_left[b]
        later += shares[b]
    total = float(shares.sum()) or 1.0
    batch_weights = []
    for b, batch in enumerate(batches):
        scale = sizes[b] / counts[b] if counts[b] else 0.0
        later_weight = float(shares[b + 1 :].sum())
        batch_weights.append(
            scale * (later_weight + shares[b] / batch.chances[batch.labelled]) / total
        )
    return batch_weights


def as_chances(weight: Floats) -> Floats:
    """Numbers in (0, 1] whose inverses are in the ratio of the weights.

    They are 1 / weight, unless some weight is below 1: that of a sample of a late batch that was
    sure to be drawn can be.
    """
    inverse: Floats = np.minimum(min(1.0, float(weight.min(initial=1.0))) / weight, 1.0)
    return np.round(inverse, 9)


def error_sizes(
    doubt: Floats, near: Floats, at: npt.NDArray[np.intp], errors: Floats, weight: Floats
) -> Floats:
    """How large the judge's error on each sample is, about: its doubt, and labels of samples alike.

    Args:
        doubt: Shape (N,): the deviation of its verdicts, as the judge gives it.
        near: Shape (N, features): by what samples are alike; only the order counts.
        at: Shape (k,): places of labelled samples.
        errors: Shape (k,): label less what the judge let expect.
        weight: Shape (k,): how many samples each stands for.
    """
    own_errors = doubt**2
    if not len(at):
        return doubt
    squares, weighed = errors**2, weight / weight.mean()
    mean = float(weighed @ squares) / float(weighed.sum())
    # The judge may be far too sure of itself, or not sure enough.
    own_errors = (
        own_errors * mean / own_errors.mean()
        if own_errors.mean() > 0
        else np.full(len(doubt), mean)
    )
    ranks = np.column_stack([_ranks(column) for column in near.T])
    total, sums = np.full(len(doubt), PRIOR_LABELS), PRIOR_LABELS * own_errors
    step = max(1, _CELLS // len(doubt))
    for start in range(0, len(at), step):
        chunk = slice(start, start + step)
        away = ranks[:, None, :] - ranks[at[chunk]]
        kernel = np.exp(-0.5 * ((away / REACH) ** 2).sum(axis=2)) * weighed[chunk]
        total, sums = total + kernel.sum(axis=1), sums + kernel @ squares[chunk]
    sizes: Floats = np.sqrt(sums / total)
    return sizes


def _ranks(values: Floats) -> Floats:
    """The place of each value among all, 0..1; equal ones share the middle."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle: Floats = (np.cumsum(counts) - counts / 2) / len(values)
    ranks: Floats = middle[inverse]
    return ranks
