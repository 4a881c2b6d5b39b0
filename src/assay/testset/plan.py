"""The plan of a test set: how many questions of which kind, asked by whom and how."""

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from assay.errors import InputError

Kind: TypeAlias = Literal["single_hop", "reasoning", "multi_hop", "unanswerable"]
Style: TypeAlias = Literal["", "keywords", "typos", "follow-up"]
Difficulty: TypeAlias = Literal["", "easy", "hard"]

KINDS: Final[Mapping[Kind, float]] = {
    "single_hop": 0.4,
    "reasoning": 0.2,
    "multi_hop": 0.2,
    "unanswerable": 0.2,
}
TRAITS: Final = ("style", "persona", "difficulty")
_MANNER: Final[Mapping[str, str]] = {
    "keywords": "Types search keywords, not a sentence.",
    "typos": "Types in a hurry and makes one or two typing errors; names and numbers are right.",
    "easy": "Knows the terms of the text and uses them.",
    "hard": "Knows what the product or subject is called, but not the terms of the text, and "
    "describes what is meant in everyday words.",
}


MOST: Final = 100_000  # questions


def _refuse_number(n: int) -> None:
    if not 1 <= n <= MOST:
        raise InputError(f"{n} questions are wanted", f"give 1 or more, {MOST:,} at most")


@dataclass(frozen=True, slots=True)
class PlanRow:
    """Questions of one kind, asked in one way.

    Attributes:
        kind: What it takes to answer them.
        n: How many, 1 or more.
        style: "" for whole sentences, "keywords", "typos", or "follow-up": the second question
            of a conversation, which leans on the first.
        persona: Who asks, in words ("a nurse on night duty"); "" for nobody in particular.
        difficulty: "easy" in the words of the text, "hard" in others (checked by their share of
            common words), "" for either.
    """

    kind: Kind
    n: int
    style: Style = ""
    persona: str = ""
    difficulty: Difficulty = ""

    def __post_init__(self) -> None:
        for name, known in (("kind", Kind), ("style", Style), ("difficulty", Difficulty)):
            if getattr(self, name) not in get_args(known):
                remedy = f"known are {', '.join(filter(None, get_args(known)))}"
                raise InputError(f"there is no {name} '{getattr(self, name)}'", remedy)
        _refuse_number(self.n)

    @property
    def asker(self) -> str:
        """Who asks and how, as a judge is told; "" if it does not matter."""
        manner = (_MANNER.get(self.style, ""), _MANNER.get(self.difficulty, ""))
        persona = self.persona and f"{self.persona.strip().rstrip('.')}."
        return " ".join(filter(None, (persona, *manner)))

    @property
    def traits(self) -> dict[str, str]:
        """Style, persona and difficulty, as far as they are given."""
        return {name: getattr(self, name) for name in TRAITS if getattr(self, name)}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Which questions are wanted.

    Attributes:
        n: How many, 1 to 100,000.
        kinds: The share of each kind; they need not add up to 1.
        seed: Chooses the passages. The same documents, seed and replies make the same test set.
        words: Words of a passage, about; 50 or more.
        rows: How many of each kind, style, persona and difficulty; in place of `n` and `kinds`.
        seconds: Writing ends after so long with what there is by then; None for no limit.
        closed_book: Whether each question that passed is also asked without any text.
    """

    n: int = 50
    kinds: Mapping[Kind, float] = field(default_factory=lambda: dict(KINDS))
    seed: int = 0
    words: int = 200
    rows: tuple[PlanRow, ...] = ()
    seconds: float | None = None
    closed_book: bool = False

    def __post_init__(self) -> None:
        _refuse_number(self.n)
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"a time limit of {self.seconds} s is none", "give more than 0")
        if self.words < 50:
            raise InputError(f"passages of {self.words} words are too short", "give 50 or more")
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise InputError(f"there is no kind '{unknown[0]}'", f"known are {', '.join(KINDS)}")
        total = sum(self.kinds.values())
        if any(share < 0 for share in self.kinds.values()) or not 0 < total < math.inf:
            raise InputError("the shares of the kinds are no shares", "such as single_hop=2")

    def table(self) -> tuple[PlanRow, ...]:
        """The rows; without any, one for each kind, n in all (largest remainders)."""
        if self.rows:
            return self.rows
        total = sum(self.kinds.values())
        exact = {kind: self.n * self.kinds.get(kind, 0) / total for kind in KINDS}
        counts = {kind: int(share) for kind, share in exact.items()}
        left = sorted(exact, key=lambda kind: counts[kind] - exact[kind])
        for kind in left[: self.n - sum(counts.values())]:
            counts[kind] += 1
        return tuple(PlanRow(kind, count) for kind, count in counts.items() if count)

    def wanted(self) -> dict[Kind, int]:
        """How many of each kind."""
        counts = Counter[Kind]()
        for row in self.table():
            counts[row.kind] += row.n
        return dict(counts)


def read_rows(text: str) -> tuple[PlanRow, ...]:
    """The rows of a plan written as CSV with a header: kind, n, style, persona, difficulty.

    Raises:
        InputError: If it is no such table; names line and column.
    """
    known = [field.name for field in fields(PlanRow)]
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), skipinitialspace=True)
    names = reader.fieldnames or []
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"a plan has no column '{unknown[0]}'", f"its columns: {','.join(known)}")
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise InputError(f"a plan has two columns '{twice[0]}'", "leave one of them out")
    if not {"kind", "n"} <= set(names):
        raise InputError("a plan has the columns kind and n", f"begin it with {','.join(known)}")
    rows = tuple(_row(line, reader.line_num) for line in reader)
    if not rows:
        raise InputError("the plan has no rows", "write one with --dry-run --plan NEW.csv")
    return rows


def _row(line: dict[str, Any], number: int) -> PlanRow:
    if None in line:
        fault = f"line {number} of the plan has more cells than its header"
        raise InputError(fault, 'put a persona that has a comma between quotes: "..."')
    cells = {name: (value or "").strip() for name, value in line.items()}
    try:
        return PlanRow(**{**cells, "n": int(cells["n"])})  # type: ignore[arg-type]  # it checks
    except ValueError as error:
        fault = f"line {number} of the plan: n is '{cells['n']}'"
        raise InputError(fault, "give a whole number") from error
    except InputError as error:
        location = f"line {number} of the plan"
        raise InputError(
            [replace(p, what=f"{location}: {p.what}") for p in error.problems]
        ) from error


def written_rows(rows: tuple[PlanRow, ...]) -> str:
    """The rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(PlanRow)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue()
