"""What does a cascade save, and does the risk stay within its bound, also when the domain shifts?

Labels are people's on RAGTruth's test set and on `quintd1` and `llm_spans`, and on the last the
published verdicts of six LLMs as well, each in turn as the top judge. The cheap judge is the
embedded one. Of a data set, half of the answers in random order come up the cascade; its last band
is then tried on the other half, which it has never seen. After a shift, 3,000 answers of another
set (drawn with replacement) follow on those of the first.

    python -m benchmarks.cascade verdicts.jsonl [--splits 500]

The file keeps the embedded judge's verdicts; it is made first if it is not there (20 minutes).
"""

import argparse
import asyncio
import gzip
import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assay.judges.embedded import Embedded
from assay.stats.risk_control import Band, Checked, RiskControl
from assay.tasks import Statement, VerifyStatements

CONFIDENCE, AUDIT = 0.9, 0.1
MOST = 450  # answers of a set
AFTER = 3000  # answers after a shift
RAGTRUTH = ("QA", "Summary", "Data2txt")


@dataclass(frozen=True)
class Answer:
    """An answer: of each sentence the embedded judge's probability and the labels by whose."""

    set: str
    probabilities: Sequence[float]
    labels: dict[str, list[bool]]


def _rows() -> list[tuple[str, dict[str, Any]]]:
    data, more = Path(os.environ["ASSAY_DATA"]), Path(os.environ["ASSAY_DATA2"])
    places = [
        (data / "ragtruth/ragtruth_test.jsonl.gz", "ragtruth"),
        (more / "records/quintd1_dev.jsonl.gz", "quintd1"),
        (more / "records/llm_spans_train.jsonl.gz", "llm_spans"),
    ]
    by_set: dict[str, list[dict[str, Any]]] = {}
    for path, name in places:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                kind = f" {row['meta']['task_type']}" if name == "ragtruth" else ""
                by_set.setdefault(f"{name}{kind}", []).append(row)
    chance = random.Random(1)
    drawn = {name: chance.sample(rows, min(MOST, len(rows))) for name, rows in by_set.items()}
    return [
        (name, row) for name, rows in drawn.items() for row in rows if row["labels"]["sentences"]
    ]


def _labels(row: dict[str, Any]) -> dict[str, list[bool]]:
    sentences = row["labels"]["sentences"]

    def clean(annotator: str, start: int, end: int) -> bool:
        spans = row["labels"].get("model_spans") or []
        return not any(
            s["unsupported"]
            and s["annotator"] == annotator
            and s["start"] < end
            and start < s["end"]
            for s in spans
        )

    machines = row["labels"].get("model_annotators") or []
    return {
        "people": [s["supported"] for s in sentences],
        **{who: [clean(who, s["start"], s["end"]) for s in sentences] for who in machines},
    }


async def make_verdicts(path: Path) -> None:
    """Keep the embedded judge's probabilities beside the labels."""
    judge = Embedded()
    with path.open("w", encoding="utf-8") as kept:
        for name, row in _rows():
            sentences = row["labels"]["sentences"]
            texts = (row["answer"][s["start"] : s["end"]] for s in sentences)
            said = tuple(Statement(f"s{n}", text) for n, text in enumerate(texts, start=1))
            task = VerifyStatements(said, tuple(row["contexts"]))
            verdicts = task.read((await judge.reply(task)).raw)
            answer = {"set": name, "p": [v.probability for v in verdicts], "labels": _labels(row)}
            kept.write(json.dumps(answer) + "\n")


def read(path: Path) -> list[Answer]:
    """The answers of such a file."""
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return [Answer(line["set"], line["p"], line["labels"]) for line in lines]


@dataclass
class Stream:
    """Answers as they come up a cascade of the embedded judge and a top judge."""

    control: RiskControl
    chance: np.random.Generator
    statements: int = 0
    to_top: int = 0
    spared: int = 0  # answers without any call to the top judge
    answers: int = 0
    wrong: int = 0
    missed: int = 0  # unsupported ones that a cheap verdict calls supported
    unsupported: int = 0
    risks: list[float] = field(default_factory=list)

    def add(self, answer: Answer, who: str) -> None:
        """Judge one answer."""
        checked = self.chance.random() < self.control.chance
        rows = _checked(answer, who, self.control.band)
        stand = [row for row in rows if row.stands]
        up = len(rows) if checked else len(rows) - len(stand)
        self.answers += 1
        self.statements += len(rows)
        self.to_top += up
        self.spared += not up
        self.unsupported += sum(row.supported is row.wrong for row in rows)
        if not checked:
            self.wrong += sum(row.wrong for row in stand)
            self.missed += sum(row.wrong and row.supported for row in stand)
        if stand:
            self.risks.append(sum(row.wrong for row in stand) / len(stand))
        if checked:
            order = self.chance.permutation(len(rows))
            self.control.learn([rows[at] for at in order])


def _checked(answer: Answer, who: str, band: Band) -> list[Checked]:
    made = []
    for p, label in zip(answer.probabilities, answer.labels[who], strict=True):
        supported, sureness = p >= 0.5, max(p, 1 - p)
        stands = band.holds(supported=supported, sureness=sureness)
        made.append(Checked(supported, sureness, supported is not label, stands))
    return made


def _risk(answers: Sequence[Answer], who: str, band: Band) -> float:
    shares = []
    for answer in answers:
        stand = [row.wrong for row in _checked(answer, who, band) if row.stands]
        shares += [sum(stand) / len(stand)] if stand else []
    return float(np.mean(shares)) if shares else 0.0


def _control(risk: float) -> RiskControl:
    return RiskControl(risk, 1 - CONFIDENCE, AUDIT)


def table(name: str, answers: list[Answer], who: str, risk: float, splits: int) -> str:
    """One row: what `splits` random halves saved, and how often the bound was broken."""
    chance = np.random.default_rng(0)
    streams, held = [], []
    for _ in range(splits):
        order = chance.permutation(len(answers))
        half = len(answers) // 2
        stream = Stream(_control(risk), chance)
        for at in order[:half]:
            stream.add(answers[at], who)
        streams.append(stream)
        held.append(_risk([answers[at] for at in order[half:]], who, stream.control.band))
    spared = float(np.mean([s.spared / s.answers for s in streams]))
    opened = [bool(s.control.band) or s.control.closed > 0 for s in streams]
    broken = np.mean(np.array(held) > risk)
    agree = 1 - sum(s.wrong for s in streams) / sum(s.statements for s in streams)
    missed = sum(s.missed for s in streams) / max(1, sum(s.unsupported for s in streams))
    return (
        f"| {name} | {who} | {risk:g} | {len(answers) // 2} | {np.mean(opened):.2f} "
        f"| {_share(streams, 'statements', 'to_top'):.2f} | {spared:.2f} "
        f"| {agree:.3f} | {missed:.2f} | {np.mean(held):.3f} | {broken:.3f} |"
    )


def _share(streams: Sequence[Stream], whole: str, part: str) -> float:
    """What the top judge was not asked about."""
    total = sum(getattr(s, whole) for s in streams)
    return 1 - sum(getattr(s, part) for s in streams) / total


def shift(name: str, first: list[Answer], then: list[Answer], risk: float, splits: int) -> str:
    """One row: a set follows on another, in random order each."""
    chance = np.random.default_rng(0)
    alone, closed, waits, after, unwatched = 0, 0, [], [], []
    for _ in range(splits):
        stream = Stream(_control(risk), chance)
        for at in chance.permutation(len(first)):
            stream.add(first[at], "people")
        if not stream.control.band:
            continue
        alone += stream.control.closed > 0
        band, before = stream.control.band, stream.control.closed
        unwatched.append(_risk(then, "people", band))
        stream.risks.clear()
        wait = None
        for n, at in enumerate(chance.integers(len(then), size=AFTER), start=1):
            stream.add(then[at], "people")
            if wait is None and stream.control.closed > before:
                wait = n
        closed += wait is not None
        waits += [wait] if wait else []
        after.append(float(np.mean(stream.risks)) if stream.risks else 0.0)
    n = max(1, len(after))
    middle = f"{np.median(waits):.0f}" if waits else "-"
    return (
        f"| {name} | {risk:g} | {len(after)} | {alone / n:.3f} | {np.mean(unwatched):.3f} "
        f"| {closed / n:.2f} | {middle} | {np.mean(after):.3f} |"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--splits", type=int, default=500)
    asked = parser.parse_args()
    if not asked.verdicts.exists():
        asyncio.run(make_verdicts(asked.verdicts))
    by_set: dict[str, list[Answer]] = {}
    for answer in read(asked.verdicts):
        by_set.setdefault(answer.set, []).append(answer)
    ragtruth = [one for kind in RAGTRUTH for one in by_set[f"ragtruth {kind}"]]
    sets = {"ragtruth": ragtruth, **by_set}
    print("| set | top judge | bound | answers | opened | statements saved | calls saved ", end="")
    print("| agreement | unsupported missed | risk on the other half | above the bound |")
    print("|---" * 11 + "|")
    for name, answers in sets.items():
        for who in dict.fromkeys(who for one in answers for who in one.labels):
            judged = [one for one in answers if who in one.labels]
            for risk in (0.05, 0.1, 0.2):
                print(table(name, judged, who, risk, asked.splits), flush=True)
    print("\n| from, to | bound | opened | closed before | risk, were nothing watched ", end="")
    print("| closed | after | risk as it was |")
    print("|---" * 8 + "|")
    qa = by_set["ragtruth QA"]
    others = ("ragtruth Summary", "ragtruth Data2txt", "llm_spans", "quintd1")
    for other in others:
        for risk in (0.05, 0.1):
            print(shift(f"ragtruth QA, {other}", qa, by_set[other], risk, asked.splits), flush=True)


if __name__ == "__main__":
    main()
