"""Labels that people gave to samples of a run, and the order in which they were asked for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from uuid import uuid4

import msgspec

from assay._store.connection import File, check_still_there
from assay._store.integrity import COVERED, Damaged, amended, insert
from assay.errors import InputError

# "label" is a value; "unsure" an answer without one; "skip" none; "settled" decides a dispute.
Kind: TypeAlias = Literal["label", "unsure", "skip", "settled"]
WHOLE: Final = -1  # stands for no statement: the whole answer
MAX_NAME, MAX_TEXT, MAX_TAGS = 100, 10_000, 100
_NOW: Final = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"


def pair_label(metric: str, against: str) -> str:
    """What labels of pairs are about: which of two answers is better by a metric.

    Args:
        metric: Label of the metric.
        against: Id of the run that the other answers are of.
    """
    return f"{metric} against {against}"


@dataclass(frozen=True, slots=True)
class LabelTally:
    """How many labels one person gave to one run."""

    about: str  # label of the metric, or `pair_label`
    statements: bool  # whether they are of statements
    annotator: str  # who gave them
    n: int  # how many things have one
    least: float  # the least label
    most: float  # the greatest label


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanLabel:
    """One decision of one person."""

    run: str  # id of the run
    metric: str  # label of the metric that it is about; of a pair `pair_label`
    sample: str  # id of the sample
    annotator: str  # who decided
    # 0-based number among the judged parts of the score; None: the whole answer.
    statement: int | None = None
    kind: Kind = "label"  # what it is: "label", "unsure", "skip" or "settled" (a dispute decided)
    value: float | None = None  # the label; None if there is none
    reason: str = ""  # why, in their words
    tags: tuple[str, ...] = ()  # kinds of error they named
    # With which probability the sample was drawn to be labelled, None if unknown.
    chance: float | None = None
    undone: bool = False  # whether it was taken back
    at: str = ""  # when (UTC, ISO 8601); the store writes it
    id: str = ""  # what names it; the store gives it

    @property
    def item(self) -> tuple[str, str, int | None]:
        """What it is about: run, sample, statement."""
        return self.run, self.sample, self.statement


WORST: Final = "worst"  # of a look that an alert is about: drawn for sure, before all others


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sample that was drawn to be labelled."""

    batch: int  # number of the batch, from 0
    sample: str  # id of the sample
    # With which probability it was drawn into this batch, of those that no earlier batch had.
    chance: float
    why: str  # the order that the batch was drawn by


class HumanLabels:
    """The labels of one store. What is kept is on disk when the call returns."""

    def __init__(self, file: File) -> None:
        self._file = file

    def keep(self, labels: Sequence[HumanLabel]) -> None:
        """Commit decisions, all or nothing.

        Raises:
            InputError: If one has no annotator, or holds what cannot be kept; if the store is gone.
        """
        rows = [_values(label) for label in labels]
        check_still_there(self._file.path)
        with self._file.changing() as db:
            for row in rows:
                insert(db, "labels", *row, str(db.execute(f"SELECT {_NOW}").fetchone()[0]))

    def undo(
        self, runs: Sequence[str], metric: str, annotator: str, *, statements: bool = False
    ) -> HumanLabel | None:
        """Take back an annotator's latest decision about some runs; None if there is none left.

        Args:
            runs: Ids of the runs.
            metric: Label of the metric.
            annotator: Whose decision.
            statements: Whether it is one about a statement, instead of one about a whole answer.
        """
        condition = f"statement {'>' if statements else '='} {WHOLE}"
        with self._file.changing() as db:
            marks = ", ".join("?" * len(runs))
            sql = (
                f"SELECT id FROM labels WHERE run IN ({marks}) AND metric = ? AND annotator = ?"
                f" AND {condition} AND NOT undone ORDER BY rowid DESC LIMIT 1"
            )
            latest = db.execute(sql, (*runs, metric, annotator)).fetchone()
            if latest is None:
                return None
            with amended(db, "labels", "id = ?", *latest):
                db.execute("UPDATE labels SET undone = 1 WHERE id = ?", latest)
        return self._read_labels("id = ?", *latest)[0]

    def of(self, run: str, metric: str) -> list[HumanLabel]:
        """The decisions about a metric of a run, as they were made, without those taken back."""
        labels = self._read_labels("run = ? AND metric = ?", run, metric)
        return [label for label in labels if not label.undone]

    def tally(self, run: str) -> list[LabelTally]:
        """How many labels each person gave to a run, by what they are about."""
        sql = (
            "SELECT metric, statement >= 0, annotator, count(DISTINCT statement || ' ' || sample),"
            " min(value), max(value) FROM labels"
            " WHERE run = ? AND kind = 'label' AND NOT undone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        return [
            LabelTally(subject, bool(statements), *counts)
            for subject, statements, *counts in self._file.query(sql, run)
        ]

    def version(self, run: str, metric: str) -> tuple[int, int]:
        """Another pair of numbers whenever a decision about it was added or taken back."""
        sql = "SELECT count(*), total(undone) FROM labels WHERE run = ? AND metric = ?"
        n, undone = self._file.query(sql, run, metric)[0]
        return int(n), int(undone)

    def queue(self, run: str, metric: str, against: str = "") -> list[Drawn]:
        """What was drawn to be labelled, in order."""
        condition = "WHERE run = ? AND metric = ? AND against = ? ORDER BY batch, place"
        rows = self._file.covered("label_queue", condition, run, metric, against)
        return [
            Drawn(batch, sample, chance, reason) for *_, batch, _, sample, chance, reason in rows
        ]

    def n_drawn(self, run: str, metric: str, against: str = "") -> int:
        """How many samples were drawn."""
        sql = "SELECT count(*) FROM label_queue WHERE run = ? AND metric = ? AND against = ?"
        return int(self._file.query(sql, run, metric, against)[0][0])

    def draw(self, run: str, metric: str, against: str, batch: int, drawn: Sequence[Drawn]) -> bool:
        """Commit the next batch, unless somebody else has drawn it meanwhile.

        Returns:
            Whether it was this one.
        """
        with self._file.changing() as db:
            sql = (
                "SELECT 1 FROM label_queue"
                " WHERE run = ? AND metric = ? AND against = ? AND batch >= ?"
            )
            if db.execute(sql, (run, metric, against, batch)).fetchone():
                return False
            for number, draw in enumerate(drawn):
                values = (run, metric, against, batch, number, draw.sample, draw.chance, draw.why)
                insert(db, "label_queue", *values)
        return True

    def share_of_seconds(self, run: str, metric: str, against: str = "") -> float:
        """The share of a queue's samples that two people label."""
        condition = "WHERE run = ? AND metric = ? AND against = ?"
        rows = self._file.covered("second_opinions", condition, run, metric, against)
        return float(rows[0][-1]) if rows else 0.0

    def ask_for_seconds(self, run: str, metric: str, against: str, share: float) -> None:
        """Have so many of a queue's samples labelled by two people, from now on."""
        with self._file.changing() as db:
            queue = run, metric, against
            sql = "DELETE FROM second_opinions WHERE run = ? AND metric = ? AND against = ?"
            db.execute(sql, queue)
            insert(db, "second_opinions", *queue, share)

    def _read_labels(self, condition: str, *values: object) -> list[HumanLabel]:
        labels = []
        for row in self._file.covered("labels", f"WHERE {condition} ORDER BY rowid", *values):
            fields = dict(zip(COVERED["labels"].split(", "), row, strict=True))
            statement = None if fields["statement"] == WHOLE else fields["statement"]
            try:
                fields |= {"statement": statement, "tags": msgspec.json.decode(fields["tags"])}
                fields["undone"] = bool(fields["undone"])
                labels.append(msgspec.convert(fields, HumanLabel))
            except (msgspec.ValidationError, msgspec.DecodeError) as error:
                raise Damaged(f"label {fields['id']}: {error}", self._file.path) from error
        return labels


def check_annotator(name: str) -> str:
    """The name of an annotator, without blanks at its ends.

    Raises:
        InputError: If it is none, or no short line of text.
    """
    stripped = name.strip()
    if not stripped:
        raise InputError("nobody is named as the annotator", "name who labels: --annotator anna")
    if len(stripped) > MAX_NAME or not stripped.isprintable():
        raise InputError(f"the annotator {stripped[:MAX_NAME]!r} is no short line of text")
    return stripped


def _values(label: HumanLabel) -> tuple[str | float | None, ...]:
    """The columns of a new decision, without the last: when it was made."""
    name = check_annotator(label.annotator)
    tags = tuple(dict.fromkeys(tag.strip() for tag in label.tags if tag.strip()))
    for role, text in (("reason", label.reason), *(("tag", tag) for tag in tags)):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"the {role} has characters that cannot be kept") from error
        if len(text) > (MAX_TEXT if role == "reason" else MAX_NAME):
            raise InputError(f"the {role} is too long", f"give at most {MAX_TEXT:,} characters")
    if len(tags) > MAX_TAGS:
        raise InputError(f"{len(tags)} tags are too many", f"give at most {MAX_TAGS}")
    statement = WHOLE if label.statement is None else label.statement
    key = uuid4().hex, label.run, label.metric, label.sample, statement
    content = name, label.kind, label.value, label.reason, msgspec.json.encode(tags).decode()
    return (*key, *content, label.chance, 0)
