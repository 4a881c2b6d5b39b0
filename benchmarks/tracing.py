"""Is the sentence that a reference rests on found? People's questions about XQuAD's articles.

    python -m benchmarks.tracing [--rows 400]

`check_freshness` gets question and answer alone, no passage, and the articles unchanged. A trace is
right if the sentence named holds the answer where people marked it.
"""

import argparse
from collections import Counter

from assay.testset import check_freshness
from benchmarks.retriever_ranking import corpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=400)
    options = parser.parse_args()
    documents, asked = corpus("xquad")
    texts = {document.id: document.text for document in documents}
    asked = asked[:: max(1, len(asked) // options.rows)][: options.rows]
    rows, places = [], []
    for number, (question, (place,)) in enumerate(asked):
        answer = texts[place["document"]][place["start"] : place["end"]]
        rows.append({"id": str(number), "question": question, "reference": answer})
        places.append(place)
    told = check_freshness(rows, before=documents, after=documents)
    counts = Counter[str]()
    for found, place in zip(told.questions, places, strict=True):
        start = texts[place["document"]].find(found.before) if found.before else -1
        right = start >= 0 and start <= place["start"] < start + len(found.before)
        counts["untraced" if not found.before else "right" if right else "wrong"] += 1
    n = counts.total()
    for name in ("right", "wrong", "untraced"):
        print(f"{name}: {counts[name]} of {n} ({counts[name] / n:.2f})")


if __name__ == "__main__":
    main()
