"""What is decided of a whole data set from its first rows: columns by likeness, joined passages."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from assay.dataset import joints
from assay.dataset.aliases import recognised
from assay.dataset.columns import Plan, fetch, plan
from assay.dataset.guess import candidates
from assay.dataset.lists import JOINED, is_plain
from assay.dataset.record import Reading, Record
from assay.dataset.values import plain, unboxed
from assay.errors import InputError

# So many rows are looked at before the first is given, fewer if they are long.
ROWS: Final = 200
_CHARACTERS: Final = 2**24
_MAIN: Final = ("question", "answer", "contexts", "reference")


def begun(records: Iterator[Record], most: int) -> tuple[list[Record], Iterator[Record]]:
    """The first records, and all of them. Where the source breaks off is found out in its turn."""
    head: list[Record] = []
    size = 0
    try:
        for record in records:
            head.append(record)
            size += len(record.text or "") or sum(map(_length, (record.values or {}).values()))
            if len(head) >= most or size > _CHARACTERS:
                break
    except InputError as error:
        return head, chain(head, _Broken(error))
    return head, chain(head, records)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 100


class _Broken(Iterator[Record]):
    """What raises where it was left off."""

    def __init__(self, error: InputError) -> None:
        self._error = error

    def __next__(self) -> Record:
        raise self._error


def decide(head: Iterable[Record], mapping: Mapping[str, str], contexts: str) -> Reading:
    """What the first records say of all.

    Args:
        head: The first records.
        mapping: Field -> column, as the user gave it.
        contexts: What the user wants of texts: `joints.AUTO`, WHOLE, NUMBERED, or a separator.
    """
    rows = [record for record in head if record.values is not None and record.form != "sample"]
    columns = {plain(str(key)): None for record in rows for key in record.values or ()}
    known = {name: column for column, name in recognised(columns).items() if name in _MAIN}
    known |= {name: column for name, column in mapping.items() if name in _MAIN}
    found = {} if "turns" in recognised(columns).values() else candidates(columns)
    free = {
        name: [column for column in found.get(name, ()) if _is_free(column, mapping, rows)]
        for name in _MAIN
        if name not in known
    }
    guessed = {name: names[0] for name, names in free.items() if len(names) == 1}
    return Reading(
        guessed=guessed,
        ambiguous={name: names for name, names in free.items() if len(names) > 1},
        columns={name: column for name, column in known.items() if column},
        decisions=dict(_decisions(rows, mapping, guessed, contexts)),
        whole=contexts == joints.WHOLE,
    )


def _is_free(column: str, mapping: Mapping[str, str], rows: Iterable[Record]) -> bool:
    """Whether nothing else takes the column, and it holds more than numbers."""
    if column in recognised([column]) or column in mapping.values():
        return False
    cells = [unboxed((record.values or {}).get(column)) for record in rows]
    filled = [cell for cell in cells if cell not in (None, "")]
    return "#" in column or not filled or not all(map(_is_number, filled))


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _decisions(
    rows: Iterable[Record], mapping: Mapping[str, str], guessed: Mapping[str, str], contexts: str
) -> Iterator[tuple[str, joints.Decision]]:
    if chosen := joints.given(contexts):
        yield from ((name, chosen) for name in JOINED)
    if contexts != joints.AUTO:
        return
    plans: dict[tuple[Any, ...], Plan] = {}
    texts: dict[str, list[str]] = {name: [] for name in JOINED}
    for record in rows:
        values = record.values or {}
        key = tuple(values)
        if key not in plans:
            plans[key] = plan(values, mapping, guessed)
        for name in JOINED:
            paths = plans[key].fields.get(name, ())
            cells = (fetch(values, path) for path in paths)
            texts[name] += [text for text in map(unboxed, cells) if is_plain(text)]
    for name, held in texts.items():
        if decision := joints.decide(held):
            yield name, decision
