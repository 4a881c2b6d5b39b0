"""What do few human labels bring on real answers, judged by the embedded judge?

RAGTruth, answers to questions. Corrected means: labels of random test answers are hidden but for k;
the estimates are compared with the mean of all labels. Calibration: fitted on train answers, and
measured on test answers.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

import assay
from assay._analysis.calibration import Measured, calibrate, check
from assay._analysis.selection import uncertainty
from assay.data.labels import Labels, read_labels
from assay.stats.calibration import Objective
from assay.stats.correction import Design, correct_mean, labels_alone
from assay.stats.priority_sampling import chances, priority, sizes
from benchmarks.data import Record, load, thinned

DRAWS = 500


def rows(split: str, most: int) -> list[Record]:
    found = load(f"ragtruth/ragtruth_{split}.jsonl.gz")
    return thinned([row for row in found if row["meta"].get("task_type") == "QA"], most)


def judged(found: list[Record], store: Path) -> assay.Result:
    data = [
        {
            "id": row["id"],
            "question": row["question"],
            "contexts": row["contexts"],
            "answer": row["answer"],
            "group": row["question"],
        }
        for row in found
    ]
    return assay.evaluate(data, "faithfulness", store=store)


def labelled(found: list[Record]) -> Labels:
    return read_labels([{"id": r["id"], "label": not r["labels"]["hallucinated"]} for r in found])


def corrected(found: list[Record], result: assay.Result) -> None:
    """How close, how often held, how wide: corrected, chosen by uncertainty, labels alone."""
    truth = {row["id"]: float(not row["labels"]["hallucinated"]) for row in found}
    scored = [(s.id, o) for s, o in result.outcomes("faithfulness") if isinstance(o, assay.Score)]
    score = np.array([outcome.value for _, outcome in scored])
    label = np.array([truth[name] for name, _ in scored])
    size = sizes([uncertainty(outcome, (0, 1)) for _, outcome in scored])
    mean, n, chance = label.mean(), len(label), np.random.default_rng(0)
    print(f"\n{n} answers, {mean:.3f} of them without hallucination; the judge's mean is", end=" ")
    print(f"{score.mean():.3f}, its correlation with labels {np.corrcoef(score, label)[0, 1]:.2f}")
    print(f"{'k':>4}  {'estimate':<24}{'typical error':>14}{'held':>7}{'width':>7}")
    for k in (50, 100, 200):
        tallies: dict[str, list[tuple[float, bool, float]]] = {}
        for _ in range(DRAWS):
            at = chance.permutation(n)[:k]
            numbers = chance.random(n)
            chosen = priority(size, numbers)[:k]
            design = Design(probabilities=chances(size, numbers, k))
            estimates = {
                "labels alone": labels_alone(label[at]),
                "corrected": _pair(correct_mean(score, at, label[at])),
                "corrected, uncertain first": _pair(
                    correct_mean(score, chosen, label[chosen], design=design)
                ),
            }
            for name, (estimate, interval) in estimates.items():
                held = interval.low <= mean <= interval.high
                seen = (estimate - mean, held, interval.high - interval.low)
                tallies.setdefault(name, []).append(seen)
        for name, seen in tallies.items():
            errors, held, widths = (np.array(column) for column in zip(*seen, strict=True))
            print(
                f"{k:>4}  {name:<24}{np.sqrt((errors**2).mean()):>14.3f}"
                f"{held.mean():>7.2f}{widths.mean():>7.3f}",
                flush=True,
            )


def _pair(found):  # noqa: ANN001, ANN202 - a pair of what correct_mean gave
    return found.estimate, found.interval


def shown(found: Measured | None) -> str:
    if found is None or found.value is None:
        return "-"
    if found.interval is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=300, help="answers of each split")
    parser.add_argument("--store", type=Path, help="keep replies here")
    options = parser.parse_args()
    train, test = rows("train", options.most), rows("test", options.most)
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "human_labels.db"
        fitted_on, measured_on = judged(train, store), judged(test, store)
        card = calibrate(fitted_on, labelled(train), objective=Objective("f1-bad"))
        print(f"calibrated on {len(train)} train answers: threshold {card.threshold:.3f}")
        for name, found in (
            ("cross-validated on train", card.quality),
            ("on test", check(card, measured_on, labelled(test))),
        ):
            print(f"{name}: {found.n} labels, {found.n_good} good")
            print(f"  F1 of bad          {shown(found.before)} -> {shown(found.reached)}")
            print(f"  Brier score        {shown(found.brier_before)} -> {shown(found.brier)}")
            print(f"  calibration error  {shown(found.error_before)} -> {shown(found.error)}")
            print(f"  error by chance    {found.error_by_chance:.3f}")
        corrected(test, measured_on)


if __name__ == "__main__":
    main()
