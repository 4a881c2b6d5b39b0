"""The tables of the telecom paper on TeleQuAD: retrievers, scores by right retrieval, concordance.

    python -m benchmarks.telequad [--questions 300] [--retrieval 1000]

Retrievers (its accuracy at 1, 3, 5): the embedded encoder, words (BM25), and both by reciprocal
ranks. Then a system without a model of its own: the sentence of the first passage by words that is
nearest to the question is its answer. An answer counts as correct if it holds the reference's
words; people labelled questions and references, not these answers.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay import evaluate
from assay._analysis.concordance import concordance
from assay._analysis.groups import by_group
from assay._report import agreement
from assay._report import comparison as grouped
from assay._report.agreement.text import markdown
from assay._report.comparison.text import markdown_groups
from assay._text import words
from assay.bench.retrieval import DEPTHS, Floats, by_words, drawn, ranks
from assay.data import read_labels
from assay.stats.intervals import proportion_interval
from benchmarks.data import Record
from benchmarks.live import encoder, parts, telequad, vector

METRICS = (
    "faithfulness",
    "answer_relevancy",
    "context_relevance",
    "factual_correctness",
    "answer_similarity",
    "answer_correctness",
)
CLOSE = 60  # of reciprocal rank fusion (Cormack et al. 2009)
HELD = 0.8  # share of the reference's words in a correct answer


def by_meaning(passages: Sequence[str], questions: Sequence[str]) -> Floats:
    """Cosine of every question and passage."""
    found = encoder.encode(list(questions)) @ encoder.encode(list(passages)).T
    return np.asarray(found, dtype=float)


def fused(*scores: Floats) -> Floats:
    """Reciprocal rank fusion."""
    places = [np.argsort(np.argsort(-score, axis=1), axis=1) for score in scores]
    return np.sum([1 / (CLOSE + 1 + place) for place in places], axis=0)


def show_retrievers(scores: dict[str, Floats], gold: npt.NDArray[np.int_]) -> None:
    """The share of questions whose passage is among the first, with Wilson intervals."""
    print(f"| retriever, {len(gold)} questions | " + " | ".join(f"at {k}" for k in DEPTHS) + " |")
    print("|:---|" + "---:|" * len(DEPTHS))
    for name, score in scores.items():
        places = ranks(score, gold)
        cells = []
        for depth in DEPTHS:
            hits = int((places < depth).sum())
            ends = proportion_interval(hits, len(gold))
            cells.append(f"{hits / len(gold):.2f} ({ends.low:.2f} to {ends.high:.2f})")
        print(f"| {name} | " + " | ".join(cells) + " |")


def answered(question: Record, name: str, passage: str) -> Record:
    """The row of a question that was answered out of a passage."""
    own, vectors = parts(passage)
    answer = own[int(np.argmax(vectors @ vector(question["question"])))]
    wanted = set(words.words(question["reference"]))
    held = len(wanted & set(words.words(answer))) / max(1, len(wanted))
    return {
        "id": question["id"],
        "question": question["question"],
        "contexts": [passage],
        "answer": answer,
        "reference": question["reference"],
        "group": question["group"],
        "retrieval_correct": question["reference_context_ids"] == [name],
        "correct": held >= HELD,
    }


def main() -> None:
    asked = argparse.ArgumentParser(description="The telecom paper's tables on TeleQuAD.")
    asked.add_argument("--questions", type=int, default=300, help="questions that are answered")
    asked.add_argument("--retrieval", type=int, default=1000, help="questions that are looked up")
    given = asked.parse_args()
    passages, everything = telequad()
    names = list(passages)
    questions = drawn(everything, max(given.questions, given.retrieval))
    texts = [question["question"] for question in questions]
    gold = np.array([names.index(q["reference_context_ids"][0]) for q in questions])
    meaning = by_meaning(list(passages.values()), texts)
    said = by_words(list(passages.values()), texts)
    scores = {"embedded encoder": meaning, "words (BM25)": said, "both": fused(meaning, said)}
    show_retrievers(scores, gold)
    rows = []
    for question, score in zip(questions[: given.questions], said, strict=False):
        name = names[int(np.argmax(score))]
        rows.append(answered(question, name, passages[name]))
    labels = read_labels([{"id": row["id"], "label": row["correct"]} for row in rows])
    with tempfile.TemporaryDirectory() as folder:
        kept = [{k: v for k, v in row.items() if k != "correct"} for row in rows]
        result = evaluate(kept, METRICS, "embedded", store=Path(folder) / "telequad.db")
        found = by_group(result, "retrieval_correct")
        table = concordance(result, labels, METRICS)
        run = result.run
    print()
    print(markdown_groups(grouped.collect_groups(found)))
    print(markdown(agreement.told(run, "TeleQuAD", [], {}, table)))


if __name__ == "__main__":
    main()
