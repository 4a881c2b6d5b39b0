"""The pages around the label screen: its start, disagreements, and what labels are good for."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from assay._store import Run
from assay.data import read_labels
from assay.errors import InputError
from assay.view import commands, label_screen
from assay.view.labelling import Desk, Queue, Session, first_at
from assay.view.site import Place, Site

_MOST_RUNS: Final = 200
_MOST_FAILURES: Final = 100


@dataclass(frozen=True, slots=True)
class Ongoing:
    """Labels that there are of one kind: the queue that they are of, and who gave how many."""

    queue: Queue
    words: str
    people: tuple[tuple[str, int], ...]

    @property
    def n(self) -> int:
        """How many labels there are."""
        return sum(n for _, n in self.people)


def start(
    site: Site, desk: Desk, run: Run, queue: Queue, row: int | None = None, **more: str
) -> str:
    """The page on which labelling begins, with one sample of the run if its row is named."""
    other_runs = [
        other
        for other in site.runs()
        if other.id != run.id and not other.derived and set(other.metrics) & set(run.metrics)
    ]
    # Those over as many samples first: they are more likely to be over the same ones.
    other_runs.sort(key=lambda other: other.n_samples != run.n_samples)
    return site.render(
        "label_start.html",
        Place(),
        run=run,
        queue=queue,
        seconds=desk.seconds(queue),
        row=row,
        sample=None if row is None else site.sample(run, row),
        first_at=lambda of, by: first_at(site, replace(of, by=by), row),
        ongoing=list(_ongoing(desk, run)),
        others=other_runs[:_MOST_RUNS],
        **more,
    )


def _ongoing(desk: Desk, run: Run) -> Iterable[Ongoing]:
    """The queues that somebody has labelled in."""
    people_of: dict[Queue, list[tuple[str, int]]] = {}
    for tally in desk.tally(run):
        metric, _, against = tally.about.partition(" against ")
        if metric not in run.metrics:
            continue
        graded = tally.most > 1 and not against and not tally.statements
        kind: Any = "pair" if against else "statement" if tally.statements else "answer"
        queue = Queue(
            run=run.id,
            metric=metric,
            what="rubric" if graded else kind,
            order="difference" if against else "random",
            against=against,
        )
        people_of.setdefault(queue, []).append((tally.annotator, tally.n))
    for queue, people in people_of.items():
        words = {"answer": "answers", "statement": "statements", "rubric": "answers, from 1 to 5"}
        subject = words.get(queue.what, "pairs of answers")
        yield Ongoing(desk.as_before(queue), f"{queue.metric}: {subject}", tuple(people))


def finished(session: Session) -> str:
    """The page for who has nothing left to label."""
    return session.render("label_done.html", **label_screen.margin(session))


def disputes(session: Session) -> str:
    """The page of disagreements."""
    rows = []
    for dispute in session.labelling.disputes():
        item = session.labelling.item(dispute.run, dispute.sample, dispute.statement)
        opinions = [
            (label, label_screen.in_words(session.queue, item, label)) for label in dispute.labels
        ]
        settled = dispute.settled
        words = settled and (settled, label_screen.in_words(session.queue, item, settled))
        rows.append({"item": item, "opinions": opinions, "settled": words})
    open_ = sum(row["settled"] is None for row in rows)
    return session.render("label_disputes.html", rows=rows, open=open_)


def failures(labelling: Labelling) -> list[dict[str, Any]]:
    """The samples that people call bad, the surest first."""
    low, high = labelling.scale or (0.0, 1.0)
    middle = (low + high) / 2
    by_sample: dict[str, list[Any]] = {}
    labels = [label for label in labelling.labels() if label.run == labelling.run.id]
    fine = {
        label.item for label in labels if label.kind == "settled" and (label.value or 0.0) >= middle
    }
    for label in labels:
        if label.value is not None and label.value < middle and label.item not in fine:
            by_sample.setdefault(label.sample, []).append(label)
    rows: list[dict[str, Any]] = []
    for name, labels in sorted(by_sample.items(), key=lambda pair: -len(pair[1])):
        if len(rows) == _MOST_FAILURES:
            break
        try:
            sample, _ = labelling.scored(labelling.run.id, name)
        except InputError:
            continue
        reasons = [label.reason for label in labels if label.reason]
        tags = dict.fromkeys(tag for label in labels for tag in label.tags)
        annotators = dict.fromkeys(label.annotator for label in labels)
        rows.append(
            {"sample": sample, "who": list(annotators), "reasons": reasons, "tags": list(tags)}
        )
    return rows


CASES: Final = "regression.jsonl"  # beside the store
_FIT: Final = "cross-validated, whole groups held out"
_ENDINGS: Final = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")


@contextmanager
def sheet(labelling: Labelling, *, everyone: bool) -> Iterator[Path]:
    """The labels as the file that every command reads."""
    with tempfile.TemporaryDirectory(prefix="assay-labels-") as folder:
        path = Path(folder) / commands.SHEET
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
    rows = failures(session.labelling)
    for row in rows:
        row["row"], _ = site.store.sample(session.run.id, row["sample"].id)
        row["is_case"] = case_key(row["sample"].question, row["sample"].id) in known
    return session.render(
        "label_results.html",
        taken=plural(int(taken), "new label") if taken.isdecimal() else "",
        failures=rows,
        cases=len(known),
        cases_file=cases_file(site).name,
        commands=_commands(site, session.queue.metric),
        steps=commands.of_labels(site, session.run, session.queue),
        **label_screen.margin(session),
    )


def use_page(session: Session, what: str) -> str:
    """The page of one of them: "agreement", "threshold" or "corrected"."""
    return session.render(f"label_{what}.html", **_MAKERS[what](session))


def refused(session: Session, why: Sequence[str]) -> str:
    """The page that says why the labels there are do not do.

    Args:
        session: What it is about.
        why: In sentences: what is wrong, and what to do about it.
    """
    return session.render("label_refused.html", why=why, **label_screen.margin(session))


def card(session: Session) -> Card:
    """Threshold and probabilities fitted to the labels."""
    labelling = session.labelling
    with sheet(labelling, everyone=False) as path:
        result = session.site.result(session.run)
        return calibrate(result, path, labelling.metric, good_from=_good_from(labelling))


def examples(session: Session) -> str:
    """A prompts file with labelled samples as examples for an LLM judge."""
    with sheet(session.labelling, everyone=False) as path:
        result = session.site.result(session.run)
        return choose_examples(result, path, session.queue.metric).prompts()


def keep_case(session: Session, name: str) -> None:
    """Add a failure to the regression set, in the place of an older one with the same question."""
    labelling = session.labelling
    if not any(row["sample"].id == name for row in failures(labelling)):
        raise InputError(f"nobody called sample '{name}' bad", "label it first")
    case = case_of(session.site.store, labelling.run, labelling.metric, name)
    add_cases(cases_file(session.site), [case])


def cases_file(site: Site) -> Path:
    """The regression set of a store."""
    return site.path.with_name(CASES)


def _commands(site: Site, metric: str) -> list[str]:
    """What has a system answer the test cases, and what fails until all of them hold."""
    cases = commands.from_here(cases_file(site))
    run_words = ("run", cases, "--target", "my_rag:answer", "-m", metric)
    return [commands.command(site, *words) for words in (run_words, ("gate", "--cases", cases))]


def _good_from(labelling: Labelling) -> float:
    """The label from which on a sample is good."""
    if labelling.scale is None:
        return MAJORITY
    low, high = labelling.scale
    return (low + high) / 2 + 0.5  # of five grades the upper two


def _agreement(session: Session) -> Mapping[str, Any]:
    site, run, queue = session.site, session.run, session.queue
    other_result = site.result(site.run(queue.against)) if queue.what == "pair" else None
    result = site.result(run)
    with sheet(session.labelling, everyone=True) as path:
        human = read_labels(path, metrics=list(run.metrics))
        agreement = agree(result, human, queue.metric, other=other_result)
        report = agreement_words.collect(run, human.source, [agreement], {}, None)
    data = msgspec.convert(report, agreement_words.AgreementReport)
    settled = len({label.item for label in human.labels if label.settled is not None})
    tables = {"data": data, "words": agreement_words, "pictures": [], "size": {}}

    def sample_at(name: str) -> str:
        """Where a sample of the run stands."""
        return Place().to(f"runs/{run.id}/samples/{site.store.sample(run.id, name)[0]}")

    return {**tables, "sample_at": sample_at, "n_settled": settled, **label_screen.margin(session)}


def _threshold(session: Session) -> Mapping[str, Any]:
    fitted = card(session)
    figures = calibration_report.shown(fitted, fitted.quality, held_out=_FIT)
    name = commands.name_of(session.site, session.run)
    words = ("calibrate", name, "-m", session.queue.metric, "--card", "card.json")
    return {
        **figures,
        "card_command": commands.command(session.site, *words, "--out", "calibrated.jsonl"),
    }


def _corrected(session: Session) -> Mapping[str, Any]:
    margin = label_screen.margin(session)
    if session.queue.against:
        return {"rows": [], "notes": [], **margin}
    with sheet(session.labelling, everyone=False) as path:
        correction = correct(session.site.result(session.run), path, session.queue.metric)
    notes = list(correction_report.notes(correction, 2 * session.queue.half_width))
    return {"rows": correction_report.mean_rows(correction), "notes": notes, **margin}


_MAKERS: Final[Mapping[str, Callable[..., Mapping[str, Any]]]] = {
    "agreement": _agreement,
    "threshold": _threshold,
    "corrected": _corrected,
}
