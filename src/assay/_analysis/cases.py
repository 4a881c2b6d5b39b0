"""Failures that people found, kept as test cases: a data set whose rows the gate holds runs to."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from assay._runner.result import Result
from assay._store import Run, Store
from assay._store.browsing import rows_of
from assay._text.numbers import decimals
from assay.errors import InputError
from assay.sample import Sample

_METRIC: Final = "failed_by"
_RUN: Final = "failed_in"


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
    row = _row(sample) | {_RUN: run, _METRIC: metric}
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


def cases_by_metric(path: str | Path) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The rows of a regression set by the metric that they failed by.

    Raises:
        InputError: If there is none, or one does not say by which metric it failed.
    """
    by_metric: dict[str, list[Mapping[str, Any]]] = {}
    for number, case in enumerate(read_cases(path), 1):
        metric = case.get(_METRIC)
        if not (isinstance(metric, str) and metric and isinstance(case.get("id"), str)):
            what = f"case {number} of '{path}' has no id, or does not say what it failed by"
            raise InputError(what, f"give it an id, and the name of a metric as '{_METRIC}'")
        by_metric.setdefault(metric, []).append(case)
    if not by_metric:
        remedy = "name the file that `assay view` wrote, or leave it out until there is one"
        raise InputError(f"there are no cases in '{path}'", remedy)
    return by_metric


def broken_cases(
    result: Result,
    cases: Sequence[Mapping[str, Any]],
    metric: str,
    holds: Callable[[float], bool],
) -> Mapping[str, str]:
    """Why cases do not hold in a run, by their ids; those that hold are left out.

    A case is broken where the run does not have it, where its answer and contexts are still those
    that people called bad (whatever the judge says), and where its score is missing or too low.

    Args:
        result: The run.
        cases: Rows of a regression set.
        metric: Label of the metric that they are held by.
        holds: Whether a score is good enough.
    """
    run = result.run
    with Store(result.path) as store:
        names = {str(case["id"]): _names(case) for case in cases}
        places = rows_of(store, run, (name for both in names.values() for name in both))
        broken = {}
        for case in cases:
            there = (places[name] for name in names[str(case["id"])] if name in places)
            samples = {row: store.sample_at(run.id, row) for row in there}
            meant = [row for row, one in samples.items() if one.question == case.get("question")]
            if not meant:
                broken[str(case["id"])] = "the run does not have it"
                continue
            value, why = store.values_at(run.id, metric, meant[:1]).get(meant[0], (None, ""))
            if _unchanged(samples[meant[0]], case):
                broken[str(case["id"])] = "still the answer that people called bad"
            elif value is None:
                broken[str(case["id"])] = f"no score ({why or 'not computed'})"
            elif not holds(value):
                broken[str(case["id"])] = decimals(value, 3)
    return broken


def first_named(broken: Mapping[str, str], most: int) -> list[str]:
    """The first broken cases, each with why, and how many more there are."""
    named = [f"{name}: {why}" for name, why in list(broken.items())[:most]]
    return [*named, f"{len(broken) - most:,} more"] if len(broken) > most else named


def guide_value(run: Run, metric: str) -> tuple[str, float]:
    """What cases must reach where no threshold says so: the metric's guide value, and its side.

    Raises:
        InputError: If the metric has none.
    """
    about = run.config["about"][metric]
    if about["guide"] is None:
        what = f"cases failed by {metric}, which has no guide value"
        raise InputError(what, f"say what they must reach: --min {metric}=VALUE, or --max")
    return (">=" if about["higher_is_better"] else "<="), about["guide"]


def _names(case: Mapping[str, Any]) -> tuple[str, ...]:
    """What the sample of a case may be called in a run: as in the set, or in the data it is of."""
    name = str(case["id"])
    return tuple(dict.fromkeys((name, name.removesuffix(f" ({case.get(_RUN)})"))))


def _unchanged(sample: Sample, case: Mapping[str, Any]) -> bool:
    """Whether a sample is what people called bad."""
    if case.get("answer") is None or sample.answer != case["answer"]:
        return False
    return list(sample.contexts or ()) == list(case.get("contexts") or ())


def _row(sample: Sample) -> dict[str, Any]:
    """The sample as a row of data: what is not recorded is left out."""
    row: dict[str, Any] = msgspec.to_builtins(sample)
    metadata = row.pop("metadata")
    # An empty list of contexts says that nothing was retrieved; one of accepted answers nothing.
    kept = {name: value for name, value in row.items() if value is not None}
    if not kept["accepted"]:
        del kept["accepted"]
    return {**kept, **{name: value for name, value in metadata.items() if name not in kept}}
