"""What is said of how rows were read: columns guessed, texts taken apart, words for nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from assay.dataset.gaps import which_column
from assay.dataset.joints import Decision
from assay.dataset.record import Reading, Row

# What exports write where a value is missing; it may be a short answer as well.
_ABSENT: Final = frozenset({"nan", "none", "null", "n/a", "<na>", "nat", "undefined"})
_LONGEST: Final = max(map(len, _ABSENT)) + 2
_TEXTS: Final = ("question", "answer", "contexts", "reference", "reference_contexts")
_MAIN: Final = ("answer", "question", "contexts", "reference")


@dataclass
class _Count:
    """Rows that something was seen in."""

    first: int
    word: str = ""
    n: int = 0
    least: int = 0
    most: int = 0


@dataclass
class Remarks:
    """Counts what was seen in the rows."""

    absent: dict[str, _Count] = field(default_factory=dict)
    joined: dict[str, _Count] = field(default_factory=dict)
    printed: dict[str, _Count] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)

    def see(self, row: Row) -> None:
        """Count what is odd in a row."""
        self.reading = row.reading
        for name in _TEXTS:
            if word := _absent_word(row.fields.get(name)):
                self.absent.setdefault(name, _Count(row.number, word)).n += 1
        for name, passages in row.passages.items():
            if passages > 1:
                count = self.joined.setdefault(name, _Count(row.number, least=passages))
                count.n += 1
                count.least, count.most = min(count.least, passages), max(count.most, passages)
        for name in row.printed:
            self.printed.setdefault(name, _Count(row.number)).n += 1

    def notes(self, rows: int) -> list[str]:
        """All remarks, each a sentence without its full stop."""
        return [
            *self._columns(),
            *(
                _of_joint(name, count, rows, self.reading.decisions[name])
                for name, count in self.joined.items()
            ),
            *(
                f"{name} of {_of(count.n, rows)} are printed documents, read as the texts in them"
                "; --contexts whole (contexts= in Python) keeps them as they are"
                for name, count in self.printed.items()
            ),
            *(_of_words(name, count, rows) for name, count in self.absent.items()),
        ]

    def _columns(self) -> Iterator[str]:
        if guessed := self.reading.guessed:
            held = {**self.reading.columns, **guessed}
            shown = [f"{name} from '{held[name]}'" for name in _MAIN if name in held]
            yield f"reading {', '.join(shown)}; --map (mapping= in Python) changes this"
        if ambiguous := self.reading.ambiguous:
            yield which_column(ambiguous)


def _of(n: int, rows: int) -> str:
    return f"{n:,} of {rows:,} rows"


def _of_joint(name: str, count: _Count, rows: int, decision: Decision) -> str:
    joint = decision.joint
    if count.least == count.most:
        passages = f"{count.most} passages"
    else:
        passages = f"{count.least} to {count.most} passages"
    if decision.splits:
        told = f"{name} of {_of(count.n, rows)} were split at {joint.name} into {passages}"
        return f"{told}; --contexts whole (contexts= in Python) keeps them whole"
    told = f"{name} of {_of(count.n, rows)} hold {joint.name} and were read as one text each"
    remedy = f"--contexts '{joint.option}' (contexts= in Python) splits them into {passages}"
    return f"{told}; if they are several, {remedy}"


def _of_words(name: str, count: _Count, rows: int) -> str:
    told = f"the text '{count.word}' stands as {name} in {_of(count.n, rows)}"
    kind = "a missing value as an export writes it" if count.n > 1 else "perhaps a missing value"
    return f"{told} (the first is row {count.first}), {kind}: it is scored as a text"


def _absent_word(value: Any) -> str:
    """The word in a field that may stand for nothing at all, "" if there is none."""
    texts: Iterable[Any] = value if isinstance(value, tuple) else (value,)
    for text in texts:
        if isinstance(text, str) and len(text) <= _LONGEST and text.strip().lower() in _ABSENT:
            return text.strip()
    return ""
