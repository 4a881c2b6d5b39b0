"""Is an index of approximate neighbours worth it? Real embeddings: its recall, and all times.

    pip install faiss-cpu
    python -m benchmarks.neighbours [--sentences 40000]

Sentences of the contexts of the data at hand, searched by its questions. Truth are the ten nearest
by all products. Times are of one question after another, on one core.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._text.sentences import sentences
from assay.judges.embedded.embedding import Encoder
from benchmarks.data import FOLDER, load

Vectors = npt.NDArray[np.float32]
NEAREST, ASKED, LARGE = 10, 600, 1_000_000


def rows() -> Iterator[dict[str, Any]]:
    """Every row of the data that has contexts."""
    for file in sorted(FOLDER.glob("*/*.jsonl.gz")):
        for row in load(str(file.relative_to(FOLDER))):
            if row.get("contexts"):
                yield row


def texts(most: int) -> tuple[list[str], list[str]]:
    """Sentences, each once, and questions."""
    found: dict[str, None] = {}
    questions: dict[str, None] = {}
    for row in rows():
        if row.get("question"):
            questions.setdefault(row["question"])
        if len(found) < most:
            found |= dict.fromkeys(s for c in row["contexts"] for s in sentences(c)[:12])
    return list(found)[:most], list(questions)[-ASKED:]


def exact(vectors: Vectors, asked: Vectors) -> list[set[int]]:
    """The nearest of each, by all products."""
    return [set(np.argpartition(-(vectors @ one), NEAREST)[:NEAREST].tolist()) for one in asked]


def timed(what: str, asked: int, work: Callable[[], Any]) -> Any:
    """What comes of it, having said how long it took."""
    start = time.perf_counter()
    result = work()
    print(f"{what}: {(time.perf_counter() - start) / asked * 1000:.2f} ms a question", end="")
    return result


def main() -> None:
    """Exact search, then faiss."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=40_000)
    said, questions = texts(parser.parse_args().sentences)
    encoder = Encoder(1)
    parts = [encoder.encode(said[at : at + 2000]) for at in range(0, len(said), 2000)]
    vectors, asked = np.concatenate(parts), np.asarray(encoder.encode(questions))
    truth = timed(f"{len(said):,} exact", len(asked), lambda: exact(vectors, asked))
    print()
    faiss = import_module("faiss")
    faiss.omp_set_num_threads(1)
    product, size = faiss.METRIC_INNER_PRODUCT, vectors.shape[1]
    graph = faiss.IndexHNSWFlat(size, 32, product)
    lists = faiss.IndexIVFFlat(faiss.IndexFlatIP(size), size, 200, product)
    lists.train(vectors)
    for index in (graph, lists):
        index.add(vectors)
    for name, index, set_effort, efforts in (
        ("HNSW, ef", graph, lambda n: setattr(graph.hnsw, "efSearch", n), (32, 64, 128)),
        ("IVF, lists", lists, lambda n: setattr(lists, "nprobe", n), (4, 16, 32)),
    ):
        for effort in efforts:
            set_effort(effort)
            found = timed(
                f"{name} {effort}",
                len(asked),
                lambda index=index: [index.search(one[None], NEAREST)[1][0] for one in asked],
            )
            shared = [
                len(set(map(int, one)) & right) for one, right in zip(found, truth, strict=True)
            ]
            print(f", recall@{NEAREST} {np.mean(shared) / NEAREST:.3f}")
    large = np.resize(vectors, (LARGE, size))
    timed(f"{LARGE:,} exact", 20, lambda: exact(large, asked[:20]))
    print()


if __name__ == "__main__":
    main()
