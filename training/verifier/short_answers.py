"""Fit the probability that a short answer belongs to its question, from where it stands.

    python -m training.verifier.short_answers

Real questions beside the paragraph that answers them and others (XQuAD, QED): the right answer,
that to another question about the paragraph (of QED, of which there is one a paragraph, a name or
number of another sentence), and a name or number of the answer's own sentence. TeleQuAD, another
field, is only shown. Shares at a probability of 0.5.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay._text import entities, words
from assay._text.sentences import sentences
from assay.bench.data import FOLDS, fold_of
from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.short_answers import FEATURES, find_place
from training.data import DATA, read
from training.verifier.fit import PACKAGE
from training.verifier.logistic import auroc, contents, fit, predict

RIGHT, OTHER, NEAR = "right", "other", "near"
# Most answers of a system are right, and fewest of the wrong ones stand beside the right one.
WEIGHTS = {RIGHT: 2.5, OTHER: 1.0, NEAR: 0.5}
SIGNS = np.array([0, 1, 1, 1, 1])
LONGEST = 8  # words of an answer


class Paragraph(NamedTuple):
    """A text with the questions asked about it, each with its answers."""

    group: str
    contexts: tuple[str, ...]  # its text first
    asked: tuple[tuple[str, tuple[str, ...]], ...]


class Answer(NamedTuple):
    """A question with an answer beside contexts."""

    data: str
    group: str
    kind: str
    text: str  # "Q? A"
    contexts: tuple[str, ...]


def _xquad() -> Iterator[Paragraph]:
    asked: dict[tuple[str, str], list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for record in read("retrieval/xquad_en.jsonl.gz"):
        key = record["meta"]["title"], record["contexts"][0]
        asked[key].append((record["question"], tuple(record["ground_truth"])))
    for (title, text), mine in asked.items():
        others = [other for name, other in asked if name == title and other != text]
        yield Paragraph(title, (text, *others[:2]), tuple(mine))


def _qed() -> Iterator[Paragraph]:
    records = list(read("retrieval/qed_nq_dev.jsonl.gz"))
    for i, record in enumerate(records):
        contexts = [records[(i + k) % len(records)]["contexts"][0] for k in range(3)]
        asked = ((record["question"], tuple(record["ground_truth"])),)
        yield Paragraph(record["meta"]["title"], tuple(contexts), asked)


def _telequad() -> Iterator[Paragraph]:
    with gzip.open(DATA / "retrieval/TeleQuAD-v4-full.json.gz") as file:
        content = json.load(file)
    for document in content["data"]:
        for paragraph in document["paragraphs"]:
            asked = [
                (entry["question"], (entry["answers"][0]["text"],))
                for entry in paragraph["qas"]
                if entry["answers"] and not entry["is_impossible"]
            ]
            yield Paragraph(document["source"], (paragraph["context"],), tuple(asked))


SETS = {"xquad": _xquad, "qed": _qed, "telequad": _telequad}
FITTED = ("xquad", "qed")


def answers(data: str) -> Iterator[Answer]:
    """Right and wrong answers to the questions of a set."""
    for paragraph in SETS[data]():
        for i, (question, right) in enumerate(paragraph.asked):
            text = question if question.rstrip().endswith("?") else f"{question}?"
            others = [given[0] for _, given in paragraph.asked[i + 1 :] + paragraph.asked[:i]]
            for kind, answer in _candidates(text, right, others, paragraph.contexts[0]):
                if len(words.words(answer)) <= LONGEST:
                    yield Answer(
                        data, paragraph.group, kind, f"{text} {answer}", paragraph.contexts
                    )


def _candidates(
    question: str, right: Sequence[str], others: Sequence[str], text: str
) -> Iterator[tuple[str, str]]:
    """Of every kind at most one answer."""

    def is_wrong(candidate: str) -> bool:
        phrase = _plain(candidate)
        shares = any(phrase in _plain(one) or _plain(one) in phrase for one in right)
        return bool(phrase.strip()) and not shares and phrase not in _plain(question)

    own = [s for s in sentences(text) if _plain(right[0]) in _plain(s)]
    if not own:
        return
    yield RIGHT, right[0]
    elsewhere = [s for s in sentences(text) if s not in own]
    wrong = [other for other in others if is_wrong(other)]
    if not others:
        wrong = [name for name in _named(elsewhere) if is_wrong(name)]
        wrong = [name for name in wrong if _has_digit(name) == _has_digit(right[0])]
    near = [name for name in _named(own) if is_wrong(name)]
    near = [name for name in near if _has_digit(name) == _has_digit(right[0])] or near
    for kind, candidates in ((OTHER, wrong), (NEAR, near)):
        if candidates:
            yield kind, candidates[len(question) % len(candidates)]


def _plain(text: str) -> str:
    return f" {' '.join(words.words(text))} "


def _named(texts: Sequence[str]) -> list[str]:
    return [name for text in texts for name in entities.entities(text)]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def measure(data: str) -> tuple[list[Answer], np.ndarray]:
    """The answers of a set that stand somewhere, and their features."""
    measured, rows = [], []
    for answer in answers(data):
        evidence = prepare(answer.contexts)
        place = find_place(evidence.read(answer.text).text, evidence)
        if place:
            measured.append(answer)
            rows.append(place.features)
    return measured, np.array(rows)


def _fit(rows: Sequence[Answer], features: np.ndarray) -> np.ndarray:
    labels = np.array([float(row.kind == RIGHT) for row in rows])
    weights = np.array([WEIGHTS[row.kind] for row in rows])
    return fit(features, labels, weights, SIGNS)


def _show(data: str, rows: Sequence[Answer], values: np.ndarray) -> None:
    kinds = np.array([row.kind for row in rows])
    right = values[kinds == RIGHT]
    line = f"{data:9} right n {len(right)}, lost {(right < 0.5).mean():.2f}"
    for kind in (OTHER, NEAR):
        wrong = values[kinds == kind]
        labels = np.repeat([1.0, 0.0], [len(right), len(wrong)])
        order = auroc(np.concatenate([right, wrong]), labels)
        line += f"; {kind} n {len(wrong)}, AUROC {order:.3f}, passed {(wrong >= 0.5).mean():.2f}"
    print(line, flush=True)


def main() -> None:
    """Fit, show what rows not fitted on are worth, and store the coefficients."""
    measured = {data: measure(data) for data in SETS}
    rows = [row for data in FITTED for row in measured[data][0]]
    features = np.concatenate([measured[data][1] for data in FITTED])
    folds = np.array([fold_of(row.group) for row in rows])
    values = np.zeros(len(rows))
    for fold in range(FOLDS):
        others = [row for row, own in zip(rows, folds, strict=True) if own != fold]
        solution = _fit(others, features[folds != fold])
        values[folds == fold] = predict(solution, features[folds == fold])
    for data in FITTED:
        mine = np.array([row.data == data for row in rows])
        _show(data, [row for row in rows if row.data == data], values[mine])
    solution = _fit(rows, features)
    for data in SETS.keys() - set(FITTED):
        _show(data, measured[data][0], predict(solution, measured[data][1]))
    content = json.dumps(contents(FEATURES, solution), indent=2)
    (PACKAGE / "short_answers.json").write_text(f"{content}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
