"""What are the rows of a data set, and which fields of a sample do they fill?"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.data.columns import recognised
from assay.errors import InputError

# What ragas calls the fields of a sample.
FIELDS: Mapping[str, str] = {
    "user_input": "question",
    "response": "answer",
    "retrieved_contexts": "contexts",
    "reference": "reference",
    "reference_contexts": "reference_contexts",
    "retrieved_context_ids": "context_ids",
    "reference_context_ids": "reference_context_ids",
    "multi_responses": "further_answers",
    "rubrics": "rubric",
    "rubric": "rubric",
    "reference_tool_calls": "reference_tool_calls",
    "reference_topics": "reference_topics",
}

# What ragas 0.1 calls them.
OLD_FIELDS: Mapping[str, str] = {
    "question": "question",
    "answer": "answer",
    "contexts": "contexts",
    "ground_truth": "reference",
}


def rows_of(dataset: Any) -> list[dict[str, Any]]:
    """The rows of whatever ragas takes: its own data sets, Hugging Face's, lists, data frames.

    Raises:
        InputError: If it holds no rows, or several splits.
    """
    if dataset is None:
        raise InputError("no data set was given", "evaluate(dataset, metrics=[...])")
    if isinstance(dataset, Mapping) and all(hasattr(v, "column_names") for v in dataset.values()):
        splits = ", ".join(map(str, dataset))
        raise InputError(f"the data set has the splits {splits}", "give one of them: data['train']")
    if hasattr(dataset, "to_list"):
        found = dataset.to_list()
    elif hasattr(dataset, "iloc"):
        found = dataset.to_dict("records")
    elif isinstance(dataset, Iterable):
        found = list(dataset)
    else:
        raise InputError(f"{type(dataset).__name__} holds no rows", "give an EvaluationDataset")
    return [row_of(row) for row in found]


def row_of(sample: Any) -> dict[str, Any]:
    """A sample or dict as a dict of plain values, without what is None or a data frame's NaN."""
    given = sample if isinstance(sample, Mapping) else sample.model_dump()
    return {name: _plain(value) for name, value in given.items() if not _absent(value)}


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value


def named(row: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """A row with its columns under the names that they have in each generation of ragas as well."""
    known = [*OLD_FIELDS.items(), *FIELDS.items()]
    again = {name: mapping[field] for name, field in known if field in mapping}
    return {**row, **{name: row[column] for name, column in again.items() if column in row}}


def mapping_of(
    rows: Iterable[Mapping[str, Any]], column_map: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The column of every field of a sample that the rows fill.

    Args:
        rows: The rows.
        column_map: Column of the data by ragas' name of it, as `evaluate` takes it.

    Raises:
        InputError: If a name of the map is not a column of ragas, or its column is not there.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    known = {name: FIELDS.get(name, field) for name, field in recognised(columns).items()}
    known |= {name: FIELDS[name] for name in columns if name in FIELDS}
    found = {field: name for name, field in known.items()}
    for wanted, column in (column_map or {}).items():
        field = FIELDS.get(wanted) or recognised([wanted]).get(wanted)
        if field is None:
            raise InputError(
                f"column_map: '{wanted}' is not a column of ragas", f"{', '.join(FIELDS)}"
            )
        if column not in columns:
            raise InputError(f"column_map: there is no column '{column}'", f"{', '.join(columns)}")
        found[field] = column
    return found


def filled(rows: Iterable[Mapping[str, Any]], mapping: Mapping[str, str]) -> frozenset[str]:
    """The fields that every row has; "turns" where the questions are conversations."""
    rows = list(rows)
    there = {field for field, column in mapping.items() if all(column in row for row in rows)}
    asked = mapping.get("question", "")
    if rows and all(isinstance(row.get(asked), list) for row in rows):
        there = there - {"question"} | {"turns"}
    return frozenset(there)
