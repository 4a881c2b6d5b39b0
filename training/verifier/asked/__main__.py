"""Write the rows, or show what they are: python -m training.verifier.asked --out FILE | --check."""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from assay.experiments.reader_windows import Asked
from training.verifier.asked import build, sources
from training.verifier.asked.lexical import Weights


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The chance that a true one scores higher than a false one; nan without both."""
    values, truth = np.asarray(scores, float), np.asarray(labels, bool)
    good, bad = int(truth.sum()), int((~truth).sum())
    if not good or not bad:
        return float("nan")
    _, where, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[where]
    return float((ranks[truth].sum() - good * (good + 1) / 2) / (good * bad))


def check(rows: Sequence[Asked]) -> None:
    """The rows' invariants; raises AssertionError."""
    for row in rows:
        assert row.question.strip(), row
        assert row.texts, row
        assert len(row.texts) == len(row.helps), row
        assert all(text.strip() for text in row.texts), row
        assert all(h is None or 0 <= h <= 1 for h in row.helps), row
        assert row.answers is None or 0 <= row.answers <= 1, row
        assert row.answers is not None or any(h is not None for h in row.helps), row
        assert row.msmarco == row.data.startswith("ragtruth"), row
        assert sum(len(text.split()) for text in row.texts) <= 420, row
    labels: dict[tuple[str, str, tuple[str, ...]], float | None] = {}
    for row in rows:
        if row.answers is not None:
            key = (row.group, row.question, row.texts)
            assert key not in labels, row
            labels[key] = row.answers


def show(rows: Sequence[Asked], weights: Weights) -> None:
    """Per generator: rows, shares of labels, and what overlap and length alone would tell."""
    by_data: dict[str, list[Asked]] = defaultdict(list)
    for row in rows:
        by_data[row.data].append(row)
        by_data[f"= {row.data.partition('/')[0]}"].append(row)
        by_data["= contexts" if row.answers is None else "= answers"].append(row)
    print(
        f"{'':24} {'rows':>6} {'words':>5} {'ans':>5} {'help1':>6} {'help0':>6} {'none':>6}"
        "  AUROC: help~overlap help~length answer~overlap answer~length"
    )
    for data, found in sorted(by_data.items()):
        sizes = [sum(len(t.split()) for t in r.texts) for r in found]
        pairs = [(r.question, t, h) for r in found for t, h in zip(r.texts, r.helps, strict=True)]
        known = [(q, t, h) for q, t, h in pairs if h is not None]
        rated = [(r, s) for r, s in zip(found, sizes, strict=True) if r.answers is not None]
        counts = Counter(h for _, _, h in pairs)
        helped = [h >= 0.5 for _, _, h in known]
        full = [(r.answers or 0) >= 0.7 for r, _ in rated]
        mean = np.mean([r.answers for r, _ in rated]) if rated else float("nan")
        figures = (
            auroc([weights.overlap(q, t) for q, t, _ in known], helped),
            auroc([len(t.split()) for _, t, _ in known], helped),
            auroc([weights.overlap(r.question, " ".join(r.texts)) for r, _ in rated], full),
            auroc([s for _, s in rated], full),
        )
        print(
            f"{data:24} {len(found):6} {np.mean(sizes):5.0f} {mean:5.2f} {counts[1.0]:6} "
            f"{counts[0.0]:6} {counts[None]:6}  "
            + " ".join(f"{f:14.2f}" if f == f else " " * 14 for f in figures)  # noqa: PLR0124
        )


def main() -> None:
    """Write, check or show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", metavar="DATA", help="some rows of a generator")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rows = list(build.rows(args.seed))
    check(rows)
    if args.out:
        with args.out.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
        print(f"{len(rows)} rows to {args.out}")
    if args.check:
        items = [*sources.natural_questions(), *sources.passages(), *sources.hotpot()]
        show(rows, build.weights(items))
    if args.show:
        chosen = [r for r in rows if r.data.startswith(args.show)]
        for row in random.Random(args.seed).sample(chosen, min(args.count, len(chosen))):
            print(f"\n[{row.data}] {row.question}  -> {row.answers}")
            for text, label in zip(row.texts, row.helps, strict=True):
                print(f"   {'?' if label is None else format(label, 'g')} {text}")


if __name__ == "__main__":
    main()
