"""The embedded judge beside several passages of one source, as of one product's pages.

    python -m benchmarks.judge.one_source [--judge large]

The rows are the written ones of `training/verifier/written/pairs/passages-*.txt` that training
leaves out: a large language model's, so they choose between candidates and prove nothing about
people's texts. One line a file: AUROC of the probability of support, and of the share of known
words; then the shares of supported statements that are lost and of the others that pass.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from training.verifier.written import pairs

from assay._text import words
from assay.bench.data import HELD_OUT, fold_of
from assay.judges.embedded.inference import Adapted
from assay.judges.embedded.judge import BASE
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import support
from assay.stats.agreement import auroc


def measure(path: Path, reader: Reader) -> np.ndarray:
    """Of each statement of a file: supported or not, its probability, share of known words."""
    measured = []
    for block in pairs.read(path):
        if fold_of(block.group) != HELD_OUT:
            continue
        known = {stem for context in block.contexts for stem in words.stems(context)}
        for texts, labels in answers(block):
            judged = support(texts, tuple(block.contexts), reader)
            for text, label, one in zip(texts, labels, judged, strict=True):
                said = set(words.stems(text))
                measured.append((label, one.probability, len(said & known) / max(1, len(said))))
    return np.array(measured)


def answers(block: pairs.Block) -> list[tuple[list[str], list[bool]]]:
    """The statements of each answer of a block, and whether they are supported."""
    numbers = sorted({number for _, _, number in block.lines})
    parts = [[line for line in block.lines if line[2] == number] for number in numbers]
    claims = [[line for line in part if line[0] in pairs.LABELS] for part in parts]
    return [
        ([text for _, text, _ in part], [sign == "+" for sign, _, _ in part])
        for part in claims
        if part
    ]


def main() -> None:
    """Measure every file."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--judge", help="an adapted judge's folder, or large")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    adapted = Adapted.at(options.judge, BASE) if options.judge else None
    reader = Reader(options.threads, adapted)
    print(f"{'file':22}    n  good  AUROC  floor  lost  passed")
    lines = []
    for path in sorted(pairs.TEXTS.glob("passages-*.txt")):
        found = measure(path, reader)
        good, chance = found[:, 0].astype(bool), found[:, 1]
        line = [float(auroc(found[:, k], good)(np.ones(len(good)))) for k in (1, 2)]
        line += [float((chance[good] < 0.5).mean()), float((chance[~good] >= 0.5).mean())]
        lines.append(line)
        _print(f"{path.stem:22} {len(good):4} {good.mean():5.2f}", line)
    _print(f"{'mean':33}", np.mean(lines, axis=0).tolist())


def _print(begins: str, line: list[float]) -> None:
    print(f"{begins} {line[0]:6.3f} {line[1]:6.3f}  {line[2]:.2f}    {line[3]:.2f}", flush=True)


if __name__ == "__main__":
    main()
