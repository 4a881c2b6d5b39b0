"""What does the store tell of a run: what it is, and what it has paid for?"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from assay.store.description import Description, Value

# Who pays for what a system answers that is asked before there is a run: stands for a run's id.
TARGET = "target"
# Who pays for what a judge is asked to be measured itself: `assay bench` makes no run.
BENCH = "bench"
# Who pays for the questions of a test set, which are written before there is a run.
TESTSET = "testset"
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)


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
        name: What people call it, "" for nothing.
        tags: What they say it is one of.
        note: What they wrote about it.
        params: What they say was set of the system: {"k": 5}.
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
    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    params: Mapping[str, Value] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """The beginning of its id, as it is shown."""
        return self.id[:8]

    @property
    def title(self) -> str:
        """Its name, or where it has none its data and when it began (UTC)."""
        return self.name or self.default_title

    @property
    def default_title(self) -> str:
        """Its data and when it began (UTC): ``questions.jsonl, 24 Nov 14:03``."""
        return f"{self.source}, {_day(self.created)}"

    @property
    def description(self) -> Description:
        """All that people say of it."""
        return Description(self.name, self.tags, self.note, self.params)

    @property
    def metrics(self) -> dict[str, str]:
        """Signature of each metric by its label."""
        return dict(self.config["metrics"])

    @property
    def derived(self) -> bool:
        """Whether it asks again about another run: nobody means it by "last"."""
        return "repeats" in self.config or "rescores" in self.config


def _day(created: str) -> str:
    """``24 Nov 14:03`` of a moment in ISO 8601; in English, whatever the locale."""
    try:
        at = datetime.fromisoformat(created)
    except ValueError:  # of a file of runs that another program wrote
        return created
    return f"{at.day} {_MONTHS[at.month - 1]} {at:%H:%M}"


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
