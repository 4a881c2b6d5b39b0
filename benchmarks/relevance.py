"""How well does the embedded judge tell relevant texts, and does word overlap do as well?

AUROC over single (question, text) pairs with human labels, beside the floor: the share of the
question's (for RGB: of the known answer's) words that stand in the text.
"""

import bisect
import random
from typing import Any

from data import load

from assay.backends.embedded.encoder import Encoder
from assay.backends.embedded.relevance import sentence_relevance
from assay.backends.embedded.usefulness import context_usefulness
from assay.text.words import stems

MOST = 2000
Labelled = tuple[float, bool]


def auroc(found: list[Labelled]) -> float:
    """Probability that a positive scores above a negative; ties count half."""
    negatives = sorted(score for score, label in found if not label)
    positives = [score for score, label in found if label]
    wins = sum(
        bisect.bisect_left(negatives, p) + bisect.bisect_right(negatives, p) for p in positives
    )
    return wins / 2 / len(positives) / len(negatives)


def overlap(wanted: str, text: str) -> float:
    found = set(stems(wanted))
    return len(found & set(stems(text))) / max(1, len(found))


def sentences(name: str, encoder: Encoder) -> tuple[list[Labelled], list[Labelled]]:
    rows = load(name)
    random.Random(0).shuffle(rows)
    judged: list[Labelled] = []
    floor: list[Labelled] = []
    for row in rows[:MOST]:
        question, text, label = row["question"], row["contexts"][0], bool(row["labels"]["relevant"])
        judged.append((sentence_relevance(question, [text], encoder)[0].probability, label))
        floor.append((overlap(question, text), label))
    return judged, floor


def passages(name: str, encoder: Encoder) -> tuple[list[Labelled], list[Labelled]]:
    judged: list[Labelled] = []
    floor: list[Labelled] = []
    for row in load(name):
        answer = row["ground_truth"]
        answer = answer if isinstance(answer, str) else answer[0]
        for text, label in pairs(row):
            if isinstance(answer, str) and text.strip():
                found = context_usefulness(row["question"], answer, [text], encoder)
                judged.append((found[0].probability, label))
                floor.append((overlap(answer, text), label))
    return judged, floor


def pairs(row: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(t, True) for t in row["positive"][:3]] + [(t, False) for t in row["negative"][:3]]


def main() -> None:
    encoder = Encoder()
    print(f"{'data':<28}{'n':>6}{'embedded':>10}{'overlap':>9}")
    for name, measure in (
        ("relevance/trecqa.jsonl.gz", sentences),
        ("relevance/msmarco_hard_neg400.jsonl.gz", sentences),
        ("robustness/rgb_en_fact.jsonl.gz", passages),
    ):
        judged, floor = measure(name, encoder)
        label = name.partition("/")[2].partition(".")[0]
        print(f"{label:<28}{len(judged):>6}{auroc(judged):>10.3f}{auroc(floor):>9.3f}")


if __name__ == "__main__":
    main()
