"""Where metrics are high or low, how likely do people call the answer correct?

Equations 1 and 2 of "Evaluation of RAG Metrics for Question Answering in the Telecom Domain" on
answers that people labelled: EVOUNA on Natural Questions, questions kept out of training. TeleQuAD
has questions and right answers, but no answers of systems that people labelled.

    python -m benchmarks.concordance [--limit 600] [--html concordance.html]
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay import evaluate
from assay._analysis.agreement import agree
from assay._analysis.annotators import concordance
from assay._report import agreement as words
from assay.data import read_labels
from benchmarks.data import DATA, present, thinned

METRICS = ("factual_correctness", "answer_similarity", "answer_correctness", "token_f1")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--limit", type=int, default=600)
    asked.add_argument("--html", type=Path)
    options = asked.parse_args()
    from assay.bench import correctness

    present(correctness.EVOUNA)
    records = [
        r for r in thinned(correctness.evouna_rows(DATA), options.limit) if r["answer"].strip()
    ]
    rows = [
        {
            "id": r["id"],
            "question": r["question"],
            "answer": r["answer"],
            "reference": r["ground_truth"][0],
            "group": r["id"].rsplit("-", 1)[0],
        }
        for r in records
    ]
    labels = read_labels([{"id": r["id"], "label": r["labels"]["correct"]} for r in records])
    with tempfile.TemporaryDirectory() as folder:
        result = evaluate(rows, METRICS, "embedded", store=Path(folder) / "concordance.db")
        found = [agree(result, labels, metric, most=0) for metric in METRICS]
        table = concordance(result, labels, METRICS)
        run = result.run
    data = words.collect(run, "EVOUNA, Natural Questions", found, {}, table)
    print(words.markdown(data))
    if options.html:
        options.html.write_text(words.html(data), "utf-8")


if __name__ == "__main__":
    main()
