"""Which rows labelled by people may the verifier be trained on?

Only files marked train whose licence allows a model that ships (see the table in NOTES.md). Rows
of ExpertQA that share a question with AttributionBench's test rows are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay._text import sentences
from assay.bench.data import group_of
from assay.experiments.reader_windows import Row
from training.data import read

FILES = (
    "ragtruth/ragtruth_train.jsonl.gz",
    "attribution/expertqa_claims.jsonl.gz",
    "claims/factcheckgpt_stance.jsonl.gz",
    "claims/wice_claims.jsonl.gz",
    "claims/wice_nonsupported_tokens.jsonl.gz",
    "claims/foolmetwice.jsonl.gz",
    "claims/fever_symmetric.jsonl.gz",
    "claims/begin.jsonl.gz",
    "claims/halueval_qa500.jsonl.gz",
    "claims/conjnli.jsonl.gz",
    "claims/breaking_nli.jsonl.gz",
    "faithfulness/summedits_dev.jsonl.gz",
)
ANSWERED = "correctness/evouna_nq.jsonl.gz"
EVERY = 3  # of its rows, five of which share a question
PHRASE = 4  # words; a shorter answer says something only beside its question
_LABELS = {"partial": "neutral", "not_supported": "unsupported"}


def rows() -> Iterator[Row]:
    """Every row of every file."""
    tested = {
        (record["question"] or "").strip().lower()
        for record in read("attribution/attributionbench_test500.jsonl.gz")
    } - {""}
    for name in FILES:
        for record in read(name):
            if "expertqa" not in name or record["question"].strip().lower() not in tested:
                yield _row(Path(name).name.partition(".")[0], record)
    for number, record in enumerate(read(ANSWERED)):
        if number % EVERY == 0 and record["answer"] and record["ground_truth"]:
            yield from _answered(record)


def _row(data: str, record: dict) -> Row:
    labels, contexts = record["labels"], tuple(record["contexts"])
    text = record.get("claim") or record["answer"]
    label, spans, group = "unsupported", None, group_of(record)
    if data == "ragtruth_train":
        data = f"ragtruth_{record['meta']['task_type'].lower()}"
        label = None
        spans = tuple(
            (s["start"], s["end"], "refuted" if "Conflict" in s["label_type"] else "neutral")
            for s in labels["spans"]
        )
    elif data == "summedits_dev":
        label = "supported" if labels["consistent"] else "unsupported"
    elif data == "wice_nonsupported_tokens":
        label, spans = "neutral", _marked(text, record["meta"])
    elif "label" in labels:
        label = _LABELS.get(labels["label"], labels["label"])
    elif labels["supported"]:
        label = "supported"
    if label == "supported":
        spans = ()
    if data == "halueval_qa500" and len(text.split()) <= PHRASE:
        question = record["question"].strip()
        text, spans = f"{question} {text}", () if label == "supported" else None
    return Row(
        data=data,
        group=group,
        question=record["question"] or "",
        contexts=contexts,
        answer=text,
        label=label,
        spans=spans,
        msmarco=data == "ragtruth_qa",
    )


def _answered(record: dict) -> Iterator[Row]:
    """An answer beside the reference and the other way round, as answers are checked for facts.

    A long answer says more than the reference, so it is only what the reference is looked for in.
    """
    question, answer = f"{record['question'].strip(' ?')}?", record["answer"].strip()
    reference = record["ground_truth"][0].strip()
    short = len(answer.split()) <= 2 * PHRASE
    said, expected = f"{question} {answer}" if short else answer, f"{question} {reference}"
    right = record["labels"]["correct"]
    pairs = [("recall", said, expected), *([("precision", expected, said)] if short else [])]
    for direction, context, text in pairs:
        yield Row(
            data=f"evouna_{direction}",
            group=group_of(record),
            question=question,
            contexts=(context,),
            answer=text,
            label="supported" if right else "unsupported",
            spans=() if right else None,
        )


def _marked(text: str, meta: dict) -> tuple[tuple[int, int, str], ...]:
    """The characters of WiCE's unsupported tokens."""
    found, place = [], 0
    for token, unsupported in zip(meta["claim_tokens"], meta["non_supported"], strict=True):
        start = text.find(token, place)
        if start < 0:
            continue
        place = start + len(token)
        if unsupported:
            found.append((start, place, "neutral"))
    return tuple(found)


def segments(row: Row) -> list[tuple[int, int, str | None]]:
    """The sentences of the row's text with the label of each, None where it is not known.

    A text with a label and no spans is one segment if it is one claim; a summary of several
    sentences of which one is wrong has segments without labels.
    """
    if row.cuts is not None:
        return [(start, end, label) for start, end, label, _ in row.cuts]
    cuts = sentences.spans(row.answer) or [(0, len(row.answer))]
    whole = row.data.startswith(("evouna", "mistaken", "pairs")) or (
        row.spans is None and "summedits" not in row.data
    )
    if whole or (len(cuts) == 1 and row.spans is None):
        return [(0, len(row.answer), row.label)]
    if row.spans is None:
        return [(start, end, None) for start, end in cuts]
    return [(start, end, _label(start, end, row.spans)) for start, end in cuts]


def _label(start: int, end: int, spans: tuple[tuple[int, int, str], ...]) -> str:
    met = [label for s, e, label in spans if s < end and start < e]
    if not met:
        return "supported"
    return "refuted" if "refuted" in met else met[0]
