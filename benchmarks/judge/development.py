"""The embedded judge on development sets: records, tables, dialogues, contracts, and claims.

    python -m benchmarks.judge.development [--only NAME,...] [--most 400] [--judge large]

One line a set: AUROC of the probability of support, the AUROC of shared words beside it (beside
whole texts by any of their sentences, of the number of new words), the shares of supported and of
unsupported statements that are judged wrongly at the judge's threshold, and the calibration error.
None of these rows may train a judge that ships; they choose between candidates. The last line gives
the spread of a verdict when its neighbours change.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay._text import sentences, words
from assay.judges.embedded.inference import Adapted
from assay.judges.embedded.judge import BASE
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import support
from assay.metrics.groundedness import any_unsupported
from assay.stats.agreement import auroc
from benchmarks.data import DATA

FIRST = DATA.folder
SECOND = Path(os.environ.get("ASSAY_DATA2", FIRST.parent / "data2"))
CLAIMS = {
    "sick": FIRST / "claims/sick.jsonl.gz",
    "anli": FIRST / "claims/anli_dev.jsonl.gz",
    "scifact": FIRST / "claims/scifact_rte.jsonl.gz",
    "climate_fever": FIRST / "claims/climate_fever.jsonl.gz",
    "healthver": FIRST / "claims/healthver.jsonl.gz",
    "covidfact": FIRST / "claims/covidfact.jsonl.gz",
    "attribution_dev": FIRST / "attribution/attributionbench_dev.jsonl.gz",
    "factcg_doc": SECOND / "claims/factcg_doc_dev.jsonl.gz",
    "contractnli": SECOND / "documents/contractnli_dev.jsonl.gz",
    "nli4ct": SECOND / "documents/nli4ct_dev.jsonl.gz",
    "infotabs": SECOND / "tables/infotabs_dev.jsonl.gz",
    "pubhealthtab": SECOND / "tables/pubhealthtab_dev.jsonl.gz",
    "scitab": SECOND / "tables/scitab_dev.jsonl.gz",
    "tabfact": SECOND / "tables/tabfact_pairs_dev.jsonl.gz",
}
ANSWERS = {
    "quintd1": SECOND / "records/quintd1_dev.jsonl.gz",
    "llm_spans": SECOND / "records/llm_spans_dev.jsonl.gz",
    "diasumfact": SECOND / "dialogues/diasumfact_dev.jsonl.gz",
    "faceval": SECOND / "dialogues/faceval_dev.jsonl.gz",
    "storysumm": SECOND / "summaries/storysumm_dev.jsonl.gz",
}
BINS = 10


class Measured(NamedTuple):
    """Probabilities of support, whether people say so, and the share of words that are known."""

    probabilities: np.ndarray
    labels: np.ndarray
    overlap: np.ndarray


def rows(path: Path, most: int | None) -> list[dict[str, Any]]:
    """At most so many rows of a file or all, the same ones each time, pairs together."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return sorted(found, key=_by_chance)[:most]


def _by_chance(row: dict[str, Any]) -> tuple[int, str]:
    pair = str((row.get("meta") or {}).get("pair", row["id"]))
    return zlib.crc32(pair.encode()), pair


def claims(path: Path, most: int, reader: Reader) -> Iterator[tuple[str, Measured]]:
    """Single statements."""
    found = []
    for row in rows(path, most):
        supported = row["labels"].get("supported")
        text = row.get("claim") or row["answer"]
        if supported is None or not text or not row["contexts"]:
            continue
        (verdict,) = support([text], row["contexts"], reader)
        label = row["labels"].get("label", "")
        found.append((verdict.probability, supported, overlap(text, row["contexts"]), label))
    yield "", _measured([one[:3] for one in found])
    refuted = [one for one in found if one[1] or one[3] == "refuted"]
    if 0 < sum(not one[1] for one in refuted) < sum(not one[1] for one in found):
        yield " (without neutral)", _measured([one[:3] for one in refuted])


def answers(path: Path, most: int, reader: Reader) -> Iterator[tuple[str, Measured]]:
    """Whole texts by the mean and by any of their sentences, and the sentences themselves."""
    means, wholes, each = [], [], []
    for row in rows(path, most):
        text = row["answer"]
        cuts = sentences.spans(text)
        if not cuts or row["labels"].get("hallucinated") is None:
            continue
        said = [text[start:end] for start, end in cuts]
        chances = [one.probability for one in support(said, row["contexts"], reader)]
        known = [overlap(one, row["contexts"]) for one in said]
        good = not row["labels"]["hallucinated"]
        means.append((float(np.mean(chances)), good, float(np.mean(known))))
        new = sum(
            len(set(words.stems(one))) * (1 - share) for one, share in zip(said, known, strict=True)
        )
        wholes.append((1 - any_unsupported(chances), good, -new))
        marks = row["labels"].get("spans")
        if marks is not None:
            wrong = [(m["start"], m["end"]) for m in marks if m["unsupported"]]
            each += [
                (chance, not any(s < end and start < e for s, e in wrong), share)
                for chance, share, (start, end) in zip(chances, known, cuts, strict=True)
            ]
    yield " (mean)", _measured(means)
    yield " (any)", _measured(wholes)
    if not all(good for _, good, _ in each):
        yield " (sentences)", _measured(each)


def overlap(text: str, contexts: Sequence[str]) -> float:
    """The share of a text's content words that stand in the contexts."""
    wanted = set(words.stems(text))
    known = {stem for context in contexts for stem in words.stems(context)}
    return len(wanted & known) / len(wanted) if wanted else 1.0


def _measured(found: Sequence[tuple[float, bool, float]]) -> Measured:
    chances, labels, known = zip(*found, strict=True)
    return Measured(np.array(chances), np.array(labels, bool), np.array(known))


def figures(one: Measured) -> dict[str, float]:
    """What a line shows."""
    good, said = one.labels, one.probabilities >= 0.5
    return {
        "n": len(good),
        "supported": float(good.mean()),
        "auroc": _auroc(one.probabilities, good),
        "floor": _auroc(one.overlap, good),
        "lost": float((~said[good]).mean()) if good.any() else float("nan"),
        "passed": float(said[~good].mean()) if (~good).any() else float("nan"),
        "ece": _calibration_error(one.probabilities, good),
    }


def _auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    return float(auroc(scores, labels)(np.ones(len(labels))))


def _calibration_error(chances: np.ndarray, labels: np.ndarray) -> float:
    place = np.minimum((chances * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(chances[place == k].mean() - labels[place == k].mean()) * (place == k).mean()
            for k in range(BINS)
            if (place == k).any()
        )
    )


def drift(most: int, reader: Reader) -> dict[str, float]:
    """How far a sentence's probability moves when it is judged alone and beside others."""
    moved: list[float] = []
    for name in ("quintd1", "llm_spans", "diasumfact"):
        for row in rows(ANSWERS[name], most):
            said = sentences.sentences(row["answer"])[:6]
            if len(said) < 2:
                continue
            together = [one.probability for one in support(said, row["contexts"], reader)]
            for text, before in zip(said, together, strict=True):
                (alone,) = support([text], row["contexts"], reader)
                moved.append(abs(alone.probability - before))
    found = np.array(moved)
    middle, high = (float(np.quantile(found, share)) for share in (0.5, 0.95))
    return {"n": len(found), "median": middle, "p95": high}


def main() -> None:
    """Measure the sets that are there."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--judge", help="an adapted judge's folder, or large")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    adapted = Adapted.at(options.judge, BASE) if options.judge else None
    reader = Reader(options.threads, adapted)
    content: dict[str, dict[str, float]] = {}
    print(f"{'set':32}     n  good  AUROC  floor  lost  pass   ECE")
    for sets, measure in ((CLAIMS, claims), (ANSWERS, answers)):
        for name, path in sets.items():
            if options.only and name not in options.only:
                continue
            if not path.exists():
                print(f"{name:32} not there: {path}")
                continue
            for part, one in measure(path, options.most, reader):
                line = content[name + part] = figures(one)
                print(
                    f"{name + part:32} {line['n']:5.0f} {line['supported']:5.2f} "
                    f"{line['auroc']:6.3f} {line['floor']:6.3f} {line['lost']:5.2f} "
                    f"{line['passed']:5.2f} {line['ece']:5.2f}",
                    flush=True,
                )
    if not options.only or "drift" in options.only:
        content["drift"] = drift(options.most // 10, reader)
        print("drift beside neighbours", content["drift"])
    if options.out:
        options.out.write_text(json.dumps(content, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
