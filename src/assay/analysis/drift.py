"""Has the model behind a judge's name changed between two runs?"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.run.result import Result
from assay.store import Store
from assay.store.judges import Fingerprint

ALPHA = 0.01
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Drift:
    """How two fingerprints of one judge compare.

    Attributes:
        judge: Its name.
        before: Day of the earlier one (ISO 8601).
        now: Day of the later one.
        probes: Probes that both have.
        differ: How many of them were answered otherwise, letter for letter.
        p: How likely replies of the same model lie as far apart, in (0, 1].
    """

    judge: str
    before: str
    now: str
    probes: int
    differ: int
    p: float

    @property
    def changed(self) -> bool:
        """Whether the replies differ by more than those of one day do."""
        return self.p < ALPHA

    def __str__(self) -> str:
        """What it means, in words."""
        return (
            f"The model behind {self.judge} seems to have changed between {self.before} and "
            f"{self.now}: {self.differ} of {self.probes} fixed probes are answered otherwise "
            f"(p = {self.p:.2g}). Scores of before and after are not comparable."
        )


def since(store: Store, run: str) -> list[Drift]:
    """How each judge of a run compares with its last fingerprint of an earlier day."""
    found = []
    for now in store.judges.fingerprints(run):
        before = store.judges.before(now)
        if before is not None:
            found.append(compared(before, now))
    return found


def warnings(first: Result, second: Result) -> list[str]:
    """What has to be said of the judges that two runs share: those that have changed."""
    with Store(first.path) as one, Store(second.path) as other:
        found = between(one, first.run.id, other, second.run.id)
    return [str(drift) for drift in found if drift.changed]


def between(first: Store, run: str, second: Store, other: str) -> list[Drift]:
    """How the judges that two runs share compare, each by its last fingerprint in either run."""
    before = {found.judge: found for found in first.judges.fingerprints(run)}
    after = {found.judge: found for found in second.judges.fingerprints(other)}
    pairs = ((before[name], after[name]) for name in before if name in after)
    return [compared(*sorted(pair, key=lambda f: f.day)) for pair in pairs]


def compared(before: Fingerprint, now: Fingerprint) -> Drift:
    """How two fingerprints of one judge compare; the same replies are no change, whenever."""
    import numpy as np

    from assay.stats.raters import changed

    shared = [probe for probe in before.replies if probe in now.replies]
    apart = np.array([list(_distances(before, now, probe)) for probe in shared]).reshape(-1, 6)
    differ = sum(set(before.replies[probe]) != set(now.replies[probe]) for probe in shared)
    days = (_date(before.day), _date(now.day))
    return Drift(now.judge, *days, len(shared), differ, changed(apart))


def _distances(before: Fingerprint, now: Fingerprint, probe: str) -> Iterator[float]:
    a1, a2 = before.replies[probe]
    b1, b2 = now.replies[probe]
    for one, two in ((a1, a2), (b1, b2), (a1, b1), (a2, b2), (a1, b2), (a2, b1)):
        yield _apart(one, two)


def _apart(one: str, two: str) -> float:
    """Share of the pairs of neighbouring words of two texts that only one of them has."""
    first, second = _pairs(one), _pairs(two)
    either = first | second
    return 1 - len(first & second) / len(either) if either else 0.0


def _pairs(text: str) -> set[tuple[str, str]]:
    words = text.split()
    return set(zip(["", *words], [*words, ""], strict=True))


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY_S, UTC).date().isoformat()
