"""Which answers of RAGTruth test are hallucinated, and where?

Niu et al. 2024. Positive = the answer has a labelled span. The official test set but for 243 rows:
every positive row of QA and all of Data2txt are there.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from assay.bench import stats
from assay.bench.answers import (
    Marks,
    flagged,
    hallucination,
    marked,
    uncertain,
    unfaithfulness,
    unsupported_characters,
)
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import UNFITTED, Figure, figure
from assay.bench.flags import flags
from assay.bench.floors import new_characters, unsupported
from assay.bench.groups import group_of
from assay.bench.stats import Statistic
from assay.bench.subject import Checked, Subject, Text, answered
from assay.tasks import SplitStatements, VerifyStatements

FILE = "ragtruth/ragtruth_test.jsonl.gz"
KINDS: Mapping[str, int | None] = {"QA": None, "Summary": 300, "Data2txt": 300}
# The training set has no Data2txt rows and few summaries: what thresholds are taken from instead.
THRESHOLDS = {"QA": "ragtruth_qa", "Summary": "summaries", "Data2txt": "ragtruth_qa"}


def rows(data: Data) -> list[Record]:
    """The test rows of all three tasks."""
    return data.rows(FILE)


def kind(record: Record) -> str:
    """What the sampling and the figures go by: the task."""
    return str(record["meta"]["task_type"])


def text(record: Record) -> Text:
    """What is checked."""
    return Text(record["question"] or "", record["answer"], tuple(record["contexts"]))


def title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"RAGTruth {kind} "


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Answers by AUROC and F1, characters by F1, for each task."""
    found: list[Figure] = []
    for name in KINDS:
        chosen = [record for record in records if kind(record) == name]
        checked = judge.check([text(record) for record in chosen])
        done = answered(chosen, checked)
        found += _answers(f"RAGTruth {name} answers", judge.thresholds.get(THRESHOLDS[name]), done)
        found.append(_characters(f"RAGTruth {name} spans, F1", done))
    return found


def _answers(
    name: str,
    thresholds: Mapping[str, float] | None,
    done: Sequence[tuple[Record, Checked]],
) -> list[Figure]:
    labels = np.array([record["labels"]["hallucinated"] for record, _ in done], bool)
    clusters = [group_of(record) for record, _ in done]
    scores = np.array([hallucination(checked) for _, checked in done])
    rules = unsupported((r["answer"], r["contexts"]) for r, _ in done)
    floors = {rule: stats.auroc(values, labels) for rule, values in rules.items()}
    mean = [unfaithfulness(checked) for _, checked in done]
    fixed = thresholds or {}
    at = fixed.get("judge", 0.5)
    called: dict[str, Statistic] = {"everything": stats.f1(np.ones(len(done)), labels)}
    called |= {r: stats.f1(v >= fixed[r], labels) for r, v in rules.items() if r in fixed}
    where = f"threshold {at:.3f}" + ("" if "judge" in fixed else f", not fitted: {UNFITTED}")
    made = partial(figure, clusters=clusters, labels=labels)
    return [
        made(f"{name}, AUROC", stats.auroc(scores, labels), floors=floors),
        made(f"{name}, AUROC of 1 - faithfulness", stats.auroc(mean, labels), floors=floors),
        made(f"{name}, F1", stats.f1(scores >= at, labels), floors=called, note=where),
        *flags(
            name,
            [flagged(checked) for _, checked in done],
            labels,
            clusters,
            rules,
            uncertain=[uncertain(checked) for _, checked in done],
        ),
    ]


def _characters(name: str, done: Sequence[tuple[Record, Checked]]) -> Figure:
    """Micro F1 over the characters of all answers."""
    gold = [labelled(record) for record, _ in done]
    said = [unsupported_characters(record["answer"], checked) for record, checked in done]
    new = [new_characters(record["answer"], record["contexts"]) for record, _ in done]
    floors = {
        "new words": overlap(new, gold),
        "everything": overlap([np.ones_like(marks) for marks in gold], gold),
    }
    return figure(name, overlap(said, gold), [group_of(record) for record, _ in done], floors)


def labelled(record: Record) -> Marks:
    """The characters that people marked as hallucinated."""
    spans = [(span["start"], span["end"]) for span in record["labels"]["spans"]]
    return marked(len(record["answer"]), spans)


def overlap(said: Sequence[Marks], gold: Sequence[Marks]) -> Statistic:
    """Micro F1 of marked characters."""
    hits = [int((s & g).sum()) for s, g in zip(said, gold, strict=True)]
    return stats.micro_f1(hits, [int(s.sum()) for s in said], [int(g.sum()) for g in gold])


BENCHMARKS = (
    Benchmark(
        name="ragtruth",
        family="ragtruth",
        about="hallucinated answers and characters, by task (RAGTruth test)",
        files=(FILE,),
        licence="labels MIT; texts of MS MARCO and CNN/Daily Mail (research)",
        rows=rows,
        measure=measure,
        tasks=(SplitStatements, VerifyStatements),
        thresholds=tuple(dict.fromkeys(THRESHOLDS.values())),
        kinds=KINDS,
        kind=kind,
        title=title,
    ),
)
