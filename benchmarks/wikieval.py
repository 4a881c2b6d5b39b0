"""How often does a judge prefer what people prefer, on the three comparisons of the RAGAS paper?

WikiEval (Es et al. 2023, section 5): for each of 50 questions, two answers or contexts of which one
is better. Agreement is the share of pairs in which the better one scores higher; a tie counts half,
and so does a pair that could not be scored. The floors are trivial rules: a number that does not
beat them proves nothing.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import assay
from assay.backends.openai import OpenAI
from assay.bench.wikieval import DIMENSIONS, FLOORS, credit, side
from benchmarks.data import load


def interval(agreed: Sequence[float]) -> tuple[float, float]:
    """95 % percentile bootstrap of the mean."""
    chance = random.Random(0)
    n = len(agreed)
    means = sorted(sum(chance.choices(agreed, k=n)) / n for _ in range(2000))
    return means[49], means[1949]


def values(rows: list[dict[str, Any]], metric: str, judge: Any, store: Path) -> list[float | None]:
    # Patience for a local model on few cores: one call at a time, as long as it takes.
    limits = assay.Limits(in_flight=1, timeout=1200, retries=1)
    settings = assay.Settings(limits=limits)
    result = assay.evaluate(rows, metric, judge, store=store, settings=settings)
    return [o.value if isinstance(o, assay.Score) else None for o in result[metric]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", default="embedded")
    parser.add_argument("--base-url", help="of an OpenAI-compatible server")
    parser.add_argument("--schema-extra", help="JSON put into each response schema", default="{}")
    parser.add_argument("--family", default="", help="'paper:' for the paper's own prompts")
    parser.add_argument("--limit", type=int, help="pairs of each dimension")
    parser.add_argument("--store", type=Path, help="keep replies here")
    options = parser.parse_args()
    judge: Any = options.judge
    if options.base_url:
        model = options.judge.removeprefix("openai:")
        extra = json.loads(options.schema_extra)
        judge = OpenAI(model, base_url=options.base_url, schema_extra=extra, max_tokens=1500)
    pairs = load("wikieval/wikieval_pairs.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "wikieval.db"
        print(f"{'dimension':<20}{'n':>4}{'agreement':>11}  95 % interval   unscored  floor")
        for dimension, name in DIMENSIONS.items():
            report(dimension, options.family + name, judge, store, pairs, options.limit)


def report(
    dimension: str,
    metric: str,
    judge: Any,
    store: Path,
    pairs: list[dict[str, Any]],
    limit: int | None,
) -> None:
    chosen = [p for p in pairs if p["labels"]["dimension"] == dimension][:limit]
    rows = [side(pair, which) for pair in chosen for which in "ab"]
    found = values(rows, metric, judge, store)
    scored = list(zip(found[::2], found[1::2], strict=True))
    agreed = [credit(p, a, b) for p, (a, b) in zip(chosen, scored, strict=True)]
    missing = sum(a is None or b is None for a, b in scored)
    rule, floor = FLOORS[dimension]
    base = [credit(p, floor(side(p, "a")), floor(side(p, "b"))) for p in chosen]
    low, high = interval(agreed)
    print(
        f"{dimension:<20}{len(chosen):>4}{sum(agreed) / len(agreed):>11.3f}"
        f"  [{low:.3f}, {high:.3f}] {missing:>9}  {sum(base) / len(base):.2f} ({rule})"
    )


if __name__ == "__main__":
    main()
