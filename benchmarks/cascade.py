"""What does a cascade save, and does the risk stay within its bound, also when the domain shifts?

The top judge is people on RAGTruth's test set and on the development rows of `quintd1` and
`llm_spans`, the cheap one the embedded judge, which has seen none of these rows. On `llm_spans`
there are verdicts of six LLMs as well, published by others: the one that agrees best with people is
the top judge, the second and the last one the cheap judge, without probabilities. Of a data set,
half of the answers in random order come up the cascade; its last band is then tried on the other
half, which it has never seen. After a shift, 3,000 answers of another set (drawn with replacement)
follow on those of the first.

    python -m benchmarks.cascade verdicts.jsonl [--splits 500] [--picture docs/cascade.svg]

The file keeps the embedded judge's verdicts; it is made first if it is not there (6 minutes).
"""

import argparse
import asyncio
import gzip
import json
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from assay.judges.embedded import Embedded
from assay.stats.risk_control import Band, Checked, RiskControl
from assay.tasks import Statement, VerifyStatements
from benchmarks import cascade_picture

CONFIDENCE, AUDIT = 0.9, 0.1
# Answers of a set; the embedded judge has never seen these rows.
MOST = {"ragtruth": 450, "llm_spans": 188, "quintd1": 192}
AFTER = 3000  # answers after a shift
RAGTRUTH = ("QA", "Summary", "Data2txt")
BOUNDS = (0.05, 0.1, 0.2, 0.3)
SHIFTED = 0.1  # the bound before and after a shift
TOP = "LLM 1"


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
        (more / "records/llm_spans_dev.jsonl.gz", "llm_spans"),
    ]
    by_set: dict[str, list[dict[str, Any]]] = {}
    for path, name in places:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                kind = f" {row['meta']['task_type']}" if name == "ragtruth" else ""
                by_set.setdefault(f"{name}{kind}", []).append(row)
    chance = random.Random(1)
    drawn = {
        name: chance.sample(rows, min(MOST[name.split()[0]], len(rows)))
        for name, rows in by_set.items()
    }
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


# Of each sentence the cheap judge's verdict, how sure it is, and whether the label contradicts it.
Said: TypeAlias = list[tuple[bool, float, bool]]


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

    def add(self, said: Said) -> None:
        """Judge one answer."""
        checked = self.chance.random() < self.control.chance
        stand = _standing(said, self.control.band)
        up = len(said) - (0 if checked else sum(stand))
        wrong = [bad for (_, _, bad), stands in zip(said, stand, strict=True) if stands]
        self.answers += 1
        self.statements += len(said)
        self.to_top += up
        self.spared += not up
        self.unsupported += sum(supported is bad for supported, _, bad in said)
        if not checked:
            self.wrong += sum(wrong)
            self.missed += sum(
                supported and bad and stands
                for (supported, _, bad), stands in zip(said, stand, strict=True)
            )
        if wrong:
            self.risks.append(sum(wrong) / len(wrong))
        if checked:
            rows = [Checked(*one) for one in zip(*zip(*said, strict=True), stand, strict=True)]
            order = self.chance.permutation(len(rows))
            self.control.learn([rows[at] for at in order])


def _said(answer: Answer, who: str) -> Said:
    verdicts = zip(answer.probabilities, answer.labels[who], strict=True)
    return [(p >= 0.5, max(p, 1 - p), (p >= 0.5) is not label) for p, label in verdicts]


def _standing(said: Said, band: Band) -> list[bool]:
    if not band:
        return [False] * len(said)
    return [band.holds(supported=supported, sureness=sureness) for supported, sureness, _ in said]


def _risk(answers: Sequence[Said], band: Band) -> float:
    shares = []
    for said in answers if band else ():
        stand = _standing(said, band)
        wrong = [bad for (_, _, bad), stands in zip(said, stand, strict=True) if stands]
        shares += [sum(wrong) / len(wrong)] if wrong else []
    return float(np.mean(shares)) if shares else 0.0


def _control(risk: float) -> RiskControl:
    return RiskControl(risk, 1 - CONFIDENCE, AUDIT)


@dataclass(frozen=True)
class Outcome:
    """What random halves of a set saved, and what it cost; means over the halves.

    Attributes:
        bound: On the risk.
        answers: In a half.
        opened: Share of the halves in which a band opened.
        statements: Share of the statements that the top judge was not asked about.
        calls: Share of the answers about which it was not asked at all.
        agreement: Share of the statements on which the cascade says what the top judge says.
        alone: Share of the statements on which the cheap judge says otherwise.
        missed: Share of the unsupported statements that a cheap verdict passed.
        risk: Of the last band on the other half.
        highest: The risk that 95 % of the halves do not exceed.
        broken: Share of the halves in which it is above the bound.
    """

    bound: float
    answers: int
    opened: float
    statements: float
    calls: float
    agreement: float
    alone: float
    missed: float
    risk: float
    highest: float
    broken: float

    @property
    def by_chance(self) -> float:
        """The agreement, were as many statements left to the cheap judge at random."""
        return 1 - self.statements * self.alone

    def row(self, name: str, who: str) -> str:
        """A line of the table."""
        shares = (self.opened, self.statements, self.calls, self.agreement, self.by_chance)
        shown = " | ".join(f"{share:.3f}" for share in (*shares, self.missed, self.risk))
        return f"| {name} | {who} | {self.bound:g} | {self.answers} | {shown} | {self.broken:.3f} |"


def outcome(answers: Sequence[Answer], who: str, bound: float, splits: int) -> Outcome:
    """What `splits` random halves saved, and how often the bound was broken."""
    chance = np.random.default_rng(0)
    streams, held = [], []
    half, said = len(answers) // 2, [_said(one, who) for one in answers]
    for _ in range(splits):
        order = chance.permutation(len(said))
        stream = Stream(_control(bound), chance)
        for at in order[:half]:
            stream.add(said[at])
        streams.append(stream)
        held.append(_risk([said[at] for at in order[half:]], stream.control.band))
    total = sum(s.statements for s in streams)
    saved = 1 - sum(s.to_top for s in streams) / total
    alone = [bad for one in said for _, _, bad in one]
    return Outcome(
        bound=bound,
        answers=half,
        opened=float(np.mean([bool(s.control.band) or s.control.closed > 0 for s in streams])),
        statements=saved,
        calls=float(np.mean([s.spared / s.answers for s in streams])),
        agreement=1 - sum(s.wrong for s in streams) / total,
        alone=float(np.mean(alone)),
        missed=sum(s.missed for s in streams) / max(1, sum(s.unsupported for s in streams)),
        risk=float(np.mean(held)),
        highest=float(np.quantile(held, 0.95)),
        broken=float(np.mean(np.array(held) > bound)),
    )


@dataclass(frozen=True)
class Shift:
    """What came of another set that followed on a first one.

    Attributes:
        bound: On the risk.
        opened: How many of the runs had a band when the set changed.
        unwatched: The risk on the new set, had nothing been checked.
        closed: Answers of the new set until the band closed, of the runs in which it did.
        risk: Of what stood, as it was watched.
    """

    bound: float
    opened: int
    unwatched: float
    closed: Sequence[int]
    risk: float

    def row(self, name: str) -> str:
        """A line of the table."""
        if not self.opened:
            return f"| {name} | {self.bound:g} | 0 | | | | |"
        middle = f"{np.median(self.closed):,.0f}" if self.closed else ""
        share = len(self.closed) / self.opened
        shown = f"{self.unwatched:.3f} | {share:.2f} | {middle} | {self.risk:.3f}"
        return f"| {name} | {self.bound:g} | {self.opened} | {shown} |"


def shift(first: Sequence[Answer], then: Sequence[Answer], bound: float, runs: int) -> Shift:
    """A set follows on another, in random order each."""
    chance = np.random.default_rng(0)
    waits, after, unwatched = [], [], []
    before_it, after_it = ([_said(one, "people") for one in answers] for answers in (first, then))
    for _ in range(runs):
        stream = Stream(_control(bound), chance)
        for at in chance.permutation(len(first)):
            stream.add(before_it[at])
        if not stream.control.band:
            continue
        before = stream.control.closed
        unwatched.append(_risk(after_it, stream.control.band))
        stream.risks.clear()
        wait = None
        for n, at in enumerate(chance.integers(len(then), size=AFTER), start=1):
            stream.add(after_it[at])
            if wait is None and stream.control.closed > before:
                wait = n
        waits += [wait] if wait else []
        after.append(float(np.mean(stream.risks)) if stream.risks else 0.0)
    if not after:
        return Shift(bound, 0, 0.0, (), 0.0)
    means = float(np.mean(unwatched)), float(np.mean(after))
    return Shift(bound, len(after), means[0], tuple(waits), means[1])


def llm_labels() -> list[dict[str, list[bool]]]:
    """Of the texts about records that all six LLMs judged, the labels by whose.

    The LLMs are numbered from the one on that agrees best with people, by balanced accuracy.
    """
    folder = Path(os.environ["ASSAY_DATA2"]) / "records"
    made = []
    for name in ("llm_spans_train", "llm_spans_dev"):
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            made += [_labels(row) for row in map(json.loads, lines) if row["labels"]["sentences"]]
    names = set().union(*made) - {"people"}
    made = [one for one in made if names < set(one)]
    truth = np.array([label for one in made for label in one["people"]])

    def balanced(who: str) -> float:
        said = np.array([label for one in made for label in one[who]])
        return float(np.mean(said[truth]) + np.mean(~said[~truth])) / 2

    ranked = sorted(names, key=balanced, reverse=True)
    called = {"people": "people"} | {who: f"LLM {n}" for n, who in enumerate(ranked, start=1)}
    return [{called[who]: labels for who, labels in one.items()} for one in made]


def curves(by_set: Mapping[str, list[Answer]]) -> dict[str, tuple[list[Answer], str]]:
    """What is drawn: the answers, and who is the top judge."""
    ragtruth = [one for kind in RAGTRUTH for one in by_set[f"ragtruth {kind}"]]
    found = {"RAGTruth": (ragtruth, "people")}
    found |= {f"RAGTruth {kind}": (by_set[f"ragtruth {kind}"], "people") for kind in RAGTRUTH}
    found |= {name: (by_set[name], "people") for name in ("llm_spans", "quintd1")}
    told = llm_labels()
    for cheap in ("LLM 2", "LLM 6"):
        answers = [Answer("llm_spans", [*map(float, one[cheap])], one) for one in told]
        found[f"{cheap} before {TOP}"] = (answers, TOP)
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--splits", type=int, default=500)
    parser.add_argument("--picture", type=Path, help="where the curves are drawn, as SVG")
    asked = parser.parse_args()
    if not asked.verdicts.exists():
        asyncio.run(make_verdicts(asked.verdicts))
    by_set: dict[str, list[Answer]] = {}
    for answer in read(asked.verdicts):
        by_set.setdefault(answer.set, []).append(answer)
    print("| set | top judge | bound | answers | opened | statements saved | calls saved ", end="")
    print("| agreement | by chance | unsupported missed | risk | above the bound |")
    print("|---" * 12 + "|")
    drawn: dict[str, list[Outcome]] = {}
    for name, (answers, who) in curves(by_set).items():
        for bound in BOUNDS:
            found = outcome(answers, who, bound, asked.splits)
            drawn.setdefault(name, []).append(found)
            print(found.row(name, who), flush=True)
    print("\n| from, to | bound | opened | risk, were nothing watched | closed | after ", end="")
    print("| risk as it was |")
    print("|---" * 7 + "|")
    shifts: dict[str, Shift] = {}
    for other in ("ragtruth Summary", "ragtruth Data2txt", "llm_spans", "quintd1"):
        shifts[other] = shift(by_set["ragtruth QA"], by_set[other], SHIFTED, asked.splits // 5)
        print(shifts[other].row(f"ragtruth QA, {other}"), flush=True)
    if asked.picture:
        asked.picture.write_text(cascade_picture.drawn(drawn, shifts), encoding="utf-8")


if __name__ == "__main__":
    main()
