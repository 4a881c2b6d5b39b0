"""Does a text help to answer the question? Sentences of TREC-QA, passages of MS MARCO and RGB."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.tasks import JudgeContexts, Passage, SelectSentences
from benchmarks.data import Record, load
from benchmarks.judge import stats
from benchmarks.judge.figures import Figure, figure
from benchmarks.judge.floors import shared_words
from benchmarks.judge.hooks import relevances
from benchmarks.judge.subject import Subject

NAME = "relevance"
KINDS: Mapping[str, int | None] = {"trecqa": 1000, "msmarco_hard_neg": None, "rgb": None}
TITLES = {
    "trecqa": "TREC-QA sentences",
    "msmarco_hard_neg": "MS MARCO hard negatives",
    "rgb": "RGB passages for a known answer",
}


def rows() -> list[Record]:
    """All rows (development data)."""
    files = ("relevance/trecqa.jsonl.gz", "relevance/msmarco_hard_neg400.jsonl.gz")
    return [r for name in (*files, "robustness/rgb_en_fact.jsonl.gz") for r in load(name)]


def kind(record: Record) -> str:
    """The data set."""
    return str(record["dataset"])


def title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"{TITLES[kind]}, "


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """AUROC of relevance to the question, and of usefulness for a known answer."""
    found = []
    for name in TITLES:
        mine = [record for record in records if kind(record) == name]
        task, score = (JudgeContexts, _passages) if name == "rgb" else (SelectSentences, _sentences)
        if mine and judge.can(task):
            found.append(score(judge, f"{title(name)}AUROC", mine))
    return found


def _sentences(judge: Subject, name: str, records: Sequence[Record]) -> Figure:
    asked = [(record["question"], record["contexts"][0]) for record in records]
    scores: Sequence[float | None] = relevances(judge.backend, asked) or chosen(judge, asked)
    done = [(r, s) for r, s in zip(records, scores, strict=True) if s is not None]
    labels = np.array([record["labels"]["relevant"] for record, _ in done], bool)
    floor = [shared_words(record["question"], record["contexts"][0]) for record, _ in done]
    return figure(
        name,
        stats.auroc([score for _, score in done], labels),
        [record["question"] for record, _ in done],
        {"share of the question's words": stats.auroc(floor, labels)},
    )


def chosen(judge: Subject, asked: Sequence[tuple[str, str]]) -> list[float | None]:
    """Whether the judge chose each sentence, by its probability where it gives one."""
    tasks = [SelectSentences(q, (Passage("1.1", sentence),)) for q, sentence in asked]
    found: list[float | None] = []
    for choices in judge.answers(tasks):
        if choices is None:
            found.append(None)
        else:
            given = [1.0 if c.probability is None else c.probability for c in choices]
            found.append(max(given, default=0.0))
    return found


def _passages(judge: Subject, name: str, records: Sequence[Record]) -> Figure:
    cases = [
        (record, text, useful)
        for record in records
        for side, useful in (("positive", True), ("negative", False))
        for text in record[side][:3]
        if text.strip() and isinstance(_answer(record), str)
    ]
    tasks = [JudgeContexts(r["question"], _answer(r), (text,)) for r, text, _ in cases]
    done = [(c, f[0]) for c, f in zip(cases, judge.answers(tasks), strict=True) if f is not None]
    labels = np.array([useful for (_, _, useful), _ in done], bool)
    scores = [float(f.useful) if f.probability is None else f.probability for _, f in done]
    floor = [shared_words(_answer(record), text) for (record, text, _), _ in done]
    return figure(
        name,
        stats.auroc(scores, labels),
        [record["question"] for (record, _, _), _ in done],
        {"share of the answer's words": stats.auroc(floor, labels)},
    )


def _answer(record: Record) -> str:
    known = record["ground_truth"]
    first = known if isinstance(known, str) else known[0]
    return first if isinstance(first, str) else first[0]
