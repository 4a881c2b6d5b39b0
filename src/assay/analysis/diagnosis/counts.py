"""How often was each cause found, what is worth trying first, and what could not be told?"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.analysis.diagnosis.causes import CAUSES, REMEDIES
from assay.analysis.diagnosis.findings import Diagnosed
from assay.stats.intervals import Interval, share_interval

Groups = Mapping[int, Hashable]


@dataclass(frozen=True, slots=True)
class CauseCount:
    """How often a cause was found.

    Attributes:
        cause: Its name.
        n: Samples of which it is the main cause.
        contributing: Samples to which it contributes beside another main cause.
        checked: Samples on which it could be told.
        interval: interval of n / checked, by `share`.
        samples: Ids of those of which it is the main cause, then of the others.
    """

    cause: str
    n: int
    contributing: int
    checked: int
    interval: Interval
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """Something to try.

    Attributes:
        remedy: Its name.
        n: Samples whose main cause it touches: no more can be gained by it alone.
        contributing: Further samples in which it touches a contributing cause.
        interval: interval of n / all samples, by `share`.
    """

    remedy: str
    n: int
    contributing: int
    interval: Interval


@dataclass(frozen=True, slots=True)
class Gap:
    """A cause that could not be told on some samples.

    Attributes:
        cause: Its name.
        n: On how many.
        needs: What would tell.
    """

    cause: str
    n: int
    needs: str


def share(has: Iterable[bool], groups: Sequence[Hashable]) -> Interval:
    """The Wilson interval of a share; samples of one group count as far as they tell more.

    Args:
        has: For each sample whether it is counted.
        groups: For each the group that it belongs to.
    """
    return share_interval(list(has), groups)


def causes(samples: Sequence[Diagnosed], groups: Groups) -> tuple[CauseCount, ...]:
    """Every cause that was found, the most frequent main cause first."""
    counts = [_count(name, samples, groups) for name in CAUSES]
    found = [count for count in counts if count.n or count.contributing]
    return tuple(sorted(found, key=lambda count: (-count.n, -count.contributing)))


def _count(cause: str, samples: Sequence[Diagnosed], groups: Groups) -> CauseCount:
    checked = [one for one in samples if cause in one.checked]
    main = [one for one in checked if _is_main(one, (cause,))]
    further = [one for one in checked if cause in one.causes[1:]]
    interval = share((_is_main(one, (cause,)) for one in checked), [groups[o.row] for o in checked])
    ids = tuple(one.id for one in (*main, *further))
    return CauseCount(cause, len(main), len(further), len(checked), interval, ids)


def _is_main(one: Diagnosed, wanted: Sequence[str]) -> bool:
    return one.main is not None and one.main.cause in wanted


def advice(samples: Sequence[Diagnosed], groups: Groups) -> tuple[Advice, ...]:
    """What to try, in the order of the samples that it touches."""
    found = []
    clusters = [groups[one.row] for one in samples]
    for remedy in REMEDIES:
        main = [_is_main(one, remedy.causes) for one in samples]
        touched = sum(any(cause in remedy.causes for cause in one.causes) for one in samples)
        if touched:
            n = sum(main)
            found.append(Advice(remedy.name, n, touched - n, share(main, clusters)))
    return tuple(sorted(found, key=lambda one: (-one.n, -one.contributing)))


def gaps(samples: Sequence[Diagnosed]) -> tuple[Gap, ...]:
    """What could not be told; of causes that exclude each other, only where neither could."""
    unchecked = {
        name: sum(
            name not in one.checked | one.untold and not _settled(name, one.checked)
            for one in samples
        )
        for name in CAUSES
    }
    return tuple(Gap(name, n, CAUSES[name].needs) for name, n in unchecked.items() if n)


# Whoever can tell the first need not be able to tell the second.
_INSTEAD: Mapping[str, str] = {
    "not_in_contexts": "not_retrieved",
    "unsupported": "over_claimed",
}


def _settled(name: str, checked: frozenset[str]) -> bool:
    return _INSTEAD.get(name) in checked
