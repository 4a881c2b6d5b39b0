"""CRUD-RAG's tasks create, update and delete beside people: do its metrics prefer what is right?

Texts with people's labels stand for each task, each beside a reference:

- create: texts of four systems about one record (data2, records/llm_spans_dev); the reference is a
  text in which people found nothing unsupported, right are the others of which that is true too.
- update: rewritings of a summary by people, of which some say the same and the others do not
  (SummEdits); the reference is the summary that both started from.
- delete: summaries of meetings and chats by several systems beside a person's (data2,
  dialogues/diasumfact_dev and faceval_dev); right are those in which people found no error.

Printed is the AUROC of each metric with a 95 % bootstrap interval over sources, beside floors: the
share of the reference's words that stand in the text, and the shorter text. The last two metrics
are RAGQuestEval's on 8 of the summaries of "update", as a strong model replied to their prompts,
from each prompt alone.

    python -m benchmarks.crud [--pending FOLDER]
"""

import argparse
import random
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import assay
from assay.bench.benchmark import figure, shared_words
from assay.bench.data import Data
from assay.stats.agreement import auroc
from benchmarks.data import FOLDER
from benchmarks.recorded.replay import Recorded, lines, shown

Rows = list[dict[str, Any]]
METRICS: Final = ("crud:bleu", "crud:rouge_l", "answer_similarity", "bert_score")
QUEST_EVAL: Final = ("crud:quest_eval_recall", "crud:quest_eval_precision")
SUMMARIES: Final = 8  # of "update", that RAGQuestEval was recorded for, with 2 right and 2 wrong


def _data2(name: str) -> Rows:
    return list(Data(FOLDER.parent / "data2").rows(f"{name}.jsonl.gz"))


def _row(row: Mapping[str, Any], reference: str, *, good: bool) -> dict[str, Any]:
    texts = {"id": row["id"], "answer": row["answer"], "reference": reference}
    return {**texts, "good": good, "source": reference}


def create() -> Rows:
    """Texts about a record, beside a faultless one of another system."""
    by_record: dict[str, Rows] = defaultdict(list)
    for row in _data2("records/llm_spans_dev"):
        by_record[row["contexts"][0]].append(row)
    rows = []
    for texts in by_record.values():
        faultless = [row for row in texts if not row["labels"]["hallucinated"]]
        if faultless:
            others = (row for row in texts if row is not faultless[0])
            reference = faultless[0]["answer"]
            rows += [_row(r, reference, good=not r["labels"]["hallucinated"]) for r in others]
    return rows


def update(domains: Sequence[str] = ()) -> Rows:
    """Rewritings of a summary."""
    by_summary: dict[str, Rows] = defaultdict(list)
    for row in Data(FOLDER).rows("faithfulness/summedits_dev.jsonl.gz"):
        if not domains or row["meta"]["domain"] in domains:
            by_summary[row["contexts"][0]].append(row)
    rows = []
    for texts in by_summary.values():
        first = next((row for row in texts if row["id"].endswith("_og")), None)
        if first:
            others = (row for row in texts if row["answer"] != first["answer"])
            rows += [_row(r, first["answer"], good=r["labels"]["consistent"]) for r in others]
    return rows


def delete() -> Rows:
    """Summaries beside a person's."""
    rows = [
        _row(row, row["ground_truth"], good=not row["labels"]["hallucinated"])
        for row in _data2("dialogues/diasumfact_dev")
        if row["ground_truth"]
    ]
    faceval = _data2("dialogues/faceval_dev")
    by_people = {
        row["contexts"][0]: row["answer"]
        for row in faceval
        if row["meta"]["model"] == "human_ref" and not row["labels"]["hallucinated"]
    }
    return rows + [
        _row(row, by_people[row["contexts"][0]], good=not row["labels"]["hallucinated"])
        for row in faceval
        if row["meta"]["model"] != "human_ref" and row["contexts"][0] in by_people
    ]


def recorded_rows() -> Rows:
    """Rewritings for RAGQuestEval: of each drawn summary two right ones and two wrong ones."""
    by_summary: dict[str, dict[bool, Rows]] = defaultdict(lambda: {True: [], False: []})
    chance = random.Random(0)
    rows = update(("scitldr", "qmsumm"))  # Apache-2.0 and MIT
    chance.shuffle(rows)
    for row in rows:
        by_summary[row["reference"]][row["good"]].append(row)
    whole = [kinds for kinds in by_summary.values() if min(map(len, kinds.values())) >= 2]
    return [row for kinds in whole[:SUMMARIES] for texts in kinds.values() for row in texts[:2]]


def figures(rows: Rows, metrics: Sequence[str], judge: Any = "embedded") -> dict[str, str]:
    """What is printed of each metric and floor: AUROC, interval and number of texts."""
    asked = [{k: row[k] for k in ("id", "answer", "reference")} for row in rows]
    settings = assay.Settings(tries=1, probe=False)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "crud.db"
        result = assay.evaluate(asked, list(metrics), judge, store=store, settings=settings)
        scores = {m: [getattr(o, "value", None) for o in result[m]] for m in metrics}
    scores["floor: words of the reference"] = [
        shared_words(row["reference"], row["answer"]) for row in rows
    ]
    scores["floor: shorter"] = [-float(len(row["answer"])) for row in rows]
    lines = {}
    for name, values in scores.items():
        known = [(v, row) for v, row in zip(values, rows, strict=True) if v is not None]
        if known:
            statistic = auroc([v for v, _ in known], [row["good"] for _, row in known])
            found = figure(name, statistic, [row["source"] for _, row in known])
            lines[name] = f"{shown(found)} | {len(known)} |"
    return lines


def table(task: str, rows: Rows, metrics: Sequence[str], judge: Any = "embedded") -> None:
    """Print the lines of a task."""
    good, sources = sum(row["good"] for row in rows), len({row["source"] for row in rows})
    print(f"{task}: {len(rows)} texts of {sources} sources, {good} right")
    for name, line in figures(rows, metrics, judge).items():
        print(f"| {name} | {line}", flush=True)


def main() -> None:
    """Print each task's table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pending", type=Path, help="where prompts without a reply are written")
    options = parser.parse_args()
    for task, rows in (("create", create()), ("update", update()), ("delete", delete())):
        table(task, rows, METRICS)
    judge = Recorded({line["key"]: line["reply"] for line in lines("crud.jsonl.gz")})
    table("update, RAGQuestEval", recorded_rows(), (*METRICS, *QUEST_EVAL), judge.ask)
    judge.write_unknown(options.pending)


if __name__ == "__main__":
    main()
