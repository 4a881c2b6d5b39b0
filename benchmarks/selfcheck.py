"""SelfCheckGPT's own evaluation in form: which sentences, and which texts, are unsupported?

Texts about football matches, telephones and the weather by four systems each, sentence by sentence
labelled by people against the record (data2, records/llm_spans_dev). What SelfCheckGPT draws anew
from one system comes from the three others here, and no metric sees the record. Printed are the
area under precision and recall over sentences (AUC-PR, unsupported ones to be found; a constant
score reaches their share) and Pearson's correlation over texts with the share of unsupported
sentences, each with a 95 % jackknife interval over records, beside floors: the length, and the
share of words that are in no other text.

    python -m benchmarks.selfcheck [--records 47]
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import assay
from assay._text.words import words
from assay.bench.data import Data
from assay.stats.agreement import Statistic, average_precision, pearson
from assay.stats.intervals import jackknife_interval
from benchmarks.data import FOLDER

METRICS: Final = (
    "selfcheck:ngram",
    "selfcheck:ngram(over=maximum)",
    "selfcheck:bert_score",
    "selfcheck:nli",
    "selfcheck:prompt",
)
FLOORS: Final = ("length", "words in no other text")


class Text(NamedTuple):
    """One text: its record, the scores of its sentences by method, and which are unsupported."""

    record: int
    scores: dict[str, list[float]]
    wrong: list[bool]


def rows_of(n: int) -> list[dict[str, Any]]:
    """The texts of so many records, each with those of the other systems."""
    by_record: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in Data(FOLDER.parent / "data2").rows("records/llm_spans_dev.jsonl.gz"):
        by_record[row["contexts"][0]].append(row)
    texts = []
    for number, group in enumerate(list(by_record.values())[:n]):
        for row in group:
            others = [other["answer"] for other in group if other is not row]
            sentences = row["labels"]["sentences"]
            texts.append({"id": row["id"], "answer": row["answer"], "further_answers": others})
            texts[-1] |= {"record": number, "labelled": sentences}
    return texts


def wrong(span: tuple[int, int], sentences: Sequence[dict[str, Any]]) -> bool:
    """Whether the labelled sentence that shares most characters with this place is unsupported."""
    start, end = span
    best = max(sentences, key=lambda s: min(end, s["end"]) - max(start, s["start"]))
    return not best["supported"]


def texts(n: int) -> list[Text]:
    """Score all sentences by all methods."""
    rows = rows_of(n)
    with tempfile.TemporaryDirectory() as folder:
        data = [{k: row[k] for k in ("id", "answer", "further_answers")} for row in rows]
        result = assay.evaluate(data, list(METRICS), store=Path(folder) / "selfcheck.db")
        outcomes = {metric: list(result[metric]) for metric in METRICS}
    scored = []
    for at, row in enumerate(rows):
        parts = {metric: outcomes[metric][at].parts for metric in METRICS}
        spans = [part.span for part in parts[METRICS[0]] if part.span]
        if any([p.span for p in of_metric] != spans for of_metric in parts.values()):
            continue  # a sentence without a token; none of these
        scores = {m: [float(p.value or 0) for p in of_metric] for m, of_metric in parts.items()}
        others = set(words(" ".join(row["further_answers"])))
        own = [words(row["answer"][a:b]) for a, b in spans]
        scores["length"] = [float(len(sentence)) for sentence in own]
        scores[FLOORS[1]] = [len(set(s) - others) / max(1, len(set(s))) for s in own]
        labels = [wrong(span, row["labelled"]) for span in spans]
        scored.append(Text(row["record"], scores, labels))
    return scored


def shown(statistic: Statistic, groups: Sequence[int], low: float) -> str:
    """The statistic with its interval over records."""
    found = jackknife_interval(statistic, groups, low=low)
    value = statistic(np.ones(len(groups)))
    return f"{value:.2f} | {found.low:.2f} to {found.high:.2f}" if found else f"{value:.2f} | "


def row(scored: Sequence[Text], method: str) -> str:
    """One line of the table; the length of a text is the sum of its sentences', all else a mean."""
    summary = np.sum if method == "length" else np.mean
    values = [value for text in scored for value in text.scores[method]]
    labels = [float(w) for text in scored for w in text.wrong]
    records = [text.record for text in scored for _ in text.wrong]
    sentence = shown(average_precision(values, labels), records, 0.0)
    means = [float(summary(text.scores[method])) for text in scored]
    shares = [float(np.mean(text.wrong)) for text in scored]
    passage = shown(pearson(means, shares), [text.record for text in scored], -1.0)
    return f"| {method} | {sentence} | {passage} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=47, help="of four texts each")
    scored = texts(parser.parse_args().records)
    labels = [w for text in scored for w in text.wrong]
    records = len({text.record for text in scored})
    print(f"{records} records, {len(scored)} texts, {len(labels)} sentences, {sum(labels)} wrong")
    print("| method | AUC-PR | 95 % | Pearson | 95 % |\n|---|---:|---:|---:|---:|")
    print(f"| by chance | {np.mean(labels):.2f} | | 0 | |")
    for method in (*FLOORS, *METRICS):
        print(row(scored, method), flush=True)


if __name__ == "__main__":
    main()
