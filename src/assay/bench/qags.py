"""QAGS: which sentences of a summary does the article support, by the vote of three people?"""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.bench import stats
from assay.bench.answers import unfaithfulness
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.floors import share_of_new_words, unsupported
from assay.bench.groups import group_of
from assay.bench.subject import Subject, Text, answered
from assay.tasks import SplitStatements, VerifyStatements

FILE = "faithfulness/qags.jsonl.gz"
KINDS: Mapping[str, int | None] = {"cnndm": 120, "xsum": 120}


def rows(data: Data) -> list[Record]:
    """All summaries (development data)."""
    return data.rows(FILE)


def kind(record: Record) -> str:
    """The news source."""
    return str(record["meta"]["domain"])


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Sentences by AUROC, summaries by the correlation of faithfulness with the votes."""
    return [_sentences(judge, records), _summaries(judge, records)]


def _sentences(judge: Subject, records: Sequence[Record]) -> Figure:
    checked = judge.check([_in_sentences(record) for record in records])
    done = [
        (record, sentence, 1 - chance)
        for record, found in answered(records, checked)
        for sentence, chance in zip(record["labels"]["sentences"], found.probabilities, strict=True)
    ]
    labels = np.array([not sentence["supported"] for _, sentence, _ in done], bool)
    scores = [score for _, _, score in done]
    floors = {
        rule: stats.auroc(values, labels)
        for rule, values in unsupported((s["text"], r["contexts"]) for r, s, _ in done).items()
    }
    clusters = [group_of(record) for record, _, _ in done]
    statistic = stats.auroc(scores, labels)
    return figure("QAGS sentences, AUROC", statistic, clusters, floors, labels=labels)


def _in_sentences(record: Record) -> Text:
    parts = [sentence["text"] for sentence in record["labels"]["sentences"]]
    ends = [sum(len(part) + 1 for part in parts[: i + 1]) - 1 for i in range(len(parts))]
    spans = tuple((end - len(part), end) for part, end in zip(parts, ends, strict=True))
    return Text("", " ".join(parts), tuple(record["contexts"]), spans)


def _summaries(judge: Subject, records: Sequence[Record]) -> Figure:
    texts = [Text(r["question"] or "", r["answer"], tuple(r["contexts"])) for r in records]
    done = answered(records, judge.check(texts))
    votes = [record["labels"]["score"] for record, _ in done]
    known = [1 - share_of_new_words(r["answer"], r["contexts"]) for r, _ in done]
    return figure(
        "QAGS summaries, Pearson of faithfulness",
        stats.pearson([1 - unfaithfulness(found) for _, found in done], votes),
        [group_of(record) for record, _ in done],
        {"share of known words": stats.pearson(known, votes)},
    )


BENCHMARKS = (
    Benchmark(
        name="qags",
        family="qags",
        about="sentences and summaries that an article supports (QAGS)",
        files=(FILE,),
        licence="none stated",
        rows=rows,
        measure=measure,
        tasks=(SplitStatements, VerifyStatements),
        kinds=KINDS,
        kind=kind,
    ),
)
