"""`adapt_judge`: the embedded judge fitted to labels of a domain, measured beside what ships."""

import contextlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from assay.errors import InputError
from assay.experiments.adapt import refuse_filled
from assay.experiments.judge_cases import KINDS, Case, Kind, labelled
from assay.experiments.judge_comparison import (
    COEFFICIENTS,
    Compared,
    beside,
    measure_all,
    out_of_fold,
    refit,
    shipped,
)
from assay.judges.embedded.inference import CARD, MANIFEST
from assay.judges.embedded.judge import BASE
from assay.judges.embedded.verification import Fitted
from assay.stats.intervals import LEVEL

_LEAST_LABELS: Final = 20  # of a kind, and 3 of each class, or nothing is fitted to them
_LEAST_OF_CLASS: Final = 3


@dataclass(frozen=True, slots=True)
class JudgeAdaptation:
    """What came of it."""

    base: str  # the judge that it began with
    folder: str | None  # the adapted judge; None if nothing better than the base was found
    fitted: tuple[Kind, ...]  # for which kinds its coefficients were fitted
    labels: Mapping[str, int]  # how many labels there were, by kind
    left_out: int  # cases that the judge cannot read
    compared: tuple[Compared, ...]  # of every kind with enough labels
    level: float  # nominal coverage of the intervals of all kinds together


def adapt_judge(
    labels: str | Path, *, out: str | Path, threads: int | None = None, level: float = LEVEL
) -> JudgeAdaptation:
    """Fit the embedded judge to labels of a domain, and keep it if it is better than what ships.

    Args:
        labels: Cases that people labelled: see `labelled`.
        out: The folder to write, for ``embedded:FOLDER``.
        threads: Cores to use; all that there are if None.
        level: Nominal coverage of the intervals of all kinds together.

    Raises:
        InputError: If anything cannot be used; told before anything is measured.

    Source:
        Saad-Falcon et al. 2024, ARES (NAACL 2024), for a small judge of a domain, measured with
        labels of people. That its network learns from synthetic cases did not pay here.
    """
    out = Path(out)
    refuse_filled(out)
    cases = labelled(labels)
    if not any(_enough(_of(cases, kind)) for kind in KINDS):
        least = f"{_LEAST_LABELS} labels, {_LEAST_OF_CLASS} of them right and as many wrong"
        raise InputError(f"no kind of case has {least}", "label more: assay label")
    joint = 1 - (1 - level) / len(KINDS)  # Bonferroni: each kind may seem better by chance
    compared: list[Compared] = []
    coefficients: dict[Kind, Fitted] = {}
    left_out = 0
    for kind in KINDS:
        mine = _of(cases, kind)
        rows = measure_all(mine, threads)
        left_out += len(mine) - len(rows)
        if not _enough([one.case for one in rows]):
            continue
        before = np.array([one.probability(shipped(kind)) for one in rows])
        compared.append(beside(rows, before, out_of_fold(rows, kind), joint))
        if compared[-1].verdict == "better":
            coefficients[kind] = refit(rows, kind)
    adaptation = JudgeAdaptation(
        base=BASE,
        folder=str(out) if coefficients else None,
        fitted=tuple(coefficients),
        labels={kind: len(_of(cases, kind)) for kind in KINDS},
        left_out=left_out,
        compared=tuple(compared),
        level=level,
    )
    if coefficients:
        _write(out, adaptation, coefficients)
    return adaptation


def _of(cases: Sequence[Case], kind: Kind) -> list[Case]:
    return [case for case in cases if case.kind == kind]


def _enough(cases: Sequence[Case]) -> bool:
    good = sum(case.good for case in cases)
    return len(cases) >= _LEAST_LABELS and _LEAST_OF_CLASS <= good <= len(cases) - _LEAST_OF_CLASS


def _write(out: Path, adaptation: JudgeAdaptation, coefficients: Mapping[Kind, Fitted]) -> None:
    """The folder; whole or not at all."""
    work = Path(f"{out}.writing")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for kind, fitted in coefficients.items():
        file, names = COEFFICIENTS[kind]
        shipped_file = resources.files("assay.judges.embedded").joinpath(file)
        content = json.loads(shipped_file.read_text("utf-8")) | {
            "coefficients": dict(zip(names, fitted.coefficients, strict=True)),
            "intercept": fitted.intercept,
        }
        (work / file).write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    (work / CARD).write_bytes(msgspec.json.format(msgspec.json.encode(adaptation)))
    (work / MANIFEST).write_bytes(msgspec.json.encode({"base": adaptation.base}))
    with contextlib.suppress(FileNotFoundError):
        out.rmdir()
    work.replace(out)
