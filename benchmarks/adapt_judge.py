"""The embedded judge adapted to three domains, beside what ships, on labels of people.

    python -m benchmarks.adapt_judge DOMAIN --data DATA --data2 DATA2 --out FOLDER

The network learns from synthetic cases of documents that no measured case is about; coefficients
are fitted to 50 labels of other sources. A domain is telecom, contracts or medical.
"""

import argparse
import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assay.experiments.judge_adaptation import (
    COEFFICIENTS,
    FITTED,
    Compared,
    JudgeAdapting,
    beside,
    measure_all,
    refit,
    train_network,
)
from assay.experiments.judge_cases import KINDS, Case, synthetic, windows
from assay.judges.embedded.adapted import NETWORK, Adapted
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import Fitted
from assay.testset.passages import Corpus, Passage

LABELS = 50
MOST = 240  # measured cases of a kind
Json = dict[str, Any]


def rows(path: Path) -> list[Json]:
    """Of a file in JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def telecom(data: Path, _: Path) -> tuple[list[Json], list[Case]]:
    """TeleQuAD: people's questions and answers; wrong is the answer to another of a paragraph."""
    with gzip.open(data / "retrieval" / "TeleQuAD-v4-full.json.gz", "rt", encoding="utf-8") as file:
        paragraphs = [p for one in json.load(file)["data"] for p in one["paragraphs"]]
    texts = [p["context"] for p in paragraphs]
    asked = [
        (n, qa["question"], qa["answers"][0]["text"], [o["answers"][0]["text"] for o in p["qas"]])
        for n, p in enumerate(paragraphs)
        for qa in p["qas"]
        if qa["answers"]
    ]
    return _halves(texts, asked)


def medical(data: Path, _: Path) -> tuple[list[Json], list[Case]]:
    """PubMedQA's abstracts, questions and conclusions; SciFact's claims about abstracts."""
    found = rows(data / "retrieval" / "pubmedqa.jsonl.gz")
    texts = ["\n\n".join(row["contexts"]) for row in found]
    asked = [(n, row["question"], row["ground_truth"], []) for n, row in enumerate(found)]
    documents, cases = _halves(texts, asked)
    claims = rows(data / "claims" / "scifact_rte.jsonl.gz")
    return documents, [case for case in cases if case.kind != "faithfulness"] + _claims(claims)


def contracts(_: Path, data2: Path) -> tuple[list[Json], list[Case]]:
    """ContractNLI: the texts of half the contracts, the hypotheses about the others."""
    folder = data2 / "documents"
    taught = rows(folder / "contractnli_train.jsonl.gz")
    texts = sorted({row["contexts"][0] for row in taught})
    learnt = set(texts[::2])
    found = [row for row in taught if row["contexts"][0] not in learnt]
    found += rows(folder / "contractnli_dev.jsonl.gz")
    return [{"text": text} for text in sorted(learnt)], _claims(found)


def _claims(found: Sequence[Json]) -> list[Case]:
    return [
        Case(
            "faithfulness",
            "\n".join(row["contexts"]),
            "",
            tuple(row["contexts"]),
            row["claim"],
            bool(row["labels"]["supported"]),
        )
        for row in found
    ]


def _halves(texts: Sequence[str], asked: Sequence[Any]) -> tuple[list[Json], list[Case]]:
    """Documents to learn from, and cases about the others."""
    corpus = Corpus([Passage(str(n), 1, "", text, 0, len(text)) for n, text in enumerate(texts)])
    order = list(range(len(texts)))
    random.Random(0).shuffle(order)
    measured = set(order[: len(order) // 2])
    mine = [one for one in asked if one[0] in measured]
    random.Random(0).shuffle(mine)
    made = [case for one in mine[: MOST + 2 * LABELS] for case in _pairs(one, corpus)]
    return [{"text": text} for n, text in enumerate(texts) if n not in measured], made


def _pairs(one: Any, corpus: Corpus) -> Iterator[Case]:
    """A right and a wrong case of each kind, from a question and its answer."""
    place, question, answer, others = one
    group, text = str(place), corpus.passages[place].text
    near = next(
        other
        for other in corpus.nearest(question, 9, [place]) or [place - 1]
        if answer.lower() not in corpus.passages[other].text.lower()
    )
    wrong = next((o for o in others if o not in answer and answer not in o), "")
    beside_it = corpus.passages[near].text
    yield Case("context_relevance", group, question, (text,), "", good=True)
    yield Case("context_relevance", group, question, (beside_it,), "", good=False)
    yield Case("answer_relevance", group, question, (), answer, good=True)
    if wrong:
        yield Case("answer_relevance", group, question, (), wrong, good=False)
        yield Case("faithfulness", group, "", (text,), f"{question} {answer}", good=True)
        yield Case("faithfulness", group, "", (text,), f"{question} {wrong}", good=False)
