"""How many bad answers the judge is expected to have passed, by how it errs on labelled ones."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from assay.analysis.diagnosis.facts import SUPPORT
from assay.analysis.diagnosis.findings import Diagnosed
from assay.backends.embedded.card import Quality, Rate
from assay.stats.misclassification import Estimate, bad_among, effective
from assay.store import Run

_CLASSES: Final = ("flagged", "uncertain", "passed")


@dataclass(frozen=True, slots=True)
class Missed:
    """What the judge's errors on a labelled set let expect of a run.

    Attributes:
        quality: How the judge errs there.
        n: Answers whose statements were checked.
        n_flagged: Those with a statement that the judge is sure nothing supports.
        n_uncertain: Those without, of one of whose statements it is uncertain.
        n_passed: The others.
        passed: How many of these are expected to be bad.
        bad: How many of all are.
    """

    quality: Quality
    n: int
    n_flagged: int
    n_uncertain: int
    n_passed: int
    passed: Estimate
    bad: Estimate


def missed(run: Run, samples: Iterable[Diagnosed]) -> Missed | None:
    """What is to be expected of a run; None where nobody measured how its judge errs."""
    known = run.config.get("quality", {})
    # The first of them is whose verdicts were counted, whatever is known of the others.
    label = next((name for name in SUPPORT if name in run.metrics), None)
    counts = Counter(one.support for one in samples if one.support)
    if label not in known or not counts:
        return None
    quality = msgspec.convert(known[label], Quality)
    n = tuple(counts[name] for name in _CLASSES)
    bad = _labelled(quality.n_bad, quality.found, quality.bad_uncertain)
    good = _labelled(quality.n_good, quality.wrong, quality.good_uncertain)
    classes, total = bad_among(n, bad, good)
    return Missed(quality, sum(n), n[0], n[1], n[2], classes[-1], total)


def _labelled(n: int, flagged: Rate, uncertain: Rate | None) -> tuple[float, float, float]:
    """Labelled cases of each class, as many as independent ones would tell as much."""
    size = effective(flagged.value, flagged.low, flagged.high, n)
    between = uncertain.value if uncertain else 0.0
    return size * flagged.value, size * between, size * max(0.0, 1 - flagged.value - between)
