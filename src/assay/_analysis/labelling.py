"""Labelling: what a person is shown next, what they decide, and what all labels tell so far."""

import hashlib
from collections.abc import Sequence
from copy import copy
from typing import Final, Literal

import numpy as np

from assay._analysis.label_pool import (
    ORDERS,
    Dispute,
    DrawRequest,
    Judged,
    Key,
    LabelItem,
    Order,
    PairSide,
    Pool,
    Progress,
    State,
)
from assay._analysis.label_progress import Per, Tally
from assay._analysis.labelled import one_metric
from assay._runner.result import Result
from assay._store import Store
from assay._store.labels import WORST, Drawn, HumanLabel, check_annotator, pair_label
from assay.errors import InputError
from assay.sample import Sample
from assay.score import Outcome, Part

_WHY: Final = {
    "mean": "a label here narrows the corrected mean",
    "difference": "labels of this pair narrow the difference",
    "threshold": "its score is near the threshold",
    "random": "drawn at random",
    WORST: "its score is among the worst of a look that told of drift",
}
_SECOND: Final = "second opinion"


class Labelling:
    """Labels of one metric of a run, asked for one by one. Whatever is decided is on disk at once.

    Several people and processes may work on one store: each has an object of their own.

    Args:
        store: The store.
        run: Name or id of the run.
        metric: The metric; None if the run has only one.
        annotator: Who labels.
        order: What decides which samples are drawn: "random" (for every use), "mean" (what narrows
            the corrected mean), "difference" (of two runs), or "threshold" (scores near it). Every
            sample has a chance, and it is known: `weights`.
        against: The run to compare with, for the order "difference".
        per: Whether answers are labelled, or each statement of them; or "pair": which of the two
            answers is better (1: that of the run, 0: the other, 0.5: neither).
        blind: Whether what the judge says is kept back until an item is labelled.
        second_opinions: Share of the samples that two people label, in [0, 1]: kept with the queue,
            for everyone who labels. None: as it was asked for before, or none.
        half_width: The half-width of the interval that is wanted.
        threshold: The score from which on the judge calls a sample good; None: that of the metric.
        scale: The least and the greatest grade, such as (1, 5); None: 1 or 0, or by the labels.
        seed: Another seed draws other samples.

    Raises:
        InputError: If there is no such run or metric, or what is asked for does not fit together.
    """

    def __init__(  # noqa: PLR0913 - what is labelled, by whom, in which order
        self,
        store: Store,
        run: str = "last",
        metric: str | None = None,
        *,
        annotator: str,
        order: Order = "random",
        against: str | None = None,
        per: Per = "answer",
        blind: bool = True,
        second_opinions: float | None = None,
        half_width: float = 0.05,
        threshold: float | None = None,
        scale: tuple[float, float] | None = None,
        seed: int = 0,
    ) -> None:
        self._store, self.annotator = store, check_annotator(annotator)
        result = Result(store.path, run)
        self.run, self.metric = result.run, one_metric(result, metric)
        self.order, self.per, self.blind, self._seed = order, per, blind, seed
        self.half_width, self.scale = half_width, scale
        _check(order, against, per, second_opinions or 0.0, half_width)
        self.against = "" if against is None else store.run(against).id
        if self.against == self.run.id:
            raise InputError("a run is compared with itself", "name another run")
        self.pool = Pool(self._read_judged(result))
        if self.against:
            other_result = Result(store.path, self.against)
            if self.metric not in other_result.run.metrics:
                fault = f"run {self.against} has no {self.metric}"
                raise InputError(fault, "score both by the same metric")
            self.pool = Pool.of_two(self.pool.first, self._read_judged(other_result))
        # Of a pair the label is one, and kept with the first run.
        self._runs = [self.run.id, *([self.against] if self.against and per != "pair" else [])]
        self.about = pair_label(self.metric, self.against) if per == "pair" else self.metric
        facts = self.run.config["about"][self.metric]
        self.threshold = self.pool.first.threshold(threshold, facts["guide"])
        self._tally = Tally(
            pool=self.pool,
            run=self.run.id,
            against=self.against,
            per=per,
            half_width=half_width,
            threshold=self.threshold,
            scale=scale,
        )
        if second_opinions is not None:
            store.labels.ask_for_seconds(*self._queue, second_opinions)
        self._current: LabelItem | None = None
        self._known: tuple[object, State] | None = None

    @property
    def _queue(self) -> tuple[str, str, str]:
        """What names the queue in the store."""
        return self.run.id, self.metric, self.against

    def by(self, annotator: str) -> "Labelling":
        """The same for another person, without reading the run again."""
        other_labelling = copy(self)
        other_labelling.annotator = check_annotator(annotator)
        other_labelling._current = None  # noqa: SLF001 - it is one of this class
        return other_labelling

    def next(self) -> LabelItem | None:
        """What to label next; None once everything is labelled. The same until it is decided."""
        if self._current is None:
            key = self._next_key()
            self._current = None if key is None else self.item(*key)
        return self._current

    def record(
        self,
        value: float | None,
        reason: str = "",
        tags: Sequence[str] = (),
        *,
        item: Key | None = None,
    ) -> HumanLabel:
        """Keep a decision about what `next` gave, or about another item. It is on disk then.

        A second decision of the same person about the same thing takes the place of the first.

        Args:
            value: The label: 1 or 0 for good or bad, a share, a grade; None if they are unsure.
            reason: Why, in their words.
            tags: Kinds of error.
            item: What it is about: run, sample, statement.

        Raises:
            InputError: If there is nothing to decide, or it cannot be kept.
        """
        label = self._label(item, "unsure" if value is None else "label", value, reason, tags)
        self._store.labels.keep([label])
        self._current = None
        return label

    def skip(self, item: Key | None = None) -> None:
        """Leave what `next` gave, or another item, to others; this person is not asked again."""
        self._store.labels.keep([self._label(item, "skip", None, "", ())])
        self._current = None

    def undo(self) -> HumanLabel | None:
        """Take back this person's latest decision, which is asked again; None if there is none."""
        statements = self.per == "statement"
        label = self._store.labels.undo(
            self._runs, self.about, self.annotator, statements=statements
        )
        known = label is not None and label.kind != "settled" and label.sample in self.pool.place_of
        self._current = self.item(*label.item) if label is not None and known else None
        return label

    def item(self, run: str, sample: str, statement: int | None) -> LabelItem:
        """One thing to label, whoever has labelled it.

        Raises:
            InputError: If there is no such sample or statement.
        """
        row, stored_sample = self._store.sample(run, sample)
        outcome = self._store.outcome(run, row, self.metric)
        text = stored_sample.answer or ""
        if statement is not None:
            parts = _judged_parts(outcome)
            if not 0 <= statement < len(parts):
                fault = f"the answer of sample '{sample}' has no statement {statement + 1}"
                raise InputError(fault, f"it has {len(parts)}")
            text = parts[statement].text
        drawn = next((draw for draw in self._current_state().drawn if draw.sample == sample), None)
        labels_by_name = self._current_state().by_item.get((run, sample, statement), {})
        shows_judge = not self.blind or self.annotator in labels_by_name
        return LabelItem(
            run=run,
            sample=sample,
            statement=statement,
            text=text,
            question=stored_sample.question,
            answer=stored_sample.answer or "",
            contexts=stored_sample.contexts or (),
            reference=stored_sample.reference,
            why=self._reason_to_ask(drawn, scored=sample in self.pool.place_of),
            chance=drawn.chance if drawn else 1.0,
            second=any(
                n != self.annotator and o.kind == "label" for n, o in labels_by_name.items()
            ),
            outcome=outcome if shows_judge else None,
            sides=self._pair_sides(sample, is_told=shows_judge) if self.per == "pair" else (),
        )

    def decided(self) -> list[Key]:
        """What this person has decided of what is labelled here, in the order of deciding."""
        own_labels = [label for label in self.labels() if label.annotator == self.annotator]
        own_labels = [label for label in own_labels if label.kind != "settled"]
        return [label.item for label in sorted(own_labels, key=lambda label: label.at)]

    def verdicts(self, item: Key) -> tuple[bool | None, bool | None]:
        """Whether the judge calls an item good, and whether this person does; None for neither."""
        label = self.decision(item)
        judge = self._tally.called(item) if item[1] in self.pool.place_of else None
        return judge, None if label is None else self._tally.is_good(label.value)

    def decision(self, item: Key) -> HumanLabel | None:
        """This person's decision about an item; None if there is none."""
        return self._current_state().by_item.get(item, {}).get(self.annotator)

    def replaced(self, item: Key) -> HumanLabel | None:
        """What this person's decision about an item took the place of; None if it is the first."""
        return self._current_state().before.get((item, self.annotator))

    def progress(self) -> Progress:
        """What the labels tell so far."""
        disputes = sum(dispute.settled is None for dispute in self.disputes())
        return self._tally.progress(self._current_state(), disputes)

    def values(self) -> dict[str, float]:
        """The label of each sample that is labelled whole: the mean over annotators."""
        return self._tally.values(self._current_state())

    def weights(self) -> dict[str, float]:
        """How many samples each labelled one stands for; 1 / that is its inclusion probability."""
        state = self._current_state()
        return self.pool.weights(state.drawn, self._tally.values(state))

    def drawn(self) -> list[Drawn]:
        """The samples that were drawn to be labelled, in order."""
        return self._current_state().drawn

    def scored(self, run: str, sample: str) -> tuple[Sample, list[Part]]:
        """A sample and the judged parts of its score.

        Raises:
            InputError: If the run has no such sample.
        """
        row, stored_sample = self._store.sample(run, sample)
        outcome = self._store.outcome(run, row, self.metric)
        return stored_sample, _judged_parts(outcome)

    def labels(self) -> list[HumanLabel]:
        """What counts of every annotator and item labelled here: the latest decision not undone."""
        state = self._current_state()
        labels = [label for by_name in state.by_item.values() for label in by_name.values()]
        return [
            label
            for label in (*labels, *state.settled.values())
            if self._tally.is_about(label.item)
        ]

    def disputes(self) -> list[Dispute]:
        """What annotators label differently of what is labelled here, the open ones first."""
        state = self._current_state()
        disputes = []
        for key, by_name in state.by_item.items():
            labels = tuple(label for label in by_name.values() if label.kind == "label")
            if self._tally.is_about(key) and len({label.value for label in labels}) > 1:
                disputes.append(Dispute(*key, labels, state.settled.get(key)))
        return sorted(disputes, key=lambda dispute: dispute.settled is not None)

    def adjudicate(self, item: Key, value: float, reason: str = "") -> HumanLabel:
        """Decide a disagreement: this label counts, whatever annotators said.

        Raises:
            InputError: If they do not disagree about it.
        """
        if item not in {
            (dispute.run, dispute.sample, dispute.statement) for dispute in self.disputes()
        }:
            raise InputError("annotators do not disagree about this", "see the disagreements")
        label = self._label(item, "settled", value, reason, ())
        self._store.labels.keep([label])
        return label

    def take(self, labels: Sequence[HumanLabel]) -> int:
        """Keep labels that were given elsewhere; each counts with its own chance.

        Those without one are taken to be of a random choice. Labels that are there already stay.

        Returns:
            How many are new.

        Raises:
            InputError: If a sample or statement is not in the run.
        """
        state = self._current_state()
        for sample in sorted({label.sample for label in labels} - self.pool.place_of.keys()):
            self._store.sample(self.run.id, sample)  # one without a score has a label all the same
        new = [
            label
            for label in labels
            if (known := state.by_item.get(label.item, {}).get(label.annotator)) is None
            or (known.value, known.kind) != (label.value, label.kind)
        ]
        queued = {draw.sample for draw in state.drawn}
        open_ones = self.pool.place_of.keys() - queued
        chances = {label.sample: label.chance for label in labels if label.sample in open_ones}
        if chances and not self.against:
            batch = max((draw.batch for draw in state.drawn), default=-1) + 1
            random = len(chances) / (len(self.pool.ids) - len(queued))
            drawn = [Drawn(batch, s, chance or random, "given") for s, chance in chances.items()]
            self._store.labels.draw(*self._queue, batch, drawn)
        self._store.labels.keep(new)
        self._current = None
        return len(new)

    def _label(
        self,
        item: Key | None,
        kind: Literal["label", "unsure", "skip", "settled"],
        value: float | None,
        reason: str,
        tags: Sequence[str],
    ) -> HumanLabel:
        if item is None:
            current = self.next()
            if current is None:
                raise InputError("nothing is left to label", "everything is labelled")
            item = current.key
        run, sample, statement = self.item(*item).key
        if run not in (self.run.id, self.against):
            raise InputError(f"run {run} is not the one that is labelled")
        if value is not None and not np.isfinite(value):
            raise InputError(f"{value} is no label", "give a finite number")
        low, high = (0.0, 1.0) if self.per == "pair" else self.scale or (-np.inf, np.inf)
        if value is not None and not low <= value <= high:
            raise InputError(f"{value:g} is no label here", f"give one from {low:g} to {high:g}")
        chance = next(
            (draw.chance for draw in self._current_state().drawn if draw.sample == sample), None
        )
        return HumanLabel(
            run=run,
            metric=self.about,
            sample=sample,
            statement=statement,
            annotator=self.annotator,
            kind=kind,
            value=None if value is None else float(value),
            reason=reason,
            tags=tuple(tags),
            chance=chance,
        )

    def _current_state(self) -> State:
        """The labels as they are now, read again only if there are others."""
        labels, runs = self._store.labels, self._runs
        version = (
            *(labels.version(run, self.about) for run in runs),
            labels.n_drawn(*self._queue),
        )
        if self._known is None or self._known[0] != version:
            decisions = [label for run in runs for label in labels.of(run, self.about)]
            drawn = labels.queue(*self._queue)
            self._known = version, State.of(decisions, drawn)
        return self._known[1]

    def _next_key(self) -> Key | None:
        """The next item that this person is to label; a batch is drawn where none is left."""
        while True:
            state, share = self._current_state(), self._store.labels.share_of_seconds(*self._queue)
            for drawn in self._in_turn(state.drawn):
                for key in self._items(drawn.sample):
                    if self._is_wanted(state, key, share):
                        return key
            request = DrawRequest(
                drawn=state.drawn,
                values=self._tally.values(state),
                ends=self._tally.ends(state),
                order=self.order,
                threshold=self.threshold,
                seed=f"{self.metric}\0{self._seed}",
            )
            batch = self.pool.draw(request)
            if not batch:
                return None
            self._store.labels.draw(*self._queue, batch[0].batch, batch)

    def _in_turn(self, drawn: Sequence[Drawn]) -> list[Drawn]:
        """Batch by batch, and within one in a random order of this person's own.

        So two who work at once seldom meet, and what is labelled of a batch is a random part of it.
        """
        return sorted(
            drawn, key=lambda draw: (draw.batch, self._random_number(self.annotator, draw.sample))
        )

    def _random_number(self, *words: object) -> float:
        """A number in [0, 1) that depends on nothing but these words and the seed."""
        text = "\0".join(map(str, (self._seed, self.metric, *words)))
        digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:6]) / 2**48

    def _items(self, sample: str) -> list[Key]:
        """All that is to be labelled of a sample; of two answers either may be first."""
        keys = self._tally.items(sample)
        return sorted(keys, key=lambda key: self._random_number(self.annotator, sample, key[0]))

    def _is_wanted(self, state: State, key: Key, share: float) -> bool:
        by_name = state.by_item.get(key, {})
        if self.annotator in by_name:
            return False
        n_labels = sum(label.kind == "label" for label in by_name.values())
        return n_labels < (2 if self._random_number(_SECOND, key[1]) < share else 1)

    def _reason_to_ask(self, drawn: Drawn | None, *, scored: bool) -> str:
        if not scored:
            return "without a score: a label here counts in no mean"
        if drawn is None:
            return "chosen by hand: counts in the mean once it is drawn"
        if drawn.why not in _WHY:
            return "labelled elsewhere"
        reason = _WHY[drawn.why]
        if round(drawn.chance, 2) == 1:  # all that were left were drawn
            return "" if drawn.why == "random" else reason
        return f"{reason}; drawn with a chance of {100 * drawn.chance:.0f} %"

    def _pair_sides(self, sample: str, *, is_told: bool) -> tuple[PairSide, ...]:
        """Both answers of a pair, in an order of this person's own."""
        sides = []
        for run, value in ((self.run.id, 1.0), (self.against, 0.0)):
            row, stored_sample = self._store.sample(run, sample)
            outcome = self._store.outcome(run, row, self.metric) if is_told else None
            sides.append(
                PairSide(
                    run, stored_sample.answer or "", stored_sample.contexts or (), value, outcome
                )
            )
        mixed = self._random_number(self.annotator, sample, "side") < 0.5
        return (sides[0], sides[1]) if mixed else (sides[1], sides[0])

    def _read_judged(self, result: Result) -> Judged:
        judged = Judged.of(result, self.metric)
        return judged.with_parts() if self.per == "statement" else judged


def _check(
    order: str, against: str | None, per: str, second_opinions: float, half_width: float
) -> None:
    """See that what is asked for fits together."""
    if order not in ORDERS or per not in ("answer", "statement", "pair"):
        fault = f"'{order}' per '{per}' is no way to label"
        raise InputError(
            fault, f"the orders are {', '.join(ORDERS)}, per answer, statement or pair"
        )
    if per == "pair" and against is None:
        raise InputError("pairs are of two runs", "name the other run (against)")
    if order == "difference" and against is None:
        raise InputError("the order 'difference' is for two runs", "name the other run (against)")
    if against is not None and order not in ("difference", "random"):
        raise InputError(f"the order '{order}' is for one run", "take 'difference' or 'random'")
    if not 0 <= second_opinions <= 1 or not half_width > 0:
        fault = f"a share of {second_opinions:g} or a half-width of {half_width:g} is none"
        raise InputError(fault, "give a share from 0 to 1, and a half-width above 0")


def _judged_parts(outcome: Outcome | None) -> list[Part]:
    return [part for part in outcome.parts if part.value is not None] if outcome else []
