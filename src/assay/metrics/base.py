"""What a metric is: parameters, needs, the tasks it asks, and how it scores a sample."""

import hashlib
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cached_property
from keyword import iskeyword
from math import isfinite
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_args, get_origin

from assay.errors import InputError
from assay.judge import RETRY_STRIDE, Judge, Task
from assay.sample import Sample
from assay.score import Outcome

PAPER = "Es et al. 2023, RAGAS (arXiv 2309.15217), section 3"
RAGAS_DOCS = "RAGAS documentation, 0.4"
FOLLOWS_RAGAS = "ragas 0.4.3"  # what "as in ragas" means
LONGEST_SHOWN = 60  # characters of a parameter's value that a label shows
ELLIPSIS = " \N{HORIZONTAL ELLIPSIS}"

# What a parameter of ours may be, by the type of its default, and what that is in words. Which
# texts and numbers mean something is checked by each metric.
_KINDS: dict[type, tuple[type, str]] = {
    bool: (object, "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (Hashable, "one text"),
    tuple: (Iterable, "a list"),
}
Can: TypeAlias = Callable[[type[Task[Any]]], bool]


@dataclass(frozen=True)
class Metric(ABC):
    """Base of all metrics. Subclassed as a frozen dataclass whose fields are its parameters.

    Attributes:
        name: The field's standard name for it.
        source: Where it is defined.
        follows: The release of another project whose numbers it gives: "ragas 0.4.3".
        turned: Which releases of that project count the other way round, so that a threshold is
            one only with a release; "" where none does.
        needs: Fields of the sample that must be there.
        instead: Sets of fields of which any does as well as `needs`.
        tasks: Kinds of tasks it asks.
        packages: Modules of the extra [text] that it computes with.
        range: Smallest and largest possible value.
        unit: What its values are counted in, as readers see it: "ms".
        higher_is_better: False for error rates.
        aliases: Other names that it is known by.
        ranked: Whether the order of the contexts counts.
        revision: Raised whenever the same replies come to give another number, so that stored
            scores are not taken for those of the new definition.
        guide: Value above which teams usually call it good; None where there is no such custom.
    """

    name: ClassVar[str]
    source: ClassVar[str] = ""
    follows: ClassVar[str] = ""
    turned: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]]
    instead: ClassVar[tuple[tuple[str, ...], ...]] = ()
    tasks: ClassVar[tuple[type[Task[Any]], ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ()
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    unit: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    guide: ClassVar[float | None] = None
    aliases: ClassVar[tuple[str, ...]] = ()
    ranked: ClassVar[bool] = False
    revision: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    @abstractmethod
    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """The score of one sample, or why there is none.

        Raises:
            JudgeError: If the judge failed; the run records it as ``Unscored("failed")``.
        """

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """The kinds of tasks it asks of a judge that can do `can`; by default all of `tasks`."""
        del can
        return self.tasks

    def ends(self) -> list[float | None]:
        """Its range as JSON can hold it: None where there is no end."""
        return [end if isfinite(end) else None for end in self.range]

    @cached_property
    def label(self) -> str:
        """Its name with every parameter that is not at its default: ``f(beta=2)``."""
        changed = [
            f"{f.name}={_value_in_words(getattr(self, f.name))}"
            for f in fields(self)
            if getattr(self, f.name) != f.default
        ]
        return f"{self.name}({','.join(changed)})" if changed else self.name


def is_shipped(metric: Metric) -> bool:
    """Whether the metric is one of assay's own, not of the user's."""
    return type(metric).__module__.startswith("assay.")


def check_parameters(metric: Metric) -> None:
    """See that no parameter is an array, or in a metric of ours of another kind than its default.

    In a metric of ours it is also what its type says: one of the values of a Literal, or a value
    that the checks of an Annotated type accept.

    Raises:
        InputError: If one is.
    """
    shipped = is_shipped(metric)
    for field in fields(metric):
        value, default = getattr(metric, field.name), field.default
        kind, words = _KINDS.get(type(default), (object, "one value"))
        name = getattr(metric, "name", type(metric).__name__)
        # An array has no one truth value: it can be compared with nothing.
        if getattr(value, "ndim", 0) or (shipped and not isinstance(value, kind)):
            value_text = " ".join(reprlib.repr(value).split())
            fault = f"{name}: {field.name} must be {words}, not {value_text}"
            raise InputError(fault, "give one" if default is MISSING else f"such as {default!r}")
        if shipped:
            _check_type(name, field, value)


def _check_type(name: str, field: Field[Any], value: Any) -> None:
    origin, arguments = get_origin(field.type), get_args(field.type)
    if origin is Annotated:
        for check in arguments[1:]:
            check(name, field.name, value)
    elif origin is Literal and value not in arguments:
        *first_names, last = arguments
        allowed = f"{', '.join(first_names)} or {last}"
        raise InputError(f"{name}: {field.name} must be {allowed}, not {value!r}")


def override(metric: Metric, **facts: Any) -> None:
    """Say of this one metric what its parameters decide and its class can only say by default.

    Needs, range and direction are facts of the class; where a parameter changes one, the metric
    has its own, which is no parameter and no part of its label.
    """
    for name, fact in facts.items():
        object.__setattr__(metric, name, fact)  # frozen once it is made


def check_draws(name: str, called: str, n: object) -> None:
    """See that n is a number of draws.

    Raises:
        InputError: If it is not.
    """
    # From the stride on, draws are those after a bad reply.
    if type(n) is not int or not 1 <= n < RETRY_STRIDE:
        fault = f"{name}: {called} must be a whole number from 1 to {RETRY_STRIDE - 1}, not {n!r}"
        raise InputError(fault)


Draws: TypeAlias = Annotated[int, check_draws]


def frozen(value: Any) -> Any:
    """A mapping as a tuple of pairs, a sequence as a tuple, all else as it is: hashable."""
    if isinstance(value, Mapping):
        return tuple((key, frozen(item)) for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return tuple(frozen(item) for item in value)
    return value


def _value_in_words(value: object) -> str:
    if isinstance(value, Metric):
        return value.label
    if isinstance(value, float):
        return repr(value).removesuffix(".0")  # 2 and 2.0 are one parameter, so they have one label
    # A word stands as it is; all else is quoted, so that the label can be read back.
    word = isinstance(value, str) and value.isidentifier() and not iskeyword(value)
    text = str(value) if word else repr(value)
    return text if len(text) <= LONGEST_SHOWN else _short(str(value))


def _short(text: str) -> str:
    # A definition in words may be long: its beginning is for people, the digest tells it from all
    # others that begin alike.
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    beginning = " ".join(text[: LONGEST_SHOWN - 20].split())
    return f"{beginning + ELLIPSIS!r}~{digest}"
