"""Failures that people found, kept as test cases: a data set for later runs and the gate."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import InputError
from assay.sample import Sample


def add_case(
    path: str | Path, sample: Sample, *, run: str, metric: str, reasons: Sequence[str] = ()
) -> bool:
    """Add a sample to a regression set (JSONL), a data file as `assay run` reads it.

    Args:
        path: The file; made if it is not there.
        sample: What failed.
        run: Id of the run in which it did.
        metric: Label of the metric that it failed by.
        reasons: What people said about it.

    Returns:
        Whether it is new: a sample of the same id and question is there once.

    Raises:
        InputError: If the file is no such set, or cannot be written.
    """
    file = Path(path)
    known = list(read_cases(file))
    same = [case for case in known if case.get("id") == sample.id]
    if any(case.get("question") == sample.question for case in same):
        return False
    row = _row(sample) | {"failed_in": run, "failed_by": metric}
    if reasons:
        row["why"] = "; ".join(reasons)
    if same:  # another data set's: ids are unique within one
        row["id"] = f"{sample.id} ({run})"
    new = file.with_name(f"{file.name}.new")
    try:
        lines = [json.dumps(case, ensure_ascii=False) for case in (*known, row)]
        # What was there stays until the new one stands there whole.
        new.write_text("\n".join(lines) + "\n", encoding="utf-8")
        new.replace(file)
    except OSError as error:
        raise InputError(f"'{file}' cannot be written: {error.strerror or error}") from error
    finally:
        new.unlink(missing_ok=True)
    return True


def read_cases(path: str | Path) -> Iterator[Mapping[str, Any]]:
    """The rows of a regression set; none where there is no such file.

    Raises:
        InputError: If a line is none.
    """
    file = Path(path)
    try:
        lines = file.read_text("utf-8").split("\n") if file.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"'{file}' cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            what = f"line {number} of '{file}' is no sample"
            raise InputError(what, "mend it, or move the file away")
        yield row


def _row(sample: Sample) -> dict[str, Any]:
    """The sample as a row of data: what is not recorded is left out."""
    row: dict[str, Any] = msgspec.to_builtins(sample)
    metadata = row.pop("metadata")
    # An empty list of contexts says that nothing was retrieved; one of accepted answers nothing.
    kept = {name: value for name, value in row.items() if value is not None}
    if not kept["accepted"]:
        del kept["accepted"]
    return {**kept, **{name: value for name, value in metadata.items() if name not in kept}}
