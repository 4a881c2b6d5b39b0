"""GPTScore's aspects beside people's ratings: texts about records, written by sixteen systems.

WebNLG 2020 (data2, records/webnlg2020_dev): people rated every text from 0 to 100. Each aspect is
set beside the rating that asks for the same; the record stands among the contexts, or in the
question where the aspect shows no contexts. Printed is Spearman's correlation with a 95 % bootstrap
interval over records, beside floors: the shorter text, and the share of the text's words that stand
in the record.

    python -m benchmarks.gptscore_aspects MODEL.gguf [--most 60] [--aspects fluency]
"""

import argparse
import math
import random
from collections.abc import Mapping
from typing import Any, Final

import assay
from assay.bench.benchmark import figure, share_of_new_words
from assay.bench.data import Data
from assay.judges.gguf import Gguf
from assay.metrics.compat.papers import LikelihoodScore
from assay.stats.agreement import spearman
from benchmarks.data import FOLDER
from benchmarks.recorded.replay import shown

RATINGS: Final[Mapping[Any, str]] = {
    "consistency": "Correctness",
    "informativeness": "DataCoverage",
    "relevance": "Relevance",
    "fluency": "Fluency",
    "coherence": "TextStructure",
}


def rows_of(most: int) -> list[dict[str, Any]]:
    """So many texts drawn at random."""
    rows = Data(FOLDER.parent / "data2").rows("records/webnlg2020_dev.jsonl.gz")
    return random.Random(0).sample(list(rows), most)


def line(aspect: Any, rows: list[dict[str, Any]], judge: Gguf, store: str) -> str:
    """The table's line of an aspect."""
    metric = LikelihoodScore(aspect=aspect)
    data = [
        {
            "id": row["id"],
            "question": row["question"]
            if "contexts" in metric.needs
            else f"{row['question']}\n{row['contexts'][0]}",
            "contexts": row["contexts"],
            "answer": row["answer"],
        }
        for row in rows
    ]
    result = assay.evaluate(data, metric, judge, store=store)
    scores = [getattr(outcome, "value", math.nan) for outcome in result[metric]]
    ratings = [row["labels"]["ratings"][RATINGS[aspect]] for row in rows]
    floors = {
        "shorter": [-float(len(row["answer"])) for row in rows],
        "words of the record": [-share_of_new_words(r["answer"], r["contexts"]) for r in rows],
    }
    records = [row["contexts"][0] for row in rows]
    found = [
        shown(figure(name, spearman(values, ratings), records))
        for name, values in {aspect: scores, **floors}.items()
    ]
    return f"| {aspect} | {RATINGS[aspect]} | {' | '.join(found)} |"


def main() -> None:
    """Print a line for each aspect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a GGUF file (log-probabilities are needed)")
    parser.add_argument("--threads", type=int, default=1, help="never more than cores that idle")
    parser.add_argument("--aspects", nargs="*", default=list(RATINGS), choices=list(RATINGS))
    parser.add_argument("--most", type=int, default=60, help="texts")
    parser.add_argument("--store", default="gptscore.db", help="a killed run goes on from there")
    options = parser.parse_args()
    rows = rows_of(options.most)
    print(f"{len(rows)} texts about {len({row['contexts'][0] for row in rows})} records")
    print("| aspect | rating | GPTScore (95 %) | shorter | words of the record |")
    print("|---|---|---:|---:|---:|")
    judge = Gguf(options.model, threads=options.threads)
    for aspect in options.aspects:
        print(line(aspect, rows, judge, options.store), flush=True)


if __name__ == "__main__":
    main()
