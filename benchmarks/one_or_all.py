"""Do fewer calls cost accuracy? All statements of an answer in one call, against one call each.

    python -m benchmarks.one_or_all --judge openai:gpt-4o-mini --limit 100
    python -m benchmarks.one_or_all --gguf MODEL.gguf --limit 40

Sentences of RAGTruth's QA answers (training rows, labelled by people: Niu et al. 2024), half of the
answers with something hallucinated. Both ways ask the same task with the same words. Every answer's
verdicts are kept in a file, so that a run of hours that breaks off goes on where it stopped.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay._middleware.limiter import Limiter
from assay.errors import JudgeError
from assay.judges.openai.judge import OpenAI
from assay.stats.agreement import balanced, balanced_interval
from assay.stats.comparison import paired
from assay.stats.intervals import value_of
from assay.tasks import Statement, VerifyStatements
from benchmarks.data import ROOT, Record, load, thinned

FEWEST = 3  # sentences of an answer: with one, both ways are the same
MOST = 6  # with more, a small model on few cores takes ten minutes an answer
WAYS = ("all", "each")


@dataclass
class Told:
    """What one way of asking told about one answer."""

    verdicts: list[bool | None]  # of each sentence; None where there is none
    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float


def answers(limit: int) -> list[Record]:
    """As many good as bad ones, the same every time."""
    rows = [
        row
        for row in load("ragtruth/ragtruth_train.jsonl.gz")
        if row["meta"]["task_type"] == "QA" and FEWEST <= len(row["labels"]["sentences"]) <= MOST
    ]
    kinds = ([r for r in rows if r["labels"]["hallucinated"] is bad] for bad in (False, True))
    good, bad = (thinned(kind, limit // 2) for kind in kinds)
    return [row for pair in zip(good, bad, strict=True) for row in pair]


def statements(row: Record) -> tuple[Statement, ...]:
    """The sentences that people labelled."""
    parts = row["labels"]["sentences"]
    return tuple(
        Statement(f"s{n}", row["answer"][part["start"] : part["end"]])
        for n, part in enumerate(parts, start=1)
    )


async def told(backend: assay.Backend, row: Record, way: str) -> Told:
    """Ask about an answer in one of the two ways."""
    given = statements(row)
    groups = [given] if way == "all" else [(one,) for one in given]
    judge = assay.Judge(backend)
    found: dict[str, bool] = {}
    for group in groups:
        try:
            verdicts = await judge(VerifyStatements(group, tuple(row["contexts"])))
        except JudgeError as error:
            print(f"  {row['id']}: {error}", flush=True)
            continue
        found |= {verdict.id: verdict.supported for verdict in verdicts}
    replies = judge.replies
    return Told(
        [found.get(one.id) for one in given],
        len(replies),
        sum(reply.tokens_in for reply in replies),
        sum(reply.tokens_out for reply in replies),
        sum(reply.ms for reply in replies) / 1000,
    )


def kept(file: Path) -> dict[tuple[str, str, str], Told]:
    """What an earlier run was told, by judge, answer and way."""
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    found = (json.loads(line) for line in lines)
    return {tuple(one.pop("key")): Told(**one) for one in found}


def measure(
    backend: assay.Backend, name: str, rows: Sequence[Record], file: Path
) -> list[list[Told]]:
    """What each way told about every answer; the name is the same whatever port the judge is at."""
    known = kept(file)
    door = Limiter(backend, assay.Limits(concurrency=1, timeout=1800, retries=1))

    async def ask() -> list[list[Told]]:
        found = []
        for place, row in enumerate(rows, start=1):
            pair = []
            for way in WAYS:
                key = (name, row["id"], way)
                if key not in known:
                    known[key] = await told(door, row, way)
                    line = json.dumps({"key": key, **vars(known[key])})
                    with file.open("a", encoding="utf-8") as kept_in:
                        kept_in.write(line + "\n")
                pair.append(known[key])
            found.append(pair)
            print(f"{place}/{len(rows)}", end="\r", flush=True)
        return found

    return asyncio.run(ask())


def show(rows: Sequence[Record], found: Sequence[Sequence[Told]]) -> None:
    """Accuracy of each way with its interval, and of their difference on the same sentences."""
    sentences = list(judged(rows, found))
    labels = np.array([label for _, label, _ in sentences])
    groups = [group for group, _, _ in sentences]
    print(f"{len(rows)} answers, {len(labels)} sentences, {1 - labels.mean():.0%} unsupported")
    print(f"{'way':6}{'balanced':>9}{'95 %':>16}{'no verdict':>12}{'calls':>7}{'in':>9}{'out':>8}")
    for place, way in enumerate(WAYS):
        said = [verdicts[place] for _, _, verdicts in sentences]
        # A sentence without a verdict is counted as not supported, as a cautious reader would.
        called = np.array([one is True for one in said])
        value = value_of(balanced(called, labels), len(labels))
        between = balanced_interval(called, labels, groups)
        mine = [pair[place] for pair in found]
        lost = sum(one is None for one in said)
        ends = f"{between.low:.3f}..{between.high:.3f}" if between else ""
        print(
            f"{way:6}{value:>9.3f}{ends:>16}{lost:>12}{sum(t.calls for t in mine):>7}"
            f"{sum(t.tokens_in for t in mine):>9}{sum(t.tokens_out for t in mine):>8}"
        )
    right = [
        [float((one is True) == label) for one in verdicts] for _, label, verdicts in sentences
    ]
    both = paired([r[0] for r in right], [r[1] for r in right], groups=groups, span=1.0)
    ends = f"{both.interval.low:+.3f}..{both.interval.high:+.3f}" if both.interval else "-"
    same = sum(v[0] == v[1] for _, _, v in sentences)
    print(
        f"accuracy of each minus all: {both.difference:+.3f} ({ends}), p {both.p:.3f}; "
        f"the same verdict on {same} of {len(sentences)}"
    )


def judged(
    rows: Sequence[Record], found: Sequence[Sequence[Told]]
) -> Iterator[tuple[str, bool, list[bool | None]]]:
    """Each sentence: its answer, whether people found it supported, and what either way said."""
    for row, pair in zip(rows, found, strict=True):
        for place, part in enumerate(row["labels"]["sentences"]):
            yield row["id"], part["supported"], [way.verdicts[place] for way in pair]


def main() -> None:
    parser = argparse.ArgumentParser(description="All statements in one call, or one call each?")
    parser.add_argument("--judge", default="", help="as `assay run --judge` takes it")
    parser.add_argument("--gguf", type=Path, help="a model that is served by llama.cpp meanwhile")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--limit", type=int, default=40, help="answers")
    parser.add_argument("--kept", type=Path, default=Path("one_or_all.jsonl"))
    options = parser.parse_args()
    if not (options.judge or options.gguf):
        print("skipped: name a language model by --judge or --gguf")
        return
    rows = answers(options.limit)
    with ExitStack() as stack:
        name = options.judge or options.gguf.name
        found = measure(_judge(options, stack), name, rows, options.kept)
    print(name)
    show(rows, found)


def _judge(options: Any, stack: ExitStack) -> assay.Backend:
    if options.judge:
        return assay.backend(options.judge)
    sys.path.insert(0, str(ROOT / "tests"))
    from support.llama import llama
    from support.qwen import NO_PADDING

    url = stack.enter_context(llama(options.gguf, threads=options.threads, context=8192))
    return OpenAI(options.gguf.stem, base_url=url, schema_extra=NO_PADDING)


if __name__ == "__main__":
    main()
