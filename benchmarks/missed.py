"""Does the estimate of bad answers that passed hold on labelled answers that it was not made from?

    python -m benchmarks.missed

Half of the sources of RAGTruth's test questions say how often the embedded judge is wrong; runs of
60 answers are drawn from the other half, and from summaries and data-to-text answers, on which the
judge errs otherwise: what the estimate must not be used for.
"""

import argparse
from collections.abc import Sequence
from typing import Final

import numpy as np

import assay
from assay.bench import groundedness
from assay.bench.data import Record, group_of, thinned
from assay.bench.judge import Checked, JudgeUnderTest, answered, flagged, uncertain
from assay.stats.misclassification import bad_among
from benchmarks.data import DATA, present

MOST: Final = {"QA": 2000, "Summary": 300, "Data2txt": 200}
ANSWERS: Final = 60
# Several answers of one source tell less than as many of several.
LESS: Final = 2.0

Case = tuple[bool, int, str]


def cases(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Case]:
    """Of each answer whether it is bad, the class that the judge puts it in, and its source."""
    checked = judge.check([groundedness.ragtruth_text(record) for record in records])
    return [
        (bool(record["labels"]["hallucinated"]), _class(found), group_of(record))
        for record, found in answered(records, checked)
    ]


def _class(checked: Checked) -> int:
    return 0 if flagged(checked) else 1 if uncertain(checked) else 2


def held(pool: Sequence[Case], known: Sequence[Case], rounds: int) -> str:
    """How often the intervals hold the true numbers of runs from the pool, and the mean error."""
    rng = np.random.default_rng(1)
    bad, good = (
        tuple(sum(b is is_bad and c == k for b, c, _ in known) / LESS for k in range(3))
        for is_bad in (True, False)
    )
    found = []
    for _ in range(rounds):
        drawn = [pool[i] for i in rng.choice(len(pool), ANSWERS, replace=False)]
        counts = tuple(sum(c == k for _, c, _ in drawn) for k in range(3))
        classes, total = bad_among(counts, bad, good)
        truth = (sum(b and c == 2 for b, c, _ in drawn), sum(b for b, _, _ in drawn))
        for estimate, true in zip((classes[-1], total), truth, strict=True):
            found.append((estimate.low <= true <= estimate.high, abs(estimate.value - true)))
    inside, off = np.array(found).T.reshape(2, rounds, 2).mean(axis=1)
    return (
        f"passed: held {inside[0]:.2f}, off by {off[0]:.1f}; "
        f"all: held {inside[1]:.2f}, off by {off[1]:.1f} (of {ANSWERS})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    present(groundedness.RAGTRUTH)
    judge = JudgeUnderTest(assay.backend("embedded"))
    rows = DATA.rows(groundedness.RAGTRUTH)
    found = {
        kind: cases(
            judge, thinned([r for r in rows if groundedness.ragtruth_task(r) == kind], most)
        )
        for kind, most in MOST.items()
    }
    sources = sorted({source for _, _, source in found["QA"]})
    half = set(np.random.default_rng(0).permutation(sources)[: len(sources) // 2])
    known = [case for case in found["QA"] if case[2] in half]
    print(
        "questions, other half  ", held([c for c in found["QA"] if c[2] not in half], known, rounds)
    )
    for kind in ("Summary", "Data2txt"):
        print(f"{kind:<23}", held(found[kind], found["QA"], rounds))


if __name__ == "__main__":
    main()
