"""Robustness curves of a real pipeline: an extractive answerer over the passages of XQuAD.

    python -m benchmarks.robustness [--questions 100] [--window 3000] [--out curves.html]

Contexts are the five passages nearest by words (BM25). The answer is the sentence of any of them
that shares most of the question's rare words; where it shares less than a third, the system
declines. With --window it reads so many characters of its contexts, as a generator with a small
context window does. It has no model: what it cannot do is known beforehand.
Metrics: whether the reference stands in the answer, and the embedded judge's factual correctness.
"""

import argparse
import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay import RobustnessSettings, robustness
from assay._report import robustness as words_of
from assay._text import words
from assay._text.sentences import spans
from assay.bench.relevance import by_words, drawn
from assay.data import Source
from assay.data.rows import memory_records
from assay.target import FunctionSystem
from benchmarks.data import load

FILE = "retrieval/xquad_en.jsonl.gz"
CONTEXTS = 5
LEAST = 1 / 3  # of the weight of a question's words in a sentence that answers it
METRICS = ("string_presence", "factual_correctness", "noise_robustness(metric=string_presence)")


class Answerer:
    """The sentence that shares most of the question's rare words."""

    def __init__(self, passages: Sequence[str], window: int) -> None:
        self.window = window
        counts = Counter(stem for passage in passages for stem in {*words.stems(passage)})
        self.weights = {stem: math.log(len(passages) / n) for stem, n in counts.items()}
        self.unknown = math.log(len(passages))

    def __call__(self, question: str, contexts: Sequence[str]) -> str:
        """The answer, or a refusal."""
        asked = {*words.stems(question)}
        all_ = sum(self.weights.get(stem, self.unknown) for stem in asked)
        best, answer, left = 0.0, "", self.window
        for context in contexts:
            passage, left = context[:left], max(0, left - len(context))
            for start, end in spans(passage):
                shared = asked & {*words.stems(passage[start:end])}
                weight = sum(self.weights.get(stem, self.unknown) for stem in shared)
                if weight > best:
                    best, answer = weight, passage[start:end]
        return answer if best >= LEAST * all_ else "I do not know."


def rows(n: int) -> tuple[list[dict[str, object]], list[str]]:
    """So many questions with the five nearest passages, and all passages."""
    records = load(FILE)
    passages = list(dict.fromkeys(text for row in records for text in row["contexts"]))
    chosen = drawn(records, n)
    order = np.argsort(-by_words(passages, [row["question"] for row in chosen]), axis=1)
    found = []
    for row, places in zip(chosen, order, strict=True):
        found.append(
            {
                "id": row["id"],
                "question": row["question"],
                "reference": row["ground_truth"][0],
                "accepted": row["ground_truth"][1:],
                "contexts": [passages[place] for place in places[:CONTEXTS]],
                "reference_contexts": row["contexts"],
            }
        )
    return found, passages


def main() -> None:
    """Ask, and show the curves."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--window", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    data, passages = rows(options.questions)
    with tempfile.TemporaryDirectory() as folder:
        found = robustness(
            Source("XQuAD", memory_records(data)),
            FunctionSystem(Answerer(passages, options.window), name="answerer by words"),
            METRICS,
            store=Path(folder) / "assay.db",
            settings=RobustnessSettings(on_level=lambda level: print(level, flush=True)),
        )
    collected = words_of.collect(found)
    print(words_of.markdown(collected))
    if options.out:
        options.out.write_text(words_of.html(collected), encoding="utf-8")


if __name__ == "__main__":
    main()
