"""GPTScore (adequacy), G-Eval and CRUD-RAG's wording beside people: is an answer right?

Answers of five systems to Natural Questions, labelled by people (EVOUNA; Wang et al. 2023), as many
right as wrong ones, at most one a question. Printed is the AUROC of each score with a 95 %
jackknife interval over questions, beside floors: the words of the accepted answer that stand in the
answer, and the shorter answer. G-Eval's steps are given, so that nothing is left to the judge but
the grade.

    python -m benchmarks.gptscore gguf:MODEL [--most 60] [--without g_eval]
    python -m benchmarks.gptscore recorded --most 30 --without gptscore

"recorded" is what a strong model replied to G-Eval's prompts, from each prompt alone.
"""

import argparse
import random
from typing import Any

import numpy as np

import assay
from assay._text.words import words
from assay.metrics import resolve
from assay.metrics.criteria import GEval
from assay.stats.agreement import auroc
from assay.stats.jackknife import jackknife_interval
from benchmarks.data import DATA
from benchmarks.recorded.replay import Recorded, lines

ANSWERS = "correctness/evouna_nq.jsonl.gz"
G_EVAL = GEval(
    criterion="Is the answer right? The reference is an accepted answer to the question.",
    steps=(
        "Find what the reference says in answer to the question.",
        "See whether the answer says the same, in whatever words, and nothing that is against it.",
        "Give the worst grade to an answer that says something else, the best to one that agrees.",
    ),
    n=1,
    shows=("question", "reference", "answer"),
)
METRICS = (
    "gptscore(aspect=adequacy)",
    G_EVAL,
    "crud:bleu",
    "crud:rouge_l",
    "bleu",
    "rouge",
    "token_f1",
    "answer_similarity",
)


def rows_of(most: int) -> list[dict[str, Any]]:
    """So many right and as many wrong answers, each to a question of its own."""
    drawn = DATA.rows(ANSWERS)
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


def record() -> Recorded:
    """What a strong model replied to G-Eval's prompts about the first 30 right and 30 wrong."""
    return Recorded({line["key"]: line["reply"] for line in lines("g_eval.jsonl.gz")})


def held(row: dict[str, Any]) -> float:
    """The share of the accepted answer's words that stand in the answer."""
    wanted = set(words(row["reference"]))
    return len(wanted & set(words(row["answer"]))) / max(1, len(wanted))


def main() -> None:
    """Score the answers, and print one line a method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge", help="gguf:MODEL (GPTScore needs log-probabilities), recorded")
    parser.add_argument("--without", nargs="*", default=[], help="metrics that are not asked for")
    parser.add_argument("--store", default="gptscore.db", help="a killed run goes on from there")
    parser.add_argument("--most", type=int, default=60, help="right answers, and wrong ones")
    options = parser.parse_args()
    rows = rows_of(options.most)
    wanted = [one for one in resolve(METRICS) if one.name not in options.without]
    judge = record().ask if options.judge == "recorded" else options.judge
    asked = [{k: v for k, v in row.items() if k != "right"} for row in rows]
    frame = assay.evaluate(asked, wanted, judge, store=options.store).to_pandas()
    truth = np.array([row["right"] for row in rows])
    scores = {one.name: frame[one.label].to_numpy(float) for one in wanted}
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
