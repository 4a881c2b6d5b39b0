"""The reference pipeline: a corpus to sweep over, and time and memory of a large index.

    python -m benchmarks.pipeline corpus FOLDER [--questions 120]
    python -m benchmarks.pipeline size [--passages 100000]
    python -m benchmarks.pipeline sweep [--passages 100000] [--questions 400]

`corpus` writes the articles of XQuAD (English) as text files, a paragraph a passage, and questions
with the answer and the range of the passage that holds it. `size` indexes passages of random words,
with random numbers in the place of embeddings, whose making depends on the embedder. `sweep` asks a
pipeline over as many passages, XQuAD's own among them, XQuAD's questions in four configurations,
and once more when all is known. Times are those of one processor, whatever else the machine does.
"""

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from assay import Pipeline, sweep
from assay.experiments.retrieval import Chunking, Index
from assay.testset.documents import Document
from benchmarks.data import load

T = TypeVar("T")
XQUAD = "retrieval/xquad_en.jsonl.gz"
DIMENSIONS, BATCH, ASKED = 384, 1000, 100


def write_corpus(folder: Path, most: int) -> None:
    """Articles as files, and questions spread evenly over them."""
    rows = load(XQUAD)
    articles: dict[str, list[str]] = {}
    for row in rows:
        passages = articles.setdefault(row["meta"]["title"], [])
        if row["contexts"][0] not in passages:
            passages.append(row["contexts"][0])
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    texts = {f"{title}.txt": "\n\n".join(passages) for title, passages in articles.items()}
    for name, text in texts.items():
        (corpus / name).write_text(text, "utf-8")
    lines = []
    for row in rows[:: max(1, len(rows) // most)][:most]:
        name, passage = f"{row['meta']['title']}.txt", row["contexts"][0]
        start = texts[name].index(passage)
        gold = {"document": name, "start": start, "end": start + len(passage)}
        asked = {"id": row["id"], "question": row["question"], "reference": row["ground_truth"][0]}
        lines.append({**asked, "source": [gold]})
    written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "questions.jsonl").write_text(written, "utf-8")
    print(f"{len(texts)} documents in {corpus}, {len(lines)} questions in {folder}")


def timed(what: str, work: Callable[[], T], times: int = 1) -> T:
    """What comes of some work, having said its time of the processor and the memory at its peak."""
    start = time.process_time()
    result = work()
    seconds = (time.process_time() - start) / times
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    shown = f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
    print(f"{what:42} {shown:>10}, peak {peak:,.0f} MiB", flush=True)
    return result


def passages(n: int) -> list[Document]:
    """Passages with the lengths and words of XQuAD's, each word drawn by itself."""
    texts = list({row["contexts"][0] for row in load(XQUAD)})
    known = sorted(word for text in texts for word in text.split())
    lengths = sorted(len(text.split()) for text in texts)
    draw = random.Random(0)
    return [
        Document(f"p{i}", " ".join(draw.choices(known, k=draw.choice(lengths)))) for i in range(n)
    ]


def measure(n: int) -> None:
    """Time and memory of each part of an index."""
    documents = timed(f"{n:,} passages made", lambda: passages(n))
    index = timed("cut into chunks", lambda: Index(documents, Chunking()))
    timed("BM25", lambda: index.bm25)
    made = np.random.default_rng(0)

    def batch() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        vectors = made.standard_normal((BATCH, DIMENSIONS), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    n_batches = -(-len(index.chunks) // BATCH)
    parts = [batch() for _ in range(n_batches)]
    parts[-1] = parts[-1][: len(index.chunks) - BATCH * (n_batches - 1)]
    timed("random vectors taken", lambda: index.add_vectors("random", parts))
    questions = [row["question"] for row in load(XQUAD)[:ASKED]]
    vector = batch()[0]
    timed("BM25, a question", lambda: [index.by_words(q, 100) for q in questions], ASKED)
    timed("vectors, a question", lambda: index.by_vector("random", vector, 100))
    timed(
        "both, a question",
        lambda: [index.by_both(question, "random", vector, 100) for question in questions],
        ASKED,
    )
    print(f"{len(index.chunks):,} chunks")


def sweep_size(n: int, most: int) -> None:
    """Time and memory of a sweep by words over many passages, and how often it finds the right one.

    Chunks of 100 and of 200 words, three and five of them; the answer is the first one.
    """
    rows = load(XQUAD)
    own = {row["contexts"][0]: f"x{number}" for number, row in enumerate(rows)}
    documents = [{"id": name, "text": text} for text, name in own.items()]
    documents += [{"id": one.id, "text": one.text} for one in passages(n - len(own))]
    questions = [
        {
            "id": row["id"],
            "question": row["question"],
            "reference": row["ground_truth"][0],
            "reference_context_ids": [own[row["contexts"][0]]],
        }
        for row in rows[:: max(1, len(rows) // most)][:most]
    ]
    grid = {"chunk_size": [100, 200], "k": [3, 5], "retriever": ["bm25"], "generator": ["passage"]}
    metrics = "recall_at_k,hit_at_k(k=1)"
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "assay.db"
        pipeline = timed(f"{n:,} passages read", lambda: Pipeline(documents))
        for what in ("four configurations asked", "the same again"):
            swept = timed(what, lambda: sweep(questions, pipeline, grid, metrics, store=store))
        asked = sum(one.asked for one in swept.configurations)
        print(f"{len(questions)} questions; the second time {asked} answers were asked for")
        print(f"store: {store.stat().st_size / 2**20:.0f} MiB")
    for board in swept.leaderboards:
        for one in board.standings:
            print(f"{board.metric}: {one.name} {one.mean:.3f} {one.verdict}")


def main() -> None:
    given = argparse.ArgumentParser(description="The reference pipeline over a corpus.")
    kinds = given.add_subparsers(dest="kind", required=True)
    corpus = kinds.add_parser("corpus")
    corpus.add_argument("folder", type=Path)
    corpus.add_argument("--questions", type=int, default=120)
    size = kinds.add_parser("size")
    size.add_argument("--passages", type=int, default=100_000)
    whole = kinds.add_parser("sweep")
    whole.add_argument("--passages", type=int, default=100_000)
    whole.add_argument("--questions", type=int, default=400)
    asked = given.parse_args()
    if asked.kind == "corpus":
        write_corpus(asked.folder, asked.questions)
    elif asked.kind == "sweep":
        sweep_size(asked.passages, asked.questions)
    else:
        measure(asked.passages)


if __name__ == "__main__":
    main()
