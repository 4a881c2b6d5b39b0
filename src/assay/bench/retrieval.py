"""How often an embedder finds the passage that answers a question: TeleQuAD.

Questions on paragraphs of 3GPP's standards (Ericsson Research; CC BY-ND 4.0, the file is read as it
is). Retrieved is by cosine among all paragraphs; beside it stand words, by BM25.
"""

import json
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from assay._text.words import BM25
from assay.bench.benchmark import Benchmark, Figure, figure
from assay.bench.data import Data, Record
from assay.bench.judge import JudgeUnderTest, answered
from assay.errors import InputError
from assay.stats import agreement as stats
from assay.tasks import Embed

Floats = npt.NDArray[np.float64]
TELEQUAD: Final = "retrieval/TeleQuAD-v4-full.json.gz"
KINDS: Mapping[str, int | None] = {"question": 1000, "passage": None}
DEPTHS: Final = (1, 3, 5)


def corpus(data: Data) -> tuple[dict[str, str], list[Record]]:
    """(passages by id, questions with reference and the id of their passage)."""
    try:
        file = json.loads(data.text(TELEQUAD))
        paragraphs = [part for document in file["data"] for part in document["paragraphs"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{TELEQUAD} is not a SQuAD-like file: {error}") from error
    passages, questions = {}, []
    for number, part in enumerate(paragraphs):
        passages[f"p{number}"] = in_one_line(part["context"])
        for qa in part["qas"]:
            if qa["answers"] and qa["answers"][0]["text"].strip():
                text = qa["answers"][0]["text"]
                questions.append(asked(qa["id"], qa["question"], text, f"p{number}"))
    return passages, questions


def in_one_line(text: str) -> str:
    """The text without its breaks."""
    return re.sub(r"\s+", " ", text).strip()


def asked(name: str, question: str, reference: str, gold: str) -> Record:
    """A question as a row of a data set, with the passage that it was asked about."""
    return {
        "id": name,
        "question": question,
        "reference": reference,
        "reference_context_ids": [gold],
        "group": gold,
    }


def drawn(questions: Sequence[Record], most: int | None = None) -> list[Record]:
    """So many questions, the same every time, each text once."""
    by_chance = sorted(questions, key=lambda row: zlib.crc32(row["id"].encode()))
    return list({row["question"]: row for row in by_chance}.values())[:most]


def by_words(passages: Sequence[str], questions: Sequence[str]) -> Floats:
    """BM25 of every question (rows) and passage."""
    index = BM25(passages)
    return np.stack([index.scores(question) for question in questions])


def ranks(scores: Floats, right: Iterable[Collection[int]]) -> Floats:
    """How many passages stand before the first right one, of each question; ties count half.

    Args:
        scores: Of every question (rows) and passage.
        right: The places of each question's right passages, one at least.
    """
    before = []
    for row, places in zip(scores, map(list, right), strict=True):
        best, others = row[places].max(), np.delete(row, places)
        before.append(float((others > best).sum() + (others == best).sum() / 2))
    return np.array(before)


def rows(data: Data) -> list[Record]:
    """Questions and passages; every passage is searched, whatever the limit."""
    passages, questions = corpus(data)
    texts = [{"id": name, "passage": text} for name, text in passages.items()]
    return [*drawn(questions), *texts]


def kind(record: Record) -> str:
    """A question or a passage."""
    return "passage" if "passage" in record else "question"


def measure(judge: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """The share of questions whose passage is among the first one, three and five."""
    passages = {r["id"]: r["passage"] for r in records if kind(r) == "passage"}
    questions = [record for record in records if kind(record) == "question"]
    texts = [*passages.values()]
    vectors = judge.answers([Embed(q["question"]) for q in questions])
    known = judge.answers([Embed(text) for text in texts])
    if any(vector is None for vector in known):
        raise InputError("a passage has no embedding, so nothing can be searched")
    done = answered(questions, vectors)
    if not done:
        return [figure(_name(depth), stats.mean([]), []) for depth in DEPTHS]
    names = list(passages)
    gold = [[names.index(q["reference_context_ids"][0])] for q, _ in done]
    cosines: Floats = (
        _unit([vector for _, vector in done]) @ _unit([v for v in known if v is not None]).T
    )
    mine = ranks(cosines, gold)
    theirs = ranks(by_words(texts, [q["question"] for q, _ in done]), gold)
    return [
        figure(
            _name(depth),
            stats.mean(mine < depth),
            [question["group"] for question, _ in done],
            {"words (BM25)": stats.mean(theirs < depth)},
            note=f"among {len(texts)} passages; {judge.identity(Embed)}",
        )
        for depth in DEPTHS
    ]


def _name(depth: int) -> str:
    return f"TeleQuAD retrieval, hit rate at {depth}"


def _unit(vectors: Sequence[Sequence[float]]) -> Floats:
    rows: Floats = np.asarray(vectors, dtype=float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


TELEQUAD_SET = Benchmark(
    name="telequad",
    family="retrieval",
    about="the passage that answers a question, found by embeddings (TeleQuAD)",
    files=(TELEQUAD,),
    licence="CC BY-ND 4.0",
    rows=rows,
    measure=measure,
    tasks=(Embed,),
    kinds=KINDS,
    kind=kind,
    whole=("passage",),
)
