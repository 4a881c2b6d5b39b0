"""Does nugget recall by the embedded judge find the answer with the better coverage, or the longer?

    python -m benchmarks.nuggets --topics 10

Pairs of answers to TREC questions with crowd votes on their coverage (webis-de/sigir25-rag-
crowdsourcing): the nuggets of a question are found once from all answers to it, and each answer is
scored against them. An attacker then stuffs each answer with passages that were retrieved for the
question, and should gain nothing. Votes that end in a tie are left out.
"""

import argparse
import gzip
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import assay
from assay.stats.intervals import mean_interval
from assay.testset import find_nuggets
from benchmarks.data import FOLDER, Absent

DATA2: Final = Path(os.environ.get("ASSAY_DATA2", FOLDER.parent / "data2"))
PAIRS, PASSAGES = "pairwise/crowd_rag_dev.jsonl.gz", "pairwise/crowd_rag_dev_passages.jsonl.gz"
VOTES: Final = ("coverage_broad", "coverage_deep")
METRICS: Final = (
    "nugget_recall",
    "nugget_recall(over=all,strict=False)",
    "nugget_recall(over=weighted)",
    "nugget_f",
    "nugget_f(beta=3)",
)
STUFFED: Final = 3  # passages that the attacker adds
Scores = Mapping[str, Mapping[str, float]]  # by answer, by metric


def load(name: str) -> list[dict[str, Any]]:
    """The rows of a file; ends the benchmark with a clear word where it is absent."""
    if not (DATA2 / name).is_file():
        raise Absent(f"skipped: {name} is not in {DATA2} (set ASSAY_DATA2)")
    with gzip.open(DATA2 / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def answers(pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each answer once: a row with its question."""
    found = {(p["question"], p[f"answer_{side}"]): None for p in pairs for side in "ab"}
    return [{"question": question, "answer": answer} for question, answer in found]


def score(rows: Sequence[Mapping[str, Any]], store: Path) -> dict[str, dict[str, float]]:
    """The scores of each answer by its text."""
    result = assay.evaluate(rows, metrics=METRICS, judge="embedded", store=store)
    return {
        row["answer"]: {name: row[name] for name in METRICS if row[name] is not None}
        for row in result.rows()
    }


def found_right(pairs: Sequence[Mapping[str, Any]], vote: str, scores: Scores, metric: str) -> str:
    """Share of pairs in which the better answer has the higher score, with its interval."""
    right, groups = list[float](), list[str]()
    for pair in pairs:
        better = pair["labels"]["better"][vote]
        values = [scores[pair[f"answer_{side}"]].get(metric) for side in "ab"]
        if better == "n" or None in values:
            continue
        a, b = (value or 0.0 for value in values)
        right.append(0.5 if a == b else float((a > b) == (better == "a")))
        groups.append(pair["question"])
    interval = mean_interval(right, groups=groups, low=0.0, high=1.0)
    ends = f"{interval.low:.2f} to {interval.high:.2f}" if interval else "no interval"
    return f"{fmean(right):.2f} ({ends}; {len(right)} pairs, {right.count(0.5)} ties)"


def stuffed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The answers, each with the first passages for its question behind it."""
    passages = {row["question"]: row["contexts"] for row in load(PASSAGES)}
    return [
        {**row, "answer": "\n".join([row["answer"], *passages[row["question"]][:STUFFED]])}
        for row in rows
    ]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--topics", type=int, default=10)
    topics = parser.parse_args().topics
    by_topic = defaultdict[str, list[dict[str, Any]]](list)
    for pair in load(PAIRS):
        by_topic[pair["meta"]["topic"]].append(pair)
    pairs = [pair for topic in list(by_topic)[:topics] for pair in by_topic[topic]]
    rows = answers(pairs)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.db"
        found = find_nuggets(rows, judge="embedded", store=store)
        nuggets = {row["question"]: row["nuggets"] for row in found.rows}
        rows = [{**row, "nuggets": nuggets[row["question"]]} for row in rows]
        honest, attack = score(rows, store), stuffed(rows)
        after = score(attack, store)
    kinds = [kind for each in nuggets.values() for kind in each.values()]
    print(f"{len(nuggets)} questions, {len(rows)} answers, {len(kinds)} nuggets,")
    print(f"{kinds.count('vital')} of them vital\n")
    length = {row["answer"]: {"length": float(len(row["answer"]))} for row in rows}
    for vote in VOTES:
        print(f"{vote}: the better answer has the higher score")
        print(f"  {'length':40}{found_right(pairs, vote, length, 'length')}")
        for metric in METRICS:
            print(f"  {metric:40}{found_right(pairs, vote, honest, metric)}")
    print("\nstuffed with passages: mean before, after, and share of answers that gain")
    for metric in METRICS:
        before_after = [
            (honest[row["answer"]][metric], after[other["answer"]][metric])
            for row, other in zip(rows, attack, strict=True)
            if metric in honest[row["answer"]]
        ]
        before, behind = (fmean(side) for side in zip(*before_after, strict=True))
        gain = fmean(float(b > a) for a, b in before_after)
        print(f"  {metric:40}{before:.2f} -> {behind:.2f}, {gain:.0%} gain")


if __name__ == "__main__":
    main()
