"""What is known for good of the judges themselves: how noisy they are, and what they once said."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from assay.store.tables import Tables


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a judge said to the fixed probes on one day.

    Attributes:
        run: The run that asked.
        judge: Name of the judge.
        day: Days since 1970-01-01 (UTC).
        replies: Digests of its replies to each probe, by the probe's identity.
    """

    run: str
    judge: str
    day: int
    replies: Mapping[str, tuple[str, ...]]


class Judges(Tables):
    """The tables about judges of one store."""

    async def keep_noise(self, signature: str, run: str, found: Mapping[str, Any]) -> None:
        """Commit how noisy a metric of this signature was found to be in a run asked again."""
        body = msgspec.json.encode(found).decode()
        sql = "INSERT OR REPLACE INTO noise (signature, run, body) VALUES (?, ?, ?)"
        await self._change("noise", {"signature": signature, "run": run}, sql, signature, run, body)

    def noise(self, signature: str) -> dict[str, Any] | None:
        """What was found last for a signature, with the run it was found in; None if nothing."""
        which = "WHERE signature = ? ORDER BY at DESC, rowid DESC LIMIT 1"
        found = self._rows("noise", which, signature)
        return {"run": found[0][1], **msgspec.json.decode(found[0][2])} if found else None

    def of_run(self, table: str, run: str) -> list[list[Any]]:
        """All that a table holds of a run, by columns."""
        return self._rows(table, "WHERE run = ?", run)

    async def keep_fingerprint(self, found: Fingerprint) -> None:
        """Commit what a judge said to the probes."""
        body = msgspec.json.encode(found.replies).decode()
        sql = "INSERT OR REPLACE INTO fingerprints (run, judge, day, body) VALUES (?, ?, ?, ?)"
        key = {"run": found.run, "judge": found.judge, "day": found.day}
        await self._change("fingerprints", key, sql, *key.values(), body)

    def fingerprints(self, run: str) -> list[Fingerprint]:
        """Those that a run took, by judge, the oldest first."""
        rows = self._rows("fingerprints", "WHERE run = ? ORDER BY judge, day", run)
        return [_fingerprint(row) for row in rows]

    def before(self, found: Fingerprint) -> Fingerprint | None:
        """The judge's last fingerprint of an earlier day; None if there is none."""
        which = "WHERE judge = ? AND day < ? ORDER BY day DESC LIMIT 1"
        rows = self._rows("fingerprints", which, found.judge, found.day)
        return _fingerprint(rows[0]) if rows else None


def _fingerprint(row: Any) -> Fingerprint:
    run, judge, day, body = row
    return Fingerprint(run, judge, day, msgspec.json.decode(body, type=dict[str, tuple[str, ...]]))
