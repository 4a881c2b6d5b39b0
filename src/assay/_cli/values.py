"""The meaning of the texts of options: metrics, pairs, prices, budgets."""

import json
import re
from collections.abc import Iterable, Iterator

from assay._middleware.budget import Price
from assay._store.runs import Value, parameter
from assay.errors import InputError
from assay.metrics.registry import pieces

_COUNT = re.compile(r"([\d_,]*\d(?:\.\d+)?)\s*([kM]?)\s*(tok(?:ens?)?|calls?)", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def metric_specs(texts: Iterable[str]) -> list[str]:
    """Metrics, one by one or separated by commas outside parentheses and quotes."""
    all_specs = []
    for text in texts:
        specs = [spec for spec in _split(text) if spec]
        if not specs:  # as of a variable that is not set: to compute all others were no answer
            raise InputError(f"-m '{text}' names no metric", "name one, or leave it out")
        all_specs += specs
    return all_specs


def _split(text: str) -> list[str]:
    try:
        return pieces(text)
    except ValueError as error:
        remedy = """quote it: 'name(parameter="a, b")'"""
        raise _wrong("metric", text, str(error), remedy) from error


def mapping(texts: Iterable[str]) -> dict[str, str]:
    """``field=column`` pairs."""
    columns: dict[str, str] = {}
    for text, field, column in _pairs("map", texts, "field=column", "answer=model_output"):
        if columns.setdefault(field, column) != column:
            raise _wrong("map", text, "names that field a second time", "keep one of them")
    return columns


def params(texts: Iterable[str]) -> dict[str, Value]:
    """``key=value`` pairs; a value that is written as a number is one."""
    parameters: dict[str, Value] = {}
    for text, key, written in _pairs("param", texts, "KEY=VALUE", "k=5"):
        value = parameter(written.strip())
        if parameters.setdefault(key, value) != value:
            raise _wrong("param", text, "gives that key a second value", "keep one of them")
    return parameters


def grid(
    texts: Iterable[str], *, option: str = "set", example: str = "k=3,5"
) -> dict[str, list[Value]]:
    """``key=value,value`` pairs, or ``key=[...]`` in JSON for values with commas."""
    values: dict[str, list[Value]] = {}
    for text, key, written in _pairs(option, texts, "KEY=VALUE,VALUE", example):
        if key in values:
            raise _wrong(option, text, "gives that key values again", "name all its values in one")
        given = written.strip()
        if given.startswith("["):
            values[key] = _json_values(text, given)
            continue
        parts = [part.strip() for part in given.split(",")]
        if not all(parts):
            raise _wrong(option, text, "has an empty value", f"such as --{option} {example}")
        values[key] = [parameter(part) for part in parts]
    return values


def _json_values(text: str, written: str) -> list[Value]:
    try:
        values = json.loads(written)
    except ValueError as error:
        raise _wrong(
            "set", text, f"is no JSON: {error}", """such as 'k=["a, b", "c"]'"""
        ) from error
    if not all(isinstance(value, str | int | float) for value in values):
        remedy = "give texts, numbers, true or false"
        raise _wrong("set", text, "has a value that is a list, an object or null", remedy)
    return list(values)


def _pairs(
    option: str, texts: Iterable[str], shape: str, example: str
) -> Iterator[tuple[str, str, str]]:
    """Each text, with what stands before and after its first "="."""
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise _wrong(option, text, f"is not {shape}", f"such as --{option} {example}")
        yield text, key.strip(), value


def contexts(text: str) -> str:
    r"""What becomes of contexts that are one text; line ends and tabs may be written \n and \t."""
    return text.replace("\\n", "\n").replace("\\t", "\t")


def by_metric(option: str, texts: Iterable[str], example: str) -> Iterator[tuple[str, float]]:
    """``metric=number`` pairs, the metric "" where there is a number alone."""
    for text in texts:
        # The metric's own parameters may hold "=" too, so the last one counts.
        metric, _, number = text.rpartition("=")
        try:
            yield metric.strip(), float(number)
        except ValueError:
            raise _wrong(
                option, text, "ends in no number", f"such as --{option} {example}"
            ) from None


def prices(text: str) -> dict[str, Price]:
    """Prices by the judge that stands before ``=``, "" where none does."""
    by_judge: dict[str, Price] = {}
    for part in text.split(","):
        judge, _, amounts = part.rpartition("=")
        sides = [amount for side in amounts.split("/") if (amount := _amount(side)) is not None]
        if not 2 <= len(sides) <= 4 or len(sides) <= amounts.count("/"):
            remedy = "prices per million tokens: --price 0.15/0.60, or JUDGE=0.15/0.60,..."
            raise _wrong("price", part, "is not IN/OUT[/CACHED[/CACHE-WRITTEN]]", remedy)
        if judge.strip() in by_judge:
            raise _wrong("price", text, "prices one judge twice", "keep one")
        cached, written = (*sides[2:], None, None)[:2]
        by_judge[judge.strip()] = Price(sides[0], sides[1], "", cached, written)
    return by_judge


def budget(text: str) -> tuple[float | None, int | None, int | None]:
    """(money, tokens, calls), two of them None."""
    if match := _COUNT.fullmatch(text.strip()):
        number = int(float(re.sub("[_,]", "", match[1])) * _FACTORS[match[2].lower()])
        return (None, None, number) if match[3][0] in "cC" else (None, number, None)
    money = _amount(text)
    if money is None:
        remedy = "--budget 2.50 in money, 200000tok or 500calls"
        raise _wrong("budget", text, "is no budget", remedy)
    return money, None, None


def _amount(text: str) -> float | None:
    try:
        amount = float(text.strip().lstrip("$\N{EURO SIGN}"))
    except ValueError:
        return None
    return amount if 0 <= amount < float("inf") else None


def _wrong(option: str, text: str, what: str, remedy: str) -> InputError:
    return InputError(f"--{option} '{text}' {what}", remedy)
