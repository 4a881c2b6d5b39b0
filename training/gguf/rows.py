"""Which labelled items may a model's Yes be fitted on, and which is it measured on?

Fitted on files that are marked for training, in groups that `assay.bench.data` does not keep out;
measured on the groups that it does. The data folder is `$ASSAY_DATA`, by default `shared/data`
beside the repository. On a CPU every prompt takes seconds, so texts are short and rows few; both
are said in README.md.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from assay._text.sentences import sentences
from assay._text.words import stems
from assay.bench.data import group_of, held_out
from assay.judge import Task
from assay.tasks import JudgeContexts, Passage, SelectSentences, Statement, VerifyStatements
from training.data import read

RAGTRUTH = "ragtruth/ragtruth_train.jsonl.gz"
CLAIMS = {
    "factcheckgpt": "claims/factcheckgpt_stance.jsonl.gz",
    "foolmetwice": "claims/foolmetwice.jsonl.gz",
    "wice": "claims/wice_claims.jsonl.gz",
    "attributionbench": "attribution/attributionbench_test500.jsonl.gz",
}
PUBLIC = ("attributionbench",)  # a benchmark: measured on, never fitted on
SOURCE = 10  # statements of one RAGTruth source: they share its contexts
# A passage sentence that shares so much with a supported answer sentence helped to write it; one
# that shares so little did not.
HELPFUL, USELESS = 0.6, 0.15


class Row(NamedTuple):
    """Items that share their texts, in one task, with their labels by id."""

    data: str
    task: Task[Any]
    labels: dict[str, bool]


def shuffled(records: Iterable[Any], key: str = "") -> list[Any]:
    """The records in an order that depends on their content alone."""
    return sorted(records, key=lambda r: zlib.crc32((key + json.dumps(r, default=str)).encode()))


def claims(name: str, n: int, longest: int, *, measured: bool) -> list[Row]:
    """So many claims of a file, half of them supported, no two of one group.

    Their contexts have at most `longest` characters.
    """
    found: dict[bool, dict[str, Row]] = {True: {}, False: {}}
    for record in shuffled(read(CLAIMS[name])):
        if name not in PUBLIC and held_out(record) != measured:
            continue
        label, contexts = record["labels"]["supported"], tuple(record["contexts"])
        group = group_of(record)
        known = any(group in rows for rows in found.values())
        if known or len(found[label]) >= n // 2 or sum(map(len, contexts)) > longest:
            continue
        task = VerifyStatements((Statement("s1", record["claim"]),), contexts)
        found[label][group] = Row(name, task, {"s1": label})
    return [row for pair in zip(*map(_values, found.values()), strict=False) for row in pair]


def _values(rows: dict[str, Row]) -> list[Row]:
    return list(rows.values())


def _sources(longest: int, *, measured: bool) -> list[tuple[str, list[dict[str, Any]]]]:
    """RAGTruth questions with all their answers, in an order of their own."""
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in read(RAGTRUTH):
        short = sum(map(len, record["contexts"])) <= longest
        if record["meta"]["task_type"] == "QA" and short and held_out(record) == measured:
            by_source[group_of(record)].append(record)
    return shuffled(by_source.items())


def answers(n: int, longest: int, *, measured: bool) -> list[Row]:
    """Answer sentences of n RAGTruth questions, as many supported as not where there are such."""
    rows: list[Row] = []
    for _, records in _sources(longest, measured=measured):
        by_label: dict[bool, list[str]] = {True: [], False: []}
        for record in shuffled(records):
            for part in record["labels"]["sentences"]:
                text = record["answer"][part["start"] : part["end"]].strip()
                if len(text) > 20 and text not in by_label[part["supported"]]:
                    by_label[part["supported"]].append(text)
        each = min(SOURCE // 2, *map(len, by_label.values()))
        if each < 3:
            continue
        labelled = [(t, label) for label, texts in by_label.items() for t in texts[:each]]
        statements = tuple(Statement(f"s{i}", t) for i, (t, _) in enumerate(labelled, start=1))
        task = VerifyStatements(statements, tuple(records[0]["contexts"]))
        ids = [s.id for s in statements]
        labels = dict(zip(ids, (label for _, label in labelled), strict=True))
        rows.append(Row("ragtruth", task, labels))
        if len(rows) == n:
            break
    return rows


def relevance(n: int, *, measured: bool) -> list[Row]:
    """Passage sentences that help with a RAGTruth question, and such of another that do not."""
    picked = _picked(2 * n, measured=measured)
    rows: list[Row] = []
    for (question, _, helpful, _), (_, _, foreign, useless) in zip(
        picked[::2], picked[1::2], strict=True
    ):
        texts = [*helpful[:2], *(useless or foreign)[:1], *foreign[:1]]
        passages = tuple(Passage(f"1.{i}", text) for i, text in enumerate(texts, start=1))
        labels = {p.id: p.text in helpful[:2] for p in passages}
        rows.append(Row("ragtruth", SelectSentences(question, passages), labels))
    return rows


def usefulness(n: int, *, measured: bool) -> list[Row]:
    """A passage that the answer to a RAGTruth question rests on, and one of another question."""
    picked = _picked(2 * n, measured=measured)
    rows: list[Row] = []
    for (question, record, helpful, _), (_, other, _, _) in zip(
        picked[::2], picked[1::2], strict=True
    ):
        good = next(c for c in record["contexts"] if helpful[0] in c)
        task = JudgeContexts(question, _target(record), (good, other["contexts"][0]))
        rows.append(Row("ragtruth", task, {"c1": True, "c2": False}))
    return rows


def _target(record: dict[str, Any]) -> str:
    parts = [p for p in record["labels"]["sentences"] if p["supported"]]
    return " ".join(record["answer"][p["start"] : p["end"]].strip() for p in parts[:2])


def _picked(n: int, *, measured: bool) -> list[tuple[str, dict[str, Any], list[str], list[str]]]:
    """(question, an answer's record, sentences that helped to write it, sentences that did not)."""
    found = []
    for _, records in _sources(1200, measured=measured):
        record = shuffled(records)[0]
        pool = [s for context in record["contexts"] for s in sentences(context) if len(s) > 30]
        wanted = [set(stems(s)) for s in sentences(_target(record))]
        highest = {s: _highest(set(stems(s)), wanted) for s in pool}
        helpful = [s for s, share in highest.items() if share >= HELPFUL]
        useless = [s for s, share in highest.items() if share <= USELESS]
        if helpful and record["question"] and re.search(r"\w", record["question"]):
            found.append((record["question"], record, helpful, useless))
        if len(found) == n:
            break
    return found


def _highest(stems_: set[str], wanted: list[set[str]]) -> float:
    return max((len(stems_ & w) / len(w) for w in wanted if len(w) > 2), default=0.0)
