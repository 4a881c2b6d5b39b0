"""Alerts: what a watch has told, once each, and where each has still to be sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from assay._store.connection import File
from assay._store.integrity import COVERED, amended, checksum


@dataclass(frozen=True, slots=True)
class StoredAlert:
    """What a watch has told.

    Attributes:
        watch: Name of the watch.
        look: Number of the look, from 1.
        stream: What it is about: a metric, or a metric in a segment.
        body: The evidence.
        pending: Where it has still to be sent.
    """

    watch: str
    look: int
    stream: str
    body: Mapping[str, Any]
    pending: tuple[str, ...] = ()


class Alerts:
    """The alerts of one store. What is kept is on disk when the call returns."""

    def __init__(self, file: File) -> None:
        self._file = file

    def add(self, alerts: Sequence[StoredAlert]) -> list[StoredAlert]:
        """Keep those that are not known, and give them; of one look a stream has one alert."""
        new = []
        with self._file.changing() as db:
            for alert in alerts:
                texts = (msgspec.json.encode(each).decode() for each in (alert.body, alert.pending))
                values: tuple[str | int, ...] = (alert.watch, alert.look, alert.stream, *texts)
                sql = (
                    f"INSERT OR IGNORE INTO alerts (checksum, {COVERED['alerts']})"
                    " VALUES (?, ?, ?, ?, ?, ?)"
                )
                if db.execute(sql, (checksum(*values), *values)).rowcount:
                    new.append(alert)
        return new

    def of(self, watch: str) -> list[StoredAlert]:
        """All that a watch has told, in the order of its looks."""
        sql = f"SELECT {COVERED['alerts']} FROM alerts WHERE watch = ? ORDER BY look, stream"
        return [
            StoredAlert(name, look, stream, msgspec.json.decode(body), tuple(_read(pending)))
            for name, look, stream, body, pending in self._file.query(sql, watch)
        ]

    def sent(self, alert: StoredAlert, to: str) -> None:
        """Record that an alert has arrived."""
        left = [each for each in alert.pending if each != to]
        where, key = (
            "watch = ? AND look = ? AND stream = ?",
            (alert.watch, alert.look, alert.stream),
        )
        with self._file.changing() as db, amended(db, "alerts", where, *key):
            text = msgspec.json.encode(left).decode()
            db.execute(f"UPDATE alerts SET pending = ? WHERE {where}", (text, *key))


def _read(pending: str) -> list[str]:
    return msgspec.json.decode(pending, type=list[str])
