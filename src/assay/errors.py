"""Errors: what can go wrong, and whose fault it is.

AssayError
  InputError         what the user gave cannot be used; every problem is listed at once
  JudgeError         the judge failed, not the sample and not assay
    Unavailable      no reply came: lost connection, server error, rate limit
      TimedOut       none came in time
      TooLong        none can come: the prompt is longer than what the judge reads at once
    Unreadable       a reply came that the task cannot read
    Unsupported      this backend does not serve this kind of task
    Denied           key, permission, quota or model name refused: no further call can succeed
    OverBudget       the next call could exceed the budget that the user set
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from assay._text.sanitize import redacted

_CLONE = Path(__file__).parents[2]
_INSTALL = "pip install 'assay["
# What to do where a judge refuses for good and its message does not say it.
IF_REFUSED = "put right what is refused, or use another judge"
_ROWS_NAMED = 5  # of those that share a problem


def install_hint(advice: str) -> str:
    """Advice such that its command to install an extra is right for a clone too, if this is one."""
    if not (_CLONE / "pyproject.toml").is_file():
        return advice
    return advice.replace(_INSTALL, f"pip install -e '{_CLONE}[")


class AssayError(Exception):
    """Base of every error that assay raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """What IPython and Jupyter show: where the user's own code called, and the message."""
        import traceback  # takes longer to load than all else here, and only a notebook asks

        frames = traceback.extract_tb(self.__traceback__)
        package = str(Path(__file__).parent)
        first = next((n for n, f in enumerate(frames) if f.filename.startswith(package)), 0)
        location = traceback.format_list(frames[first - 1 : first]) if first else []
        return [*location, f"{type(self).__name__}: {self}"]


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the input.

    Attributes:
        what: What is wrong, in words.
        remedy: What the user can do about it.
        row: 1-based row (line of a JSONL file, record of a list), None if it is not about a row.
        field: Name of the field or option concerned.
        sent: What to do where the data were sent to a service; "" if the same.
        place: Where in the file the row stands, "" if its number says so.
    """

    what: str
    remedy: str = ""
    row: int | None = None
    field: str = ""
    sent: str = ""
    place: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "remedy", install_hint(self.remedy))

    def __str__(self) -> str:
        rows = f"row {self.row}" if self.row is not None else ""
        return self._in(rows, f" ({self.place} of the file)" if self.place else "")

    def of_rows(self, rows: Sequence[int]) -> str:
        """The same of several rows."""
        first = ", ".join(f"{row}" for row in rows[:_ROWS_NAMED])
        more = len(rows) - _ROWS_NAMED
        return self._in(f"rows {first} and {more:,} more" if more > 0 else f"rows {first}")

    def _in(self, rows: str, place: str = "") -> str:
        location = ", ".join(filter(None, [rows, f"field '{self.field}'" if self.field else ""]))
        text = f"{location}: {self.what}{place}" if location else f"{self.what}{place}"
        return f"{text} -> {self.remedy}" if self.remedy else text


class InputError(AssayError):
    """What the user gave cannot be used.

    Raised before any judge is called, but for what a metric of the user's own returns.

    Args:
        problems: Every problem found, or the one problem in words.
        remedy: What the user can do about the one problem.
        total: How many problems there are, where not all of them are given.

    Attributes:
        problems: Every problem found (the first ones, if there are very many).
        total: How many problems there are in all.
    """

    SHOWN = 20

    def __init__(
        self, problems: Sequence[Problem] | str, remedy: str = "", *, total: int | None = None
    ) -> None:
        if isinstance(problems, str):
            problems = [Problem(problems, remedy)]
        self.problems = tuple(problems)
        self.total = total if total is not None else len(self.problems)
        super().__init__(self._text())

    def without(self, advice: str) -> "InputError":
        """The same where the last words of a remedy are no advice: there is no such option."""
        problems = [replace(p, remedy=p.remedy.removesuffix(advice)) for p in self.problems]
        return InputError(problems, total=self.total)

    def as_sent(self) -> "InputError":
        """The same with what those can do who send data and name no options."""
        problems = [
            replace(problem, remedy=problem.sent or problem.remedy) for problem in self.problems
        ]
        return InputError(problems, total=self.total)

    def _text(self) -> str:
        if self.total == 1:
            return str(self.problems[0])
        lines = [f"{self.total} problems in the input:"]
        by_problem: dict[Problem, list[Problem]] = {}  # what many rows share is said once
        for problem in self.problems:
            by_problem.setdefault(replace(problem, row=None, place=""), []).append(problem)
        n_told = 0
        for problem, alike in [*by_problem.items()][: self.SHOWN]:
            rows = [problem.row for problem in alike if problem.row is not None]
            lines.append(f"  {problem.of_rows(rows) if len(rows) > 1 else alike[0]}")
            n_told += len(alike)
        if self.total > n_told:
            lines.append(f"  ... and {self.total - n_told} more")
        return "\n".join(lines)


class JudgeError(AssayError):
    """The judge failed. A metric that meets one is ``Unscored("failed")``.

    A key that it was asked with is made unreadable in the message: servers repeat what they are
    sent, and the message is shown and kept.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(redacted(message))


class Unavailable(JudgeError):
    """No reply came.

    Attributes:
        retry_after: Seconds that the server asked to wait, None if it did not say.
        throttled: Whether the server said that it is asked too often (429 or 503).
        permanent: Whether the same request would fail again (too long, filtered): never retried.
        cost: Tokens read and written for an answer that is no reply: (0, 0) for a refusal, None if
            nothing came at all.
        unreached: Whether there was no connection, so that nothing was sent.
        broke_off: Whether a reply had begun: it has to be paid for, most likely.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        throttled: bool = False,
        permanent: bool = False,
        cost: tuple[int, int] | None = None,
        unreached: bool = False,
        broke_off: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.throttled = throttled
        self.permanent = permanent
        self.cost = cost
        self.unreached = unreached
        self.broke_off = broke_off


class TimedOut(Unavailable):
    """No reply came in time; one may have been on its way, and have to be paid for.

    Attributes:
        crowded: Whether it was given up while it waited behind others, as far as can be told.
    """

    crowded = False


class TooLong(Unavailable):
    """The prompt is longer than what the judge reads at once; the same one fails again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=True)


class CutShort(Unavailable):
    """What the length limit cut: free text, or all of it; the same prompt is cut again.

    Attributes:
        raw: What came before the cut.
    """

    def __init__(self, message: str, *, raw: str = "", cost: tuple[int, int] | None = None) -> None:
        super().__init__(message, permanent=True, cost=cost)
        self.raw = raw


class Unreadable(JudgeError):
    """A reply came that the task cannot read.

    Attributes:
        raw: The reply as it came.
    """

    def __init__(self, message: str, *, raw: str) -> None:
        super().__init__(message)
        self.raw = raw

    def __reduce__(self) -> tuple[Callable[[str], "Unreadable"], tuple[str]]:
        """As it is sent to another process."""
        return partial(type(self), raw=self.raw), (str(self),)


class Unsupported(JudgeError):
    """This backend does not serve this kind of task."""


class Denied(JudgeError):
    """The backend refuses this user or this model; the run stops at once."""


class OverBudget(JudgeError):
    """The next call could exceed the budget; the run stops cleanly."""
