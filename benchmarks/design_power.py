"""Does a test set find the difference that its design card says it would? Degradations simulated.

    python -m benchmarks.design_power [--simulations 500]

Two retrievers that are about equally good (BM25 over XQuAD's articles in chunks of 50 and of 60
words) have per-question scores: right or wrong (the answer is in the first chunk), and reciprocal
ranks. n questions are drawn; the second retriever is made worse by exactly the difference that
the card names for n questions, by letting random questions fail, and the two are compared as
`assay compare` does. Predicted is that 80 of 100 are found; with no degradation, at most 5.
"""

import argparse
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.experiments.retrieval import Chunking, Index
from assay.stats.comparison import paired
from assay.stats.power import ChangedShares, detectable_fall, mcnemar_detectable
from assay.testset import Document
from assay.testset.size import FLIPS
from benchmarks.retriever_ranking import DEPTH, Asked, corpus, holds

Floats: TypeAlias = npt.NDArray[np.float64]
SIZES = (20, 50, 100, 200)


def ranks(documents: list[Document], asked: list[Asked], size: int) -> Floats:
    """1 / rank of the first chunk with the answer, of each question."""
    index = Index(documents, Chunking("sentence", size))
    scores = []
    for question, places in asked:
        found = enumerate(index.by_words(question, DEPTH), 1)
        scores.append(next((1 / n for n, at in found if holds(index.chunks[at], places[0])), 0.0))
    return np.array(scores)


def found(one: Floats, other: Floats, n: int, fall: float, times: int) -> tuple[float, float]:
    """Shares of simulations in which the second is called worse, and in which it is better."""
    chance = np.random.default_rng(n)
    base = other.mean()
    failing = 1 - (one.mean() - fall) / base
    worse = better = 0
    for _ in range(times):
        at = chance.integers(len(one), size=n)
        after = np.where(chance.random(n) < failing, 0.0, other[at])
        pairs = paired(one[at], after)
        worse += pairs.p < 0.05 and pairs.difference < 0
        better += pairs.p < 0.05 and pairs.difference > 0
    return worse / times, better / times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=500)
    times = parser.parse_args().simulations
    documents, asked = corpus("xquad")
    first, second = (ranks(documents, asked, size) for size in (50, 60))
    print("| scores | card from | n | difference named | found | found without any |")
    print("|---|---|---:|---:|---:|---:|")
    if second.mean() < first.mean():  # what is made worse is not worse to begin with
        first, second = second, first
    for name, one, other in (
        ("right or wrong", (first == 1) * 1.0, (second == 1) * 1.0),
        ("reciprocal rank", first, second),
    ):
        shares = ChangedShares(((other > one).mean()), ((other < one).mean()))
        deviation = float(np.std(other - one, ddof=1))
        for n in SIZES:
            by_runs = detectable_fall(deviation, float((one**2).mean() / one.mean()), n)
            cards = {"two runs": by_runs}
            if name == "right or wrong":
                cards = {
                    "its size alone": mcnemar_detectable(n, FLIPS),
                    "two runs": mcnemar_detectable(n, shares),
                }
            for card, fall in cards.items():
                if fall is None or fall >= one.mean():
                    print(f"| {name} | {card} | {n} | none | | |")
                    continue
                hit, _ = found(one, other, n, fall, times)
                none, _ = found(one, other, n, 0.0, times)
                print(
                    f"| {name} | {card} | {n} | {fall:.3f} | {hit:.2f} | {none:.3f} |", flush=True
                )


if __name__ == "__main__":
    main()
