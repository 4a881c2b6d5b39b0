"""What is a system sent for a sample? A template in which fields of the sample are filled in."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from assay.data import FIELDS, values_of
from assay.errors import InputError
from assay.sample import Sample

_NAME = re.compile(r"\{([A-Za-z_][\w.]*)\}")


@dataclass(frozen=True)
class Body:
    """A JSON value with ``{field}`` in its texts; a text that is nothing else takes the value.

    Attributes:
        template: The value.
    """

    template: Any

    @classmethod
    def parse(cls, text: str) -> "Body":
        """A template from JSON.

        Raises:
            InputError: If it is no JSON, or names what no sample has.
        """
        try:
            found = cls(json.loads(text))
        except ValueError as error:
            remedy = """such as '{"query": "{question}"}'"""
            raise InputError(f"the body is not JSON: {error}", remedy) from error
        for name in found.fields:
            check(name)
        return found

    @property
    def fields(self) -> frozenset[str]:
        """The fields that it names."""
        return frozenset(name for text in _texts(self.template) for name in names(text))

    def fill(self, sample: Sample) -> str:
        """The request for a sample, as JSON."""
        values = values_of(sample)
        return json.dumps(_filled(self.template, values), ensure_ascii=False, sort_keys=True)


def names(text: str) -> list[str]:
    """The fields that stand in a text, without what is reached in them."""
    return [name.partition(".")[0] for name in _NAME.findall(text)]


def check(name: str) -> None:
    """Raise InputError if no sample has a field of that name."""
    if name not in FIELDS:
        what = f"'{{{name}}}' is not a field of a sample"
        raise InputError(what, f"{', '.join(FIELDS)}; metadata.NAME reaches further columns")


def fill_url(url: str, sample: Sample) -> str:
    """A URL with fields of a sample in it, each quoted."""
    values = values_of(sample)
    return _NAME.sub(lambda found: quote(_text(_value(values, found[1])), safe=""), url)


def _texts(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from _texts(value)
    elif isinstance(template, list):
        for value in template:
            yield from _texts(value)


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, Mapping):
        return {key: _filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, values) for value in template]
    if not isinstance(template, str):
        return template
    if alone := _NAME.fullmatch(template):
        return _value(values, alone[1])
    return _NAME.sub(lambda found: _text(_value(values, found[1])), template)


def _value(values: Mapping[str, Any], path: str) -> Any:
    found: Any = values
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
