"""Which metric does a name mean, and is it given what it takes?"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from assay.errors import InputError
from assay.metrics import arguments, own
from assay.metrics.base import ELLIPSIS, Metric, check_parameters
from assay.metrics.catalogue import ALIASES, METRICS
from assay.sample import Sample

_FIELDS = frozenset(field.name for field in fields(Sample))
# The first half takes paths too, as in path/to/file.py:attribute.
_SPEC = re.compile(r"^\s*([^\s(),][^(),]*?)\s*(?:\((.*)\))?\s*$", re.DOTALL)
_SHORTENED = re.compile(ELLIPSIS + r"['\"]~[0-9a-f]{8}$")
_FAMILIES = frozenset(name.partition(":")[0] for name in METRICS if ":" in name)


def parse(spec: str) -> Metric:
    """The metric that a text names: ``faithfulness`` or ``factual_correctness(mode=recall)``.

    ``module:attribute`` and ``path/to/file.py:attribute`` name one of the user's own.

    Raises:
        InputError: For an unknown name or parameter, with what may have been meant.
    """
    match = _SPEC.match(spec)
    name = match[1] if match else spec.strip()
    found = METRICS.get(ALIASES.get(name, name)) or _own(name)
    cls = type(found) if isinstance(found, Metric) else found
    if match is None or cls is None:
        raise InputError(f"no metric is called '{name}'{_meant(name, [*METRICS, *ALIASES])}")
    given: dict[str, Any] = {}
    known = [field.name for field in fields(cls)]
    for key, value in _pairs(name, match[2] or ""):
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise InputError(f"{cls.name} has no parameter '{key}': {has}")
        given[key] = arguments.value(value)
    return found if isinstance(found, Metric) and not given else _build(cls, given)


def is_built_in(spec: str) -> bool:
    """Whether a text names a metric of assay: then parsing it imports nothing of anybody else's."""
    match = _SPEC.match(spec)
    return match is not None and ALIASES.get(match[1], match[1]) in METRICS


def specs(text: str) -> list[str]:
    """The names in a text, at the commas outside parentheses and quotes.

    Raises:
        InputError: If parentheses or quotes do not match, or it names none.
    """
    try:
        found = [spec for spec in arguments.pieces(text) if spec]
    except ValueError as error:
        remedy = """quote it: 'name(parameter="a, b")'"""
        raise InputError(f"metric '{text}' {error}", remedy) from error
    if not found:
        raise InputError(f"'{text}' names no metric", "such as 'faithfulness,hit_at_k(k=3)'")
    return found


def check_threshold(spec: str | Metric) -> None:
    """See that a threshold is for a metric whose direction is known.

    Raises:
        InputError: If releases of the project that it follows count it in opposite directions, and
            the name says none of them.
    """
    match = _SPEC.match(spec) if isinstance(spec, str) else None
    if match is None or match[2]:
        return
    found = METRICS.get(ALIASES.get(match[1], match[1]))
    if found is not None and found.turned:
        what = f"a threshold of {found.name} is not clear: {found.turned}"
        raise InputError(what, "name the version with the threshold")


def resolve(metrics: Iterable[str | Metric] | str | Metric) -> tuple[Metric, ...]:
    """Metrics from names and objects, each once.

    Args:
        metrics: Names, in lists or with commas between them as on the command line, and Metrics.

    Raises:
        InputError: If there is none, or one is unknown.
    """
    given: Any = metrics
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [] if given is None else [given]
    found: list[Any] = []
    for metric in given:
        found += map(parse, specs(metric)) if isinstance(metric, str) else [metric]
    for metric in found:
        if not isinstance(metric, Metric):
            raise _no_metric(metric)
        _whole(type(metric))
        check_parameters(metric)
        if metric.name in _FIELDS:  # it would take the field's column in every table
            raise InputError(
                f"a metric cannot be called '{metric.name}': it is a field of the data"
            )
        if metric.name.endswith("_why"):  # the column that says why another one has no score
            raise InputError(
                f"a metric cannot be called '{metric.name}': a name cannot end in '_why'"
            )
    if not found:
        raise InputError(f"no metric was given; there are {', '.join(METRICS)}")
    by_label = {metric.label: metric for metric in found}
    for metric in found:
        if metric != by_label[metric.label]:
            raise InputError(f"two different metrics are called {metric.label}", "rename one")
    return tuple(by_label.values())


def _no_metric(given: object) -> InputError:
    what = f"a metric is a name or an assay.Metric, not {given!r}"
    if isinstance(given, type) and issubclass(given, Metric):
        return InputError(what, f"call it: {given.__name__}()")
    return InputError(what)


def _whole(cls: type[Metric]) -> None:
    """What every metric must say of itself, a class of the user's own too."""
    for name, such in (("name", '"answered"'), ("needs", '("question", "answer")')):
        if not hasattr(cls, name):
            what = f"the metric {cls.__name__} does not define '{name}'"
            raise InputError(what, f"such as {name} = {such} in the class")


def _own(name: str) -> type[Metric] | Metric | None:
    # What begins as a family's names do is a slip of the pen, and no module of the user's.
    return None if name.partition(":")[0] in _FAMILIES else own.find(name)


def _build(cls: type[Metric], given: dict[str, Any]) -> Metric:
    for field in fields(cls):
        if field.name not in given:
            continue
        default, value = field.default, given[field.name]
        if isinstance(default, tuple):  # named one by one in a text, or with their meanings
            value = arguments.pieces(value) if isinstance(value, str) else value
            given[field.name] = value = arguments.frozen(value)
        # A whole number is a fine float, but True is no number and 2.5 no count.
        right = type(value) in (type(default), int if isinstance(default, float) else None)
        if not right:
            raise InputError(f"{cls.name}: {field.name} must be like {default!r}, not {value!r}")
    return cls(**given)


def _pairs(name: str, text: str) -> list[tuple[str, str]]:
    try:
        found = arguments.pairs(text)
    except ValueError as error:
        raise InputError(f"{name}({text}): {error}", 'such as name(parameter="a, b")') from error
    for key, value in found:
        if _SHORTENED.search(value):
            raise InputError(f"{name}: {key} is shortened, as labels are", "give it in full")
    return found


def _meant(name: str, known: list[str]) -> str:
    # "cost" is nearer to cost_per_query than letters tell.
    close = [other for other in known if name in other.split("_")][:3]
    close = close or difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else "; `assay metrics` lists them"
