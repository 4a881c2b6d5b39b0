"""Do the differences between two answers' scores agree with those that people see (RAGChecker)?

RAGChecker's human pairs (Ru et al. 2024): two people say how much better one of two answers is,
from -2 (a much) to +2 (b much). The difference of the two answers' scores is correlated with the
mean of what they said; the interval draws questions, since pairs that share one are not
independent. Beside it stand RAGChecker's own scores on the same pairs, the agreement of the two
people, and what the paper reports over all 280 pairs: 0.67 (RAGChecker with a 70B judge), 0.59
(token F1) and 0.70 (between people).
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import assay
from assay.backends.openai import OpenAI
from assay.bench import stats
from assay.bench.ragchecker import FILE, reference, rows
from assay.bench.stats import Statistic
from benchmarks.data import DATA, Record, present, thinned

METRICS = ("ragchecker:f1", "factual_correctness", "answer_correctness", "token_f1")
# Six answers are empty, and people judged them: a gap in the data would be refused.
NOTHING = "-"
ASPECTS = ("overall", "correctness", "completeness")


def sides(pair: Record) -> list[dict[str, Any]]:
    """Both answers of a pair as rows of a data set."""
    return [
        {
            "id": f"{pair['id']}-{side}",
            "question": pair["question"],
            "answer": pair[f"answer_{side}"].strip() or NOTHING,
            "reference": reference(pair),
        }
        for side in "ab"
    ]


def differences(found: Sequence[assay.Score | assay.Unscored]) -> list[float | None]:
    """How much better b scores than a, of each pair; None where one of them has no score."""
    values = [o.value if isinstance(o, assay.Score) else None for o in found]
    pairs = zip(values[::2], values[1::2], strict=True)
    return [None if a is None or b is None else b - a for a, b in pairs]


def published(pairs: Sequence[Record], aspect: str) -> list[float]:
    """The differences of RAGChecker's own scores, which came with the data."""
    scores = [pair["meta"]["baseline_scores"] for pair in pairs]
    key = f"{aspect}_label"
    return [s["ragchecker_b"][key] - s["ragchecker_a"][key] for s in scores]


def shown(statistic: Statistic, clusters: Sequence[str]) -> str:
    """A correlation with its interval."""
    low, high = stats.interval(statistic, clusters)
    between = (
        f"[{low:.2f}, {high:.2f}]" if low is not None and high is not None else "[no interval]"
    )
    return f"{statistic(stats.ones(len(clusters))):6.2f} {between:<15}"


def line(name: str, pairs: Sequence[Record], seen: Sequence[float | None], aspect: str) -> str:
    """Both correlations of a measure with people, over the pairs that it scored."""
    done = [(p, d) for p, d in zip(pairs, seen, strict=True) if d is not None]
    people = [pair["labels"][aspect] for pair, _ in done]
    told, clusters = [d for _, d in done], [pair["question"] for pair, _ in done]
    both = (shown(measure(told, people), clusters) for measure in (stats.pearson, stats.spearman))
    return f"{name:<28}{len(done):>5}  {'  '.join(both)}"


def between_people(pairs: Sequence[Record], aspect: str) -> str:
    """Both correlations of one person with the other."""
    votes = [pair["labels"]["votes"][aspect] for pair in pairs]
    first, second = [vote[0] for vote in votes], [vote[1] for vote in votes]
    clusters = [pair["question"] for pair in pairs]
    both = (shown(measure(first, second), clusters) for measure in (stats.pearson, stats.spearman))
    return f"{'one person, the other':<28}{len(pairs):>5}  {'  '.join(both)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", default="embedded")
    parser.add_argument("--base-url", help="of an OpenAI-compatible server")
    parser.add_argument("--schema-extra", help="JSON put into each response schema", default="{}")
    parser.add_argument("--aspect", choices=ASPECTS, default="overall", help="what people judged")
    parser.add_argument("--limit", type=int, help="pairs, the same ones every time")
    parser.add_argument("--store", type=Path, help="keep replies here")
    options = parser.parse_args()
    judge: Any = options.judge
    if options.base_url:
        model = options.judge.removeprefix("openai:")
        extra = json.loads(options.schema_extra)
        judge = OpenAI(model, base_url=options.base_url, schema_extra=extra, max_tokens=1500)
    present(FILE)
    pairs = thinned(rows(DATA), options.limit)
    data = [row for pair in pairs for row in sides(pair)]
    # Patience for a local model on few cores.
    settings = assay.Settings(limits=assay.Limits(in_flight=4, timeout=1200, retries=2))
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "ragchecker.db"
        result = assay.evaluate(data, METRICS, judge, store=store, settings=settings)
        found = {name: differences(result[name]) for name in METRICS}
    aspect = options.aspect
    print(f"{'':<28}{'pairs':>5}  {'Pearson':<22}  {'Spearman':<22}  (95 % intervals, {aspect})")
    for name in METRICS:
        print(line(name, pairs, found[name], aspect))
    print(line("RAGChecker, Llama 3 70B", pairs, published(pairs, aspect), aspect))
    print(between_people(pairs, aspect))
    print("paper, overall, all pairs: RAGChecker 0.67, token F1 0.59, between people 0.70")


if __name__ == "__main__":
    main()
