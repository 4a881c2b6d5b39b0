"""By which rule do graded verdicts rank answers best, as people judge them?

    python -m benchmarks.recorded.graded

The 114 answers of the record whose statements a strong model graded, and 89 more (summaries and
records of RAGTruth, more texts of quintd1, more claims of ExpertQA), whose texts are in the data
that is not in this repository. Shown is the AUROC of each set, the means over RAGTruth and over the
rest by number of rows, and how far they are above those of the counted share, with 95 % intervals
by a bootstrap of the rows of each set. The rules were chosen on the first three sets.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

import assay
from assay.bench.benchmark import count_of_new_words
from assay.metrics.groundedness import WEIGHTS
from assay.score import Score
from assay.tasks.verification import SEVERITIES, STANDINGS, Standing
from benchmarks.data import DATA
from benchmarks.leaks import SECOND
from benchmarks.recorded import replay

FIRST: Final = ("ragtruth", "quintd", "expertqa")
RAGTRUTH: Final = ("ragtruth", "ragtruth Summary", "ragtruth Data2txt")
OTHERS: Final = ("quintd", "quintd 2", "expertqa", "expertqa 2")
FILES: Final = {
    "ragtruth": (DATA, "ragtruth/ragtruth_test.jsonl.gz"),
    "quintd1": (SECOND, "records/quintd1_dev.jsonl.gz"),
    "expertqa": (DATA, "attribution/expertqa_claims.jsonl.gz"),
}
DRAWS: Final = 2_000
# Of each statement its standing and its severity, 0 where it is supported.
Graded: TypeAlias = Sequence[tuple[Standing, int]]
Answer: TypeAlias = Mapping[str, Any]


def losses(graded: Graded) -> list[float]:
    """How much each statement loses: its standing's weight by its severity, at most 1."""
    return [WEIGHTS[standing] * severity / SEVERITIES[-1] for standing, severity in graded]


def _counted(graded: Graded) -> float:
    return float(np.mean([standing == "supported" for standing, _ in graded]))


RULES: Final[Mapping[str, Callable[[Graded], float]]] = {
    "counted (`strict`)": _counted,
    "counted, not divided": lambda graded: -sum(s != "supported" for s, _ in graded),
    "mean loss (`graded`)": lambda graded: -float(np.mean(losses(graded))),
    "sum of losses": lambda graded: -sum(losses(graded)),
    "no statement misleads": lambda graded: prod(1 - loss for loss in losses(graded)),
    "worst statement": lambda graded: -max(losses(graded)),
}
FLOOR: Final = "count of new words"


def complete() -> bool:
    """Whether the texts of all rows are there."""
    return all(data.has(name) for data, name in FILES.values())


def answers() -> list[dict[str, Any]]:
    """Every answer: its set, what people said, the rules' values."""
    wanted = {row["id"]: row["set"] for row in replay.lines("graded.jsonl.gz") if "id" in row}
    replies = {row["key"]: row["reply"] for row in replay.lines("graded.jsonl.gz") if "key" in row}
    rows = [row | {"set": name} for name in FIRST for row in replay.rows(name)]
    for kind, (data, name) in FILES.items():
        found = {row["id"]: row for row in data.rows(name) if row["id"] in wanted}
        rows += [_row(kind, found[i]) | {"set": wanted[i]} for i in wanted if i in found]
    judge = replay.Recorded()
    judge.replies = {**judge.replies, **replies}
    settings = assay.Settings(tries=1, probe=False, prompts=replay.PROMPTS)
    plain = [{k: v for k, v in row.items() if k not in ("people", "set")} for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "a.db"
        result = assay.evaluate(
            plain, "graded_faithfulness", judge.ask, store=store, settings=settings
        )
        scored = dict(zip((row["id"] for row in rows), result["graded_faithfulness"], strict=True))
    return [_valued(row, scored[row["id"]]) for row in rows if isinstance(scored[row["id"]], Score)]


def _row(kind: str, found: Mapping[str, Any]) -> dict[str, Any]:
    labels = found["labels"]
    good = labels["support"] == "Complete" if kind == "expertqa" else not labels["hallucinated"]
    answer = found["claim"] if kind == "expertqa" else found["answer"]
    kept = {name: found[name] for name in ("id", "question", "contexts")}
    return kept | {"answer": answer, "people": {"good": good}}


def _valued(row: Mapping[str, Any], score: Score) -> dict[str, Any]:
    severities = score.details["severities"]
    known = {str(standing): standing for standing in STANDINGS}
    graded = [(known[part.label], n or 0) for part, n in zip(score.parts, severities, strict=True)]
    values = {name: rule(graded) for name, rule in RULES.items()}
    values[FLOOR] = -float(count_of_new_words(row["answer"], row["contexts"]))
    return {"set": row["set"], "good": row["people"]["good"], "values": values}


def pooled(rule: str, found: Sequence[Answer]) -> float:
    """The mean over the sets of the AUROC within each, by number of rows."""
    total = 0.0
    for name in {one["set"] for one in found}:
        rows = [one for one in found if one["set"] == name]
        good, bad = (
            np.array([one["values"][rule] for one in rows if one["good"] is is_good])
            for is_good in (True, False)
        )
        above = (good[:, None] > bad) + 0.5 * (good[:, None] == bad)
        total += len(rows) * (above.mean() if above.size else 0.5)
    return float(total / len(found))


def above(rule: str, base: str, found: Sequence[Answer], dice: np.random.Generator) -> str:
    """How far a rule is above another, with its interval."""

    def difference(rows: Sequence[Answer]) -> float:
        return pooled(rule, rows) - pooled(base, rows)

    by_set = [
        [one for one in found if one["set"] == name] for name in sorted({f["set"] for f in found})
    ]
    draws = [
        difference([rows[i] for rows in by_set for i in dice.integers(len(rows), size=len(rows))])
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"{difference(found):+.2f} ({low:+.2f} to {high:+.2f})"


def main() -> None:
    """Print the table."""
    found = answers()
    groups = {name: [one for one in found if one["set"] == name] for name in (*RAGTRUTH, *OTHERS)}
    sums = [[one for name in names for one in groups[name]] for names in (RAGTRUTH, OTHERS)]
    heads = [f"{name} ({len(rows)})" for name, rows in groups.items()]
    for name, rows in zip(("RAGTruth", "others"), sums, strict=True):
        heads += [f"{name} ({len(rows)})", "above counted"]
    print(f"| rule | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}")
    base = next(iter(RULES))
    for rule in (*RULES, FLOOR):
        cells = [f"{pooled(rule, rows):.2f}" for rows in groups.values()]
        for rows in sums:
            cells.append(f"{pooled(rule, rows):.2f}")
            cells.append("" if rule == base else above(rule, base, rows, np.random.default_rng(0)))
        print(f"| {rule} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
