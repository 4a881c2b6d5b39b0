"""SelfCheckGPT's own evaluation in form: which sentences, and which texts, are unsupported?

Texts about football matches, telephones and the weather by four systems each, sentence by sentence
labelled by people against the record (data2, records/llm_spans_dev). What SelfCheckGPT draws anew
from one system comes from the three others here, and no metric sees the record. Printed are the
area under precision and recall over sentences (AUC-PR, unsupported ones to be found; a constant
score reaches their share) and Pearson's correlation over texts with the share of unsupported
sentences, each with a 95 % jackknife interval over records, beside floors: the length, and the
share of words that are in no other text.

    python -m benchmarks.selfcheck [--records 47]
    python -m benchmarks.selfcheck --recorded [--pending FOLDER]

The question-answering variant needs an LLM: --recorded has six texts, one a record, for which a
strong model replied to its prompts (two questions a sentence), from each prompt alone.
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
from assay.stats.agreement import average_precision, pearson
from assay.stats.intervals import Statistic
from assay.stats.jackknife import jackknife_interval
from benchmarks.data import FOLDER
from benchmarks.recorded.replay import Recorded, lines

METRICS: Final = (
    "selfcheck:ngram",
    "selfcheck:ngram(over=maximum)",
    "selfcheck:bert_score",
    "selfcheck:nli",
    "selfcheck:prompt",
)
MQAG: Final = "selfcheck:mqag(n=2)"
RECORDED: Final = range(0, 47, 8)  # the records of which one text was recorded, of each system
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


def recorded_rows() -> list[dict[str, Any]]:
    """The texts that the strong model was asked about: each of its own record, systems in turn."""
    rows = rows_of(RECORDED.stop)
    return [rows[4 * record + turn % 4] for turn, record in enumerate(RECORDED)]


def outcomes_of(
    rows: Sequence[dict[str, Any]], metrics: Sequence[str], judge: Any = "embedded"
) -> dict[str, list[Any]]:
    """What the metrics say of each text, by metric."""
    settings = assay.Settings(tries=1, probe=False)
    with tempfile.TemporaryDirectory() as folder:
        data = [{k: row[k] for k in ("id", "answer", "further_answers")} for row in rows]
        store = Path(folder) / "selfcheck.db"
        result = assay.evaluate(data, list(metrics), judge, store=store, settings=settings)
        return {metric: list(result[metric]) for metric in metrics}


def texts(rows: Sequence[dict[str, Any]], outcomes: dict[str, list[Any]]) -> list[Text]:
    """The scores of all sentences by all methods; .5 where MQAG has no question about one."""
    scored = []
    for at, row in enumerate(rows):
        parts = {
            metric: [part for part in of_metric[at].parts if part.kind == "answer sentence"]
            for metric, of_metric in outcomes.items()
        }
        spans = [part.span for part in next(iter(parts.values())) if part.span]
        if any([p.span for p in of_metric] != spans for of_metric in parts.values()):
            continue  # a sentence without a token; none of these
        scores = {
            metric: [0.5 if p.value is None else float(p.value) for p in of_metric]
            for metric, of_metric in parts.items()
        }
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
    parser.add_argument("--recorded", action="store_true", help="MQAG, on six texts")
    parser.add_argument("--pending", type=Path, help="where prompts without a reply are written")
    options = parser.parse_args()
    if options.recorded:
        rows = recorded_rows()
        judge = Recorded({line["key"]: line["reply"] for line in lines("mqag.jsonl.gz")})
        outcomes = outcomes_of(rows, METRICS) | outcomes_of(rows, [MQAG], judge.ask)
        judge.write_unknown(options.pending)
    else:
        rows = rows_of(options.records)
        outcomes = outcomes_of(rows, METRICS)
    scored = texts(rows, outcomes)
    labels = [w for text in scored for w in text.wrong]
    records = len({text.record for text in scored})
    print(f"{records} records, {len(scored)} texts, {len(labels)} sentences, {sum(labels)} wrong")
    print("| method | AUC-PR | 95 % | Pearson | 95 % |\n|---|---:|---:|---:|---:|")
    print(f"| by chance | {np.mean(labels):.2f} | | 0 | |")
    for method in (*FLOORS, *outcomes):
        print(row(scored, method), flush=True)


if __name__ == "__main__":
    main()
