"""Which problems does a whole data set have, once all its rows have been seen?"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.dataset import gaps
from assay.dataset.record import Row
from assay.errors import InputError, Problem

KEPT: Final = 1000
_COLUMNS_KEPT: Final = 200


@dataclass
class Bag:
    """Counts all problems and keeps the first ones, so that bad data cannot fill the memory."""

    kept: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, problems: Iterable[Problem]) -> None:
        """Count problems, and keep them while there is room."""
        for problem in problems:
            self.total += 1
            if len(self.kept) < KEPT:
                self.kept.append(problem)


class Tally:
    """Looks at every row once and says in the end what is wrong with all of them.

    Args:
        needs: Metric -> fields that it needs.
        mapping: Field -> column, as the user gave it.
        instead: Metric -> sets of fields of which any does as well.
    """

    def __init__(
        self,
        needs: Mapping[str, Iterable[str]],
        mapping: Mapping[str, str],
        instead: Mapping[str, Sequence[Sequence[str]]],
    ) -> None:
        self._users: dict[str, list[str]] = {}
        for metric, names in needs.items():
            for name in names:
                self._users.setdefault(name, []).append(metric)
        self._mapping = mapping
        self._instead = {metric: sets for metric, sets in instead.items() if sets}
        self._gaps = {name: Bag() for name in self._users}
        self._lacking: dict[str, dict[str, None]] = {name: {} for name in self._users}
        self._silent: dict[str, None] = {}  # metrics that need an answer where it was empty
        self._rows = 0
        self._faults = Bag()
        self._present: set[str] = set()
        self._unfound = set(mapping)
        self._columns: dict[str, None] = {}
        self._ids: set[int] = set()

    def see(self, row: Row) -> list[Problem]:
        """All problems of one row."""
        self._rows += 1
        faults = [*row.problems, *self._repeated(row)]
        self._faults.add(faults)
        if row.record.values is None:
            return faults
        self._unfound &= row.unfound
        if len(self._columns) < _COLUMNS_KEPT:
            self._columns |= dict.fromkeys(row.columns)
        wrong = {problem.field for problem in row.problems}
        self._present |= wrong
        served = {metric for metric in self._instead if self._served(metric, row)}
        missing = []
        asked_for = self._users if row.fields.get("failure") is None else {}
        for name, users in asked_for.items():
            value = gaps.value_of(row, name)
            lacking = [user for user in users if user not in served]
            if name == "answer" and gaps.is_blank(value):
                # One is a result; if all of several are, the answers were not recorded.
                self._silent |= dict.fromkeys(lacking)
                continue
            if value is not None:
                self._present.add(name)
            if lacking and name not in wrong and gaps.is_gap(value, name):
                gap = gaps.in_row(row, name, value, lacking)
                self._gaps[name].add([gap])
                self._lacking[name] |= dict.fromkeys(lacking)
                missing.append(gap)
        return faults + missing

    def _served(self, metric: str, row: Row) -> bool:
        """Whether the row holds other fields that do as well as those that a metric needs."""
        return any(
            not any(gaps.is_gap(gaps.value_of(row, name), name) for name in names)
            for names in self._instead[metric]
        )

    def _repeated(self, row: Row) -> list[Problem]:
        """A problem if an earlier row has the same id; 8 bytes of each id are remembered."""
        name = row.fields.get("id")
        if name is None:
            return []
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        key = int.from_bytes(digest)
        if key in self._ids:
            remedy = "give each row its own id, or remove the repeated row"
            return [Problem(f"'{name}' is the id of an earlier row", remedy, row.number, "id")]
        self._ids.add(key)
        return []

    def general(self) -> list[Problem]:
        """Problems of the data set as a whole; each stands for the same gap in all rows."""
        if not self._columns and self._faults.total:  # nothing could be read at all
            return []
        if self._silent and self._rows > 1:
            self._lacking["answer"] |= self._silent
        unfound = [name for name in self._mapping if name in self._unfound]
        absent = [
            name
            for name, users in self._lacking.items()
            if users and name not in self._present and name not in unfound
        ]
        return [
            *(gaps.not_found(name, self._mapping[name], self._columns) for name in unfound),
            *(self._absent(name) for name in absent),
        ]

    def _absent(self, name: str) -> Problem:
        users = list(self._lacking[name])
        sets = [names for user in users for names in self._instead.get(user, ())]
        others = dict.fromkeys(" and ".join(names) for names in sets if name not in names)
        instead = " or ".join(others)
        return gaps.in_all_rows(name, users, self._columns, instead, self._mapping)

    def error(self) -> InputError | None:
        """Everything wrong in one error, None if nothing is."""
        general = self.general()
        bags = [self._faults, *(bag for name, bag in self._gaps.items() if name in self._present)]
        total = sum(bag.total for bag in bags) + len(general)
        rows = sorted((p for bag in bags for p in bag.kept), key=lambda problem: problem.row or 0)
        return InputError([*general, *rows][:KEPT], total=total) if total else None
