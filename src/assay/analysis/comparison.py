"""What does a comparison of runs say: the numbers, the verdict, the samples behind it?"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.analysis.changes import SampleChange
from assay.analysis.pairing import LeftOut
from assay.stats.comparison import Paired

BETTER, WORSE, NOT_FOUND, TOO_FEW = "better", "worse", "no difference found", "too few pairs"


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of one run against the baseline.

    Attributes:
        metric: Label of the metric.
        run: Which of the runs: its place in `Comparison.runs`, the baseline being 0.
        higher_is_better: False for error rates.
        verdict: "better" or "worse" (than the baseline, by the adjusted p-value), "no difference
            found", or "too few pairs" where there is none.
        paired: The numbers; None without any pair.
        p: The p-value, adjusted by Holm over all metrics and runs that are `tested`; 1 where no
            test is needed, None without any pair.
        detectable: The smallest true difference that so many pairs show in 80 of 100 cases, as one
            of so many tests; None where they can show none, or too few of them differ to tell.
        least: How many independent pairs have to differ, all in one direction, for any difference
            to be found, as one of so many tests; None without any pair.
        aim: The difference that `needed` is for.
        needed: How many pairs would show it in 80 of 100 cases; None where that cannot be said.
        left_out: Samples that stand in no pair.
        worst: Samples that became worse, the worst first.
        best: Samples that became better, the best first.
        noise: How large a difference the judges' noise makes by itself, from one asking of each:
            95 % of the time; None if that was never measured (`assay repeat`).
        range: Ends of the metric's range; None where it has no end.
        asked: Whether `aim` was asked for; otherwise it is the difference that was seen.
    """

    metric: str
    run: int
    higher_is_better: bool
    verdict: str
    paired: Paired | None
    p: float | None
    detectable: float | None
    least: int | None
    aim: float | None
    needed: int | None
    left_out: tuple[LeftOut, ...]
    worst: tuple[SampleChange, ...]
    best: tuple[SampleChange, ...]
    noise: float | None = None
    range: tuple[float | None, float | None] = (None, None)
    asked: bool = False

    @property
    def tested(self) -> bool:
        """Whether there is anything to test: two independent pairs, of which one differs at least.

        Where every pair is equal, as by a metric that reads nothing of what changed, no
        permutation of the signs could give another difference: it takes no part in the adjustment.
        """
        return self.paired is not None and self.paired.units > 1 and self.paired.moved > 0

    @property
    def too_few_differ(self) -> bool:
        """Whether enough pairs are there to find a difference, but too few of them differ."""
        if self.paired is None or self.least is None:
            return False
        return self.paired.moved < self.least <= self.paired.units

    @property
    def wins(self) -> int:
        """Samples that became better."""
        return _sides(self)[0]

    @property
    def losses(self) -> int:
        """Samples that became worse."""
        return _sides(self)[1]


@dataclass(frozen=True, slots=True)
class Compared:
    """A run that was compared.

    Attributes:
        id: Its id.
        store: The file it stands in.
        source: Its data.
        judge: Who judged.
        n_samples: How many samples it has.
        created: When it began.
        title: What it is called: its name, or its data and when it began.
    """

    id: str
    store: str
    source: str
    judge: str
    n_samples: int
    created: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs compared with the first of them.

    Attributes:
        runs: The baseline, then the others.
        metrics: Every metric that both have, run by run.
        warnings: What else could make the numbers differ.
        level: Nominal coverage of the intervals.
    """

    runs: tuple[Compared, ...]
    metrics: tuple[MetricComparison, ...]
    warnings: tuple[str, ...]
    level: float

    def __str__(self) -> str:
        """A line for each metric."""
        rows = [_line(found, self.runs) for found in self.metrics]
        return "\n".join([*rows, *(f"! {warning}" for warning in self.warnings)])


def letter(number: int) -> str:
    """What a run is called in a comparison: A is the baseline."""
    return chr(ord("A") + number) if number < 26 else f"run {number + 1}"


def _called(run: Compared) -> str:
    return f"{run.title} ({run.id[:8]})" if run.title else run.id


def _sides(one: MetricComparison) -> tuple[int, int]:
    if one.paired is None:
        return 0, 0
    sides = one.paired.up, one.paired.down
    return sides if one.higher_is_better else (sides[1], sides[0])


def _line(one: MetricComparison, runs: Sequence[Compared]) -> str:
    head = f"{one.metric} of {_called(runs[one.run])} against {_called(runs[0])}: {one.verdict}"
    found = one.paired
    if found is None or one.p is None:
        return head
    ends = found.interval
    span = f" ({ends.low:+.3f} to {ends.high:+.3f})" if ends else ""
    text = f"{head}, {found.difference:+.3f}{span}, p = {one.p:.3g}, n = {found.n}"
    if one.verdict != NOT_FOUND:
        return text
    if one.too_few_differ:
        units = "groups" if found.units < found.n else "pairs"
        differ = f"{found.moved} of {found.units} {units} differ"
        text += f"; {differ}, and fewer than {one.least} show nothing"
    if one.detectable is not None:
        text += f"; a difference of {one.detectable:.2g} would have been seen in 80 of 100 cases"
    return text
