"""Which settings of `assay adapt` pay: variants fine-tuned on one corpus, measured on one split.

    python -m benchmarks.adapt BASE CORPUS QUESTIONS RESULTS [--only NAME ...]

BASE is the folder of a sentence-transformers model; PyTorch is needed (extra `[adapt]`). RESULTS
gets a line of JSON for each variant as it ends, and those that it has are not run again. The table
compares each with the base and with the first variant, question by question, in intervals clustered
by document. Passages are of 80 words, of which 128 tokens are read; one core, bfloat16.
"""

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.experiments.adapt import Model, Training, embedding
from assay.experiments.adaptation import (
    Floats,
    Question,
    gains,
    mine,
    ranked,
    read_training_data,
    split,
)

WORDS, TOKENS = 80, 128
BASE = "base"


@dataclass(frozen=True)
class Variant:
    """One way to fine-tune: whose questions, how many hard negatives, how often, which seed."""

    by_rule: bool = False
    negatives: int = 1
    epochs: int = 1
    seed: int = 0


VARIANTS = {
    "given questions, 1 hard negative, 1 epoch": Variant(),
    "no hard negative": Variant(negatives=0),
    "3 hard negatives": Variant(negatives=3),
    "2 epochs": Variant(epochs=2),
    "generated questions": Variant(by_rule=True),
    "generated questions, no hard negative": Variant(by_rule=True, negatives=0),
    "3 hard negatives, seed 1": Variant(negatives=3, seed=1),
    "3 hard negatives, seed 2": Variant(negatives=3, seed=2),
}


def run(results: Path, options: argparse.Namespace) -> list[Question]:
    """Train and measure what the results lack; the questions that measure."""
    corpus = [Path(options.corpus)]
    asked = read_training_data(corpus, options.questions, words=WORDS)
    made = read_training_data(corpus, words=WORDS)
    divided = split(asked.questions)
    learnt_from = {question.source for question in divided.train}
    by_rule = [question for question in made.questions if question.source in learnt_from]
    base = embedding_of(Model(Path(options.base), 1))
    if BASE not in known(results):
        keep(results, BASE, ranked(divided.held_out, asked, base), 0, 0.0)
    for name in options.only or VARIANTS:
        if name in known(results):
            continue
        variant = VARIANTS[name]
        data, questions = (made, by_rule) if variant.by_rule else (asked, divided.train)
        triplets = mine(questions, data, base, variant.negatives)
        start, model = time.process_time(), Model(Path(options.base), 1)
        settings = Training(
            epochs=variant.epochs,
            batch=16,
            tokens=TOKENS,
            seed=variant.seed,
            bfloat16=True,
            threads=1,
        )
        model.train(triplets, data, settings)
        seconds = time.process_time() - start
        before = ranked(divided.held_out, asked, embedding_of(model))
        keep(results, name, before, len(triplets), seconds)
    return list(divided.held_out)


def embedding_of(model: Model):  # noqa: ANN201 - an `Embedding`
    """The embedder as its export embeds."""
    folder = Path(tempfile.mkdtemp())
    model.save(folder)
    return embedding(folder, 1)


def keep(results: Path, name: str, before: Floats, learnt: int, seconds: float) -> None:
    """Add a line: ranks of the held-out questions, and what the training took."""
    line = {"name": name, "before": before.tolist(), "learnt": learnt, "seconds": seconds}
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(f"{name}: {learnt} triplets, {seconds:.0f} s of one core", flush=True)


def known(results: Path) -> dict[str, dict[str, object]]:
    """The lines by the name of the variant."""
    text = results.read_text("utf-8") if results.exists() else ""
    return {line["name"]: line for line in map(json.loads, text.splitlines())}


def table(results: Path, questions: list[Question]) -> None:
    """Each variant beside the base and beside the first variant, by accuracy@1 and MRR."""
    lines = known(results)
    ranks = {name: np.array(line["before"]) for name, line in lines.items()}
    first = next(iter(VARIANTS))
    print("| variant | triplets | seconds | accuracy@1 | MRR | MRR, to the base | to the first |")
    print("|:---|---:|---:|---:|---:|---:|---:|")
    for name, line in lines.items():
        to_base, to_first = (
            {gain.measure: gain for gain in gains(questions, ranks[other], ranks[name])}
            for other in (BASE, first if first in ranks else BASE)
        )
        cells = [f"{to_base[m].paired.after:.2f}" for m in ("accuracy@1", "MRR")]
        for gain in (to_base["MRR"], to_first["MRR"]):
            ends = gain.paired.interval
            shown = f" ({ends.low:+.2f} to {ends.high:+.2f})" if ends else ""
            cells.append(f"{gain.paired.difference:+.2f}{shown}")
        print(f"| {name} | {line['learnt']} | {line['seconds']:.0f} | {' | '.join(cells)} |")


def main() -> None:
    """Run what is missing, then show all."""
    parser = argparse.ArgumentParser()
    for name in ("base", "corpus", "questions", "results"):
        parser.add_argument(name)
    parser.add_argument("--only", nargs="*", choices=list(VARIANTS))
    options = parser.parse_args()
    results = Path(options.results)
    table(results, run(results, options))


if __name__ == "__main__":
    main()
