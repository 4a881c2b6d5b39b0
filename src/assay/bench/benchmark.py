"""One human-labelled set: its rows, and what is measured of a judge on them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.bench.data import Data, Record, thinned
from assay.bench.figures import Figure
from assay.bench.judge import JudgeUnderTest
from assay.errors import InputError
from assay.judge import Task
from assay.metrics import METRICS


def _nothing(of: Any) -> str:
    del of
    return ""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One set, or one way of measuring several together.

    Attributes:
        name: What it is called by.
        family: The section of a card that it belongs to.
        about: What people said of its rows, and so what is measured, in a few words.
        files: The files that it needs.
        licence: Of these.
        measure: Asks the judge about rows and gives the figures.
        rows: Reads its rows; None where they are all rows of its files.
        tasks: What the judge is asked for.
        metrics: Metrics that are computed, whose tasks depend on what the judge serves.
        thresholds: What it takes that is fitted on training rows (see `thresholds.py`).
        kinds: How many rows of each kind are taken unless told otherwise; None for all.
        kind: Which kind a row is of.
        whole: Kinds that are never sampled: material, not what is measured.
        title: How the names of the figures of a kind begin.
    """

    name: str
    family: str
    about: str
    files: tuple[str, ...]
    licence: str
    measure: Callable[[JudgeUnderTest, Sequence[Record]], list[Figure]]
    rows: Callable[[Data], list[Record]] | None = None
    tasks: tuple[type[Task[Any]], ...] = ()
    metrics: tuple[str, ...] = ()
    thresholds: tuple[str, ...] = ()
    kinds: Mapping[str, int | None] = field(default_factory=lambda: {"": None})
    kind: Callable[[Record], str] = _nothing
    whole: tuple[str, ...] = ()
    title: Callable[[str], str] = _nothing

    def absent(self, data: Data) -> list[str]:
        """Which of its files are not there."""
        return [name for name in self.files if not data.has(name)]

    def beyond(self, judge: JudgeUnderTest) -> list[str]:
        """Which kinds of task it takes that the judge cannot do."""
        kinds = [*self.tasks]
        for name in self.metrics:
            kinds += METRICS[name]().asks(judge.can)
        return [kind.kind for kind in dict.fromkeys(kinds) if not judge.can(kind)]

    def drawn(
        self, data: Data, limit: int | None, *, full: bool
    ) -> tuple[list[Record], dict[str, str]]:
        """The rows that are measured, and in words by kind how they were sampled, if they were.

        Args:
            data: Where the files are.
            limit: Rows of each kind at most; None for as many as `kinds` says.
            full: Whether to take all rows, whatever `kinds` says.

        Raises:
            InputError: If a file cannot be read, or holds rows of another form.
        """
        try:
            return self._drawn(self._rows(data), limit, full=full)
        except (KeyError, TypeError) as error:
            files = ", ".join(self.files)
            what = f"{self.name}: rows of {files} do not have the expected form: {error!r}"
            raise InputError(what, "docs/bench.md says which fields they have") from error

    def _rows(self, data: Data) -> list[Record]:
        if self.rows:
            return self.rows(data)
        return [record for name in self.files for record in data.rows(name)]

    def _drawn(
        self, records: Sequence[Record], limit: int | None, *, full: bool
    ) -> tuple[list[Record], dict[str, str]]:
        drawn: list[Record] = []
        sampled: dict[str, str] = {}
        for kind, most in self.kinds.items():
            mine = [record for record in records if self.kind(record) == kind]
            wanted = (None if full else most, None if kind in self.whole else limit)
            bounds = [bound for bound in wanted if bound is not None]
            some = thinned(mine, min(bounds)) if bounds else mine
            if len(some) < len(mine):
                sampled[kind] = f"{len(some)} of {len(mine)} {kind} rows".replace("  ", " ")
            drawn += some
        return drawn, sampled
