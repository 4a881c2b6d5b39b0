"""How many labels does a decision take, in the order that labelling asks for and in random order?

Human labels of public sets are given batch by batch, as `assay label` asks for them, until the
interval of the corrected mean is as narrow as wanted, or until it is settled which of two systems
is better. The judge is the embedded one; its replies are kept in a store outside the repository.

`held` is how often the final 95 % interval holds what all labels say: that an order ends when its
interval happens to be narrow is part of what is measured.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import assay
from assay._analysis.label_pool import LEAST, SETTLED_LEVEL, Judged, Order, Pool
from assay._store.labels import Drawn
from assay.bench.data import Data
from assay.stats.correction import Corrected
from assay.stats.intervals import Interval
from benchmarks.data import FOLDER, ROOT, Record, load, thinned

MORE = Path(os.environ.get("ASSAY_DATA2", FOLDER.parent / "data2"))
METRIC = "hallucination_probability"
QUALITY = "quality_overall"
ENDS = (0.0, 1.0)
# Share of pairs that the final interval of a difference has to be narrower than, to call it none.
NO_DIFFERENCE = 0.05
SYSTEMS = (
    ("mistral-7B-instruct", "llama-2-7b-chat"),
    ("llama-2-13b-chat", "llama-2-7b-chat"),
    ("llama-2-13b-chat", "llama-2-70b-chat"),
)


@dataclass(frozen=True)
class Labelled:
    """A set with a label for every sample."""

    name: str
    pool: Pool
    labels: dict[str, float]

    @property
    def truth(self) -> float:
        """What all labels say."""
        return float(np.mean(list(self.labels.values())))


@dataclass(frozen=True)
class Ended:
    """One order of the labels, at its end."""

    labels: int
    estimate: float
    interval: Interval


def judged(rows: Sequence[Record], store: Path) -> Judged:
    names = ("id", "question", "contexts", "answer")
    data = [{name: row[name] for name in names} for row in rows]
    return Judged.of(assay.evaluate(data, METRIC, store=store), METRIC)


def truths(rows: Sequence[Record], known: Judged) -> dict[str, float]:
    by_id = {row["id"]: float(not row["labels"]["hallucinated"]) for row in rows}
    return {name: by_id[name] for name in known.ids}


def means(rows: dict[str, list[Record]], store: Path) -> list[Labelled]:
    sets = []
    for name, found in rows.items():
        known = judged(found, store)
        sets.append(Labelled(name, Pool(known), truths(found, known)))
    return sets


def crowd() -> list[Labelled]:
    """How often the first of two answers is better, by two published LLM judges and by a crowd."""
    named = "pairwise/crowd_rag_dev.jsonl.gz"
    found = Data(MORE).rows(named) if Data(MORE).has(named) else []
    rows = [row for row in found if "baseline_scores" in row["meta"]]
    if not rows:
        return []
    scores = np.array([_share_of_judges(row) for row in rows], np.float64)
    known = Judged(
        ids=tuple(row["id"] for row in rows),
        scores=scores,
        doubt=np.sqrt(scores * (1 - scores)),
        worst=scores,
        groups=None,
        parts=((),) * len(rows),
        answers=tuple(range(len(rows))),
        range=ENDS,
        falling=False,
    )
    better = [float(row["labels"]["better"][QUALITY] == "a") for row in rows]
    return [Labelled("crowd_rag dev", Pool(known), dict(zip(known.ids, better, strict=True)))]


def _share_of_judges(row: Record) -> float:
    """Which share of the judges prefers the first answer."""
    said = [judge.get(QUALITY) for judge in row["meta"]["baseline_scores"].values()]
    return sum({"a": 1.0, "b": 0.0}.get(one, 0.5) for one in said) / len(said)


def differences(rows: Sequence[Record], store: Path) -> list[Labelled]:
    known = judged(rows, store)
    by_id = {row["id"]: row for row in rows}
    label = truths(rows, known)
    place = {name: at for at, name in enumerate(known.ids)}
    sets = []
    for pair in SYSTEMS:
        sides = []
        for model in pair:
            mine = [name for name in known.ids if by_id[name]["meta"]["model"] == model]
            sources = [str(by_id[name]["meta"]["source_id"]) for name in mine]
            side = replace(known.at([place[name] for name in mine]), ids=tuple(sources))
            sides.append((side, dict(zip(sources, (label[name] for name in mine), strict=True))))
        (first, ours), (second, theirs) = sides
        pool = Pool.of_two(first, second)
        apart = {name: ours[name] - theirs[name] for name in pool.ids}
        sets.append(Labelled(f"{pair[0]} / {pair[1]}", pool, apart))
    return sets


def replay(known: Labelled, order: Order, seed: int, ends: Callable[..., bool]) -> Ended:
    """Give labels batch by batch until it `ends`, or all are given."""
    drawn: list[Drawn] = []
    values: dict[str, float] = {}
    while True:
        batch = known.pool.draw(
            drawn, values, ENDS, order=order, threshold=0.5, seed=f"replay {seed}"
        )
        drawn += batch
        values |= {one.sample: known.labels[one.sample] for one in batch}
        corrected = known.pool.corrected(drawn, values, ENDS)
        if corrected is None:
            raise ValueError(known.name)
        if len(values) == len(known.labels) or ends(known.pool, drawn, values, corrected):
            ends_at = corrected.interval or Interval(corrected.estimate, corrected.estimate)
            return Ended(len(values), corrected.estimate, ends_at)


def narrow(half_width: float) -> Callable[..., bool]:
    """Ends as soon as the interval is within so much of the mean."""

    def ends(pool: Pool, drawn: object, values: dict[str, float], corrected: Corrected) -> bool:
        del drawn
        wanted = pool.labels_for(half_width, corrected)
        return len(values) >= LEAST and wanted is not None and wanted <= len(values)

    return ends


def settled(pool: Pool, drawn: list[Drawn], values: dict[str, float], corrected: Corrected) -> bool:
    """Ends once one system is better, or neither by more than `NO_DIFFERENCE`."""
    if narrow(NO_DIFFERENCE)(pool, drawn, values, corrected):
        return True
    strict = pool.corrected(drawn, values, ENDS, SETTLED_LEVEL)
    ends = strict.interval if strict else None
    return len(values) >= LEAST and ends is not None and not ends.low <= 0 <= ends.high


def shown(known: Labelled, order: Order, ended: Sequence[Ended]) -> str:
    n = np.array([one.labels for one in ended])
    held = np.array([one.interval.low <= known.truth <= one.interval.high for one in ended])
    error = np.array([one.estimate - known.truth for one in ended])
    low, middle, high = np.percentile(n, (10, 50, 90))
    sd = float(np.sqrt(held.mean() * (1 - held.mean()) / len(held)))
    return (
        f"{known.name:<38}{order:<12}{n.mean():>8.1f}{middle:>6.0f} ({low:.0f} to {high:.0f})"
        f"{len(known.labels):>6}{held.mean():>8.3f} +- {sd:.3f}{error.mean():>+9.4f}"
        f"{np.sqrt((error**2).mean()):>8.4f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--half-widths", default="0.08,0.05", help="wanted half-widths")
    parser.add_argument("--most", type=int, default=0, help="rows of each set; 0 for all")
    default = Path(tempfile.gettempdir()) / "assay-labels-to-decision.db"
    parser.add_argument("--store", type=Path, default=default, help="where replies are kept")
    options = parser.parse_args()
    if ROOT in options.store.resolve().parents:
        raise SystemExit("the store holds texts of the sets: keep it outside the repository")
    rows = data(options.most)
    print(f"{'':<38}{'order':<12}{'labels':>8}{'median (10 % to 90 %)':>18}{'of':>5}", end="")
    print(f"{'held':>8}{'bias':>16}{'rmse':>9}")
    for known in [*means(rows, options.store), *crowd()]:
        for width in map(float, options.half_widths.split(",")):
            print(f"to within {width:g} of {known.truth:.3f}")
            report(known, narrow(width), ("mean", "random"), options.repetitions)
    print("which system is better")
    for known in differences(rows["ragtruth QA test"], options.store):
        print(f"difference {known.truth:+.3f}")
        report(known, settled, ("difference", "random"), options.repetitions)


def data(most: int) -> dict[str, list[Record]]:
    more = Data(MORE)
    test = load("ragtruth/ragtruth_test.jsonl.gz")
    rows = {
        "quintd1 dev": more.rows("records/quintd1_dev.jsonl.gz"),
        "llm_spans dev": more.rows("records/llm_spans_dev.jsonl.gz"),
        "ragtruth QA test": [row for row in test if row["meta"].get("task_type") == "QA"],
    }
    return {name: thinned(found, most) if most else found for name, found in rows.items()}


def report(
    known: Labelled, ends: Callable[..., bool], orders: Sequence[Order], repetitions: int
) -> None:
    for order in orders:
        ended = [replay(known, order, seed, ends) for seed in range(repetitions)]
        print(shown(known, order, ended), flush=True)


if __name__ == "__main__":
    main()
