"""What labels are good for: agreement, a threshold, a corrected mean, examples, test cases."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from assay._analysis.agreement import agree
from assay._analysis.calibration import MAJORITY, Card, calibrate
from assay._analysis.cases import add_cases, case_key, case_of, read_cases
from assay._analysis.correction import correct
from assay._analysis.label_files import take_labels, write_labels
from assay._analysis.labelling import Labelling
from assay._analysis.selection import choose_examples
from assay._report import agreement as agreement_words
from assay._report import calibration as calibration_report
from assay._report import calibration as correction_report
from assay._report.numbers import plural
from assay.data import read_labels
from assay.errors import InputError
from assay.view import label_pages, label_screen
from assay.view.labelling import Session
from assay.view.site import Site

SHEET: Final = "labels.csv"
CASES: Final = "regression.jsonl"  # beside the store
_FIT: Final = "cross-validated, whole groups held out"
_ENDINGS: Final = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")


@contextmanager
def sheet(labelling: Labelling, *, everyone: bool) -> Iterator[Path]:
    """The labels as the file that every command reads."""
    with tempfile.TemporaryDirectory(prefix="assay-labels-") as folder:
        path = Path(folder) / SHEET
        write_labels(labelling, path, everyone=everyone)
        yield path


def take(labelling: Labelling, name: str, content: bytes) -> int:
    """Keep the labels of a file that was sent.

    Raises:
        InputError: If it is none, or cannot be used.
    """
    ending = Path(name).suffix.lower()
    if ending not in _ENDINGS:
        raise InputError("no file of labels was sent", f"choose one that ends in {_ENDINGS}")
    with tempfile.TemporaryDirectory(prefix="assay-labels-") as folder:
        path = Path(folder) / f"labels{ending}"
        path.write_bytes(content)
        return take_labels(labelling, path)


def results(session: Session, taken: str = "") -> str:
    """The page of all that can be made of the labels.

    Args:
        session: What it is about.
        taken: How many labels were imported a moment ago, "" if none were.
    """
    site = session.site
    known = {case_key(c.get("question"), c.get("id")) for c in read_cases(cases_file(site))}
    rows = label_pages.failures(session.labelling)
    for row in rows:
        row["row"], _ = site.store.sample(session.run.id, row["sample"].id)
        row["kept"] = case_key(row["sample"].question, row["sample"].id) in known
    return session.render(
        "label_results.html",
        taken=plural(int(taken), "new label") if taken.isdecimal() else "",
        failures=rows,
        cases=len(known),
        cases_file=cases_file(site).name,
        **label_screen.margin(session),
    )


def made(session: Session, what: str) -> str:
    """The page of one of them: "agreement", "threshold" or "corrected"."""
    return session.render(f"label_{what}.html", **_MAKERS[what](session))


def card(session: Session) -> Card:
    """Threshold and probabilities fitted to the labels."""
    labelling = session.labelling
    with sheet(labelling, everyone=False) as path:
        result = session.site.result(session.run)
        return calibrate(result, path, labelling.metric, good_from=_good(labelling))


def examples(session: Session) -> str:
    """A prompts file with labelled samples as examples for an LLM judge."""
    with sheet(session.labelling, everyone=False) as path:
        result = session.site.result(session.run)
        return choose_examples(result, path, session.queue.metric).prompts()


def keep_case(session: Session, name: str) -> None:
    """Add a failure to the regression set, in the place of an older one with the same question."""
    labelling = session.labelling
    if not any(row["sample"].id == name for row in label_pages.failures(labelling)):
        raise InputError(f"nobody called sample '{name}' bad", "label it first")
    case = case_of(session.site.store, labelling.run, labelling.metric, name)
    add_cases(cases_file(session.site), [case])


def cases_file(site: Site) -> Path:
    """The regression set of a store."""
    return site.path.with_name(CASES)


def _good(labelling: Labelling) -> float:
    """The label from which on a sample is good."""
    if labelling.scale is None:
        return MAJORITY
    low, high = labelling.scale
    return (low + high) / 2 + 0.5  # of five grades the upper two


def _agreement(session: Session) -> Mapping[str, Any]:
    site, run, queue = session.site, session.run, session.queue
    other = site.result(site.run(queue.against)) if queue.what == "pair" else None
    result = site.result(run)
    with sheet(session.labelling, everyone=True) as path:
        human = read_labels(path, metrics=list(run.metrics))
        found = agree(result, human, queue.metric, other=other)
        told = agreement_words.told(run, human.source, [found], {}, None)
    data = msgspec.convert(told, agreement_words.AgreementReport)
    settled = len({one.item for one in human.labels if one.settled is not None})
    shown = {"data": data, "words": agreement_words, "pictures": [], "size": {}}
    return {**shown, "n_settled": settled}


def _threshold(session: Session) -> Mapping[str, Any]:
    fitted = card(session)
    return calibration_report.shown(fitted, fitted.quality, held_out=_FIT)


def _corrected(session: Session) -> Mapping[str, Any]:
    margin = label_screen.margin(session)
    if session.queue.against:
        return {"rows": [], "notes": [], **margin}
    with sheet(session.labelling, everyone=False) as path:
        found = correct(session.site.result(session.run), path, session.queue.metric)
    notes = list(correction_report.notes(found, 2 * session.queue.half_width))
    return {"rows": correction_report.mean_rows(found), "notes": notes, **margin}


_MAKERS: Final[Mapping[str, Callable[..., Mapping[str, Any]]]] = {
    "agreement": _agreement,
    "threshold": _threshold,
    "corrected": _corrected,
}
