"""Fit the probability that a context helps to answer, on questions beside passages.

    python -m training.verifier.passages

Real questions beside a passage of which people said whether it answers (CLAPnq), beside their own
and the likest question's contexts (CLAPnq, PubMedQA), and beside the paragraph that they were asked
about and those that share most words with them (XQuAD). RGB, MTRAG-UN and FiQA are only shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay._text import words
from assay._text.sentences import sentences
from assay.bench import hard_negatives
from assay.bench.data import HELD_OUT, Data, dataset, fold_of
from assay.judges.embedded import relevance
from assay.judges.embedded.embedding import Encoder
from assay.judges.embedded.reader import Reader
from training.data import DATA, read
from training.verifier.logistic import auroc, contents, fit, predict

MOST = 250  # questions of a set
NEAR = 2  # paragraphs beside the right one
SUFFICIENT = 0.6  # share of the weight on passages that help
SIGNS = np.array([1, 1])


class Passage(NamedTuple):
    """A question beside a passage, and whether it helps to answer."""

    data: str
    group: str
    question: str
    text: str
    helps: bool
    held_out: bool


def passages() -> Iterator[Passage]:
    """All of them, set by set."""
    yield from _answerable()
    yield from _alike(fitting=True)
    yield from _alike(fitting=False)
    yield from _paragraphs()
    for record in read("robustness/rgb_en_fact.jsonl.gz"):
        for side in ("positive", "negative"):
            for text in filter(str.strip, record[side][:3]):
                group = record["question"]
                yield Passage("rgb", group, group, text, side == "positive", held_out=True)


def _answerable() -> Iterator[Passage]:
    for record in read("retrieval/clapnq.jsonl.gz"):
        question, own = record["question"], bool(record["labels"]["answerable"])
        for text in record["contexts"]:
            yield Passage("clapnq", question, question, text, own, _is_measured(question))


def _alike(*, fitting: bool) -> Iterator[Passage]:
    records = hard_negatives.rows_with_contexts(Data(DATA), fitting=fitting)
    for name in sorted({dataset(record) for record in records}):
        if hard_negatives.SETS[name].alike:
            mine = [record for record in records if dataset(record) == name][:MOST]
            for case in hard_negatives.alike_contexts(mine):
                text = " ".join(case.sentences)
                question = case.question
                yield Passage(f"{name}/alike", question, question, text, case.own, not fitting)


def _paragraphs() -> Iterator[Passage]:
    records = list(read("retrieval/xquad_en.jsonl.gz"))
    known = list(dict.fromkeys(record["contexts"][0] for record in records))
    stems = [set(words.stems(text)) for text in known]
    for record in records[:: max(1, len(records) // MOST)]:
        asked, right = set(words.stems(record["question"])), record["contexts"][0]
        others = [i for i, text in enumerate(known) if text != right]
        near = sorted(others, key=lambda i: -len(asked & stems[i]))[:NEAR]
        group = record["meta"]["title"]
        for text, helps in [(right, True), *((known[i], False) for i in near)]:
            yield Passage("xquad", group, record["question"], text, helps, _is_measured(group))


def _is_measured(group: str) -> bool:
    return fold_of(group) == HELD_OUT


def measure(found: Sequence[Passage], encoder: Encoder, reader: Reader) -> list[tuple[float, ...]]:
    """The measurements of each, by what its sentences have."""
    measured = []
    for one in found:
        rows = relevance.read(one.question, [sentences(one.text)], encoder, reader)
        measured.append(relevance.passage_features([relevance.probability(row) for row in rows]))
    return measured


def fit_passages(encoder: Encoder, reader: Reader) -> dict[str, object]:
    """The coefficients, and a table of every set."""
    found = [one for one in passages() if sentences(one.text)]
    inputs = np.array(measure(found, encoder, reader))
    labels = np.array([one.helps for one in found])
    names = np.array([one.data for one in found])
    held_out = np.array([one.held_out for one in found])
    weights = np.zeros(len(found))
    for name in set(names[~held_out].tolist()):
        for label, share in ((True, SUFFICIENT), (False, 1 - SUFFICIENT)):
            mine = ~held_out & (names == name) & (labels == label)
            weights[mine] = share / max(1, mine.sum())
    fitted = ~held_out
    solution = fit(inputs[fitted], labels[fitted], weights[fitted] / weights[fitted].mean(), SIGNS)
    scores = predict(solution, inputs)
    for part, name in ((False, "fitted on"), (True, "held out")):
        for data in dict.fromkeys(names[held_out == part].tolist()):
            mine = (names == data) & (held_out == part)
            bins = [mine & (scores >= low) & (scores < low + 0.2) for low in np.arange(0, 1, 0.2)]
            error = sum(abs(scores[b].mean() - labels[b].mean()) * b.sum() for b in bins if b.any())
            best, mean = (auroc(inputs[mine, i], labels[mine]) for i in (0, 1))
            print(
                f"{data:16} {name} n {mine.sum():4} helps {labels[mine].mean():.2f} AUROC "
                f"{auroc(scores[mine], labels[mine]):.3f} best {best:.3f} mean {mean:.3f} "
                f"ECE {error / mine.sum():.3f} "
                f"P {scores[mine & labels].mean():.2f} / {scores[mine & ~labels].mean():.2f}"
            )
    return contents(relevance.PASSAGE_FEATURES, solution)


def main() -> None:
    """Fit, show and store the coefficients."""
    encoder, reader = Encoder(2), Reader(2)
    content = fit_passages(encoder, reader)
    file = Path(relevance.__file__).parent / "passage.json"
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
