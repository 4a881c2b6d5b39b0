"""How do rows become scores: through assay's one door, whichever form of ragas asks?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Protocol

from assay.backends.scripted import Scripted
from assay.dataset import samples
from assay.dataset.gaps import is_gap
from assay.integrations.ragas import judges
from assay.integrations.ragas.rows import filled, mapping_of
from assay.judge import Judge
from assay.metrics import Metric
from assay.run import STORE
from assay.run.evaluate import aevaluate
from assay.run.result import Result
from assay.run.settings import Settings
from assay.score import Outcome, Unscored


class Scored(Protocol):
    """A metric of ragas that assay computes."""

    llm: Any
    embeddings: Any

    def in_assay(self, fields: frozenset[str]) -> Metric:
        """The metric of assay, for samples that fill these fields."""


async def run(
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[Metric],
    judge: Any,
    embedder: Any,
    settings: Settings,
) -> Result:
    """Score all rows by these metrics; everything is kept in the usual store."""
    chosen = list(dict.fromkeys(metrics))
    mapping = {f: c for f, c in settings.mapping.items() if any(c in row for row in rows)}
    settings = replace(settings, mapping=mapping)
    judging = judges.judge(judge, asked=any(metric.tasks for metric in chosen))
    embedding = judges.embedder(embedder, judging)
    return await aevaluate(
        list(rows), chosen, judging, embedder=embedding, store=STORE, settings=settings
    )


async def scored(
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[Metric],
    judge: Any,
    embedder: Any,
    settings: Settings,
) -> tuple[list[Result], dict[str, list[Outcome]]]:
    """Score rows of which some lack what a metric needs: these have no score, the others do.

    Returns:
        The runs, one for all metrics that can score the same rows, and what was found by label
        of the metric, in the order of the rows.

    Raises:
        InputError: If no row has what a metric needs.
    """
    lacking = {m.label: [lacks(m, row, settings.mapping) for row in rows] for m in metrics}
    groups: dict[tuple[int, ...], list[Metric]] = {}
    for metric in metrics:
        gaps = lacking[metric.label]
        complete = tuple(at for at, gap in enumerate(gaps) if not gap)
        # Nothing to score where all texts are empty; no column at all is an error of the input.
        there = complete or all(settings.mapping.get(gap) for gap in gaps)
        groups.setdefault(complete if there else tuple(range(len(rows))), []).append(metric)
    runs, found = [], {label: [_empty(gap) for gap in gaps] for label, gaps in lacking.items()}
    for complete, group in groups.items():
        if not complete:
            continue
        result = await run([rows[at] for at in complete], group, judge, embedder, settings)
        runs.append(result)
        for metric in group:
            for at, outcome in zip(complete, result[metric.label], strict=True):
                found[metric.label][at] = outcome
    return runs, found


def _empty(field: str) -> Outcome:
    return Unscored("undefined", f"the row has no {field}")


def lacks(metric: Metric, row: Mapping[str, Any], mapping: Mapping[str, str]) -> str:
    """The first field that a metric needs and a row does not fill; "" if it can be scored."""
    spoken = isinstance(row.get(mapping.get("question", "")), list)

    def gap(name: str) -> bool:
        column = mapping.get("question" if name == "turns" and spoken else name, name)
        return is_gap(row.get(column))

    if any(not any(map(gap, names)) for names in metric.instead):
        return ""
    return next((name for name in metric.needs if gap(name)), "")


async def outcomes(metric: Scored, rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """What one metric finds for these rows, in their order."""
    mapping = mapping_of(rows)
    made = metric.in_assay(filled(rows, mapping))
    settings = Settings(mapping=mapping, probe=False)
    # Nothing is asked, so there is nothing to keep; what is missing is told by a run.
    if not made.tasks and all(find_spec(package) for package in made.packages):
        return await _computed(made, rows, mapping)
    _, found = await scored(rows, [made], metric.llm, metric.embeddings, settings)
    return found[made.label]


async def _computed(
    metric: Metric, rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str]
) -> list[Outcome]:
    """The scores of a metric that asks nobody."""
    gaps = [lacks(metric, row, mapping) for row in rows]
    absent = bool(rows) and all(gap and gap not in mapping for gap in gaps)
    complete = [row for row, gap in zip(rows, gaps, strict=True) if absent or not gap]
    there = {f: c for f, c in mapping.items() if any(c in row for row in complete)}
    needs, instead = {metric.label: metric.needs}, {metric.label: metric.instead}
    nobody = Judge(Scripted({}))
    checked = list(samples(complete, needs=needs, mapping=there, instead=instead))
    found = iter([await metric.score(sample, nobody) for sample in checked])
    return [_empty(gap) if gap else next(found) for gap in gaps]
