"""Files of labels: those of a store as a sheet that every command reads, and a sheet's into it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from assay._analysis.labelled import matching_part
from assay._analysis.labelling import Labelling
from assay._analysis.selection import COLUMNS, cells, refuse_unseen, write_rows
from assay._store.labels import HumanLabel
from assay._text.sanitize import plain
from assay.data.files import file_records
from assay.data.labels import Label, read_labels
from assay.data.values import as_text, read_back
from assay.errors import InputError
from assay.stats.batches import as_chances

MORE: Final = ("annotator", "settled", "statement", "place", "reason", "tags")
_BETTER: Final = {1.0: "A", 0.0: "B", 0.5: "tie"}
_SEPARATOR: Final = "; "  # between tags in a cell


def write_labels(
    labelling: Labelling, path: str | Path, *, everyone: bool = False
) -> tuple[int, int]:
    """Write the labels of the run to a sheet (CSV), each with its inclusion probability.

    Args:
        labelling: What was labelled.
        path: The file; one that stands there is replaced.
        everyone: What every annotator said, also of samples that were not drawn, beside what
            settled a disagreement: for `assay agree`. Without it, what settled one stands alone,
            and only samples that were drawn are there: for `assay correct`.

    Returns:
        How many labels were written, and how many rows without one since a person was unsure.

    Raises:
        InputError: If there are none, or an id holds what cannot be seen.
    """
    labels = list(_labels_to_write(labelling, everyone=everyone))
    if not labels and labelling.labels():
        fault = f"no label of run {labelling.run.id} is of a sample that was drawn to be labelled"
        raise InputError(fault, "label what is asked for: `assay view`, `assay label`")
    if not labels:
        fault = f"nobody has labelled run {labelling.run.id} for {labelling.metric} yet"
        raise InputError(fault, "label some first: `assay label --annotator NAME`")
    refuse_unseen(label.sample for label in labels)
    weights = {} if labelling.against else labelling.weights()
    chances = as_chances(np.array(list(weights.values()))) if weights else np.zeros(0)
    by_sample = dict(zip(weights, chances.tolist(), strict=True))
    settled = {
        label.item: _cell_text(labelling, label.value)
        for label in (labelling.labels() if everyone else ())
        if label.kind == "settled"
    }
    rows = (
        _row(labelling, label, by_sample.get(label.sample), settled.get(label.item, ""))
        for label in labels
    )
    write_rows(path, [*COLUMNS, *MORE], rows)
    n_unsure = sum(label.value is None for label in labels)
    return len(labels) - n_unsure, n_unsure


def take_labels(labelling: Labelling, path: str | Path) -> int:
    """Keep the labels of a file in the store, and what settled them; what is there already stays.

    Args:
        labelling: What is labelled. Its annotator stands for labels that name nobody.
        path: CSV or another form that `assay correct` reads.

    Returns:
        How many are new.

    Raises:
        InputError: If the file or a label cannot be used; then nothing is kept.
    """
    labels = read_labels(path, metrics=list(labelling.run.metrics))
    if (labels.kind == "pair") != (labelling.per == "pair"):
        fault = f"labels of {labels.kind}s are not what is labelled here: {labelling.per}s are"
        raise InputError(fault, "start labelling of that kind, or import another file")
    labels_meant = labels.of(labelling.metric)
    if not labels_meant:
        raise InputError(f"no label of {labels.source} is about {labelling.metric}")
    rows = {record.number: record.values or {} for record in file_records(Path(path))()}
    human = [_as_human_label(labelling, label, rows.get(label.row, {})) for label in labels_meant]
    n = labelling.take(human)
    settled = {
        label_of.item: label.settled for label_of, label in zip(human, labels_meant, strict=True)
    }
    for dispute in labelling.disputes():
        key = dispute.run, dispute.sample, dispute.statement
        value = settled.get(key)
        if value is not None and dispute.settled is None:
            labelling.adjudicate(key, value)
    return n


def _labels_to_write(labelling: Labelling, *, everyone: bool) -> Iterator[HumanLabel]:
    """The labels to be written, in the order in which they were asked for."""
    order_of = {draw.sample: order for order, draw in enumerate(labelling.drawn())}
    labels = [
        label
        for label in labelling.labels()
        if label.run == labelling.run.id and (everyone or label.sample in order_of)
    ]
    settled = {label.item for label in labels if label.kind == "settled"}
    labels.sort(
        key=lambda label: (
            order_of.get(label.sample, len(order_of)),
            label.statement or 0,
            label.at,
        )
    )
    for label in labels:
        is_wanted = label.kind != "settled" if everyone else label.item not in settled
        if label.kind != "skip" and (is_wanted or (not everyone and label.kind == "settled")):
            yield label


def _row(
    labelling: Labelling, label: HumanLabel, chance: float | None, settled: str
) -> dict[str, str]:
    sample, outcome = labelling.scored(label.run, label.sample)
    text = "" if label.statement is None else outcome[label.statement].text
    return {
        **cells(sample),
        "label": _cell_text(labelling, label.value),
        "metric": as_text(labelling.metric),
        "inclusion_probability": "" if chance is None else f"{chance:.9g}",
        "annotator": as_text(plain(label.annotator)),
        "settled": settled,
        "statement": as_text(plain(text)),
        "place": "" if label.statement is None else str(label.statement + 1),
        "reason": as_text(plain(label.reason)),
        "tags": as_text(plain(_SEPARATOR.join(label.tags))),
    }


def _cell_text(labelling: Labelling, value: float | None) -> str:
    """The label in its cell: a number, or which answer of a pair is better (A: that of the run)."""
    if value is None:
        return ""
    if labelling.per == "pair":
        return _BETTER.get(value, f"{value:.9g}")
    return f"{value:.9g}"


def _as_human_label(labelling: Labelling, label: Label, row: Mapping[str, Any]) -> HumanLabel:
    """A label of a file as the store keeps it."""
    statement = None
    if label.statement or label.place is not None:
        _, parts = labelling.scored(labelling.run.id, label.sample)
        part = matching_part(parts, label.statement, label.place)
        if part is None:
            fault = f"row {label.row}: sample '{label.sample}' has no such statement"
            raise InputError(fault, "label the statements that `assay show --sample` lists")
        statement = next(n for n, other_part in enumerate(parts) if other_part is part)
    reason, tags = (read_back(str(row.get(name) or "")) for name in ("reason", "tags"))
    return HumanLabel(
        run=labelling.run.id,
        metric=labelling.about,
        sample=label.sample,
        statement=statement,
        annotator=label.annotator or labelling.annotator,
        value=label.value,
        reason=reason,
        tags=tuple(tag for tag in tags.split(_SEPARATOR.strip()) if tag.strip()),
        chance=label.chance,
    )
