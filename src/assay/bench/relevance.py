"""Does a text help to answer the question? Sentences of TREC-QA, passages of MS MARCO and RGB."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.bench import stats
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.flags import flags
from assay.bench.floors import shared_words
from assay.bench.subject import Subject, answered
from assay.judge import Task
from assay.tasks import JudgeContexts, Passage, SelectSentences


class _Set(NamedTuple):
    name: str
    title: str
    file: str
    licence: str
    about: str
    task: type[Task[Any]]
    most: int | None = None


SETS = {  # by the data set that rows name
    "trecqa": _Set(
        "trecqa",
        "TREC-QA sentences",
        "relevance/trecqa.jsonl.gz",
        "unclear (TREC)",
        "sentences that answer a question (TREC-QA)",
        SelectSentences,
        1000,
    ),
    "msmarco_hard_neg": _Set(
        "msmarco",
        "MS MARCO hard negatives",
        "relevance/msmarco_hard_neg400.jsonl.gz",
        "MS MARCO (research)",
        "passages that answer a question, among near ones (MS MARCO hard negatives)",
        SelectSentences,
    ),
    "rgb": _Set(
        "rgb_passages",
        "RGB passages for a known answer",
        "robustness/rgb_en_fact.jsonl.gz",
        "CC BY-NC-SA 4.0",
        "passages that hold a known answer (RGB)",
        JudgeContexts,
    ),
}


def rows(data: Data, name: str) -> list[Record]:
    """All rows of a set (development data)."""
    return data.rows(SETS[name].file)


def kind(record: Record) -> str:
    """The data set."""
    return str(record["dataset"])


def title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"{SETS[kind].title}, "


def measure(judge: Subject, records: Sequence[Record], name: str) -> list[Figure]:
    """AUROC of relevance to the question, or of usefulness for a known answer."""
    score = _passages if SETS[name].task is JudgeContexts else _sentences
    return score(judge, f"{title(name)}AUROC", records)


def _sentences(judge: Subject, name: str, records: Sequence[Record]) -> list[Figure]:
    asked = [(record["question"], record["contexts"][0]) for record in records]
    scores = ranked(judge, asked)
    done = answered(records, scores)
    labels = np.array([record["labels"]["relevant"] for record, _ in done], bool)
    floor = [shared_words(record["question"], record["contexts"][0]) for record, _ in done]
    return [
        figure(
            name,
            stats.auroc([score for _, score in done], labels),
            [record["question"] for record, _ in done],
            {"share of the question's words": stats.auroc(floor, labels)},
            labels=labels,
        )
    ]


def ranked(judge: Subject, asked: Sequence[tuple[str, str]]) -> Sequence[float | None]:
    """How far each sentence helps to answer its question: as far as the judge tells."""
    return judge.relevances(asked) or chosen(judge, asked)


def chosen(judge: Subject, asked: Sequence[tuple[str, str]]) -> list[float | None]:
    """Whether the judge chose each sentence, by its probability where it gives one."""
    tasks = [SelectSentences(q, (Passage("1.1", sentence),)) for q, sentence in asked]
    found: list[float | None] = []
    for choices in judge.answers(tasks):
        if choices is None:
            found.append(None)
        else:
            given = [float(c.chosen) if c.probability is None else c.probability for c in choices]
            found.append(max(given, default=0.0))
    return found


def _passages(judge: Subject, name: str, records: Sequence[Record]) -> list[Figure]:
    cases = [
        (record, text, useful)
        for record in records
        for side, useful in (("positive", True), ("negative", False))
        for text in record[side][:3]
        if text.strip() and isinstance(known_answer(record), str)
    ]
    tasks = [JudgeContexts(r["question"], known_answer(r), (text,)) for r, text, _ in cases]
    found = judge.answers(tasks)
    done = [(case, verdicts[0]) for case, verdicts in answered(cases, found)]
    labels = np.array([useful for (_, _, useful), _ in done], bool)
    scores = [float(f.useful) if f.probability is None else f.probability for _, f in done]
    floor = [shared_words(known_answer(record), text) for (record, text, _), _ in done]
    clusters = [record["question"] for (record, _, _), _ in done]
    rule = "share of the answer's words"
    ranked = figure(
        name,
        stats.auroc(scores, labels),
        clusters,
        {rule: stats.auroc(floor, labels)},
        labels=labels,
    )
    said = [not found.useful for _, found in done]
    begins = name.removesuffix(", AUROC")
    return [ranked, *flags(begins, said, ~labels, clusters, {rule: -np.array(floor)})]


def known_answer(record: Record) -> str:
    """The first of the answers that a row accepts."""
    known = record["ground_truth"]
    first = known if isinstance(known, str) else known[0]
    return first if isinstance(first, str) else first[0]


def _benchmark(dataset: str) -> Benchmark:
    chosen = SETS[dataset]
    return Benchmark(
        name=chosen.name,
        family="relevance",
        about=chosen.about,
        files=(chosen.file,),
        licence=chosen.licence,
        rows=partial(rows, name=dataset),
        measure=partial(measure, name=dataset),
        tasks=(chosen.task,),
        kinds={dataset: chosen.most},
        kind=kind,
        title=title,
    )


BENCHMARKS = tuple(map(_benchmark, SETS))
