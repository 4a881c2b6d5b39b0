"""What do metrics in the user's own words share: the texts shown, several draws, a majority?"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from assay.errors import InputError
from assay.judge import RETRY_STRIDE
from assay.metrics.base import Metric
from assay.metrics.evidence import blank
from assay.sample import Sample, Turn
from assay.score import Part
from assay.tasks import Grade

T = TypeVar("T", bound=Hashable)

# What a judge is told that a text is, by the field of the sample it comes from.
NAMES = {
    "question": "question",
    "contexts": "context",
    "answer": "answer",
    "reference": "reference",
    "reference_contexts": "reference context",
    "other_answer": "other answer",
    "turns": "turn",
}


def override(metric: Metric, **facts: Any) -> None:
    """Say of this one metric what its parameters decide and its class can only say by default.

    Needs, range and direction are facts of the class; where a parameter changes one, the metric
    has its own, which is no parameter and no part of its label.
    """
    for name, fact in facts.items():
        object.__setattr__(metric, name, fact)  # frozen once it is made


def check_shown(name: str, fields: Sequence[str]) -> None:
    """See that the fields can be shown, each once.

    Raises:
        InputError: If they cannot.
    """
    wrong = [field for field in fields if field not in NAMES]
    if wrong or not fields or len(set(fields)) < len(fields):
        what = f"{name}: cannot show {', '.join(map(str, wrong)) or 'nothing, or one field twice'}"
        raise InputError(what, f"one or several of {', '.join(NAMES)}")


def check_draws(name: str, n: object, called: str = "strictness") -> None:
    """See that n is a number of draws.

    Raises:
        InputError: If it is not.
    """
    # From the stride on, draws are those after a bad reply.
    if type(n) is not int or not 1 <= n < RETRY_STRIDE:
        what = f"{name}: {called} must be a whole number from 1 to {RETRY_STRIDE - 1}, not {n!r}"
        raise InputError(what)


def check_words(name: str, called: str, text: object) -> None:
    """See that a criterion says something.

    Raises:
        InputError: If it does not.
    """
    if not isinstance(text, str) or blank(text):
        raise InputError(f"{name}: {called} is empty", f'{name}({called}="what to look at")')


def missing(sample: Sample, fields: Sequence[str]) -> str:
    """Why there is nothing to grade: the first of the fields in which there is no word."""
    for field in fields:
        if blank(*(text for _, text in _texts(sample, field))):
            return f"the field '{field}' is empty"
    return ""


def shown(sample: Sample, fields: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The texts of these fields with the names that a judge is told; of contexts, each its own."""
    return tuple(text for field in fields for text in _texts(sample, field))


def graded(sample: Sample, fields: Sequence[str]) -> tuple[str, str]:
    """What is graded, and its text: the answer if it is shown, else what is shown first."""
    field = "answer" if "answer" in fields else fields[0]
    return NAMES[field], "\n".join(text for _, text in _texts(sample, field))


def _texts(sample: Sample, field: str) -> list[tuple[str, str]]:
    found, name = getattr(sample, field), NAMES[field]
    if not isinstance(found, tuple):
        return [(name, found or "")]
    return [
        (f"{name} {n}, {item.role}", item.text) if isinstance(item, Turn) else (f"{name} {n}", item)
        for n, item in enumerate(found, start=1)
    ]


def grade_parts(draws: Sequence[Grade], of: tuple[str, str], best: float) -> tuple[Part, ...]:
    """One part for the grade of each draw."""
    return tuple(Part(*of, f"{d.value:g} of {best:g}", d.value, d.reason) for d in draws)


def majority(values: Sequence[T]) -> tuple[T | None, float]:
    """What most of the draws say, None if two are said equally often; and the share that says it.

    Not more than half need to say it: of yes, yes, no, maybe it is yes.
    """
    (first, n), *others = Counter(values).most_common()
    tied = bool(others) and others[0][1] == n
    return (None if tied else first), n / len(values)


def tied(values: Sequence[str]) -> str:
    """Why there is no majority."""
    counts = ", ".join(f"{n} {value}" for value, n in Counter(values).most_common())
    return f"no majority among {len(values)} draws: {counts}"
