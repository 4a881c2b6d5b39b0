"""The tables of the telecom paper on TeleQuAD: retrievers, scores by right retrieval, concordance.

    python -m benchmarks.telequad [--questions 300] [--retrieval 1000] [--store FILE]

Retrievers (its accuracy at 1, 3, 5): the embedded encoder, words (BM25), and both by reciprocal
ranks. Then systems without a model of their own: the sentence of the first passage that is nearest
to the question is the answer, or the one that holds most of its words. An answer counts as correct
if it holds the reference's words; people labelled questions and references, not these answers.
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assay import Settings, evaluate
from assay._analysis.telecom import telecom_study
from assay._report.comparison import groups
from assay._report.page import markdown
from assay._text import words
from assay._text.words import fused
from assay.bench.relevance import DEPTHS, by_words, drawn, ranks
from assay.data import read_labels
from assay.stats.intervals import Floats, proportion_interval
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
Writer = Callable[[str, str], str]  # of an answer, to a question out of a passage
HELD = 0.8  # share of the reference's words in a correct answer


def by_meaning(passages: Sequence[str], questions: Sequence[str]) -> Floats:
    """Cosine of every question and passage."""
    found = encoder.encode(list(questions)) @ encoder.encode(list(passages)).T
    return np.asarray(found, dtype=float)


def show_retrievers(scores: dict[str, Floats], gold: npt.NDArray[np.int_]) -> None:
    """The share of questions whose passage is among the first, with Wilson intervals."""
    print(f"| retriever, {len(gold)} questions | " + " | ".join(f"at {k}" for k in DEPTHS) + " |")
    print("|:---|" + "---:|" * len(DEPTHS))
    for name, score in scores.items():
        places = ranks(score, ([place] for place in gold))
        cells = []
        for depth in DEPTHS:
            hits = int((places < depth).sum())
            ends = proportion_interval(hits, len(gold))
            cells.append(f"{hits / len(gold):.2f} ({ends.low:.2f} to {ends.high:.2f})")
        print(f"| {name} | " + " | ".join(cells) + " |")


def nearest(question: str, passage: str) -> str:
    """The sentence of a passage that is nearest to a question."""
    own, vectors = parts(passage)
    return own[int(np.argmax(vectors @ vector(question)))]


def most_words(question: str, passage: str) -> str:
    """The sentence of a passage that holds most of a question's words."""
    own, _ = parts(passage)
    return own[int(np.argmax(by_words(own, [question])[0]))]


def answered(question: Record, score: Floats, passages: dict[str, str], write: Writer) -> Record:
    """The row of a question that was answered out of the first passage."""
    names = list(passages)
    found = [names[place] for place in np.argsort(-score, kind="stable")[: max(DEPTHS)]]
    answer = write(question["question"], passages[found[0]])
    wanted = set(words.words(question["reference"]))
    held = len(wanted & set(words.words(answer))) / max(1, len(wanted))
    return {
        "id": question["id"],
        "question": question["question"],
        "contexts": [passages[found[0]]],
        "context_ids": found,
        "reference_context_ids": question["reference_context_ids"],
        "answer": answer,
        "reference": question["reference"],
        "group": question["group"],
        "retrieval_correct": question["reference_context_ids"] == found[:1],
        "correct": held >= HELD,
    }


def main() -> None:
    asked = argparse.ArgumentParser(description="The telecom paper's tables on TeleQuAD.")
    asked.add_argument("--questions", type=int, default=300, help="questions that are answered")
    asked.add_argument("--retrieval", type=int, default=1000, help="questions that are looked up")
    asked.add_argument("--store", help="where the runs are kept")
    options = asked.parse_args()
    passages, everything = telequad()
    names = list(passages)
    questions = drawn(everything, max(options.questions, options.retrieval))
    texts = [question["question"] for question in questions]
    gold = np.array([names.index(q["reference_context_ids"][0]) for q in questions])
    meaning = by_meaning(list(passages.values()), texts)
    said = by_words(list(passages.values()), texts)
    rankings = zip(np.argsort(-meaning, axis=1), np.argsort(-said, axis=1), strict=True)
    both = np.stack([fused(pair, meaning.shape[1]) for pair in rankings])
    scores = {"embedded encoder": meaning, "words (BM25)": said, "both": both}
    show_retrievers(scores, gold)
    systems = {
        "words, nearest sentence": (said, nearest),
        "words, most words": (said, most_words),
        "encoder, nearest sentence": (meaning, nearest),
    }
    results, labels = [], []
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or str(Path(folder) / "telequad.db")
        for name, (score, write) in systems.items():
            asked_of = zip(questions[: options.questions], score, strict=False)
            rows = [answered(question, row, passages, write) for question, row in asked_of]
            labels.append(read_labels([{"id": r["id"], "label": r["correct"]} for r in rows]))
            kept = [{k: v for k, v in row.items() if k != "correct"} for row in rows]
            settings = Settings(name=name)
            results.append(evaluate(kept, METRICS, "embedded", store=store, settings=settings))
        study = telecom_study(results, labels, field="retrieval_correct")
    print()
    print(markdown(groups.study_report(groups.collect_study(study))))


if __name__ == "__main__":
    main()
