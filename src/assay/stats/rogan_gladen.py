"""What is the true share, if a judge whose two error rates were measured elsewhere gives verdicts?

Rogan and Gladen, Am. J. Epidemiol. 107 (1978) 71; interval: Lang and Reiczigel, Prev. Vet. Med. 113
(2014) 13, equations of their section 2.
"""

import math
from dataclasses import dataclass

from assay.stats.interval import Interval
from assay.stats.intervals import LEVEL


@dataclass(frozen=True, slots=True)
class Checked:
    """How a judge did on samples whose truth is known.

    Attributes:
        positives: Samples that are truly positive.
        hits: How many of them the judge called positive.
        negatives: Samples that are truly negative.
        rejections: How many of them the judge called negative.
    """

    positives: int
    hits: int
    negatives: int
    rejections: int

    @property
    def sensitivity(self) -> float | None:
        """Share of the positives that are called so; None without any."""
        return self.hits / self.positives if self.positives else None

    @property
    def specificity(self) -> float | None:
        """Share of the negatives that are called so; None without any."""
        return self.rejections / self.negatives if self.negatives else None


@dataclass(frozen=True, slots=True)
class TrueShare:
    """A share of positives, freed of the judge's errors.

    Attributes:
        estimate: The share, 0..1.
        interval: Its confidence interval.
        apparent: The share that the judge called positive.
        sensitivity: Of the judge.
        specificity: Of the judge.
    """

    estimate: float
    interval: Interval
    apparent: float
    sensitivity: float
    specificity: float


def true_share(
    positive: int, n: int, checked: Checked, *, level: float = LEVEL
) -> TrueShare | None:
    """The true share of positives among samples that only the judge has seen.

    It holds if the judge errs here as often as it did where it was checked, among positives and
    among negatives; how many of each there were may differ. The checked samples are not among
    the n.

    Args:
        positive: How many samples the judge called positive.
        n: Of how many, over 0.
        checked: How it did where the truth is known.
        level: Nominal coverage, in (0, 1).

    Returns:
        The share; None if there were no positives or no negatives to check it on, or if it is no
        better than chance (sensitivity + specificity <= 1), be it only once the interval has added
        a success and a failure to each: then its verdicts tell nothing.
    """
    sensitivity, specificity = checked.sensitivity, checked.specificity
    if sensitivity is None or specificity is None or sensitivity + specificity <= 1:
        return None
    from scipy.special import ndtri

    apparent = positive / n
    estimate = (apparent + specificity - 1) / (sensitivity + specificity - 1)
    # "Add two successes and two failures" to the verdicts, one and one to each error rate.
    z = float(ndtri((1 + level) / 2))
    n_all, n_pos, n_neg = n + z * z, checked.positives + 2, checked.negatives + 2
    p = (positive + z * z / 2) / n_all
    se, sp = (checked.hits + 1) / n_pos, (checked.rejections + 1) / n_neg
    youden = se + sp - 1
    if youden <= 0:
        return None
    middle = (p + sp - 1) / youden
    of_se, of_sp = se * (1 - se) / n_pos, sp * (1 - sp) / n_neg
    shift = 2 * z * z * (middle * of_se - (1 - middle) * of_sp)
    variance = p * (1 - p) / n_all + middle**2 * of_se + (1 - middle) ** 2 * of_sp
    away = z * math.sqrt(variance) / youden
    low, high = _within(middle + shift - away), _within(middle + shift + away)
    interval = Interval(low, high, level, "Lang-Reiczigel")
    return TrueShare(_within(estimate), interval, apparent, sensitivity, specificity)


def _within(share: float) -> float:
    return min(max(share, 0.0), 1.0)
