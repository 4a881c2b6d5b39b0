"""Rows of ragas' data sets scored by metrics of assay, gaps in them as ragas treats them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from assay._runner import STORE
from assay._runner.evaluate import aevaluate
from assay._runner.result import Result
from assay._runner.settings import Settings
from assay.data import samples
from assay.data.columns import recognised
from assay.data.missing_fields import is_missing
from assay.errors import InputError
from assay.integrations.ragas import judges
from assay.integrations.ragas.advice import FIELDS, OLD_FIELDS, reworded
from assay.judge import Judge
from assay.judges.scripted import Scripted
from assay.metrics import Metric
from assay.metrics.retrieval import WordingContextPrecision
from assay.metrics.text_similarity import Chrf, StringPresence, TextSimilarity
from assay.score import Outcome, Part, Score, Unscored

if TYPE_CHECKING:
    from assay.integrations.ragas.metrics.base import Ready

# Stands for a context without text: it takes up its rank and says nothing.
NOTHING = "\N{HORIZONTAL ELLIPSIS}"
_LISTS = ("contexts", "reference_contexts")


async def run(
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[Metric],
    judging: Any,
    embedding: Any,
    settings: Settings,
) -> Result:
    """Score all rows by these metrics; everything is kept in the usual store.

    Args:
        rows: The rows.
        metrics: Metrics of assay.
        judging: Who judges, as assay takes it.
        embedding: Who embeds, likewise.
        settings: The columns by field, and everything else.
    """
    distinct_metrics = list(dict.fromkeys(metrics))
    mapping = {f: c for f, c in settings.mapping.items() if any(c in row for row in rows)}
    settings = replace(settings, mapping=mapping)
    readable = [_readable(row, mapping) for row in rows]
    with reworded():
        return await aevaluate(
            readable, distinct_metrics, judging, embedder=embedding, store=STORE, settings=settings
        )


async def scored(
    rows: Sequence[Mapping[str, Any]],
    metrics: "Sequence[Ready]",
    judge: Any,
    embedder: Any,
    settings: Settings,
) -> tuple[list[Result], list[list[Outcome]]]:
    """Score rows of which some lack what a metric needs: these have no score, the others do.

    Returns:
        The runs, one for all metrics that can score the same rows, and what was found by each
        metric, in the order of the rows.

    Raises:
        InputError: If no row has what a metric needs.
    """
    known, judges = _choose_metrics(rows, metrics, (judge, embedder), settings)
    outcomes = [_known_outcomes(metric, rows, settings.mapping) for metric in known]
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, outcomes_known in enumerate(outcomes):
        open_ = tuple(n for n, outcome in enumerate(outcomes_known) if outcome is None)
        if open_:
            groups.setdefault(open_, []).append(index)
    runs = []
    for rows_at, metrics_at in groups.items():
        group = [metric for index in metrics_at if isinstance(metric := known[index], Metric)]
        result = await run(
            [rows[n] for n in rows_at], group, judges.judge, judges.embedder, settings
        )
        runs.append(result)
        for index, metric in zip(metrics_at, group, strict=True):
            for n, outcome in zip(rows_at, result[metric.label], strict=True):
                outcomes[index][n] = outcome
    return runs, [[o for o in row if o is not None] for row in outcomes]


def _choose_metrics(
    rows: Sequence[Mapping[str, Any]],
    metrics: "Sequence[Ready]",
    models: tuple[Any, Any],
    settings: Settings,
) -> tuple[list[Metric | Unscored], judges.Judges]:
    """The metrics of assay for these rows and models, and who is asked; a warning where due."""
    fields = filled(rows, settings.mapping)
    converted = [metric.in_assay(fields) for metric in metrics]
    with reworded():
        chosen_judges = judges.choose_judges(
            *models, settings, needed=any(metric.tasks for metric in converted)
        )
    known = [
        metric.served(m, chosen_judges.can) for metric, m in zip(metrics, converted, strict=True)
    ]
    unscored = [
        m for m, k in zip(converted, known, strict=True) if isinstance(k, Metric) and k is not m
    ]
    chosen_judges.warn(
        [metric.name for metric, m in zip(metrics, converted, strict=True) if m in unscored]
    )
    return known, chosen_judges


def _known_outcomes(
    metric: Metric | Unscored, rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str]
) -> list[Outcome | None]:
    """What is found for each row before anything is computed; None where something is to be.

    Where no row has the column that a metric needs, all are left to assay, which says so.
    """
    if isinstance(metric, Unscored):
        return [metric] * len(rows)
    gaps = [lacks(metric, row, mapping) for row in rows]
    if rows and all(gap and gap not in mapping for gap in gaps):
        return [None] * len(rows)
    return [_of_gap(metric, row, mapping, gap) for row, gap in zip(rows, gaps, strict=True)]


def _of_gap(
    metric: Metric, row: Mapping[str, Any], mapping: Mapping[str, str], field: str
) -> Outcome | None:
    """The outcome for a row whose field is a gap; None where there is no such field."""
    if not field:
        return _of_nothing(metric, row, mapping)
    if mapping.get(field, field) not in row:
        return Unscored("undefined", f"the row has no {field}")
    answer, reference = (row.get(mapping.get(name, name)) for name in ("answer", "reference"))
    if isinstance(answer, str) and isinstance(reference, str):
        value = by_wording(metric, answer, reference)
        if value is not None:
            return Score(value, (Part("reference", reference, "empty", value),))
    return Unscored("undefined", f"the row's {field} is empty")


def _of_nothing(
    metric: Metric, row: Mapping[str, Any], mapping: Mapping[str, str]
) -> Outcome | None:
    """The outcome for a row that nothing was retrieved for, where it is not that of assay."""
    if (
        not isinstance(metric, WordingContextPrecision)
        or row.get(mapping.get("contexts", "")) != []
    ):
        return None
    return Score(0.0, (Part("context", "", "nothing was retrieved", 0.0),))


def by_wording(metric: Metric, answer: str, reference: str) -> float | None:
    """How ragas compares two texts letter by letter, of which any may be empty.

    Returns:
        The value; None for a metric that compares otherwise, or lacks its package.
    """
    if not isinstance(metric, TextSimilarity) or not all(map(find_spec, metric.packages)):
        return None
    if isinstance(metric, StringPresence):
        return float(reference in answer)
    if isinstance(metric, Chrf) and not (answer.strip() and reference.strip()):
        return 0.0
    return metric.compare(answer, reference)


def _readable(row: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """A row in which a context without text keeps its rank."""
    columns = {mapping.get(field, field) for field in _LISTS} & row.keys()
    return {**row, **{column: _texts(row[column]) for column in columns}}


def _texts(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [NOTHING if isinstance(item, str) and is_missing(item) else item for item in value]


def lacks(metric: Metric, row: Mapping[str, Any], mapping: Mapping[str, str]) -> str:
    """The first field that a metric needs and a row does not fill; "" if it can be scored."""
    spoken = isinstance(row.get(mapping.get("question", "")), list)

    def gap(name: str) -> bool:
        column = mapping.get("question" if name == "turns" and spoken else name, name)
        return is_missing(row.get(column), name)

    if any(not any(map(gap, names)) for names in metric.instead):
        return ""
    return next((name for name in metric.needs if gap(name)), "")


async def outcomes(metric: "Ready", rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """What one metric finds for these rows, in their order."""
    mapping = mapping_of(rows)
    converted = metric.in_assay(filled(rows, mapping))
    # Nothing is asked, so there is nothing to keep; what is missing is told by a run.
    if not converted.tasks and all(find_spec(package) for package in converted.packages):
        with reworded():
            return await _computed(converted, rows, mapping)
    settings = Settings(mapping=mapping, probe=False)
    _, (outcomes_,) = await scored(rows, [metric], metric.llm, metric.embeddings, settings)
    return outcomes_


async def _computed(
    metric: Metric, rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str]
) -> list[Outcome]:
    """The scores of a metric that asks nobody."""
    known = _known_outcomes(metric, rows, mapping)
    complete = [row for row, outcome in zip(rows, known, strict=True) if outcome is None]
    if not complete:
        return [outcome for outcome in known if outcome is not None]
    used_columns = {f: c for f, c in mapping.items() if any(c in row for row in complete)}
    needs, instead = {metric.label: metric.needs}, {metric.label: metric.instead}
    nobody = Judge(Scripted({}))
    readable = [_readable(row, used_columns) for row in complete]
    checked = list(samples(readable, needs=needs, mapping=used_columns, instead=instead))
    scores = iter([await metric.score(sample, nobody) for sample in checked])
    return [next(scores) if outcome is None else outcome for outcome in known]


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
        rows = dataset.to_list()
    elif hasattr(dataset, "iloc"):
        rows = dataset.to_dict("records")
    elif isinstance(dataset, Iterable):
        rows = list(dataset)
    else:
        raise InputError(f"{type(dataset).__name__} holds no rows", "give an EvaluationDataset")
    return [row_of(row) for row in rows]


def row_of(sample: Any) -> dict[str, Any]:
    """A sample or dict as a dict of plain values, without what is None or a data frame's NaN."""
    columns = sample if isinstance(sample, Mapping) else sample.model_dump()
    return {name: _as_plain(value) for name, value in columns.items() if not _is_absent(value)}


def _is_absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _as_plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_as_plain(item) for item in value]
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value


def named(row: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """A row with its columns under the names that they have in each generation of ragas as well."""
    known = [*OLD_FIELDS.items(), *FIELDS.items()]
    aliases = {name: mapping[field] for name, field in known if field in mapping}
    return {**row, **{name: row[column] for name, column in aliases.items() if column in row}}


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
    columns_by_field = {field: name for name, field in known.items()}
    for name, column in (column_map or {}).items():
        field = FIELDS.get(name) or recognised([name]).get(name)
        if field is None:
            raise InputError(
                f"column_map: '{name}' is not a column of ragas", f"{', '.join(FIELDS)}"
            )
        if column not in columns:
            raise InputError(f"column_map: there is no column '{column}'", f"{', '.join(columns)}")
        columns_by_field[field] = column
    return columns_by_field


def filled(rows: Iterable[Mapping[str, Any]], mapping: Mapping[str, str]) -> frozenset[str]:
    """The fields that every row has; "turns" where the questions are conversations."""
    rows = list(rows)
    fields = {field for field, column in mapping.items() if all(column in row for row in rows)}
    question = mapping.get("question", "")
    if rows and all(isinstance(row.get(question), list) for row in rows):
        fields = fields - {"question"} | {"turns"}
    return frozenset(fields)
