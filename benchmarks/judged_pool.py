"""Do judged pools agree with gold labels, on passages and on the ranking of retrievers?

    python -m benchmarks.judged_pool [clapnq] [xquad] [--n 40]
    python -m benchmarks.judged_pool --recorded [--pending FOLDER]
    python -m benchmarks.judged_pool --simulated

Six retrievers of the reference pipeline (BM25, embeddings, both fused; chunks of 50 and of 200
words) retrieve three chunks a question. The pool of them is graded by the embedded judge, by the
strong model on record (`--recorded`: the questions of `recorded/pool.jsonl.gz`), and by two
floors: the passage that BM25 finds best, and the one that shares most words with the question, is
the relevant one. Gold is a chunk with half or more of a range that people marked: the sentences
that an answer needs (CLAPnq), the answer (XQuAD); what they have not marked counts as irrelevant.
The embedded judge is measured on questions on which its probability was not fitted, but for those
on record. Intervals are of bootstraps over the questions. Kendall's tau-b compares the rankings of
the retrievers by mean reciprocal rank.
"""

import argparse
import asyncio
import gzip
import json
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from assay import Settings
from assay.bench.benchmark import shared_words
from assay.bench.data import HELD_OUT, fold_of
from assay.experiments.pool import RELEVANT, Graded, grade_pool
from assay.experiments.retrieval import Chunking, Index, vectors_of
from assay.judge import Judge
from assay.judges import backend
from assay.stats.agreement import auroc
from assay.stats.raters import cohen_kappa
from assay.testset import Document
from benchmarks.data import load
from benchmarks.recorded.replay import Recorded
from benchmarks.retriever_ranking import KINDS, SIZES, Asked, corpus, holds, tau

Floats: TypeAlias = npt.NDArray[np.float64]
Row: TypeAlias = Mapping[str, Any]  # a question with its pool
CLAPNQ: Final = "retrieval/clapnq.jsonl.gz"
RECORD: Final = Path(__file__).parent / "recorded" / "pool.jsonl.gz"
DEPTH, DRAWS, SIMULATIONS = 3, 2000, 200


def clapnq() -> tuple[list[Document], list[Asked]]:
    """The passages, and the questions that people could answer with the ranges they needed."""
    documents, asked = list[Document](), list[Asked]()
    for number, row in enumerate(load(CLAPNQ)):
        name, text = f"p{number}.txt", row["contexts"][0]
        documents.append(Document(name, text))
        found = [(text.find(s), len(s)) for s in row["labels"]["relevant_sentences"]]
        places = [{"document": name, "start": a, "end": a + n} for a, n in found if a >= 0]
        if row["labels"]["answerable"] and places:
            asked.append((row["question"], places))
    return documents, asked


SETS: Final[Mapping[str, Callable[[], Any]]] = {"clapnq": clapnq, "xquad": partial(corpus, "xquad")}


def is_held_out(name: str, question: str, places: Sequence[Row]) -> bool:
    """Whether the embedded judge's probability was not fitted on the question."""
    title = str(places[0]["document"]).removesuffix(".txt")
    return fold_of(title if name == "xquad" else question) == HELD_OUT


async def pools(name: str, n: int, *, held_out: bool = True) -> Sequence[Row]:
    """So many questions, each with its pooled passages: gold, ranks, and the scores of floors."""
    documents, asked = SETS[name]()
    asked = [one for one in asked if not held_out or is_held_out(name, *one)]
    asked = sorted(asked, key=lambda one: zlib.crc32(one[0].encode()))[:n]
    judge = Judge(backend("embedded"))
    vectors = await vectors_of([question for question, _ in asked], judge)
    rows: list[dict[str, Any]] = [
        {"set": name, "question": question, "passages": {}} for question, _ in asked
    ]
    for size_number, size in enumerate(SIZES):
        index = Index(documents, Chunking("sentence", size))
        await index.embed("embedded", judge)
        for row, (question, places), vector in zip(rows, asked, vectors, strict=True):
            scores = index.bm25.scores(question)
            found = (
                index.by_words(question, DEPTH),
                index.by_vector("embedded", vector, DEPTH),
                index.by_both(question, "embedded", vector, DEPTH),
            )
            for kind, chunks in enumerate(found):
                for rank, at in enumerate(chunks, start=1):
                    chunk = index.chunks[at]
                    passage = row["passages"].setdefault(
                        chunk.text,
                        {
                            "gold": any(holds(chunk, place) for place in places),
                            "bm25": round(float(scores[at]), 4),
                            "words": shared_words(question, chunk.text),
                            "ranks": [0] * (len(SIZES) * len(KINDS)),
                        },
                    )
                    passage["ranks"][size_number * len(KINDS) + kind] = rank
    return rows


def by_judge(rows: Sequence[Row], judge: Any) -> Graded:
    """The grades of a judge."""
    passages = {row["question"]: {text: text for text in row["passages"]} for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        work = grade_pool(passages, judge, None, Path(folder) / "a.db", Settings(tries=1))
        return asyncio.run(work)


def by_floor(name: str) -> Callable[[Row, str], float]:
    """The rank of a passage in its pool by a floor, from 0 down: the best one is relevant."""

    def score(row: Row, text: str) -> float:
        mine = row["passages"][text][name]
        return -float(sum(other[name] > mine for other in row["passages"].values()))

    return score


def reciprocal_ranks(rows: Sequence[Row], relevant: Sequence[Iterable[Any]]) -> Floats:
    """1 / rank of the first relevant passage, 0 if there is none; retriever x question."""
    found = np.zeros((len(SIZES) * len(KINDS), len(rows)))
    for at, (row, flags) in enumerate(zip(rows, relevant, strict=True)):
        for passage, flag in zip(row["passages"].values(), flags, strict=True):
            for retriever, rank in enumerate(passage["ranks"]):
                if flag and rank:
                    found[retriever, at] = max(found[retriever, at], 1 / rank)
    return found


def line(name: str, rows: Sequence[Row], scores: Sequence[Sequence[float]], least: float) -> str:
    """A line of the table: a judge whose score from `least` on says that a passage is relevant."""
    gold = [[passage["gold"] for passage in row["passages"].values()] for row in rows]
    said = [[score >= least for score in one] for one in scores]
    mrr = reciprocal_ranks(rows, said), reciprocal_ranks(rows, gold)
    chance, draws = np.random.default_rng(0), list[tuple[float, ...]]()

    def measures(chosen: npt.NDArray[np.int_]) -> tuple[float, ...]:
        flags, labels = (np.concatenate([a[i] for i in chosen]).astype(bool) for a in (said, gold))
        values = np.concatenate([scores[i] for i in chosen])
        once = np.ones(len(labels))
        return (
            float(cohen_kappa(flags, labels)(once)),
            float(auroc(values, labels)(once)),
            float(flags[~labels].mean()),
            float((~flags[labels]).mean()),
            tau(mrr[0][:, chosen], mrr[1][:, chosen]),
        )

    whole = measures(np.arange(len(rows)))
    draws = [measures(chance.integers(len(rows), size=len(rows))) for _ in range(DRAWS)]
    ends = np.nanpercentile(np.array(draws), [2.5, 97.5], axis=0)
    cells = [f"{v:.2f} ({a:.2f} to {b:.2f})" for v, a, b in zip(whole, *ends, strict=True)]
    pairs = sum(map(len, gold))
    share = np.concatenate(gold).mean()
    return f"| {name} | {len(rows)} | {pairs} | {share:.2f} | {' | '.join(cells)} |"


def simulated(rows: Sequence[Row], agreement: float, n: int) -> str:
    """A line: tau where a judge is right by chance only in a share of the passages.

    Such a judge draws a random label for each passage with probability 1 - kappa: its kappa is
    `agreement`. Its errors are independent, which those of real judges are not: they fare worse.
    """
    chance, taus = np.random.default_rng(0), list[float]()
    gold = [np.array([p["gold"] for p in row["passages"].values()]) for row in rows]
    share = np.concatenate(gold).mean()
    truth = reciprocal_ranks(rows, gold)
    for _ in range(SIMULATIONS):
        chosen = chance.choice(len(rows), n, replace=False)
        flags = [
            np.where(
                chance.random(len(gold[i])) < agreement,
                gold[i],
                chance.random(len(gold[i])) < share,
            )
            for i in chosen
        ]
        taus.append(tau(reciprocal_ranks([rows[i] for i in chosen], flags), truth[:, chosen]))
    low, middle = np.nanpercentile(taus, [10, 50])
    return f"| {agreement:.1f} | {n} | {middle:.2f} | {low:.2f} |"


def recorded() -> tuple[list[Row], dict[str, str]]:
    """The questions with their pools, and the replies of the strong model by the prompts' keys."""
    with gzip.open(RECORD, "rt", encoding="utf-8") as file:
        lines = [json.loads(one) for one in file]
    rows = [one for one in lines if "question" in one]
    return rows, {one["key"]: one["reply"] for one in lines if "key" in one}


def table(rows: Sequence[Row], judges: Mapping[str, Any]) -> list[str]:
    """The lines of all judges and floors on the same rows; rows without all grades are left out."""
    graded = {name: by_judge(rows, judge) for name, judge in judges.items()}
    whole = [
        row
        for row in rows
        if all((row["question"], t) in g.grades for g in graded.values() for t in row["passages"])
    ]
    lines = [
        line(
            name,
            whole,
            [[float(one.grades[row["question"], t]) for t in row["passages"]] for row in whole],
            RELEVANT,
        )
        for name, one in graded.items()
    ]
    for name, title in (("bm25", "floor: BM25's first"), ("words", "floor: most shared words")):
        score = by_floor(name)
        lines.append(line(title, whole, [[score(r, t) for t in r["passages"]] for r in whole], 0))
    return lines


def main() -> None:
    """Print the tables; write what has no reply on record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=[*SETS])
    parser.add_argument("--n", type=int, default=40, help="questions of a set, at most")
    parser.add_argument("--recorded", action="store_true", help="the strong model's questions")
    parser.add_argument("--pending", type=Path, help="where prompts without a reply are written")
    parser.add_argument("--simulated", action="store_true", help="tau by kappa, with XQuAD's gold")
    options = parser.parse_args()
    if options.simulated:
        rows = asyncio.run(pools("xquad", 300, held_out=False))
        print("| kappa | questions | tau, median | tau, worst tenth |\n|---:|---:|---:|---:|")
        for agreement in (0.3, 0.5, 0.7, 0.9):
            for n in (40, 100, 300):
                print(simulated(rows, agreement, n), flush=True)
        return
    print("| judge | questions | passages | relevant | kappa | AUROC | false + | false - | tau |")
    print("|---|---:|---:|---:|---|---|---|---|---|")
    if options.recorded:
        rows, replies = recorded()
        model = Recorded(replies)
        print(*table(rows, {"strong model": model.ask, "embedded": "embedded"}), sep="\n")
        for key, prompt in model.unknown.items() if options.pending else ():
            options.pending.mkdir(parents=True, exist_ok=True)
            (options.pending / f"{key}.txt").write_text(prompt, encoding="utf-8")
        return
    for name in options.sets:
        rows = asyncio.run(pools(name, options.n))
        print(f"| **{name}** |" + " |" * 8)
        print(*table(rows, {"embedded": "embedded"}), sep="\n", flush=True)


if __name__ == "__main__":
    main()
