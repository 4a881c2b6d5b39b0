"""What did asking a judge again show: how far would a score move if it were measured once more?"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from assay.store import Store

Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True, slots=True)
class Flips:
    """How often a verdict was another one when it was asked for again.

    Attributes:
        rate: Share of pairs of askings that differ, in [0, 1].
        interval: Its 95 % interval over samples; None with fewer than two samples.
        n: Verdicts that were there more than once.
    """

    rate: float
    interval: tuple[float, float] | None
    n: int


@dataclass(frozen=True, slots=True)
class Noise:
    """How noisy a metric is because of its judge, as found by asking it again.

    Attributes:
        run: The run that was asked again.
        samples: Samples of it that were.
        draws: How often.
        sd: Standard deviation of a sample's score from one asking to the next, None if no sample
            was scored twice.
        means: Mean over these samples, at first and each time again.
        flips: Flips by what the verdict is on ("statement", "context" ...).
        unsettled: Samples that were scored one time and not another.
        same: Whether every reply was the same, word for word, each time.
    """

    run: str
    samples: int
    draws: int
    sd: float | None
    means: tuple[float, ...] = ()
    flips: Mapping[str, Flips] = field(default_factory=dict)
    unsettled: int = 0
    same: bool = False

    def of_mean(self, n: int) -> float | None:
        """How far the mean of n samples moves from one asking to the next: 95 % of the time."""
        return None if self.sd is None or not n else moved(self.sd, n)


def moved(sd: float, n: int) -> float:
    """How far two askings about n samples set their mean apart: 95 % of the time.

    Args:
        sd: Standard deviation of a sample's score from one asking to the next (within subjects).
        n: Samples, 1 or more.

    Source:
        Bland and Altman's coefficient of repeatability, BMJ 312 (1996) 1654: both askings vary,
        hence the square root of 2.
    """
    return Z * math.sqrt(2) * sd / math.sqrt(n)


def noise(store: Store, signature: str) -> Noise | None:
    """What the store knows of a metric's noise; None if its judge was never asked again."""
    found = store.judges.noise(signature)
    return None if found is None else msgspec.convert(found, Noise)
