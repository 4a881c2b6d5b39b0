"""Which problems does a whole data set have, once all its rows have been seen?"""

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from assay.dataset import gaps
from assay.dataset.aliases import FIELDS, likely_column, recognised
from assay.dataset.record import Row
from assay.dataset.remarks import Remarks
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


@dataclass
class _Gap:
    """The rows in which a field is not there for one who needs it."""

    first: int
    n: int = 0


class Tally:
    """Looks at every row once and says in the end what is wrong with all of them.

    Args:
        needs: Metric -> fields that it needs.
        mapping: Field -> column, as the user gave it.
        instead: Metric -> sets of fields of which any does as well.
        required: Who else needs fields, and cannot do without -> these fields.
        skips: Whether invalid rows are left out: then they serve no metric.
    """

    def __init__(
        self,
        needs: Mapping[str, Iterable[str]],
        mapping: Mapping[str, str],
        instead: Mapping[str, Sequence[Sequence[str]]],
        required: Mapping[str, Iterable[str]],
        *,
        skips: bool = False,
    ) -> None:
        self._skips = skips
        self._required = {*required}
        self._needs = {user: tuple(names) for user, names in {**required, **needs}.items()}
        self._mapping = mapping
        self._instead = instead
        self._gaps: dict[tuple[str, str], _Gap] = {}  # by field and who needs it
        self._refused: dict[str, Bag] = {}  # gaps that a row cannot have, by field
        self._served: set[str] = set()  # who found all that they need in some row
        self._silent: dict[str, None] = {}  # metrics that need an answer where it was empty
        self._rows = 0
        self._faults = Bag()
        self._present: set[str] = set()
        self._unfound = set(mapping)
        self._columns: dict[str, None] = {}
        self._ids: set[int] = set()
        self._remarks = Remarks()

    def see(self, row: Row) -> list[Problem]:
        """All problems of one row."""
        faults = [*row.problems, *self._repeated(row)]
        self._faults.add(faults)
        left_out = self._skips and bool(faults)
        if not left_out:
            self._rows += 1
            self._remarks.see(row)
        if row.record.values is None:
            return faults
        self._unfound &= row.unfound
        if len(self._columns) < _COLUMNS_KEPT:
            self._columns |= dict.fromkeys(row.columns)
        wrong = {problem.field for problem in row.problems}
        self._present |= wrong
        if left_out:
            named = {name for names in self._needs.values() for name in names}
            self._present |= {name for name in named if gaps.value_of(row, name) is not None}
            return faults
        if row.fields.get("failure") is not None:
            self._serve_failed(row)
            return faults
        missing: dict[str, list[str]] = {}
        for user, names in self._needs.items():
            for name in self._lacking(user, names, row, wrong):
                self._gaps.setdefault((name, user), _Gap(row.number)).n += 1
                if user in self._required:
                    missing.setdefault(name, []).append(user)
        return faults + [self._refuse(name, users, row) for name, users in missing.items()]

    def _serve_failed(self, row: Row) -> None:
        """Note who would be served by a row whose system failed, had it answered."""
        value = partial(gaps.value_of, row)
        for user, names in self._needs.items():
            given = [name for name in names if name not in gaps.MADE]
            if not gaps.lacking(given, self._instead.get(user, ()), value):
                self._served.add(user)

    def _lacking(
        self, user: str, names: Sequence[str], row: Row, wrong: Container[str]
    ) -> list[str]:
        """What the row does not hold of what somebody needs."""
        value = partial(gaps.value_of, row)
        instead = self._instead.get(user, ())
        for name in names:
            if name != "answer" or not gaps.is_blank(value(name)):
                self._present |= {name} if value(name) is not None else set()
            elif not gaps.replaced(instead, value):
                # One is a result; if all of several are, the answers were not recorded.
                self._silent[user] = None
        lacking = [name for name in gaps.lacking(names, instead, value) if name not in wrong]
        if not lacking:
            self._served.add(user)
        return lacking

    def _refuse(self, name: str, users: Sequence[str], row: Row) -> Problem:
        problem = gaps.in_row(row, name, gaps.value_of(row, name), users)
        self._refused.setdefault(name, Bag()).add([problem])
        return problem

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
        """Problems of the data set as a whole: what cannot be computed for any row."""
        if not self._columns and self._faults.total:  # nothing could be read at all
            return []
        unfound = [name for name in self._mapping if name in self._unfound]
        absent = {
            name: users
            for name, users in self._unserved().items()
            if name not in self._present and name not in unfound
        }
        told = {user for users in absent.values() for user in users}
        told |= {user for name, user in self._gaps if name in unfound}
        users = [user for user in self._needs if user not in self._served | told]
        unclear = self._unclear(absent)
        return [
            *(gaps.not_found(name, self._mapping[name], self._columns) for name in unfound),
            *([gaps.unclear(unclear, absent, self._columns)] if unclear else ()),
            *(self._absent(name, users) for name, users in absent.items() if name not in unclear),
            *(self._apart(user) for user in users if self._lacks(user)),
        ]

    def _unclear(self, absent: Iterable[str]) -> dict[str, Sequence[str]]:
        """Field -> the columns that may hold it, where there is more than one to choose."""
        known = {*self._mapping, *recognised(self._columns).values()}
        several = self._remarks.reading.ambiguous
        found: dict[str, Sequence[str]] = {}
        for name in absent:
            if name in FIELDS and name not in known:
                near = likely_column(name, self._columns)
                found[name] = several.get(name, [near] if near else [])
        found = {name: columns for name, columns in found.items() if columns}
        return found if sum(map(len, found.values())) > 1 else {}

    def _unserved(self) -> dict[str, list[str]]:
        """Field -> who needs it and was served by no row."""
        found: dict[str, list[str]] = {}
        for name, user in self._gaps:
            if user not in self._served:
                found.setdefault(name, []).append(user)
        if self._silent and self._rows > 1:
            silent = [user for user in self._silent if user not in found.get("answer", ())]
            found["answer"] = [*found.get("answer", ()), *silent]
        return found

    def _lacks(self, user: str) -> dict[str, int]:
        """Field that somebody did not find -> the first row without it."""
        return {name: gap.first for (name, who), gap in self._gaps.items() if who == user}

    def _apart(self, user: str) -> Problem:
        return gaps.unserved(user, self._needs[user], self._lacks(user))

    def _absent(self, name: str, users: Sequence[str]) -> Problem:
        sets = [names for user in users for names in self._instead.get(user, ())]
        others = dict.fromkeys(" and ".join(names) for names in sets if name not in names)
        instead = " or ".join(others)
        return gaps.in_all_rows(name, users, self._columns, instead, self._mapping)

    def notes(self) -> list[str]:
        """How the rows were read, and where metrics are undefined since a field is not there."""
        users: dict[tuple[str, int, int], list[str]] = {}
        for (name, user), gap in self._gaps.items():
            if user not in self._required:
                users.setdefault((name, gap.first, gap.n), []).append(user)
        return self._remarks.notes(self._rows) + [
            gaps.in_rows(name, metrics, first, n, self._rows)
            for (name, first, n), metrics in users.items()
        ]

    def error(self) -> InputError | None:
        """Everything wrong in one error, None if nothing is."""
        general = self.general()
        bags = [self._faults, *(b for name, b in self._refused.items() if name in self._present)]
        total = sum(bag.total for bag in bags) + len(general)
        rows = sorted((p for bag in bags for p in bag.kept), key=lambda problem: problem.row or 0)
        return InputError([*general, *rows][:KEPT], total=total) if total else None
