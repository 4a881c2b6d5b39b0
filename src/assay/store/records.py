"""What does the store tell of a run: what it is, and what it has paid for?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Who pays for what a system answers that is asked before there is a run: stands for a run's id.
TARGET = "target"
# Who pays for what a judge is asked to be measured itself: `assay bench` makes no run.
BENCH = "bench"
# Who pays for the questions of a test set, which are written before there is a run.
TESTSET = "testset"


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation as the store knows it.

    Attributes:
        id: Twelve hex digits of its content; any beginning that is unique will do.
        source: Name of the data.
        config: Judges, metrics (label -> signature) and whatever else names it.
        n_samples: Samples taken in.
        skipped: Invalid rows that were left out on request.
        stopped: Why it stopped early, "" if it did not.
        seconds: Wall time spent on it so far.
        finished: When it ended (UTC, ISO 8601), None if it has not.
        created: When it began.
    """

    id: str
    source: str
    config: Mapping[str, Any]
    n_samples: int
    skipped: int
    stopped: str
    seconds: float
    finished: str | None
    created: str

    @property
    def metrics(self) -> dict[str, str]:
        """Signature of each metric by its label."""
        return dict(self.config["metrics"])

    @property
    def derived(self) -> bool:
        """Whether it asks again about another run: nobody means it by "last"."""
        return "repeats" in self.config or "rescores" in self.config


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has paid for, and what it had for nothing.

    Attributes:
        calls: Replies this run paid for.
        tokens_in: Prompt tokens, of them and of answers that were billed and are no replies.
        tokens_out: Reply tokens, counted likewise.
        ms: Their milliseconds, added up.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    ms: float
