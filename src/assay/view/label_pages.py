"""The pages around the label screen: where it starts, what people disagree about, what it tells."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from assay._analysis.label_pool import ORDERS
from assay._analysis.labelling import Labelling
from assay._store import Run
from assay.errors import InputError
from assay.view import label_screen
from assay.view.labelling import Desk, Queue, Session
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


def start(site: Site, desk: Desk, run: Run, queue: Queue, problem: str = "") -> str:
    """The page on which labelling begins."""
    others = [
        other
        for other in site.runs()
        if other.id != run.id and not other.derived and set(other.metrics) & set(run.metrics)
    ]
    # Those over as many samples first: they are more likely to be over the same ones.
    others.sort(key=lambda other: other.n_samples != run.n_samples)
    return site.render(
        "label_start.html",
        Place(),
        run=run,
        queue=queue,
        problem=problem,
        ongoing=list(_ongoing(desk, run)),
        others=others[:_MOST_RUNS],
        orders=ORDERS,
        about=run.config["about"],
    )


def _ongoing(desk: Desk, run: Run) -> Iterable[Ongoing]:
    """The queues that somebody has labelled in."""
    found: dict[Queue, list[tuple[str, int]]] = {}
    for one in desk.tally(run):
        metric, _, other = one.about.partition(" against ")
        if metric not in run.metrics:
            continue
        graded = one.most > 1 and not other and not one.statements
        what: Any = "pair" if other else "statement" if one.statements else "answer"
        queue = Queue(
            run=run.id,
            metric=metric,
            what="rubric" if graded else what,
            order="difference" if other else "mean",
            against=other,
        )
        found.setdefault(queue, []).append((one.annotator, one.n))
    for queue, people in found.items():
        words = {"answer": "answers", "statement": "statements", "rubric": "answers, from 1 to 5"}
        said = words.get(queue.what, "pairs of answers")
        yield Ongoing(desk.as_before(queue), f"{queue.metric}: {said}", tuple(people))


def finished(session: Session) -> str:
    """The page for who has nothing left to label."""
    return session.render("label_done.html", **label_screen.margin(session))


def disputes(session: Session) -> str:
    """The page of disagreements."""
    rows = []
    for one in session.labelling.disputes():
        item = session.labelling.item(one.run, one.sample, one.statement)
        said = [(label, label_screen.said(session.queue, item, label)) for label in one.labels]
        settled = one.settled
        words = settled and (settled, label_screen.said(session.queue, item, settled))
        rows.append({"item": item, "said": said, "settled": words})
    open_ = sum(row["settled"] is None for row in rows)
    return session.render("label_disputes.html", rows=rows, open=open_)


def failures(labelling: Labelling) -> list[dict[str, Any]]:
    """The samples that people call bad, the surest first."""
    low, high = labelling.scale or (0.0, 1.0)
    middle = (low + high) / 2
    by_sample: dict[str, list[Any]] = {}
    labels = [label for label in labelling.labels() if label.run == labelling.run.id]
    fine = {one.item for one in labels if one.kind == "settled" and (one.value or 0.0) >= middle}
    for label in labels:
        if label.value is not None and label.value < middle and label.item not in fine:
            by_sample.setdefault(label.sample, []).append(label)
    found: list[dict[str, Any]] = []
    for name, labels in sorted(by_sample.items(), key=lambda pair: -len(pair[1])):
        if len(found) == _MOST_FAILURES:
            break
        try:
            sample, _ = labelling.scored(labelling.run.id, name)
        except InputError:
            continue
        reasons = [label.reason for label in labels if label.reason]
        tags = dict.fromkeys(tag for label in labels for tag in label.tags)
        who = dict.fromkeys(label.annotator for label in labels)
        found.append({"sample": sample, "who": list(who), "reasons": reasons, "tags": list(tags)})
    return found
