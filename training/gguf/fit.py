"""What does a GGUF model's Yes mean? Fitted on a small sample, and measured on another.

Usage: python -m training.gguf.fit MODEL.gguf [--threads N] [--write FILE]

Every question is put to the model once and kept in a file (`--kept`), so that a stopped run
goes on. For each kind of task, slope and bias of a logistic regression from the log-odds of Yes to
the label, with half of the weight on either label. For statements the style is the one with the
higher AUROC on rows where both were asked; where that is within noise, the plain one.
`--write` puts the result where `gguf:MODEL.gguf` looks for it.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assay.judges.code_digest import text_digest
from assay.judges.data_digest import digest
from assay.judges.gguf import checked
from assay.judges.gguf.engine import Llama
from assay.judges.gguf.questions import PROTOCOLS, Fit, ItemQuestions, Style, log_odds
from training.gguf.rows import Row, answers, claims, relevance, usefulness

RIDGE = 0.05  # on the distance of the slope from 1: few rows should not make it steep
MARGIN = 0.1  # AUROC by which the slower style has to be better
FEWEST = 20  # answers that two coefficients take
TELLING = 30  # answers without which a card would tell of luck
WINDOW = 4096


def statements(size: int) -> Iterator[tuple[str, Style, Row]]:
    """(use, style, row) of what is asked about statements; `size` scales it."""
    for row in answers(size // 6, 1000, measured=False):
        yield "fit", "plain", row
    for name in ("factcheckgpt", "foolmetwice"):
        for number, row in enumerate(claims(name, size, 700, measured=False)):
            yield "fit", "plain", row
            if number < size // 2:
                yield "fit", "quote", row
    for row in claims("attributionbench", 2 * size, 700, measured=True):
        yield "measured", "plain", row
    for row in claims("factcheckgpt", size, 700, measured=True):
        yield "measured", "plain", row


def others(size: int) -> Iterator[tuple[str, Style, Row]]:
    """The same for sentences and contexts."""
    for use, measured in (("fit", False), ("measured", True)):
        n = size // 6 if measured else size // 3
        for row in (*relevance(n, measured=measured), *usefulness(n, measured=measured)):
            yield use, "plain", row


class Kept:
    """Answers on file: one line for each item that was asked about."""

    def __init__(self, path: Path, engine: Llama) -> None:
        self._path, self._engine = path, engine
        self.lines: list[dict[str, Any]] = []
        if path.is_file():
            self.lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def ask(self, use: str, style: Style, row: Row) -> None:
        """Ask about the items of a row, unless that was done before."""
        name = f"{use}/{row.task.kind}/{row.data}/{text_digest(repr(row.task))}/{style}"
        if any(line["name"] == name for line in self.lines):
            return
        protocol = PROTOCOLS[row.task.kind]
        asking = ItemQuestions(self._engine, protocol.question, Fit(style), 0, threading.Event())
        start = time.perf_counter()
        found = asking.all(protocol.case(row.task))
        seconds = (time.perf_counter() - start) / len(found)
        for item, label in row.labels.items():
            line = {
                "name": name, "use": use, "kind": row.task.kind, "data": row.data, "style": style,
                "label": label, "said": found[item].said, "seconds": round(seconds, 3),
                "tokens_in": asking.tokens_in,
            }  # fmt: skip
            self.lines.append(line)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        print(f"{name}: {len(found)} in {seconds:.1f} s each", flush=True)

    def of(self, **wanted: object) -> tuple[np.ndarray, np.ndarray]:
        """(log-odds of Yes, labels) of the items that match."""
        lines = [x for x in self.lines if all(x[k] == v for k, v in wanted.items())]
        return np.array([log_odds(x["said"]) for x in lines]), np.array(
            [x["label"] for x in lines], dtype=bool
        )


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Chance that a yes scores higher than a no; ties count half."""
    yes, no = scores[labels], scores[~labels]
    if not (len(yes) and len(no)):
        return float("nan")
    return float(((yes[:, None] > no).mean() + (yes[:, None] >= no).mean()) / 2)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 % of bootstrapped values."""
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


def fitted(odds: np.ndarray, labels: np.ndarray, style: Style) -> Fit:
    """Slope and bias by Newton steps, with half of the weight on either label."""
    inputs = np.stack([odds, np.ones(len(odds))], axis=1)
    weights = np.where(labels, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    start = np.array([1.0, 0.0])
    ridge = np.diag([RIDGE * len(odds), 0.0])
    found = start.copy()
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        gradient = inputs.T @ (weights * (p - labels)) + ridge @ (found - start)
        curvature = inputs.T @ (inputs * (weights * p * (1 - p))[:, None]) + ridge
        found = found - np.linalg.solve(curvature + 1e-9 * np.eye(2), gradient)
    return Fit(style, round(float(found[0]), 3), round(float(found[1]), 3))


def report(name: str, odds: np.ndarray, labels: np.ndarray, fit: Fit) -> str:
    """AUROC, and balanced accuracy with and without the fit, with bootstrapped intervals."""
    chance = np.random.default_rng(0)
    draws = [chance.integers(0, len(odds), len(odds)) for _ in range(2000)]

    def shown(measure: Any) -> str:
        low, high = interval([measure(odds[d], labels[d]) for d in draws])
        return f"{measure(odds, labels):.2f} [{low:.2f}, {high:.2f}]"

    def accuracy(bias: float, slope: float) -> Any:
        def measure(o: np.ndarray, y: np.ndarray) -> float:
            said = o * slope + bias >= 0
            if y.all() or not y.any():
                return float("nan")
            return float((said[y].mean() + (~said[~y]).mean()) / 2)

        return measure

    as_said = shown(accuracy(0.0, 1.0))
    text = f"AUROC {shown(auroc)}, balanced accuracy {shown(accuracy(fit.bias, fit.slope))}"
    print(f"{name}: n {len(odds)}, {text}, unfitted {as_said}")
    return f"{text}, n {len(odds)}"


def chosen(kept: Kept, kind: str) -> Fit:
    """The fit of one kind of task, in the better style."""
    odds, labels = kept.of(use="fit", kind=kind, style="plain")
    if len(odds) < FEWEST:
        print(f"{kind}: {len(odds)} answers are too few for a fit")
        return Fit()
    plain = fitted(odds, labels, "plain")
    quote = kept.of(use="fit", kind=kind, style="quote")
    if not len(quote[0]):
        return plain
    both = {x["name"].rpartition("/")[0] for x in kept.lines if x["style"] == "quote"}
    same = [x for x in kept.lines if x["style"] == "plain" and x["name"].rpartition("/")[0] in both]
    odds = np.array([log_odds(x["said"]) for x in same])
    rivals = auroc(odds, np.array([x["label"] for x in same])), auroc(*quote)
    print(f"{kind}: AUROC {rivals[0]:.2f} plain, {rivals[1]:.2f} quote, n {len(same)}")
    return fitted(*quote, "quote") if rivals[1] > rivals[0] + MARGIN else plain


def carded(kept: Kept, kind: str) -> Fit:
    """The fit of one kind of task; what was measured on rows that it has not seen is its card."""
    fit = chosen(kept, kind)
    for data in sorted({line["data"] for line in kept.lines}):
        seen = kept.of(use="fit", kind=kind, data=data, style=fit.style)
        if len(set(seen[1])) == 2:
            report(f"{kind}, {data}, seen", *seen, fit)
    cards = []
    for data in sorted({line["data"] for line in kept.lines}):
        found = kept.of(use="measured", kind=kind, data=data, style=fit.style)
        if len(set(found[1])) == 2:
            measured = report(f"{kind}, {data}", *found, fit)
            cards += [f"{data}: {measured}"] if len(found[1]) >= TELLING else []
    return msgspec.structs.replace(fit, card="; ".join(cards))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--size", type=int, default=24, help="claims of each file")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="ask no longer")
    parser.add_argument("--kept", type=Path, help="answers on file (default: beside the model)")
    parser.add_argument("--write", type=Path, help="JSON file to put the fit into")
    options = parser.parse_args()
    path = checked(options.model)
    kept = Kept(
        options.kept or path.with_suffix(".answers.jsonl"), Llama(path, options.threads, WINDOW)
    )
    end = time.monotonic() + 60 * options.minutes
    for use, style, row in chain(statements(options.size), others(options.size)):
        if time.monotonic() > end:
            print(f"stopped after {options.minutes:g} minutes: the same command goes on")
            break
        kept.ask(use, style, row)
    fits = {kind: carded(kept, kind) for kind in PROTOCOLS}
    kinds = {kind: fit for kind, fit in fits.items() if fit != Fit()}
    content = {digest(path): {"name": path.name, "kinds": msgspec.to_builtins(kinds)}}
    print(json.dumps(content, indent=2))
    if options.write:
        options.write.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
