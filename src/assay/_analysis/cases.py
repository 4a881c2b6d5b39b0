"""Failures kept as test cases: a data set whose rows the gate holds runs to."""

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from assay._analysis.correction import label_ends
from assay._analysis.label_pool import State
from assay._runner.result import Result, known_labels, one_label
from assay._store import Run, Store
from assay._store.browsing import rows_of, values_by_row
from assay._text.results import beside, span
from assay._text.words import words
from assay.errors import InputError
from assay.sample import Sample

_METRIC: Final = "failed_by"
_RUN: Final = "failed_in"
_OF_FAILURE: Final = (
    *(_RUN, _METRIC),
    *("failed_sample", "failed_score", "failed_label", "why", "added"),
)
_CONDITION: Final = re.compile(
    r"(?P<metric>.*?[^\s<>=])"
    r"(?:\s*(?P<sign><=|>=|<|>)\s*(?P<limit>[-+]?(?:\d+\.?\d*|\.\d+))|\s*=\s*(?P<bad>bad))?"
)
_SIGNS: Final = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class Case:
    """A sample that failed, and what is known of its failure."""

    sample: Sample  # what failed
    run: str  # id of the run in which it did
    metric: str  # label of the metric that it failed by
    score: float | None = None  # its score by that metric, None without one
    label: float | None = None  # what people labelled it by that metric, None if they did not
    reasons: tuple[str, ...] = ()  # what they said about it

    def row(self) -> dict[str, Any]:
        """The sample as a row of data, with where it is from: what is not recorded is left out."""
        values = (
            *(self.run, self.metric, self.sample.id, self.score, self.label),
            *("; ".join(self.reasons) or None, datetime.now(UTC).date().isoformat()),
        )
        failure_values = dict(zip(_OF_FAILURE, values, strict=True))
        # What a case says of an earlier failure is no part of the sample.
        row = {
            name: value for name, value in _row(self.sample).items() if name not in failure_values
        }
        return row | {name: value for name, value in failure_values.items() if value is not None}


def add_cases(path: str | Path, cases: Iterable[Case]) -> tuple[list[Case], list[Case]]:
    """Add samples to a regression set (JSONL), a data file as `assay run` reads it.

    A question is there once, whatever its id: what is added takes the place of what was there.

    Args:
        path: The file; made if it is not there.
        cases: What failed; of several with the same question the first one counts.

    Returns:
        The cases that are new, and those that took the place of an older one.

    Raises:
        InputError: If the file is no such set, or cannot be written.
    """
    file = Path(path)
    rows = {case_key(row.get("question"), row.get("id")): row for row in read_cases(file)}
    distinct: dict[str, Case] = {}
    for case in cases:
        distinct.setdefault(case_key(case.sample.question, case.sample.id), case)
    merged = [case for key, case in distinct.items() if key in rows]
    for key, case in distinct.items():
        row = case.row()
        if any(other_row.get("id") == row["id"] for k, other_row in rows.items() if k != key):
            row["id"] = f"{case.sample.id} ({case.run})"  # ids are unique within one data set
        rows[key] = row
    new = file.with_name(f"{file.name}.new")
    try:
        lines = [json.dumps(row, ensure_ascii=False) for row in rows.values()]
        # What was there stays until the new one stands there whole.
        new.write_text("\n".join(lines) + "\n", encoding="utf-8")
        new.replace(file)
    except OSError as error:
        raise InputError(f"'{file}' cannot be written: {error.strerror or error}") from error
    finally:
        new.unlink(missing_ok=True)
    return [case for case in distinct.values() if case not in merged], merged


def case_key(question: Any, name: Any) -> str:
    """What tells cases apart: the words of the question, or else the id."""
    return " ".join(words(question)) if isinstance(question, str) else f"id {name}"


def failing(result: Result, conditions: Iterable[str]) -> Iterator[Case]:
    """The samples of a run that failed, condition by condition, the worst scores first.

    Args:
        result: The run.
        conditions: "faithfulness<0.5" (also <=, >, >=), "faithfulness=bad" (people labelled it
            so), or "faithfulness" (it misses the metric's guide value).

    Raises:
        InputError: If a condition is none of these, or about a metric that the run does not have.
    """
    run = result.run
    with Store(result.path) as store:
        for condition in conditions:
            read = _CONDITION.fullmatch(condition.strip())
            if read is None or "=" in read["metric"].partition("(")[0]:
                remedy = "such as 'faithfulness<0.5', 'faithfulness=bad' or 'faithfulness'"
                raise InputError(f"'{condition}' is no condition", remedy)
            metric = one_label(run, read["metric"])
            labels = _labels(store, run, metric)
            values = dict(zip(*values_by_row(store, run, metric), strict=True))
            if read["bad"]:
                rows_by_id = rows_of(
                    store, run, (name for name, label in labels.items() if label.bad)
                )
                rows = sorted(rows_by_id.values())
            else:
                fails = _failure_test(run, metric, read["sign"], read["limit"])
                rows = [row for row, value in sorted(values.items()) if fails(value)]
            low = run.config["about"][metric]["higher_is_better"]
            for row in sorted(rows, key=lambda row: _badness(values.get(row), low=low)):
                yield _case(run, metric, store.sample_at(run.id, row), values.get(row), labels)


def _badness(value: float | None, *, low: bool) -> float:
    """What the worst scores have the least of; those without one come last."""
    if value is None:
        return math.inf
    return value if low else -value


def case_of(store: Store, run: Run, metric: str, name: str) -> Case:
    """A sample as a case that failed by a metric, by the id of the sample."""
    row, sample = store.sample(run.id, name)
    value, _ = store.values_at(run.id, metric, [row]).get(row, (None, ""))
    return _case(run, metric, sample, value, _labels(store, run, metric))


def _case(
    run: Run, metric: str, sample: Sample, value: float | None, labels: Mapping[str, "_Label"]
) -> Case:
    label = labels.get(sample.id, _Label())
    return Case(sample, run.id, metric, value, label.value, label.reasons)


def _failure_test(
    run: Run, metric: str, sign: str | None, limit: str | None
) -> Callable[[Any], bool]:
    """Whether a score fits a condition; without one, whether it misses the guide value."""
    if sign and limit:
        check_limit(run, metric, sign, float(limit))
        return lambda value: value is not None and _SIGNS[sign](value, float(limit))
    holds, guide = guide_value(run, metric)
    return lambda value: value is not None and not _SIGNS[holds](value, guide)


def check_limit(run: Run, metric: str, sign: str, limit: float) -> None:
    """Refuse a limit that no score reaches or each one does: it is a slip, such as 50 for 0.5.

    Raises:
        InputError: If it lies outside the metric's range.
    """
    low, high = run.config["about"][metric]["range"]
    if (low is None or low <= limit) and (high is None or limit <= high):
        return
    raise InputError(f"{metric} {sign} {limit:g}: its values are {span(low, high)}")


def wrong_way(run: Run, least: Iterable[str], greatest: Iterable[str]) -> Iterator[str]:
    """Limits beyond which every better score lies: such a rule passes what is bad."""
    for names, better, extreme in ((least, False, "least"), (greatest, True, "greatest")):
        for label in (label for name in names for label in known_labels(run, name)):
            if run.config["about"][label]["higher_is_better"] is better:
                direction = "higher" if better else "lower"
                yield f"{label}: {direction} is better, and the rule gives a {extreme} mean"


class _Label(NamedTuple):
    """What people say of a sample as a whole."""

    value: float | None = None
    bad: bool = False
    reasons: tuple[str, ...] = ()


def _labels(store: Store, run: Run, metric: str) -> dict[str, _Label]:
    """The labels of a run by one metric, by the id of the sample."""
    labels = store.labels.of(run.id, metric)
    state = State.of(labels)
    values = {key: value for key in state.by_item if (value := state.value(key)) is not None}
    if not values:
        return {}
    ends = label_ends([*values.values()], None, tuple(run.config["about"][metric]["range"]))
    reasons: dict[str, dict[str, None]] = {}
    for label in labels:
        reasons.setdefault(label.sample, {}).update(
            dict.fromkeys(filter(None, (label.reason, *label.tags)))
        )
    by_sample: dict[str, _Label] = {}
    for (_, name, statement), value in values.items():
        known = by_sample.get(name, _Label())
        by_sample[name] = _Label(
            value if statement is None else known.value,
            known.bad or value < sum(ends) / 2,
            tuple(reasons[name]),
        )
    return by_sample


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
            fault = f"line {number} of '{file}' is no sample"
            raise InputError(fault, "mend it, or move the file away")
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
            fault = f"case {number} of '{path}' has no id, or does not say what it failed by"
            raise InputError(fault, f"give it an id, and the name of a metric as '{_METRIC}'")
        by_metric.setdefault(metric, []).append(case)
    if not by_metric:
        remedy = "name the file that `assay testset add` or `assay view` wrote, or leave it out"
        raise InputError(f"there are no cases in '{path}'", remedy)
    return by_metric


def broken_cases(
    result: Result,
    cases: Sequence[Mapping[str, Any]],
    metric: str,
    holds: Callable[[float], bool],
    limit: float,
) -> Mapping[str, str]:
    """Why cases do not hold in a run, by their ids; those that hold are left out.

    A case is broken where the run does not have it, where its answer and contexts are still those
    that failed (whatever the judge says), and where its score is missing or too low.
    """
    run = result.run
    with Store(result.path) as store:
        names = {str(case["id"]): _names(case) for case in cases}
        rows_by_id = rows_of(
            store, run, (name for both_names in names.values() for name in both_names)
        )
        broken = {}
        for case in cases:
            known_rows = (rows_by_id[name] for name in names[str(case["id"])] if name in rows_by_id)
            samples = {row: store.sample_at(run.id, row) for row in known_rows}
            same = [
                row for row, sample in samples.items() if sample.question == case.get("question")
            ]
            if not same:
                broken[str(case["id"])] = "the run does not have it"
                continue
            value, reason = store.values_at(run.id, metric, same[:1]).get(same[0], (None, ""))
            if _unchanged(samples[same[0]], case):
                broken[str(case["id"])] = "still the answer that failed"
            elif value is None:
                broken[str(case["id"])] = f"no score ({reason or 'not computed'})"
            elif not holds(value):
                broken[str(case["id"])] = beside(value, limit)
    return broken


def first_named(broken: Mapping[str, str], limit: int) -> list[str]:
    """The first broken cases, each with why, and how many more there are."""
    described = [f"{name}: {reason}" for name, reason in list(broken.items())[:limit]]
    return [*described, f"{len(broken) - limit:,} more"] if len(broken) > limit else described


def guide_value(run: Run, metric: str) -> tuple[str, float]:
    """What cases must reach where no threshold says so: the metric's guide value, and its side.

    Raises:
        InputError: If the metric has none.
    """
    facts = run.config["about"][metric]
    if facts["guide"] is None:
        fault = f"cases failed by {metric}, which has no guide value"
        raise InputError(fault, f"say what they must reach: --min {metric}=VALUE, or --max")
    return (">=" if facts["higher_is_better"] else "<="), facts["guide"]


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
    fields = {name: value for name, value in row.items() if value is not None}
    if not fields["accepted"]:
        del fields["accepted"]
    return {**fields, **{name: value for name, value in metadata.items() if name not in fields}}
