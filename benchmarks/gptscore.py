"""GPTScore (adequacy) beside people: is an answer right, given an accepted one?

Answers of five systems to Natural Questions, labelled by people (EVOUNA; Wang et al. 2023), as many
right as wrong ones, at most one a question. Printed is the AUROC of each score with a 95 %
jackknife interval over questions, beside floors: the words of the accepted answer that stand in the
answer, and the shorter answer.

    python -m benchmarks.gptscore gguf:MODEL [--most 60]
"""

import argparse
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay._text.words import words
from assay.bench.data import Data
from assay.stats.agreement import auroc
from assay.stats.intervals import jackknife_interval
from benchmarks.data import FOLDER

METRICS = ("gptscore(aspect=adequacy)", "bleu", "rouge", "token_f1", "answer_similarity")


def rows_of(most: int) -> list[dict[str, Any]]:
    """So many right and as many wrong answers, each to a question of its own."""
    drawn = Data(FOLDER).rows("correctness/evouna_nq.jsonl.gz")
    random.Random(0).shuffle(drawn)
    left, seen, rows = {True: most, False: most}, set(), []
    for row in drawn:
        right = row["labels"]["correct"]
        if row["question"] in seen or not left[right] or not row["answer"]:
            continue
        seen.add(row["question"])
        left[right] -= 1
        asked = {"id": row["id"], "question": row["question"], "answer": row["answer"]}
        rows.append({**asked, "reference": row["ground_truth"][0], "right": right})
    return rows


def held(row: dict[str, Any]) -> float:
    """The share of the accepted answer's words that stand in the answer."""
    wanted = set(words(row["reference"]))
    return len(wanted & set(words(row["answer"]))) / max(1, len(wanted))


def main() -> None:
    """Score the answers, and print one line a method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge", help="one that tells log-probabilities: gguf:MODEL")
    parser.add_argument("--most", type=int, default=60, help="right answers, and wrong ones")
    given = parser.parse_args()
    rows = rows_of(given.most)
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "gptscore.db")
        frame = assay.evaluate(rows, METRICS, given.judge, store=store).to_pandas()
    truth = np.array([row["right"] for row in rows])
    scores = {name: frame[name].to_numpy(float) for name in METRICS}
    scores["floor: words of the accepted answer"] = np.array([held(row) for row in rows])
    scores["floor: shorter"] = np.array([-float(len(row["answer"])) for row in rows])
    print(f"{len(rows)} answers, {truth.sum()} right")
    for name, values in scores.items():
        known = ~np.isnan(values)
        statistic = auroc(values[known], truth[known])
        ends = jackknife_interval(statistic, range(int(known.sum())), low=0.0, high=1.0)
        shown = f"{ends.low:.2f} to {ends.high:.2f}" if ends else "-"
        print(f"{name:36} {statistic(np.ones(int(known.sum()))):.2f} ({shown}), n {known.sum()}")


if __name__ == "__main__":
    main()
