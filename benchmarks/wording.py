"""BLEU to BERTScore beside judges: which metric agrees with people, and by how much?

Answers to Natural Questions that people called right or wrong (EVOUNA, questions kept out of
training; AUROC), and pairs of long answers of two systems that two people compared (RAGChecker;
Spearman's correlation of the difference of scores with their mean preference). Judge metrics are
asked of the embedded judge; the floor is the length of the answer.

    python -m benchmarks.wording [--answers 200] [--pairs 60]
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import assay
from assay.bench import correctness
from assay.bench.data import group_of
from assay.stats.agreement import auroc, auroc_interval, spearman
from assay.stats.jackknife import jackknife_interval
from benchmarks.data import DATA, present, thinned

METRICS: Final = (
    "bleu",
    "rouge",
    "token_f1",
    "bert_score",
    "answer_similarity",
    "nli_score",
    "factual_correctness",
    "answer_correctness",
)
PAIRS: Final = "correctness/ragchecker_human_pairs.jsonl.gz"
Scores = dict[str, list[float | None]]


def scores_of(rows: Sequence[dict[str, Any]]) -> Scores:
    """By metric the score of each row; None where it has none."""
    with tempfile.TemporaryDirectory() as folder:
        data = [{**row, "id": str(n)} for n, row in enumerate(rows)]
        result = assay.evaluate(data, list(METRICS), store=Path(folder) / "wording.db")
        found: Scores = {
            metric: [o.value if isinstance(o, assay.Score) else None for o in result[metric]]
            for metric in METRICS
        }
    missing = {metric: values.count(None) for metric, values in found.items() if None in values}
    print(f"{len(rows)} texts; without a score, counted as 0: {missing or 'none'}")
    found["length (floor)"] = [float(len(row["answer"].split())) for row in rows]
    return found


def answers(n: int) -> dict[str, str]:
    """By metric its AUROC on right and wrong answers; answers without a score count as 0."""
    records = [r for r in thinned(correctness.evouna_rows(DATA), n) if r["answer"].strip()]
    texts = [(r["question"], r["answer"], r["ground_truth"][0]) for r in records]
    rows = [{"question": q, "answer": a, "reference": g} for q, a, g in texts]
    right = [bool(r["labels"]["correct"]) for r in records]
    groups = [group_of(r) for r in records]
    table = {}
    for metric, values in scores_of(rows).items():
        x = [value or 0.0 for value in values]
        found = auroc_interval(x, right, groups)
        ends = f"{found.low:.2f} to {found.high:.2f}" if found else ""
        table[metric] = f"{auroc(x, right)(np.ones(len(x))):.2f} | {ends}"
    print(f"answers: {len(rows)}, right {sum(right)}, questions {len(set(groups))}")
    return table


def pairs(n: int) -> dict[str, str]:
    """By metric the correlation of its differences with people's preference."""
    records = thinned(DATA.rows(PAIRS), n)
    rows = [
        {"question": r["question"], "answer": r[side], "reference": r["ground_truth"]}
        for r in records
        for side in ("answer_a", "answer_b")
    ]
    preferred = [float(r["labels"]["overall"]) for r in records]
    questions = [r["question"] for r in records]
    table = {}
    for metric, values in scores_of(rows).items():
        x = [(b or 0.0) - (a or 0.0) for a, b in zip(values[::2], values[1::2], strict=True)]
        statistic = spearman(x, preferred)
        found = jackknife_interval(statistic, questions, low=-1.0)
        ends = f"{found.low:.2f} to {found.high:.2f}" if found else ""
        table[metric] = f"{statistic(np.ones(len(x))):.2f} | {ends}"
    print(f"pairs: {len(records)}, questions {len(set(questions))}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=60)
    asked = parser.parse_args()
    present(correctness.EVOUNA)
    present(PAIRS)
    by_answers, by_pairs = answers(asked.answers), pairs(asked.pairs)
    print("| metric | AUROC | 95 % | Spearman | 95 % |\n|---|---:|---:|---:|---:|")
    for metric, cells in sorted(by_answers.items(), key=lambda one: one[1]):  # weakest first
        print(f"| {metric} | {cells} | {by_pairs[metric]} |")


if __name__ == "__main__":
    main()
