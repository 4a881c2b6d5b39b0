"""A test set under review: questions kept, edited and dropped, apart from what was generated."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, Final, Literal, TypeAlias

import msgspec

from assay._text.words import stems
from assay.errors import InputError
from assay.testset.questions import lines, overlap

Decision: TypeAlias = Literal["keep", "edit", "drop"]
MAX_TEXT: Final = 10_000
_ENDING: Final = ".jsonl"


class _Line(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A line of the log: a decision about a question as it was generated, or "" to take it back."""

    id: str
    of: str
    decision: Literal["keep", "edit", "drop", ""]
    question: str = ""
    reference: str = ""
    reason: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedQuestion:
    """A generated question and what was decided about it.

    Attributes:
        row: The question as it was generated.
        decision: "keep", "edit" or "drop"; None while it is open.
        question: The question as it is to be asked.
        reference: Its answer.
        reason: Why it was dropped.
    """

    row: Mapping[str, Any]
    decision: Decision | None = None
    question: str = ""
    reference: str = ""
    reason: str = ""

    @property
    def id(self) -> str:
        """What names it."""
        return str(self.row["id"])

    @property
    def before(self) -> list[Mapping[str, Any]]:
        """The messages before a follow-up, each with `role` and `content`; none for another one."""
        turns = self.row.get("turns")
        is_valid = isinstance(turns, list) and all(isinstance(turn, Mapping) for turn in turns)
        if not is_valid or not turns or turns[-1].get("content") != self.row["question"]:
            return []
        return list(turns[:-1])

    def reviewed(self) -> dict[str, Any]:
        """The row for `evaluate`: an edited one holds what was generated as well."""
        if self.decision != "edit":
            return {**self.row, "review": "kept"}
        texts = self.row.get("reference_contexts") or ()
        changed: dict[str, Any] = {"question": self.question, "reference": self.reference}
        if self.before:  # the conversation ends with the question
            changed["turns"] = [*self.before, {"role": "user", "content": self.question}]
        if texts and "overlap" in self.row:
            changed |= {"overlap": round(overlap(self.question, texts), 3)}
        generated = {name: self.row.get(name) for name in ("question", "reference")}
        row = {**self.row, **changed, "review": "edited", "generated": generated}
        if not self._is_quoted():  # else freshness and diagnosis would look for the old answer
            row = {name: row[name] for name in row if name not in ("quotes", "evidence")}
        return row

    def _is_quoted(self) -> bool:
        """Whether each word that the reference has now, and had not, stands in the quotes."""
        quotes = " ".join(map(str, self.row.get("quotes") or ()))
        known = f"{quotes} {self.question} {self.row.get('reference') or ''}"
        return {*stems(self.reference)} <= {*stems(known)}


class Review:
    """The review of a file of `assay testset`, which itself is never changed.

    Every decision is appended to a log beside it (`questions.review.jsonl`) and is on disk before
    the next is asked for. The data set that comes out (`questions.reviewed.jsonl`) holds the
    questions that were kept or edited, and is written anew after each decision.

    Args:
        path: The questions: .jsonl, as `assay testset --out` writes them.

    Attributes:
        path: The same.
        log: Where decisions are kept.
        out: The data set that comes out.

    Raises:
        InputError: If there is no such file, or it does not hold questions.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.suffix.lower() != _ENDING:
            raise InputError(f"'{path}' is no file of questions", "name one of `assay testset`")
        stem = self.path.name[: -len(_ENDING)]
        self.log = self.path.with_name(f"{stem}.review{_ENDING}")
        self.out = self.path.with_name(f"{stem}.reviewed{_ENDING}")
        self._lock = RLock()
        self._rows = list(_rows(self.path))
        self._known: tuple[object, list[_Line]] | None = None

    def questions(self) -> list[ReviewedQuestion]:
        """Every question with what was decided, in the order of the file."""
        latest = {(line.id, line.of): line for line in self._lines()}
        return [
            _reviewed_question(row, latest.get((str(row["id"]), _digest(row))))
            for row in self._rows
        ]

    def keep(self, place: int) -> None:
        """Take a question as it was generated.

        Args:
            place: Its place in the file, from 0.

        Raises:
            InputError: If there is none, or the decision cannot be written.
        """
        self._add(place, decision="keep")

    def edit(self, place: int, *, question: str, reference: str) -> None:
        """Take a question with other words; without a change it is kept as it is.

        Raises:
            InputError: If the question is empty, or it cannot be written.
        """
        question, reference = question.strip(), reference.strip()
        row = self._row(place)
        if not question:
            raise InputError("the question is empty", "drop it instead")
        if max(len(question), len(reference)) > MAX_TEXT:
            raise InputError("the text is too long", f"give at most {MAX_TEXT:,} characters")
        if (question, reference) == (row["question"], row.get("reference") or ""):
            self.keep(place)
        else:
            self._add(place, decision="edit", question=question, reference=reference)

    def drop(self, place: int, reason: str = "") -> None:
        """Leave a question out.

        Raises:
            InputError: If there is none, or the decision cannot be written.
        """
        self._add(place, decision="drop", reason=reason.strip()[:MAX_TEXT])

    def undo(self) -> int | None:
        """Take back the latest decision that counts; the question's place, None without one."""
        with self._lock:
            index_of = {(str(row["id"]), _digest(row)): n for n, row in enumerate(self._rows)}
            open_again: set[tuple[str, str]] = set()
            for line in reversed(self._lines()):
                key = line.id, line.of
                if key in open_again or key not in index_of:
                    continue
                if line.decision:
                    self._add(index_of[key], decision="")
                    return index_of[key]
                open_again.add(key)
        return None

    def _row(self, index: int) -> Mapping[str, Any]:
        if not 0 <= index < len(self._rows):
            fault = f"there is no question {index + 1}"
            raise InputError(fault, f"the file has {len(self._rows):,}")
        return self._rows[index]

    def _add(self, index: int, **decision: Any) -> None:
        row = self._row(index)
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        line = _Line(id=str(row["id"]), of=_digest(row), at=moment, **decision)
        with self._lock, _writing(self.log):
            with self.log.open("r+b" if self.log.exists() else "w+b") as file:
                file.seek(_end_of_lines(file.read()))
                file.truncate()  # what a kill cut short
                file.write(msgspec.json.encode(line) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            self._write_out()

    def _write_out(self) -> None:
        """The data set that comes out, all of it or what was there before."""
        rows = [q.reviewed() for q in self.questions() if q.decision in ("keep", "edit")]
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=self.out.parent, prefix=f".{self.out.name}.", delete=False
        ) as file:
            file.write(lines(rows))
        mode = self.path.stat().st_mode & 0o777
        Path(file.name).chmod(mode)
        Path(file.name).replace(self.out)

    def _lines(self) -> list[_Line]:
        """The log, read again only if it is another: somebody else may review the same file."""
        with self._lock, _writing(self.log):
            try:
                stat = self.log.stat()
            except FileNotFoundError:
                return []
            version = stat.st_mtime_ns, stat.st_size
            if self._known is None or self._known[0] != version:
                content = self.log.read_bytes()
                whole_lines = content[: _end_of_lines(content)].splitlines()
                self._known = (
                    version,
                    [_line(n, raw, self.log) for n, raw in enumerate(whole_lines, 1)],
                )
            return self._known[1]


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        fault = f"'{path}' cannot be written or read: {error.strerror or error}"
        raise InputError(fault, "decisions are kept beside the questions") from error


def _reviewed_question(row: Mapping[str, Any], line: _Line | None) -> ReviewedQuestion:
    question, reference = str(row["question"]), str(row.get("reference") or "")
    if line is None or not line.decision:
        return ReviewedQuestion(row=row, question=question, reference=reference)
    if line.decision == "edit":
        question, reference = line.question, line.reference
    return ReviewedQuestion(
        row=row,
        decision=line.decision,
        question=question,
        reference=reference,
        reason=line.reason,
    )


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'", "`assay testset` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"'{path}' cannot be read: {error}") from error
    ids_seen: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"line {number} of '{path}' is no JSON: {error}") from error
        if not isinstance(row, dict) or not isinstance(row.get("question"), str):
            fault = f"line {number} of '{path}' has no question"
            raise InputError(fault, "name a file that `assay testset` wrote")
        row.setdefault("id", f"line {number}")
        if str(row["id"]) in ids_seen:
            raise InputError(f"line {number} of '{path}': the id '{row['id']}' is there already")
        ids_seen.add(str(row["id"]))
        yield row
    if not ids_seen:
        raise InputError(f"'{path}' has no questions", "name a file that `assay testset` wrote")


def _digest(row: Mapping[str, Any]) -> str:
    """Of the words that are decided about: once they are others, it is asked again."""
    words = json.dumps([row["question"], row.get("reference")], ensure_ascii=False)
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _line(number: int, raw: bytes, path: Path) -> _Line:
    try:
        return msgspec.json.decode(raw, type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fault = f"line {number} of '{path}' is no decision: {error}"
        raise InputError(fault, "put the file back as it was, or delete the line") from error


def _end_of_lines(content: bytes) -> int:
    """Where the last whole line ends."""
    return content.rfind(b"\n") + 1
