"""How do grades, rubrics, yes and no, lists of texts and variants stand in a value?"""

from typing import Any, Final, get_args, get_type_hints

from assay.dataset.lists import documents, listed
from assay.dataset.messages import Object, as_object, items, pairs
from assay.dataset.values import (
    FieldError,
    Form,
    describe,
    identifier,
    number,
    spelled,
    text,
    unboxed,
)
from assay.sample import Variant

KINDS: Final = get_args(get_type_hints(Variant)["kind"])
_YES: Final = {
    **dict.fromkeys(("true", "yes", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "0", "0.0"), False),
}
_AS_VARIANT: Final = 'write it as {"kind": "noise", "answer": "...", "contexts": [...]}'


def texts(value: Any, _form: Form) -> tuple[str, ...]:
    """A list of texts."""
    found = enumerate(listed(value), 1)
    return tuple(text(unboxed(item), f"item {n}") for n, item in found)


def yes_or_no(value: Any, form: Form) -> bool:
    """True or false; 1 or 0; in a cell also yes or no."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if form == "table" and isinstance(value, str) and value.strip().lower() in _YES:
        return _YES[value.strip().lower()]
    raise FieldError(f"is {describe(value)}, but must be true or false")


def grades(value: Any, form: Form) -> dict[str, float]:
    """Grades by context id, each at least 0."""
    given = _object(value, form, "grades by id", '{"doc1": 2, "doc2": 0}')
    found: dict[str, float] = {}
    for key, item in given.items():
        name = identifier(key, "an id")
        try:
            found[name] = number(unboxed(item), from_text=form != "json")
        except FieldError as error:
            raise FieldError(f"the grade of '{name}' {error.what}", "0 says: no use") from None
    return found


def rubric(value: Any, form: Form) -> dict[str, str]:
    """What each grade means."""
    given = _object(value, form, "descriptions by grade", '{"1": "wrong", "5": "right"}')
    return {str(key): text(unboxed(item), f"grade {key}") for key, item in given.items()}


def variants(value: Any, form: Form) -> tuple[Variant, ...]:
    """Answers over worse contexts."""
    found = items(value, "variants", _AS_VARIANT)
    return tuple(_variant(item, f"variant {n}", form) for n, item in enumerate(found, 1))


def _variant(item: Any, place: str, form: Form) -> Variant:
    found = as_object(item)
    if found is None:
        raise FieldError(f"{place} is {describe(item)}, but must be an object", _AS_VARIANT)
    given = {str(key): unboxed(part) for key, part in found.items()}
    kind: Any = given.get("kind")
    if kind not in KINDS:
        raise FieldError(f"{place} is of kind {kind!r}, not {' or '.join(KINDS)}", _AS_VARIANT)
    contexts = given.get("contexts")
    try:
        return Variant(
            kind,
            text(given.get("answer"), "answer"),
            None if contexts is None else documents(contexts).texts,
            _ratio(given.get("ratio"), form),
        )
    except FieldError as error:
        raise FieldError(f"{place}: {error.what}", error.remedy) from None


def _ratio(value: Any, form: Form) -> float | None:
    if value is None:
        return None
    share = number(value, from_text=form == "table")
    if share > 1:
        raise FieldError(f"ratio is {value}", "give the share of noise, from 0 to 1")
    return share


def _object(value: Any, form: Form, what: str, example: str) -> Object:
    if isinstance(value, str):
        value = spelled(value)
    found = pairs(value)
    if found is None:
        raise FieldError(f"is {describe(value)}, but must be {what}", f"write it as {example}")
    if form == "arrow":  # a struct has the keys of all rows
        return {key: item for key, item in found.items() if unboxed(item) is not None}
    return found
