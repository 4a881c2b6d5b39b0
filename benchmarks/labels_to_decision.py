"""How many labels does a decision take, in the order that labelling asks for and in random order?

Human labels of public sets are given batch by batch, as `assay label` asks for them, until the
interval of the corrected mean, or of the corrected difference of two systems, is as narrow as
wanted, or until it is settled which of the two is better. The judge is the embedded one; its
replies are kept in a store outside the repository. Of crowd_rag, where the crowd says which of two
answers is better, the judges are the two LLMs whose verdicts are published with it.

Each repetition is of a pool of its own, as many rows of the set drawn with replacement: `held` is
how often the final 95 % interval holds the mean of the whole set, of which the pool is a random
sample, and `held (pool)` how often it holds what all labels of the pool say. That an order ends
when its interval happens to be narrow is part of both. A width that labels of all rows do not
reach is left out. `most saved` is what an order could save that knew how far the judge errs on
rows of each score.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.stats import beta

import assay
from assay._analysis.label_pool import LEAST, SETTLED_LEVEL, DrawRequest, Judged, Order, Pool
from assay._analysis.label_progress import labels_to_stop
from assay._store.labels import Drawn
from assay.bench.data import Data
from assay.stats.correction import Corrected, correct_mean
from assay.stats.intervals import Interval
from benchmarks.data import FOLDER, ROOT, Record, load, thinned

MORE = Path(os.environ.get("ASSAY_DATA2", FOLDER.parent / "data2"))
METRIC = "hallucination_probability"
QUALITY = "quality_overall"
ENDS = (0.0, 1.0)
WIDTHS = (0.1, 0.08, 0.05)
FIXED = 100  # as many labels, however narrow the interval: shows what stopping by its width does
Goal: TypeAlias = Callable[[Pool, list[Drawn], dict[str, float], Corrected], bool]
# Neither system counts as better once their difference is known to within so much.
NO_DIFFERENCE = 0.05
BETTER = "which is better"
CROWD = "crowd_rag dev"
SYSTEMS = (
    ("mistral-7B-instruct", "llama-2-7b-chat"),
    ("llama-2-13b-chat", "llama-2-7b-chat"),
)
REACH = 15  # rows of a like score, on either side, of which the judge's typical error is taken


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

    def resampled(self, seed: int) -> "Labelled":
        """As many of its rows, drawn with replacement."""
        n = len(self.pool.ids)
        chosen = np.random.default_rng(seed).integers(0, n, n).tolist()
        names = tuple(f"{place} {self.pool.ids[row]}" for place, row in enumerate(chosen))
        first, second = self.pool.first, self.pool.second
        other = second and replace(second.at(chosen), ids=names)
        pool = Pool(replace(first.at(chosen), ids=names), other)
        values = [self.labels[self.pool.ids[row]] for row in chosen]
        return Labelled(self.name, pool, dict(zip(names, values, strict=True)))

    def of_all(self) -> Corrected:
        """The mean with all labels, with the interval of its rows as a sample of more."""
        labels = [self.labels[name] for name in self.pool.ids]
        return correct_mean(self.pool.scaled(ENDS), range(len(labels)), labels, ends=self.limits)

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest label, or difference of labels."""
        return ENDS if self.pool.second is None else (-1.0, 1.0)

    def most_saved(self) -> float:
        """The share of labels that an order saves that knows the judge's error by its score."""
        scores = self.pool.scaled(ENDS)
        labels = np.array([self.labels[name] for name in self.pool.ids])
        line = np.polyfit(scores, labels, 1)
        squares = (labels - np.polyval(line, scores))[np.argsort(scores, kind="stable")] ** 2
        near = np.ones(2 * REACH + 1)
        sums, n = (np.convolve(of, near, "same") for of in (squares, np.ones(len(squares))))
        error = np.sqrt(sums / n)
        return 1 - float(error.mean() ** 2 / (error**2).mean())


@dataclass(frozen=True)
class Ended:
    """One order of the labels, at its end."""

    labels: int
    estimate: float
    interval: Interval
    truth: float


def judged(rows: Sequence[Record], store: Path) -> Judged:
    names = ("id", "question", "contexts", "answer")
    data = [{name: row[name] for name in names} for row in rows]
    return Judged.of(assay.evaluate(data, METRIC, store=store), METRIC)


def truths(rows: Sequence[Record], known: Judged) -> dict[str, float]:
    by_id = {row["id"]: float(not row["labels"]["hallucinated"]) for row in rows}
    return {name: by_id[name] for name in known.ids}


def means(rows: dict[str, list[Record]], store: Path) -> Iterator[Labelled]:
    for name, found in rows.items():
        known = judged(found, store)
        yield Labelled(name, Pool(known), truths(found, known))


def crowd() -> Iterator[Labelled]:
    """How often the first of two answers is better, by two published LLM judges and by a crowd."""
    named = "pairwise/crowd_rag_dev.jsonl.gz"
    found = Data(MORE).rows(named) if Data(MORE).has(named) else []
    rows = [row for row in found if "baseline_scores" in row["meta"]]
    if not rows:
        return
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
    yield Labelled(CROWD, Pool(known), dict(zip(known.ids, better, strict=True)))


def _share_of_judges(row: Record) -> float:
    """Which share of the judges prefers the first answer."""
    said = [judge.get(QUALITY) for judge in row["meta"]["baseline_scores"].values()]
    return sum({"a": 1.0, "b": 0.0}.get(one, 0.5) for one in said) / len(said)


def differences(
    rows: Sequence[Record], pairs: Sequence[tuple[str, str]], store: Path
) -> Iterator[Labelled]:
    systems = {name for pair in pairs for name in pair}
    rows = [row for row in rows if row["meta"]["model"] in systems]
    if not rows:
        return
    known = judged(rows, store)
    by_id = {row["id"]: row for row in rows}
    label = truths(rows, known)
    place = {name: at for at, name in enumerate(known.ids)}
    for pair in pairs:
        sides = []
        for model in pair:
            mine = [name for name in known.ids if by_id[name]["meta"]["model"] == model]
            sources = [str(by_id[name]["meta"]["source_id"]) for name in mine]
            side = replace(known.at([place[name] for name in mine]), ids=tuple(sources))
            sides.append((side, dict(zip(sources, (label[name] for name in mine), strict=True))))
        (first, ours), (second, theirs) = sides
        pool = Pool.of_two(first, second)
        apart = {name: ours[name] - theirs[name] for name in pool.ids}
        yield Labelled(f"{pair[0]} / {pair[1]}", pool, apart)


def replay(known: Labelled, order: Order, seed: int, goals: Mapping[str, Goal]) -> dict[str, Ended]:
    """Give labels batch by batch until each goal is reached, or all are given."""
    drawn: list[Drawn] = []
    values: dict[str, float] = {}
    ended: dict[str, Ended] = {}
    while len(ended) < len(goals):
        request = DrawRequest(
            drawn=drawn,
            values=values,
            ends=ENDS,
            order=order,
            threshold=0.5,
            seed=f"replay {seed}",
        )
        batch = known.pool.draw(request)
        drawn += batch
        values |= {one.sample: known.labels[one.sample] for one in batch}
        corrected = known.pool.corrected(drawn, values, ENDS)
        if corrected is None:
            raise ValueError(known.name)
        ends = corrected.interval or Interval(corrected.estimate, corrected.estimate)
        now = Ended(len(values), corrected.estimate, ends, known.truth)
        for name in goals.keys() - ended.keys():
            if len(values) == len(known.labels) or (
                len(values) >= LEAST and goals[name](known.pool, drawn, values, corrected)
            ):
                ended[name] = now
    return ended


def narrow(half_width: float) -> Goal:
    """Ends as soon as the interval is within so much of the mean."""

    def ends(
        pool: Pool, drawn: list[Drawn], values: dict[str, float], corrected: Corrected
    ) -> bool:
        del drawn
        wanted = labels_to_stop(pool, half_width, corrected, ENDS)
        return wanted is not None and wanted <= len(values)

    return ends


def settled(pool: Pool, drawn: list[Drawn], values: dict[str, float], corrected: Corrected) -> bool:
    """Ends once one system is better, or neither by more than `NO_DIFFERENCE`."""
    if narrow(NO_DIFFERENCE)(pool, drawn, values, corrected):
        return True
    strict = pool.corrected(drawn, values, ENDS, SETTLED_LEVEL)
    ends = strict.interval if strict else None
    return ends is not None and not ends.low <= 0 <= ends.high


def shown(known: Labelled, order: Order, ended: Sequence[Ended]) -> str:
    n = np.array([one.labels for one in ended])
    held = [
        np.mean([one.interval.low <= truth(one) <= one.interval.high for one in ended])
        for truth in (lambda _: known.truth, lambda one: one.truth)
    ]
    error = np.array([one.estimate - known.truth for one in ended])
    low, middle, high = np.percentile(n, (10, 50, 90))
    sd = float(np.sqrt(held[0] * (1 - held[0]) / len(ended)))
    return (
        f"  {order:<12}{n.mean():>7.1f} +- {n.std() / np.sqrt(len(n)):<5.1f}"
        f"{middle:>5.0f} ({low:.0f} to {high:.0f})"
        f"{held[0]:>9.3f} +- {sd:.3f}{held[1]:>9.3f}{error.mean():>+10.4f}"
        f"{np.sqrt((error**2).mean()):>8.4f}"
    )


def bound() -> None:
    """What a judge whose probabilities are right lets an order save at most, by how good it is.

    Labels are drawn best in proportion to the deviation of what is left, here of a yes or no with
    probability p (Neyman): the variance is then (mean deviation)^2, instead of its mean square.
    The probabilities are Beta(a, a); the correction itself saves the square of the correlation.
    """
    print("AUROC   r  correction saves  order saves at most")
    for a in (2, 1, 0.5, 0.25):
        p = np.clip(beta.ppf((np.arange(100_000) + 0.5) / 100_000, a, a), 1e-12, 1 - 1e-12)
        bad_below = np.cumsum(1 - p) - (1 - p) / 2
        auroc = float((p * bad_below).sum() / (p.sum() * (1 - p).sum()))
        square, deviation = 4 * float(p.var()), np.sqrt(p * (1 - p))
        saved = 1 - float(deviation.mean() ** 2 / (deviation**2).mean())
        print(f"{auroc:>5.2f}{square**0.5:>6.2f}{square:>14.0%}{saved:>16.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--most", type=int, default=0, help="rows of each set; 0 for all")
    parser.add_argument("--only", default="", help="sets with this in their name")
    default = Path(tempfile.gettempdir()) / "assay-labels-to-decision.db"
    parser.add_argument("--store", type=Path, default=default, help="where replies are kept")
    parser.add_argument("--bound", action="store_true", help="what an order can save, in theory")
    options = parser.parse_args()
    if options.bound:
        bound()
        return
    if ROOT in options.store.resolve().parents:
        raise SystemExit("the store holds texts of the sets: keep it outside the repository")
    rows, compared = data(options.most)
    print("order            labels  median (10 % to 90 %)     held  held (pool)      bias    rmse")
    asked = {name: found for name, found in rows.items() if options.only in name}
    for known in [*means(asked, options.store), *(crowd() if options.only in CROWD else ())]:
        report(known, ("mean", "random"), options.repetitions)
    pairs = [pair for pair in SYSTEMS if options.only in " / ".join(pair)]
    for known in differences(compared, pairs, options.store):
        report(known, ("difference", "random"), options.repetitions)


def data(most: int) -> tuple[dict[str, list[Record]], list[Record]]:
    """The sets whose means are asked for, and the rows of which systems are compared."""
    more = Data(MORE)
    test = load("ragtruth/ragtruth_test.jsonl.gz")
    rows = {
        "quintd1 dev": more.rows("records/quintd1_dev.jsonl.gz"),
        "llm_spans dev": more.rows("records/llm_spans_dev.jsonl.gz"),
        "ragtruth QA test": [row for row in test if row["meta"].get("task_type") == "QA"],
    }
    systems = {name for pair in SYSTEMS for name in pair}
    compared = [row for row in test if row["meta"]["model"] in systems]
    if most:
        rows = {name: thinned(found, most) for name, found in rows.items()}
        compared = compared[: 3 * most]
    return rows, compared


def report(known: Labelled, orders: Sequence[Order], repetitions: int) -> None:
    """All widths that all labels reach, and of two systems which is better."""
    of_all = known.of_all()
    print(
        f"{known.name}: {len(known.labels)} rows, {known.truth:+.3f}, correlation of judge and"
        f" labels {of_all.correlation or 0:.2f}, most saved {known.most_saved():.0%}"
    )
    reached = of_all.interval.high - of_all.interval.low if of_all.interval else 0.0
    goals: dict[str, Goal] = {
        f"with {FIXED} labels": lambda _, __, values, ___: len(values) >= FIXED
    }
    goals |= {f"to within {width:g}": narrow(width) for width in WIDTHS if 2 * width > reached}
    if known.pool.second is not None:
        goals[BETTER] = settled
    ended = {
        order: [replay(known.resampled(seed), order, seed, goals) for seed in range(repetitions)]
        for order in orders
    }
    for words in goals:
        print(f" {words}")
        for order in orders:
            found = [one[words] for one in ended[order]]
            print(shown(known, order, found), flush=True)
            if words == BETTER:
                wrong = sum(one.interval.low > 0 > known.truth for one in found)
                wrong += sum(one.interval.high < 0 < known.truth for one in found)
                print(f"    the worse one is called better in {wrong} of {len(found)}")


if __name__ == "__main__":
    main()
