"""Do generated questions rank retrievers as people's questions do?

    python -m benchmarks.retriever_ranking xquad [--offline 100] [--easy] [--questions FILE ...]

Six retrievers of the reference pipeline (BM25, embeddings, both fused; chunks of 50 and of 200
words) are ranked by their mean reciprocal rank of the first chunk that holds the evidence: by
people's questions, by those that `assay testset` makes without a language model, and by the
files given (rows of `assay testset` over the same documents, for XQuAD those that `python -m
benchmarks.pipeline corpus` writes). Kendall's tau-b between two rankings has a bootstrap interval
over the questions of both. What as many questions of people would show beside all the others
stands next to it, and how many pairs of retrievers are ranked alike, of those that people's
questions tell apart (95 % paired bootstrap interval of the difference without 0). "By itself" is
how many of those pairs the set tells apart, too, in the same order and in the other one. "Tau,
ties" is tau-b of the pairs that are told apart, all others a tie, as for the floor that puts the
larger chunks first and takes no question. Tau between random halves of people's questions is the
most that can be expected.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from assay._text.words import recall, stems
from assay.experiments.retrieval import Chunk, Chunking, Index, vectors_of
from assay.judge import Judge
from assay.judges import backend
from assay.sample import Sample
from assay.testset import Document, Plan, PlanRow, generate, sources
from assay.testset.passages import Corpus, cut
from assay.testset.plan import Style
from benchmarks.data import load
from benchmarks.live import telequad
from benchmarks.pipeline import XQUAD

Floats: TypeAlias = npt.NDArray[np.float64]
SIZES, KINDS = (50, 200), ("bm25", "embedding", "hybrid")
DEPTH, DRAWS, MOST = 20, 2000, 600  # people's questions, about
SETS = {
    "xquad": XQUAD,
    "clapnq": "retrieval/clapnq.jsonl.gz",
    "qed": "retrieval/qed_nq_dev.jsonl.gz",  # passages 301 to 600
}
Asked: TypeAlias = tuple[str, Sequence[Mapping[str, Any]]]  # a question, and where its evidence is


def corpus(name: str) -> tuple[list[Document], list[Asked]]:
    """The documents, and people's questions with the range of what answers them."""
    texts = dict[str, str]()
    found = list[tuple[str, str, str, list[str]]]()  # question, document, passage, words of that
    if name == "telequad":
        texts, rows = telequad()
        for row in rows:
            (document,) = row["reference_context_ids"]
            found.append((row["question"], document, texts[document], [row["reference"]]))
    rows = load(SETS[name]) if name in SETS else []
    if name == "qed":
        some = set([*dict.fromkeys(row["contexts"][0] for row in rows)][300:600])
        rows = [row for row in rows if row["contexts"][0] in some]
    for row in rows:
        passage = row["contexts"][0]
        document = f"{row['meta']['title']}.txt" if name == "xquad" else row["id"]
        if passage not in texts.setdefault(document, ""):
            texts[document] += "\n\n" * bool(texts[document]) + passage
        answers = row["ground_truth"][:1] if name == "xquad" else _sentences(row)
        found += [(row["question"], document, passage, answers)] if answers else []
    asked = list[Asked]()
    for question, document, passage, answers in found[:: max(1, len(found) // MOST)]:
        begin = texts[document].index(passage)
        places = [
            {"document": document, "start": start, "end": start + len(answer)}
            for answer in answers
            if answer and (start := begin + passage.find(answer)) >= begin
        ]
        if places:
            asked.append((question, places))
    return [Document(*text) for text in texts.items()], asked


def _sentences(row: Mapping[str, Any]) -> list[str]:
    """The sentences that bear an answer out, any of which is evidence."""
    held = row["labels"]
    return list(held.get("relevant_sentences") or [(held.get("relevant_sentence") or "").strip()])


def of_rows(rows: Sequence[Mapping[str, Any]]) -> list[Asked]:
    """The answerable questions of a generated set that one document answers."""
    one = (row for row in rows if len({place["document"] for place in row["evidence"]}) == 1)
    return [(row["question"], row["evidence"]) for row in one if row.get("kind") != "multi_hop"]


async def reciprocal_ranks(documents: list[Document], asked: list[Asked]) -> Floats:
    """1 / rank of the first chunk that holds the evidence, 0 below DEPTH; retriever x question."""
    judge = Judge(backend("embedded"))
    vectors = await vectors_of([question for question, _ in asked], judge)
    rows = []
    for size in SIZES:
        index = Index(documents, Chunking("sentence", size))
        await index.embed("embedded", judge)
        for kind in KINDS:
            scores = []
            for (question, places), vector in zip(asked, vectors, strict=True):
                if kind == "bm25":
                    found = index.by_words(question, DEPTH)
                elif kind == "embedding":
                    found = index.by_vector("embedded", vector, DEPTH)
                else:
                    found = index.by_both(question, "embedded", vector, DEPTH)
                held = (
                    n
                    for n, at in enumerate(found, 1)
                    if any(holds(index.chunks[at], place) for place in places)
                )
                scores.append(1 / next(held, np.inf))
            rows.append(scores)
    return np.array(rows)


def holds(chunk: Chunk, place: Mapping[str, Any]) -> bool:
    """Whether a chunk has half of a range or more."""
    shared = min(chunk.end, place["end"]) - max(chunk.start, place["start"])
    return bool(chunk.document == place["document"] and 2 * shared >= place["end"] - place["start"])


def tau(one: Floats, other: Floats) -> float:
    """Kendall's tau-b of the rankings by two sets of questions."""
    return float(kendalltau(one.mean(axis=1), other.mean(axis=1)).statistic)


def drawn(scores: Floats, chance: np.random.Generator) -> Floats:
    """As many questions, with replacement."""
    return scores[:, chance.integers(scores.shape[1], size=scores.shape[1])]


def agreement(made: Floats, people: Floats) -> tuple[float, Floats, float, Floats]:
    """Tau with its interval, and the median and interval for as many people's questions."""
    chance = np.random.default_rng(0)
    draws = [tau(drawn(made, chance), drawn(people, chance)) for _ in range(DRAWS)]
    halves = []
    for _ in range(DRAWS):
        order = chance.permutation(people.shape[1])
        few, rest = order[: made.shape[1]], order[made.shape[1] :]
        halves.append(tau(people[:, few], people[:, rest]))
    ends = [2.5, 97.5]
    limits = np.nanpercentile(draws, ends), np.nanpercentile(halves, ends)
    return tau(made, people), limits[0], float(np.median(halves)), limits[1]


def told_apart(people: Floats) -> list[tuple[int, int]]:
    """Pairs of retrievers whose difference people's questions show, the better one first."""
    chance, n = np.random.default_rng(1), len(people)
    draws = np.array([drawn(people, chance).mean(axis=1) for _ in range(DRAWS)])
    return [
        (a, b)
        for a in range(n)
        for b in range(n)
        if a != b and np.percentile(draws[:, a] - draws[:, b], 2.5) > 0
    ]


def tau_of_decided(people: Collection[tuple[int, int]], made: Collection[tuple[int, int]]) -> float:
    """Tau-b of two rankings by the pairs that each tells apart, the better one first."""
    same = sum(pair in people for pair in made)
    other = sum((b, a) in people for a, b in made)
    return (same - other) / (len(people) * len(made)) ** 0.5 if people and made else 0.0


def halves(people: Floats) -> Floats:
    """Median and interval of tau between random halves of people's questions."""
    chance, n = np.random.default_rng(2), people.shape[1]
    orders = (chance.permutation(n) for _ in range(DRAWS))
    taus = [tau(people[:, order[: n // 2]], people[:, order[n // 2 :]]) for order in orders]
    return np.percentile(taus, [50, 2.5, 97.5])


def found_first(documents: Sequence[Document], asked: Sequence[Asked]) -> npt.NDArray[np.bool_]:
    """Which questions find their evidence first in passages of 50 words, as a design card tells."""
    long, short = (
        Corpus([one for each in documents for one in cut(each, size, shortest=1)])
        for size in (sources.PASSAGE, SIZES[0])
    )
    texts, rows, gold = {document.id: document.text for document in documents}, [], {}
    for number, (question, (at, *_)) in enumerate(asked):
        reference = texts[at["document"]][at["start"] : at["end"]]
        rows.append(Sample(id=str(number), question=question, reference=reference))
        gold[str(number)] = frozenset(
            n
            for n, one in enumerate(long.passages)
            if one.document == at["document"] and one.start < at["end"] and at["start"] < one.end
        )
    first = sources.found_first(rows, gold, long, short)
    return np.array([first.get(sample.id, False) for sample in rows])


def by_easiness(people: Floats, easy: npt.NDArray[np.bool_]) -> None:
    """Tau of 30 questions of people with all, by the share that is found first."""
    chance = np.random.default_rng(3)
    print("| found first | tau of 30 |\n|---:|---:|")
    for share in (0, 0.25, 0.5, 0.75, 0.9, 1):
        n = round(30 * share)
        taus = []
        for _ in range(DRAWS):
            ones = chance.choice(np.flatnonzero(easy), n)
            others = chance.choice(np.flatnonzero(~easy), 30 - n)
            taus.append(tau(people[:, [*ones, *others]], people))
        low, high = np.nanpercentile(taus, [2.5, 97.5])
        print(f"| {share:.2f} | {np.nanmean(taus):.2f} ({low:.2f} to {high:.2f}) |")
    print(f"of all {len(easy)} {easy.mean():.2f}\n")


def overlap(documents: Sequence[Document], asked: Sequence[Asked]) -> float:
    """Mean share of a question's content words that stand in the 200 characters around evidence."""
    texts = {document.id: document.text for document in documents}
    shares = []
    for question, places in asked:
        at = places[0]
        near = texts[at["document"]][max(0, at["start"] - 200) : at["end"] + 200]
        shares.append(recall(stems(question), set(stems(near))))
    return float(np.mean(shares))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", choices=(*SETS, "telequad"))
    parser.add_argument("--offline", type=int, default=100, help="questions made by rules")
    parser.add_argument("--easy", action="store_true", help="tau by the share found first")
    parser.add_argument("--seed", type=int, default=0, help="of the questions made by rules")
    parser.add_argument("--questions", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    documents, asked = corpus(options.corpus)
    people = asyncio.run(reciprocal_ranks(documents, asked))
    if options.easy:
        by_easiness(people, found_first(documents, asked))
    sets = {
        path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in options.questions
    }
    if options.offline:
        styles: tuple[Style, ...] = ("", "keywords")
        for style in styles:
            rows = (PlanRow("single_hop", options.offline, style),)
            with tempfile.TemporaryDirectory() as folder:
                store = Path(folder) / "s.db"
                plan = Plan(seed=options.seed, rows=rows)
                made = generate(documents, plan, judge="embedded", store=store)
            sets[f"by rules {style}".strip()] = made.rows()
    names = [f"{kind} {size}" for size in SIZES for kind in KINDS]
    pairs, (middle, low, high) = told_apart(people), halves(people)
    print(f"tau between halves of people's questions: {middle:.2f} ({low:.2f} to {high:.2f})")
    print(
        f"they tell {len(pairs)} of 15 pairs apart; {overlap(documents, asked):.2f} shared words\n"
    )
    head = ["questions", "n", *names, "tau", "as many of people's", "told apart", "by itself"]
    print(f"| {' | '.join([*head, 'tau, ties', 'shared'])} |")
    print(f"|---|---:|{'---:|' * len(names)}---:|---:|---:|---:|---:|---:|")
    means = " | ".join(f"{x:.3f}" for x in people.mean(axis=1))
    print(f"| people's | {len(asked)} | {means} | | | | | | |")
    sizes = np.repeat([[size] for size in SIZES], len(KINDS), axis=0).astype(float)
    floor = [(a, b) for a in range(len(names)) for b in range(len(names)) if sizes[a] > sizes[b]]
    of_floor = f"{tau(sizes, people):.2f} | | | | {tau_of_decided(pairs, floor):.2f}"
    print(f"| larger chunk first | | {' | ' * len(names)}{of_floor} | |")
    for name, rows in sets.items():
        scores = asyncio.run(reciprocal_ranks(documents, of_rows(rows)))
        mean = scores.mean(axis=1)
        alike = f"{sum(mean[a] > mean[b] for a, b in pairs)} of {len(pairs)}"
        own = set(told_apart(scores))
        against = sum((b, a) in own for a, b in pairs)
        claims = f"{sum(pair in own for pair in pairs)}, {against} against"
        shared = overlap(documents, of_rows(rows))
        value, limits, middle, chance = agreement(scores, people)
        means = " | ".join(f"{x:.3f}" for x in scores.mean(axis=1))
        taus = f"{value:.2f} ({limits[0]:.2f} to {limits[1]:.2f})"
        beside = f"{middle:.2f} ({chance[0]:.2f} to {chance[1]:.2f})"
        row = f"| {name} | {scores.shape[1]} | {means} | {taus} | {beside} | {alike} |"
        print(f"{row} {claims} | {tau_of_decided(pairs, own):.2f} | {shared:.2f} |", flush=True)


if __name__ == "__main__":
    main()
